// Owns loaded code: which code object and kernel a kernel_object address of a dispatch packet belongs to. Executables,
// which the client makes of loaded code, are in loader.h.
#pragma once
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "rewrite/probed.h"
#include "views/locate.h"
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>

namespace crosslane::hsa {

struct Agent;
class Heap;
struct Pool;
class Loader; // loader.h

// One code object in memory. Lives as long as somebody holds it, so that a dispatch outlives hsa_executable_destroy.
struct LoadedCode {
  std::shared_ptr<const codeobject::CodeObject> object; // shared by all agents that it is loaded for
  Agent* agent = nullptr;
  uint64_t base = 0, size = 0; // address of the image; its size in bytes
  std::unique_ptr<engine::Code> code;
  views::Image image;
  // With probes in it (hsa/code/probes.h): what it was; null: nobody asked.
  std::shared_ptr<const rewrite::Probed> probed;
  views::Image original;                                      // its image, which lies in this one
  std::map<const rewrite::KernelPlan*, std::mutex> recording; // one for each kernel with probes
  std::mutex spare_mutex;                                     // guards spare_records
  std::span<uint8_t> spare_records; // rewrite::no_record throughout, for whoever comes next; may be empty

  uint64_t executable = 0;                                         // handle of the executable that it is part of
  std::unordered_map<uint64_t, const codeobject::Kernel*> kernels; // by address of the descriptor
  Heap* heap = nullptr;                                            // of `allocation`, which holds the image
  void* allocation = nullptr;
  ~LoadedCode(); // frees the image
};

// Where code and what belongs to it lie: device memory, of which it takes its share.
Pool* device_memory(const Agent&);

class CodeRegistry {
public:
  CodeRegistry();
  ~CodeRegistry();
  void add(std::shared_ptr<LoadedCode>);
  void remove(const LoadedCode&);
  // What `address` lies in; null if in none. Fast enough for every dispatch.
  std::shared_ptr<LoadedCode> find(uint64_t address) const;
  // The kernel whose descriptor is at this address; null if there is none.
  static const codeobject::Kernel* kernel_at(const LoadedCode&, uint64_t descriptor);

  Loader& loader() { return *loader_; }

private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<LoadedCode>> by_base_;
  std::unique_ptr<Loader> loader_;
};

} // namespace crosslane::hsa
