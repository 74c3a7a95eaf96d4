// Owns what the files of findings share: the kernel, its sums, and the words of the language that it is written in. Not
// for users of the layer.
#pragma once
#include "findings/profile.h"
#include "findings/totals.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::findings::parts {

// How a programmer of the source's language says it.
struct Words {
  const char* lds;       // memory of a workgroup
  const char* item;      // number of a work-item in its workgroup
  const char* workgroup; // where a kernel promises the size of its workgroups
  const char* wave_add;  // a sum over a wavefront
};
Words words_of(std::string_view language);

struct Findings {
  const KernelProfile& kernel;
  const std::vector<SourceFile>& sources;
  std::span<const Buffer> buffers;
  Totals total;
  std::vector<Finding> list;

  const ProfiledInstruction& at(int instruction) const { return kernel.instructions[static_cast<size_t>(instruction)]; }
  Words words(const Place&) const;
  // Adds a finding of an instruction (-1: of the kernel), if `cost` is worth telling of.
  void add(FindingKind, int instruction, double cost, const char* unit, double total, std::string title,
           std::string text, std::string advice);
};

void find_divergence(Findings&);
void find_partial_waves(Findings&);
void find_memory(Findings&); // coalescing, misaligned, atomic collisions
void find_scratch(Findings&);
void find_lds(Findings&); // bank conflicts, atomic collisions
void find_occupancy(Findings&);

double real(uint64_t count);
double mean(double sum, double count);
// "4" or "4.5".
std::string per_each(double sum, double count);
// "`ds_read_b32 v1, v0` at f+0x24"
std::string quoted(const ProfiledInstruction&);
// "12.3 %": of something that is not 0.
std::string share_text(double part, double whole);

} // namespace crosslane::findings::parts
