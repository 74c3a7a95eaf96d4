// A dispatch from its folder to its memory.
#include "launch/captured.h"
#include "files/error.h"
#include <algorithm>
#include <charconv>
#include <cstring>

namespace crosslane::launch {

namespace {

constexpr uint64_t most_object = uint64_t(1) << 30; // bytes

// What makes two faults the same.
std::string text_of(const std::optional<machine::Fault>& fault) {
  if (!fault)
    return "no fault";
  std::string text = fmt::format("{} at pc {:#x}, workgroup ({}, {}, {}), wave {}", machine::name(fault->kind),
                                 fault->pc, fault->workgroup[0], fault->workgroup[1], fault->workgroup[2], fault->wave);
  if (fault->lane >= 0)
    text += fmt::format(", lane {}", fault->lane);
  if (fault->address)
    text += fmt::format(", address {:#x}", fault->address);
  return text;
}

} // namespace

llvm::Expected<std::shared_ptr<Captured>> Captured::open(const std::string& folder, std::optional<uint64_t> number) {
  std::shared_ptr<Captured> captured(new Captured);
  auto reader = capture::Reader::open(folder);
  if (!reader)
    return reader.takeError();
  captured->reader_ = std::move(*reader);
  const std::vector<uint64_t>& numbers = captured->reader_->numbers();
  if (numbers.empty())
    return fail("{}: has no dispatches", folder);
  auto dispatch = captured->reader_->dispatch(number.value_or(numbers.front()));
  if (!dispatch)
    return dispatch.takeError();
  captured->dispatch_ = std::move(*dispatch);
  return captured;
}

llvm::Expected<std::shared_ptr<const codeobject::CodeObject>> Captured::object() const {
  auto bytes = reader_->pack().read(dispatch_.code.bytes, most_object);
  if (!bytes)
    return bytes.takeError();
  auto object = codeobject::CodeObject::read(*bytes, dispatch_.code.name);
  if (!object)
    return object.takeError();
  if ((*object)->processor() != dispatch_.target && (*object)->processor() != "gfx9-generic")
    return fail("{}: the code is for {}, and its dispatch for {}", reader_->folder(), (*object)->processor(),
                dispatch_.target);
  if ((*object)->image_size() > dispatch_.code.size)
    return fail("{}: the code needs {} bytes, and {} are captured", reader_->folder(), (*object)->image_size(),
                dispatch_.code.size);
  return std::shared_ptr<const codeobject::CodeObject>(std::move(*object));
}

llvm::Expected<const codeobject::Kernel*> Captured::kernel_of(const codeobject::CodeObject& object) const {
  for (const codeobject::Kernel& kernel : object.kernels())
    if (dispatch_.code.base + (kernel.descriptor_address - object.image_begin()) == dispatch_.packet.kernel_object)
      return &kernel;
  return fail("{}: the code has no kernel at {:#x}, which dispatch {} is of", reader_->folder(),
              dispatch_.packet.kernel_object, dispatch_.number);
}

llvm::Error Captured::choose(capture::Workgroups wanted, Wording wording) {
  const uint64_t count = dispatch_.workgroup_count();
  if (wanted.first >= count || wanted.count > count - wanted.first)
    return fail("{}: the dispatch has {} workgroups, from 0 to {}", option(wording, "workgroups"), count, count - 1);
  dispatch_.workgroups = wanted;
  return llvm::Error::success();
}

engine::Part Captured::part() const {
  return dispatch_.workgroups ? engine::Part{dispatch_.workgroups->first, dispatch_.workgroups->count} : engine::Part();
}

llvm::Error Captured::place(machine::Memory& memory, std::vector<Zeroed> zeroed) {
  auto placed = capture::Placed::create(dispatch_, reader_->pack());
  if (!placed)
    return fail("{}: {}", reader_->folder(), llvm::toString(placed.takeError()));
  placed_ = std::move(*placed);
  for (const capture::Allocation& a : dispatch_.allocations)
    memory.note(a.address, a.size, a.name);
  if (dispatch_.shared && !dispatch_.shared->data.zeros()) {
    auto data = reader_->pack().read(dispatch_.shared->data, machine::gds_bytes);
    if (!data)
      return data.takeError();
    gds_ = std::move(*data);
  }
  zeroed_ = std::move(zeroed);
  zero();
  return llvm::Error::success();
}

void Captured::zero() const {
  for (const Zeroed& z : zeroed_)
    std::memset(reinterpret_cast<void*>(z.address), 0, z.size);
}

llvm::Error Captured::reset() {
  if (auto error = placed_->reset())
    return error;
  zero();
  return llvm::Error::success();
}

llvm::Error Captured::reset(std::span<const Interval> changed) {
  uint64_t done = 0;
  for (const Interval& i : changed)
    for (done = std::max(done, i.begin); done < i.end;) {
      auto end = placed_->reset_piece(done);
      if (!end)
        return end.takeError();
      done = *end;
    }
  zero();
  return llvm::Error::success();
}

void Captured::fill_in(engine::Options& options, machine::Gds& gds) const {
  options.packet_address = dispatch_.packet_address, options.queue_address = dispatch_.queue_address;
  options.dispatch_id = dispatch_.dispatch_id;
  options.units = dispatch_.units;
  if (!dispatch_.shared)
    return;
  machine::Gds::State& state = gds.state();
  std::ranges::copy(gds_, state.memory);
  for (const auto& r : dispatch_.shared->resources)
    state.resources[r.number] = {r.counter, r.generation, r.head, r.tail};
  for (const auto& [group, wave] : dispatch_.shared->turns)
    state.turns.push_back({group, wave});
}

llvm::Expected<Comparison> Captured::compare(const engine::Outcome& outcome, Wording wording) const {
  const std::string expect = option(wording, wording == Wording::command ? "expect" : "expect_captured");
  const auto& was = dispatch_.outcome;
  if (!was)
    return fail("{}: the captured process did not see dispatch {} end: there is nothing to compare with", expect,
                dispatch_.number);
  if (outcome.fault || was->fault) {
    const std::string is = text_of(outcome.fault), before = text_of(was->fault);
    if (is == before)
      return Comparison{0, fmt::format("as captured: {}", is)};
    return Comparison{1, fmt::format("not as captured: {}\n  captured: {}", is, before)};
  }
  if (!was->memory)
    return fail("{}: the capture does not have what dispatch {} left in memory", expect, dispatch_.number);
  if (dispatch_.workgroups)
    return fail("{}: what was captured is of all workgroups; without {} they run", expect,
                option(wording, "workgroups"));
  auto differences = placed_->compare();
  if (!differences)
    return differences.takeError();
  if (differences->of.empty())
    return Comparison{0,
                      fmt::format("as captured: {} bytes of memory are what the dispatch left", differences->compared)};
  Comparison result;
  for (const auto& of : differences->of) {
    result.different += of.bytes;
    result.text +=
        fmt::format("{}{}: {} bytes are not as captured", result.text.empty() ? "" : "\n", of.allocation, of.bytes);
  }
  for (const capture::Difference& d : differences->first)
    result.text +=
        fmt::format("\n  {} is {:#010x}, was {:#010x}", capture::place_of(dispatch_, d.address), d.is, d.was);
  return result;
}

llvm::Expected<capture::Workgroups> parse_workgroups(std::string_view text, Wording wording) {
  const size_t dots = text.find("..");
  const std::string_view words[] = {text.substr(0, dots),
                                    dots == std::string_view::npos ? text : text.substr(dots + 2)};
  uint64_t numbers[2] = {};
  for (int i = 0; i < 2; ++i) {
    const auto [end, error] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), numbers[i]);
    if (words[i].empty() || error != std::errc() || end != words[i].data() + words[i].size())
      return fail("{}: write a number, or a range such as 12..40", option(wording, "workgroups", text));
  }
  if (numbers[1] < numbers[0] || numbers[1] - numbers[0] == UINT64_MAX)
    return fail("{}: the range ends before it begins", option(wording, "workgroups", text));
  return capture::Workgroups{numbers[0], numbers[1] - numbers[0] + 1};
}

} // namespace crosslane::launch
