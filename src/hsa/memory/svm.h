// Owns what clients ask of ranges of shared virtual memory: who may access them, and where they had better lie. It is
// kept page by page and told again as the kernel driver does. Access is what it says; nothing moves, as a card's memory
// is the host's here. Source: ROCr's Runtime::SetSvmAttrib and GetSvmAttrib; kfd_svm.c of Linux 6.1
// (svm_range_set_attr, svm_range_get_attr).
#pragma once
#include "machine/shared_ranges.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace crosslane::hsa {

class Runtime;
struct Agent;

// True as on a card with a driver of Linux 5.14 or later: from gfx9 on, and only if that holds for all GPUs.
bool svm_supported(const Runtime&);
// HIP maps managed memory by itself, wherever the system likes, and only then tells of it. If the preloaded library is
// there, it asks for a place in the window, where kernels reach it soonest and nothing else comes when it is gone.
void place_managed_memory();

class SvmRanges {
public:
  using Pair = hsa_amd_svm_attribute_pair_t;
  // Of the pages of [begin, end), multiples of the page size. Nothing is changed unless all are valid.
  hsa_status_t set(const Runtime&, uint64_t begin, uint64_t end, std::span<const Pair>);
  // Values that differ within the range are told as the driver does: no location, the least access.
  hsa_status_t get(const Runtime&, uint64_t begin, uint64_t end, std::span<Pair>);
  void prefetched(uint64_t begin, uint64_t end, const Agent&);
  // Those whose memory has been unmapped meanwhile, every now and then: their first bytes. Before set().
  std::vector<uint64_t> forget_unmapped();
  // What GPUs may access.
  const machine::SharedRanges& accessible() const { return accessible_; }
  bool all_in_window() const; // what GPUs may access

private:
  enum class Access : uint8_t { none, may_migrate, in_place };
  struct Attributes {
    bool fine = true, read_only = false, hive_local = false, read_mostly = false, executable = false,
         host_access = true;
    uint64_t granularity = 9;                                // 2^9 pages
    const Agent *preferred = nullptr, *prefetched = nullptr; // null: no location
    std::vector<Access> access;                              // by node; those behind its end have none
    Access of(const Agent&) const;
  };
  struct Range {
    uint64_t end;
    Attributes attributes;
  };
  using Ranges = std::map<uint64_t, Range>; // by first byte, disjoint
  void split(uint64_t at);
  template <class Change> void change(uint64_t begin, uint64_t end, Change&&);
  static void apply(const Runtime&, Attributes&, const Pair&);

  mutable std::mutex mutex_;
  Ranges ranges_;
  size_t looked_at_ = 64; // ranges that there were after the last look for unmapped ones
  machine::SharedRanges accessible_;
};

} // namespace crosslane::hsa
