// Captures: what there is of each dispatch, and launches that run one again.
#include "api/attempt.h"
#include "api/handles.h"
#include "machine/fault.h"

using namespace crosslane;
using api::attempt, api::failed, api::give;

crosslane_status crosslane_capture_open(crosslane_context* context, const char* folder, crosslane_capture** capture) {
  return attempt(context, [&](crosslane_context& c) {
    if (!folder || !capture)
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "there is no {}", folder ? "place for the capture" : "name");
    *capture = nullptr;
    auto reader = capture::Reader::open(folder);
    if (!reader)
      return failed(c.message, CROSSLANE_ERROR_CODE, reader.takeError());
    *capture = new crosslane_capture{std::move(*reader), {}, {}};
    return CROSSLANE_OK;
  });
}

void crosslane_capture_destroy(crosslane_capture* capture) { delete capture; }
const char* crosslane_capture_message(const crosslane_capture* capture) {
  return capture ? capture->message.c_str() : "there is no capture";
}
size_t crosslane_capture_dispatch_count(const crosslane_capture* capture) {
  return capture ? capture->reader->numbers().size() : 0;
}

crosslane_status crosslane_capture_get_dispatch(crosslane_capture* capture, size_t index,
                                                crosslane_dispatch_info* info) {
  return attempt(capture, [&](crosslane_capture& c) {
    const auto& numbers = c.reader->numbers();
    if (index >= numbers.size())
      return failed(c.message, CROSSLANE_ERROR_NAME, "{}: has {} dispatches, and none at {}", c.reader->folder(),
                    numbers.size(), index);
    auto known = c.dispatches.find(numbers[index]);
    if (known == c.dispatches.end()) {
      auto dispatch = c.reader->dispatch(numbers[index]);
      if (!dispatch)
        return failed(c.message, CROSSLANE_ERROR_CODE, dispatch.takeError());
      std::string name = codeobject::demangle(dispatch->kernel);
      known = c.dispatches.emplace(numbers[index], api::Dispatch{std::move(*dispatch), std::move(name)}).first;
    }
    const capture::Dispatch& d = known->second.dispatch;
    const auto& outcome = d.outcome;
    crosslane_dispatch_info value = {};
    value.number = d.number, value.launch = d.launch;
    value.kernel = known->second.kernel.c_str(), value.symbol = d.kernel.c_str();
    value.target = d.target.c_str(), value.card = d.card.c_str(), value.command = d.command.c_str();
    // Names of faults are literals.
    value.ended = !outcome ? "" : outcome->fault ? machine::name(outcome->fault->kind) : "complete";
    std::ranges::copy(d.packet.grid_size, value.grid);
    std::ranges::copy(d.packet.workgroup_size, value.block);
    value.workgroups = d.workgroup_count(), value.memory_bytes = d.bytes();
    value.comparable = outcome && (outcome->fault || (outcome->memory && !d.workgroups));
    return give(info, value);
  });
}

crosslane_status crosslane_capture_replay(crosslane_capture* capture, uint64_t number, crosslane_launch** launch) {
  return attempt(capture, [&](crosslane_capture& c) {
    if (!launch)
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "there is no place for the launch");
    *launch = nullptr;
    if (!std::ranges::count(c.reader->numbers(), number))
      return failed(c.message, CROSSLANE_ERROR_NAME, "{}: has no dispatch {}", c.reader->folder(), number);
    auto created = std::make_unique<crosslane_launch>();
    created->job.wording = launch::Wording::keys;
    created->job.capture = c.reader->folder(), created->job.dispatch = number;
    *launch = created.release();
    return CROSSLANE_OK;
  });
}

namespace {

template <class F> crosslane_status of_replay(crosslane_launch* launch, F f) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (l.kernel)
      return failed(l.message, CROSSLANE_ERROR_ARGUMENT, "this launch is not of a captured dispatch");
    f(l.job);
    return CROSSLANE_OK;
  });
}

} // namespace

crosslane_status crosslane_replay_set_workgroups(crosslane_launch* launch, uint64_t first, uint64_t count) {
  return of_replay(launch, [&](launch::Job& job) {
    job.workgroups = count ? fmt::format("{}..{}", first, first + (count - 1)) : "";
  });
}

crosslane_status crosslane_replay_set_expect(crosslane_launch* launch, int expect) {
  return of_replay(launch, [&](launch::Job& job) { job.expect_captured = expect != 0; });
}
