// Owns what the handles of crosslane.h are made of. Those that others depend on share a state with them, so that
// destroying one never takes it from another; each handle has the message of its last call.
#pragma once
#include "api/crosslane.h"
#include "capture/reader.h"
#include "launch/launch.h"
#include "launch/ready.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace crosslane::api {

struct Module;

// Both enumerations have the same order.
inline crosslane_type type_of(launch::Type type) { return static_cast<crosslane_type>(static_cast<int>(type) + 1); }
static_assert(static_cast<int>(launch::Type::i8) + 1 == CROSSLANE_I8 &&
              static_cast<int>(launch::Type::u16) + 1 == CROSSLANE_U16 &&
              static_cast<int>(launch::Type::f64) + 1 == CROSSLANE_F64 &&
              static_cast<int>(launch::Type::b1) + 1 == CROSSLANE_BOOL && launch::type_count == 12);

struct Module : std::enable_shared_from_this<Module> {
  std::shared_ptr<launch::Device> device;
  std::shared_ptr<launch::LoadedCode> code;
  std::string target;
  profile::SourceTexts texts; // of bytes
  std::vector<crosslane_kernel> kernels;
};

// Of a capture, with what crosslane_dispatch_info points to.
struct Dispatch {
  capture::Dispatch dispatch;
  std::string kernel; // demangled
};

struct Memory {
  launch::Block block;
  std::shared_ptr<Module> module; // of a variable, which lies in its image: `block` is empty
  void* data = nullptr;           // where the device has it
  size_t size = 0;
  void* host = nullptr; // the caller's, of which `data` is a copy; null: there is none
  bool read_only = false;
};

} // namespace crosslane::api

struct crosslane_context {
  std::shared_ptr<crosslane::launch::Device> device;
  mutable std::string message;
};

struct crosslane_kernel {
  crosslane::api::Module* module;
  const crosslane::codeobject::Kernel* kernel;
  crosslane::launch::Signature signature;
  std::string name, text; // demangled; the signature
};

struct crosslane_module {
  std::shared_ptr<crosslane::api::Module> shared;
  mutable std::string message;
};

struct crosslane_buffer {
  std::shared_ptr<crosslane::api::Memory> shared;
};

struct crosslane_capture {
  std::unique_ptr<crosslane::capture::Reader> reader;
  std::map<uint64_t, crosslane::api::Dispatch> dispatches; // that were asked for
  mutable std::string message;
};

struct crosslane_launch {
  std::shared_ptr<crosslane::api::Module> module;
  const crosslane_kernel* kernel = nullptr; // null, as the module: the job has a captured dispatch
  crosslane::launch::Job job;
  crosslane::launch::SetArguments arguments;
  std::map<size_t, std::shared_ptr<crosslane::api::Memory>> buffers; // of arguments
  crosslane_progress_callback progress = nullptr;
  void* progress_user = nullptr;
  std::mutex stopping;
  crosslane::launch::Stop* stop = nullptr; // while it runs; with the mutex
  mutable std::string message;
};

struct crosslane_result {
  std::shared_ptr<crosslane::api::Module> module;                // null: of a replay
  std::shared_ptr<const crosslane::codeobject::CodeObject> code; // that ran
  crosslane::launch::Result result;
  crosslane_status status = CROSSLANE_OK;
  uint64_t fault_pc = 0;                                     // from the start of the image
  std::map<std::string, std::string, std::less<>> documents; // that were asked for
  std::map<std::string, crosslane::launch::Buffer, std::less<>> contents;
  std::string notes; // what was to be known, a line each
  std::string fault_kind;
  std::string why;             // it is not CROSSLANE_OK
  mutable std::string message; // of a call that failed
};
