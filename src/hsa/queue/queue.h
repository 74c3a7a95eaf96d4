// Owns user mode queues: the ring of packets, amd_queue_t as kernels read it, and one host thread per queue that
// processes packets in order, so that queues progress independently. processor.cpp says what a packet does. Source: HSA
// platform system architecture specification 1.2, 2.9 "User mode queueing".
#pragma once
#include "engine/places.h"
#include "hsa/info/agent.h"
#include "hsa/queue/signal.h"
#include "hsa/slots.h"
#include <atomic>
#include <functional>
#include <hsa/amd_hsa_queue.h>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace crosslane::hsa {

class Runtime;

// Where amd_queue_t lies.
extern Slots queue_slots;

// Packets: HSA_AGENT_INFO_QUEUE_MIN_SIZE, which queues are rounded up to, and HSA_AGENT_INFO_QUEUE_MAX_SIZE.
inline constexpr uint32_t smallest_queue = 64, largest_queue = 131072;

struct Queue {
  amd_queue_t& amd; // where kernels read it; the client's hsa_queue_t* is its address
  Runtime* const runtime;
  Agent* agent = nullptr; // null: a soft queue, which the client processes
  Signal* doorbell = nullptr;
  Signal* inactive = nullptr; // becomes the status of an error
  bool owns_doorbell = true;
  std::atomic<hsa_amd_queue_priority_t> priority{HSA_AMD_QUEUE_PRIORITY_NORMAL};
  bool cooperative = false;      // HSA_QUEUE_TYPE_COOPERATIVE: one grid at a time, all of it resident
  void* ring = nullptr;          // of packets, 64 bytes each
  uint32_t size = 0;             // packets that it has room for
  hsa_queue_t* handle = nullptr; // the client's
  void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr;
  void* callback_data = nullptr;
  std::atomic<bool> stop{false}, profiling{false};
  std::mutex mutex; // guards what follows
  engine::UnitMask cu_mask{};
  std::mutex ending; // guards what follows
  std::thread thread;
  std::atomic<std::thread::id> processor{}; // the thread, as it knows itself
  std::shared_ptr<Queue> destroyed;         // of that thread: itself, when it was destroyed by its own callback
  std::shared_ptr<Interceptor> interceptor; // of a queue that profilers look into: it has the one that is processed
  std::atomic_ref<uint64_t> read_index() { return std::atomic_ref(const_cast<uint64_t&>(amd.read_dispatch_id)); }
  // Ends the thread after the packet under way; a kernel is cancelled.
  void stop_processing();
  explicit Queue(Runtime&); // throws std::bad_alloc
  Queue(const Queue&) = delete;
  ~Queue();
};

// `agent` null: a soft queue. `doorbell` null: one of its own. Throws std::bad_alloc.
std::unique_ptr<Queue> make_queue(Runtime&, Agent* agent, uint32_t size, uint32_t type, Signal* doorbell);

class Queues {
public:
  ~Queues();                                             // stops all
  hsa_queue_t* add(std::shared_ptr<Queue>);              // its thread starts; null after stop_all()
  std::shared_ptr<Queue> find(const hsa_queue_t*) const; // null: there is no such queue
  // Stops the thread, cancelling the kernel that runs, and frees the queue. False: there is no such queue.
  bool destroy(hsa_queue_t*);
  std::shared_ptr<Queue> take(const hsa_queue_t*); // which goes on, but is no client's any more
  // Ends all threads of the queues, which stay there; no more can be added. For the end of the runtime.
  void stop_all();

private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;
  bool stopped_ = false;
};

// A thread that processes packets; its callbacks may shut the runtime down.
std::thread start_queue_thread(const char* name, std::function<void()> body);
constexpr bool has_barrier_bit(uint16_t header) { return header >> HSA_PACKET_HEADER_BARRIER & 1; }
// This thread is one that processes packets, so it is in a queue's callback.
bool in_queue_thread();
// The loop of a queue's thread.
void process_packets(Queue& queue);
// Runs a kernel to its end. HSA_STATUS_SUCCESS, or what the queue's callback is told; `queue.stop` cancels it. The
// packet is a copy of what is in the ring at `packet_address`.
hsa_status_t dispatch(Queue& queue, const hsa_kernel_dispatch_packet_t& packet, uint64_t packet_id,
                      uint64_t packet_address);

} // namespace crosslane::hsa
