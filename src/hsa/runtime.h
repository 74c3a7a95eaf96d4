// Owns the Runtime: what hsa_init makes, everything that all API functions share. It is never destroyed before the last
// hsa_shut_down, and not at all by programs that just exit (HIP, GCC), whose last words may still use it.
#pragma once
#include "hsa/fork.h"
#include "hsa/handles.h"
#include "hsa/info/agent.h"
#include "hsa/settings.h"
#include "machine/memory.h"
#include <atomic>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>

namespace crosslane::hsa {

class CodeRegistry;  // executable.h
class Heap;          // memory.h
struct Images;       // image.h
class AsyncHandlers; // async_handlers.h
class Capturing;     // capturing.h
class CopyEngine;    // copy.h
class Statistics;    // statistics.h
class Interrupt;     // interrupt.h
class Queues;        // queue.h
class SvmRanges;     // svm.h
struct SignalGroup;  // signal.h
class VirtualMemory; // vmem.h

class Runtime {
public:
  // Null before hsa_init and after the last hsa_shut_down.
  static Runtime* current();
  // As long as one lives, no runtime that it saw is destroyed; the one that goes last after hsa_shut_down destroys it.
  // For functions of the API, which other threads and callbacks may shut the runtime down under.
  class Use {
  public:
    Use() noexcept : runtime(enter()) {}
    ~Use() { leave(); }
    Use(const Use&) = delete;
    Runtime* const runtime; // as current()

  private:
    static Runtime* enter() noexcept;
    static void leave() noexcept;
  };
  static hsa_status_t init();
  static hsa_status_t shut_down();

  Settings settings;
  std::atomic<bool>
      reaches_host; // kernels reach all memory of the process: the settings say so, or the program's OpenMP
  std::vector<std::unique_ptr<Agent>> agents; // [0] is the CPU, then the GPUs
  // Null for a handle that is none of ours.
  Agent* agent(hsa_agent_t handle) const;

  std::unique_ptr<Heap> heap;     // every allocation, pools and regions
  std::unique_ptr<SvmRanges> svm; // what is asked of ranges of host memory
  std::unique_ptr<Images> images;
  std::unique_ptr<VirtualMemory> virtual_memory; // what hsa_amd_vmem_* arrange
  std::unique_ptr<CodeRegistry> code;            // loaded code, by address
  std::unique_ptr<AsyncHandlers> async_handlers;
  std::unique_ptr<CopyEngine> copies;
  std::unique_ptr<Statistics> statistics;
  std::unique_ptr<Capturing> capturing; // null: nothing is to be captured
  std::unique_ptr<Queues> queues;
  std::unique_ptr<Interrupt> interrupt;
  Handles<SignalGroup> signal_groups;
  // Kernels end, so that what was counted can be told, and where they were; the process has not long to live.
  void tell_at_last(const std::string& why);
  // What was counted and found.
  void tell_all();
  // Why, once that has been called; else null.
  const std::string* last_words() const { return last_words_; }

  // What hsa_amd_register_system_event_handler left.
  std::mutex event_mutex;
  hsa_amd_system_event_callback_t event_callback = nullptr;
  void* event_data = nullptr;
  std::atomic<bool> queue_notifier_taken{false}; // hsa_amd_runtime_queue_create_register was called

  ~Runtime();

private:
  explicit Runtime(Settings);
  static void retire(Runtime*);
  std::atomic<const std::string*> last_words_{nullptr};
};

// Runs the body of an API function: not before hsa_init, and no exception leaves it.
template <class Body> hsa_status_t api(Body&& body) noexcept {
  const Runtime::Use use;
  Runtime* runtime = use.runtime;
  if (!runtime) {
    if (in_forked_child())
      say_forked();
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  }
  try {
    return body(*runtime);
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const std::system_error&) { // no thread
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (...) {
    return HSA_STATUS_ERROR;
  }
}

} // namespace crosslane::hsa
