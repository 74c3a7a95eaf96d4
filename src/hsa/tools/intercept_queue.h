// Owns intercept queues (hsa_amd_queue_intercept_create): profilers see each packet of a client before it is processed,
// and may put others in its place. The client writes into a queue of its own, the upper one, which nothing processes;
// when its doorbell is rung, each packet goes through the handlers, the last registered first, and what comes out is
// put into the lower queue, which is processed. As in ROCr (intercept_queue.cpp), for what profilers rely on: handlers
// run in the thread that rings; a doorbell that a kernel rings, or a handler, is served by a thread of ours; what has
// no room in the lower queue waits behind a barrier packet there.
#pragma once
#include "hsa/queue/queue.h"
#include "hsa/tools/newer_tools.h"
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace crosslane::hsa {

class Interceptor : public std::enable_shared_from_this<Interceptor> {
public:
  Interceptor(Queue& upper, std::shared_ptr<Queue> lower);
  ~Interceptor();
  void start(); // serves doorbells
  void stop();  // of the lower queue too
  Queue& lower() { return *lower_; }
  void add(hsa_amd_queue_intercept_handler handler, void* data);
  // The host has stored this in the doorbell.
  void ring(int64_t value);

private:
  struct Packet {
    uint8_t bytes[64]; // handlers write from where they like
    uint16_t header() const;
    bool is_marker() const;
  };
  struct Pass; // of one packet through the handlers, in a thread
  static thread_local Pass* pass;
  static void write(const void* packets, uint64_t count); // the packet writer of the handlers

  void serve();
  void process();
  void deliver(size_t handlers, const Packet* packets, uint64_t count);
  uint64_t submit(const Packet* packets, uint64_t count); // how many of them went into the lower queue
  void put_retry_barrier();

  Queue& upper_; // while not stopped
  Signal* const doorbell_;
  std::shared_ptr<Queue> lower_;
  std::thread thread_;
  std::atomic<bool> stopped_{false};
  std::recursive_mutex mutex_; // guards what follows: one packet at a time; handlers may register others
  std::vector<std::pair<hsa_amd_queue_intercept_handler, void*>> handlers_;
  uint64_t next_ = 0;            // packet of the upper queue
  std::vector<Packet> overflow_; // what had no room
  uint64_t retry_ = 0;           // read index of the lower queue at which its barrier makes us try again
};

} // namespace crosslane::hsa
