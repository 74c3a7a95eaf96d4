// Owns user mode queues: the ring of packets, amd_queue_t as kernels read it, and one host thread per queue that processes
// packets in order, so that queues progress independently. processor.cpp says what a packet does.
// Source: HSA platform system architecture specification 1.2, 2.9 "User mode queueing".
#pragma once
#include "hsa/agent.h"
#include "hsa/signal.h"
#include <atomic>
#include <hsa/amd_hsa_queue.h>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace crosslane::hsa {

class Runtime;

struct Queue {
  amd_queue_t amd = {}; // first: the client's hsa_queue_t* is its address
  Runtime* runtime = nullptr;
  Agent* agent = nullptr;       // null: a soft queue, which the client processes
  Signal* doorbell = nullptr;
  bool owns_doorbell = true;
  bool cooperative = false;     // HSA_QUEUE_TYPE_COOPERATIVE: one grid at a time, all of it resident
  void* ring = nullptr;         // of packets, 64 bytes each
  void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr;
  void* callback_data = nullptr;
  std::atomic<bool> stop{false}, profiling{false};
  std::vector<uint32_t> cu_mask;
  std::thread thread;
  std::atomic_ref<uint64_t> write_index() { return std::atomic_ref(const_cast<uint64_t&>(amd.write_dispatch_id)); }
  std::atomic_ref<uint64_t> read_index() { return std::atomic_ref(const_cast<uint64_t&>(amd.read_dispatch_id)); }
  static Queue* from(const hsa_queue_t* q) { return reinterpret_cast<Queue*>(const_cast<hsa_queue_t*>(q)); }
  ~Queue();
};

class Queues {
public:
  explicit Queues(Runtime& runtime) : runtime_(runtime) {}
  ~Queues(); // stops all
  void add(std::unique_ptr<Queue>);
  bool contains(const hsa_queue_t*) const;
  // Stops the thread, cancelling the kernel that runs, and frees the queue. False: there is no such queue.
  bool destroy(hsa_queue_t*);
  // Ends all threads of the queues; they stay there. For the end of the process.
  void stop_all();

private:
  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

// The loop of a queue's thread.
void process_packets(Queue& queue);

} // namespace crosslane::hsa
