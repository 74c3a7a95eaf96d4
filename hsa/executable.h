// Owns loaded code: which executable, code object and kernel a kernel_object address of a dispatch packet belongs to. The
// API functions on code object readers, executables and symbols are in executable_api.cpp.
#pragma once
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "views/locate.h"
#include <memory>
#include <shared_mutex>
#include <map>

namespace crosslane::hsa {

struct Agent;

// One code object in memory. Lives as long as somebody holds it, so that a dispatch outlives hsa_executable_destroy.
struct LoadedCode {
  std::unique_ptr<codeobject::CodeObject> object;
  Agent* agent = nullptr;
  uint64_t base = 0, size = 0;          // address of the image; its size in bytes
  std::unique_ptr<engine::Code> code;
  views::Image image;
  ~LoadedCode();                        // frees the image
};

class CodeRegistry {
public:
  void add(std::shared_ptr<LoadedCode>);
  void remove(const LoadedCode&);
  // What `address` lies in; null if in none.
  std::shared_ptr<LoadedCode> find(uint64_t address) const;
  // The kernel whose descriptor is at this address; null if there is none.
  static const codeobject::Kernel* kernel_at(const LoadedCode&, uint64_t descriptor);

private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<LoadedCode>> by_base_;
};

} // namespace crosslane::hsa
