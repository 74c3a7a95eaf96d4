// Packets go from the client's ring through the tool's functions into a queue of ours.
#include "hsa/tools/intercept_queue.h"
#include "engine/thread.h"
#include "hsa/functions.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <cstring>

namespace crosslane::hsa {

namespace {

constexpr int64_t quiet = -1; // a doorbell's value while nobody but the host rings

// A packet that tells a tool where in the lower queue the packet behind it goes; it does not go there itself.
struct Marker {
  uint16_t header;
  uint8_t format, reserved[5];
  void (*callback)(const Marker* marker, hsa_queue_t* queue, uint64_t packet_id);
  uint64_t user_data[6];
};
static_assert(sizeof(Marker) == 64);
constexpr uint8_t marker_format = 0xfe; // AMD_AQL_FORMAT_INTERCEPT_MARKER

uint32_t type_of(uint16_t header) { return header >> HSA_PACKET_HEADER_TYPE & 0xff; }

std::atomic_ref<uint16_t> header_at(void* packet) { return std::atomic_ref(*static_cast<uint16_t*>(packet)); }

std::atomic_ref<uint64_t> write_index(Queue& queue) {
  return std::atomic_ref(const_cast<uint64_t&>(queue.amd.write_dispatch_id));
}

} // namespace

struct Interceptor::Pass {
  Interceptor& of;
  uint64_t index;      // of the client's packet
  size_t handlers = 0; // that what is written has yet to go through
};
thread_local Interceptor::Pass* Interceptor::pass = nullptr;

uint16_t Interceptor::Packet::header() const {
  uint16_t header;
  std::memcpy(&header, bytes, sizeof header);
  return header;
}

bool Interceptor::Packet::is_marker() const {
  return type_of(header()) == HSA_PACKET_TYPE_VENDOR_SPECIFIC && bytes[2] == marker_format;
}

Interceptor::Interceptor(Queue& upper, std::shared_ptr<Queue> lower)
    : upper_(upper), doorbell_(upper.doorbell), lower_(std::move(lower)) {
  doorbell_->value() = quiet;
}

Interceptor::~Interceptor() {
  // From its own callback a queue cannot go away under its thread's feet; it stays until that ends.
  if (Queue& lower = *lower_; std::this_thread::get_id() == lower.processor.load())
    lower.destroyed = std::move(lower_);
}

void Interceptor::start() {
  doorbell_->interceptor = this;
  thread_ = start_queue_thread("crosslane watch", [self = shared_from_this()] { self->serve(); });
}

void Interceptor::stop() {
  doorbell_->interceptor = nullptr;
  if (!stopped_.exchange(true)) {
    notify(*doorbell_);
    // A handler ends it: that is in this thread, or has what this thread waits for.
    if (thread_.get_id() == std::this_thread::get_id() || (pass && &pass->of == this))
      thread_.detach();
    else if (thread_.joinable())
      thread_.join();
  }
  lower_->stop_processing();
}

void Interceptor::add(hsa_amd_queue_intercept_handler handler, void* data) {
  const std::lock_guard lock(mutex_);
  handlers_.emplace_back(handler, data);
}

void Interceptor::ring(int64_t value) {
  if (!pass) // else a handler rings, which is in the middle of something
    return process();
  doorbell_->value().store(value == quiet ? 0 : value);
  notify(*doorbell_);
}

void Interceptor::serve() {
  while (!stopped_) {
    wait_until({&doorbell_, 1}, [&] { return stopped_ || doorbell_->value().load() != quiet; }, forever, short_spin);
    if (stopped_)
      return;
    doorbell_->value().store(quiet);
    process();
  }
}

void Interceptor::process() {
  const auto self = shared_from_this(); // a handler may destroy the queue
  const std::lock_guard lock(mutex_);
  if (stopped_ || lower_->stop)
    return;
  if (!overflow_.empty()) {
    overflow_.erase(overflow_.begin(), overflow_.begin() + ptrdiff_t(submit(overflow_.data(), overflow_.size())));
    if (!overflow_.empty())
      return;
  }
  const uint32_t size = upper_.size;
  // A doorbell may be rung before the packets behind have come.
  const uint64_t end = std::min(write_index(upper_).load(std::memory_order_acquire), next_ + size);
  while (next_ < end) {
    auto* const packet = static_cast<Packet*>(upper_.ring) + (next_ & (size - 1));
    if (type_of(header_at(packet).load(std::memory_order_acquire)) == HSA_PACKET_TYPE_INVALID)
      break;
    Pass own{*this, next_};
    pass = &own;
    deliver(handlers_.size(), packet, 1);
    pass = nullptr;
    if (stopped_)
      return;
    header_at(packet).store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
    upper_.read_index().store(++next_);
    if (!overflow_.empty()) // what comes of one packet waits at most; the barrier goes on with the next
      break;
  }
}

// Gives packets to the last of the first `handlers` handlers, or to the lower queue.
void Interceptor::deliver(size_t handlers, const Packet* packets, uint64_t count) {
  if (handlers) {
    const auto [handler, data] = handlers_[handlers - 1];
    pass->handlers = handlers - 1;
    handler(packets, count, pass->index, data, write);
    pass->handlers = handlers;
    return;
  }
  const uint64_t done = overflow_.empty() ? submit(packets, count) : 0;
  overflow_.insert(overflow_.end(), packets + done, packets + count);
}

void Interceptor::write(const void* packets, uint64_t count) {
  if (!pass || !count)
    return;
  const size_t handlers = pass->handlers;
  pass->of.deliver(handlers, static_cast<const Packet*>(packets), count);
  pass->handlers = handlers;
}

uint64_t Interceptor::submit(const Packet* packets, uint64_t count) {
  Queue& lower = *lower_;
  const auto real =
      uint64_t(std::count_if(packets, packets + count, [](const Packet& packet) { return !packet.is_marker(); }));
  const uint64_t read = lower.read_index().load();
  const uint64_t room = lower.size - (write_index(lower).load() - read);
  // One place is for the barrier, unless it is there already: it makes us try again once the read index is past it.
  const bool will_retry = retry_ > read;
  uint64_t now = real, usable = room - !will_retry;
  if (real >= lower.size) // never fits as a whole
    now = usable;
  else if (real > usable) // what comes of one packet stays together, if it can
    now = 0;
  if (now < real && !will_retry)
    put_retry_barrier();

  const uint64_t first = write_index(lower).load();
  auto* const ring = static_cast<Packet*>(lower.ring);
  const auto place = [&](uint64_t index) { return &ring[index & (lower.size - 1)]; };
  uint64_t i = 0, written = 0;
  uint16_t first_header = 0;
  for (; i < count && (written < now || now == real); ++i) {
    if (packets[i].is_marker()) {
      const auto* marker = reinterpret_cast<const Marker*>(&packets[i]);
      if (marker->callback)
        marker->callback(marker, &lower.amd.hsa_queue, first + written);
      continue;
    }
    // The header of the first comes last, so that all come at once.
    Packet* const to = place(first + written);
    const size_t skipped = written ? 0 : sizeof first_header;
    if (!written)
      first_header = packets[i].header();
    std::memcpy(to->bytes + skipped, packets[i].bytes + skipped, sizeof(Packet) - skipped);
    ++written;
  }
  if (written) {
    write_index(lower).store(first + written);
    header_at(place(first)).store(first_header, std::memory_order_release);
    lower.doorbell->value().store(int64_t(first + written - 1));
    notify(*lower.doorbell);
  }
  return i;
}

void Interceptor::put_retry_barrier() {
  Queue& lower = *lower_;
  const uint64_t index = write_index(lower).fetch_add(1);
  hsa_barrier_and_packet_t packet{};
  packet.completion_signal = doorbell_->handle(); // whose value changes by it
  void* const place = static_cast<Packet*>(lower.ring) + (index & (lower.size - 1));
  constexpr size_t skipped = sizeof packet.header;
  std::memcpy(static_cast<uint8_t*>(place) + skipped, reinterpret_cast<uint8_t*>(&packet) + skipped,
              sizeof packet - skipped);
  header_at(place).store(HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER,
                         std::memory_order_release);
  lower.doorbell->value().store(int64_t(index));
  notify(*lower.doorbell);
  retry_ = index + 1;
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                            void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data,
                                            uint32_t private_segment_size, uint32_t group_segment_size,
                                            hsa_queue_t** queue) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!queue || size < 3) // room for a packet and two barriers
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_queue_t* handle = nullptr;
    const hsa_status_t status = functions::hsa_queue_create(agent, size, type, callback, data, private_segment_size,
                                                            group_segment_size, &handle);
    if (status != HSA_STATUS_SUCCESS)
      return status;
    std::shared_ptr<Queue> lower = runtime.queues->take(handle);
    if (!lower)
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    auto upper = make_queue(runtime, nullptr, lower->size, type, nullptr);
    // As the lower one for kernels and clients, but for what they write to.
    hsa_queue_t front = lower->amd.hsa_queue;
    front.base_address = upper->ring;
    front.doorbell_signal = upper->doorbell->handle();
    upper->amd = lower->amd;
    upper->amd.hsa_queue = front;
    upper->amd.read_dispatch_id = 0;
    upper->amd.write_dispatch_id = 0;
    lower->handle = upper->handle;
    upper->interceptor = std::make_shared<Interceptor>(*upper, std::move(lower));
    upper->interceptor->start();
    *queue = runtime.queues->add(std::move(upper));
    return *queue ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}

hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue, hsa_amd_queue_intercept_handler callback,
                                              void* user_data) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto found = runtime.queues->find(queue);
    if (!found || !found->interceptor)
      return HSA_STATUS_ERROR_INVALID_QUEUE;
    found->interceptor->add(callback, user_data);
    return HSA_STATUS_SUCCESS;
  });
}

// The runtime makes no queues for itself here, so that there is nothing to tell. As in ROCr the first to ask is the
// only one.
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback, void*) {
  return api([&](Runtime& runtime) {
    const bool taken = callback ? runtime.queue_notifier_taken.exchange(true) : runtime.queue_notifier_taken.load();
    return taken ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
