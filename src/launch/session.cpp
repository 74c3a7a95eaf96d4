// Loading and running.
#include "launch/session.h"
#include "engine/guard.h"
#include "files/error.h"
#include "files/read.h"
#include "gpu/card.h"
#include "profile/collector.h"
#include <algorithm>
#include <cstring>

namespace crosslane::launch {

namespace {

// What AMD's runtime gives a kernel whose stack the compiler could not bound (recursion, indirect calls).
constexpr uint32_t dynamic_stack_bytes = 16384;

// What the largest card has that runs this code; a launch is for no particular one.
uint64_t card_memory(isa::Target target) {
  uint64_t largest = 0;
  for (const gpu::Card& card : gpu::cards())
    if (card.target == target)
      largest = std::max(largest, card.vram_bytes);
  return largest;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
uint8_t* pointer_to(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }

} // namespace

llvm::Expected<std::unique_ptr<Session>> Session::create(const codeobject::CodeObject& object,
                                                         const codeobject::Kernel& kernel, const Arguments& arguments,
                                                         const LaunchShape& shape, uint32_t stack) {
  const auto target = isa::parse_target(object.processor());
  if (!target)
    return fail("{}: is for {}, which crosslane does not run", object.name(), object.processor());
  std::unique_ptr<Session> session(new Session(object, kernel, arguments));
  if (auto error = session->load(*target))
    return std::move(error);
  if (auto error = session->place(shape, stack))
    return std::move(error);
  session->fill_buffers();
  return session;
}

const check::Allocations& Session::allocations() {
  if (!memory_events_)
    memory_events_.emplace(memory_, allocations_);
  return allocations_;
}

std::vector<check::Unwritten> Session::unwritten() const {
  std::vector<check::Unwritten> all;
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (const Buffer& b = arguments_.buffers[i].initial; b.unwritten)
      all.push_back({buffers_[i], buffers_[i] + b.bytes.size()});
  return all;
}

llvm::Expected<uint64_t> Session::allocate(uint64_t size, const std::string& name) {
  const uint64_t limit = card_memory(image_.target), left = limit - std::min(limit, allocated_);
  if (limit && size > left)
    return fail("'{}' needs {} bytes, and a {} has {} left of its {}", name, size, isa::info(image_.target).name, left,
                limit);
  void* block = memory_.allocate(size, name);
  if (!block)
    return fail("no memory for the {} bytes of '{}'", size, name);
  allocated_ += size;
  return address_of(block);
}

// The address of the image.
llvm::Expected<uint64_t> Session::load_image(const codeobject::CodeObject& object) {
  const uint64_t alignment = object.image_alignment(), size = object.image_size();
  auto block = allocate(size + alignment, "code of " + object.name());
  if (!block)
    return block.takeError();
  const uint64_t base = (*block + alignment - 1) / alignment * alignment;
  if (auto error = object.load({pointer_to(base), size}, nullptr, nullptr, /*zeroed=*/true))
    return std::move(error);
  return base;
}

llvm::Error Session::load(isa::Target target) {
  image_.target = target;
  auto base = load_image(object_);
  if (!base)
    return base.takeError();
  image_ = {&object_, *base, target};
  for (const auto& segment : object_.segments())
    writable_image_ |= segment.writable;
  code_ = std::make_unique<engine::Code>(target, *base, object_.image_size());
  return llvm::Error::success();
}

llvm::Error Session::set_trap_handler(const codeobject::CodeObject& handler) {
  const auto target = isa::parse_target(handler.processor());
  const codeobject::Symbol* entry = handler.find_symbol("trap_handler");
  if (!target || !entry)
    return fail("{}: has no symbol 'trap_handler' (.globl) for a target of crosslane", handler.name());
  auto base = load_image(handler);
  if (!base)
    return base.takeError();
  trap_handler_ = std::make_unique<engine::Code>(*target, *base, handler.image_size());
  trap_address_ = *base + entry->address - handler.image_begin();
  auto block = allocate(4096 + 256, "memory of the trap handler");
  if (!block)
    return block.takeError();
  trap_memory_ = (*block + 255) / 256 * 256;
  std::memset(pointer_to(trap_memory_), 0, 4096);
  return llvm::Error::success();
}

llvm::Error Session::place_printf_buffer() {
  if (std::ranges::none_of(kernel_.arguments, [](const auto& a) { return a.value_kind == "hidden_printf_buffer"; }))
    return llvm::Error::success();
  auto block = allocate(toolchain::printf_buffer_bytes, "printf buffer");
  if (!block)
    return block.takeError();
  printf_buffer_ = {pointer_to(*block), toolchain::printf_buffer_bytes};
  toolchain::prepare_printf_buffer(printf_buffer_);
  return llvm::Error::success();
}

llvm::Error Session::place_records(const rewrite::KernelPlan& plan) {
  auto control = rewrite::control_address(object_, plan);
  if (!control)
    return control.takeError();
  const rewrite::Grid grid = profile::grid_of(*packet_);
  const auto bytes = rewrite::bytes_of_records(plan, grid);
  if (!bytes)
    return fail("records of probes: {} bytes for each wave of {}x{}x{} workgroups are more than 4 GiB; launch fewer{}",
                plan.record_bytes, grid.groups(0), grid.groups(1), grid.groups(2),
                plan.memory ? ", or give traces less: 'crosslane instrument --trace-bytes'" : "");
  auto block = allocate(*bytes, "records of probes");
  if (!block)
    return block.takeError();
  records_ = {pointer_to(*block), *bytes};
  control_address_ = image_.base + (*control - object_.image_begin());
  control_ = rewrite::control_for(plan, *block, grid);
  return llvm::Error::success();
}

void Session::prepare_records() {
  std::ranges::fill(records_, rewrite::no_record);
  std::memcpy(pointer_to(control_address_), &control_, sizeof(control_));
}

toolchain::Printed Session::take_printed() {
  return printf_buffer_.empty() ? toolchain::Printed()
                                : toolchain::take_printed(printf_buffer_, object_.printf_formats());
}

llvm::Error Session::place(const LaunchShape& shape, uint32_t stack) {
  auto packet = allocate(sizeof(engine::AqlPacket), "dispatch packet");
  if (!packet)
    return packet.takeError();
  packet_ = new (pointer_to(*packet)) engine::AqlPacket;
  for (const auto& buffer : arguments_.buffers) {
    auto block = allocate(buffer.initial.bytes.size(), buffer.name);
    if (!block)
      return block.takeError();
    buffers_.push_back(*block);
  }
  if (auto error = place_printf_buffer())
    return error;
  const auto& apertures = machine::apertures();
  auto layout =
      make_kernarg(kernel_, arguments_, shape,
                   {buffers_, apertures.shared_hi(), apertures.private_hi(), 0, address_of(printf_buffer_.data())});
  if (!layout)
    return layout.takeError();
  auto kernarg = allocate(layout->bytes.size(), "kernel arguments");
  if (!kernarg)
    return kernarg.takeError();
  std::copy(layout->bytes.begin(), layout->bytes.end(), pointer_to(*kernarg));

  const uint32_t fixed = std::max(kernel_.private_segment_fixed_size, kernel_.descriptor.private_segment_fixed_size);
  const bool dynamic = kernel_.uses_dynamic_stack || kernel_.descriptor.uses_dynamic_stack();
  packet_->setup = shape.dims;
  for (int d = 0; d < 3; ++d) {
    packet_->workgroup_size[d] = static_cast<uint16_t>(shape.block[d]);
    packet_->grid_size[d] = shape.grid[d];
  }
  packet_->private_segment_size = std::max(stack, dynamic ? fixed + dynamic_stack_bytes : fixed);
  packet_->group_segment_size = layout->lds_bytes;
  packet_->kernel_object = image_.base + (kernel_.descriptor_address - object_.image_begin());
  packet_->kernarg_address = *kernarg;
  return llvm::Error::success();
}

void Session::fill_buffers() {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const auto& bytes = arguments_.buffers[i].initial.bytes;
    std::copy(bytes.begin(), bytes.end(), pointer_to(buffers_[i]));
  }
}

llvm::Error Session::reset() {
  fill_buffers();
  if (!writable_image_)
    return llvm::Error::success();
  // Same bytes at the same place: decoded code stays valid, variables start over.
  return object_.load({pointer_to(image_.base), object_.image_size()});
}

void Session::use_card_bounds() {
  card_bounds_ = true;
  memory_.set_bounds(machine::Bounds::card);
  engine::set_card_bounds(&memory_);
}

std::vector<std::string> Session::let_through() {
  std::vector<std::string> sentences;
  for (const std::string& where : memory_.let_through())
    sentences.push_back(fmt::format("warning: kernel '{}' went {}: let through, as a card's pages of 4 KiB do",
                                    codeobject::demangle(kernel_.name), where));
  return sentences;
}

Session::~Session() {
  if (card_bounds_)
    engine::set_card_bounds(nullptr);
}

engine::Outcome Session::run(engine::Options options) {
  options.memory = &memory_;
  options.amd_kernel_code = object_.version() == 2;
  options.trap_handler = trap_handler_.get();
  options.trap_handler_address = trap_address_, options.trap_memory_address = trap_memory_;
  // As HIP's runtime before a cooperative launch, which no metadata tells from another: the first barrier of the grid
  // waits for a wave of each workgroup.
  machine::Gds gds;
  gds.state().resources[0].counter = static_cast<int64_t>(profile::workgroup_count(*packet_)) - 1;
  options.gds = &gds;
  if (control_address_)
    prepare_records();
  auto outcome = engine::run(*code_, *packet_, kernel_.name, options);
  if (auto& fault = outcome.fault;
      fault && fault->pc >= image_.base && fault->pc < image_.base + object_.image_size()) {
    if (fault->source.empty())
      fault->source = files::from_here(views::source_of(image_, fault->pc));
    const std::string symbol = views::symbol_of(image_, fault->pc);
    fault->kernel = codeobject::demangle(kernel_.name);
    if (!symbol.empty())
      fault->kernel += ", in " + symbol;
  }
  return outcome;
}

std::optional<findings::Buffer> Session::buffer_at(uint64_t address) const {
  const auto found = memory_.nearest(address);
  if (!found || address - found->address >= found->size)
    return {};
  findings::Buffer buffer{found->name, found->address, found->size, "", 1};
  const auto argument = std::ranges::find(buffers_, found->address);
  if (argument != buffers_.end()) {
    const Type type = arguments_.buffers[static_cast<size_t>(argument - buffers_.begin())].initial.type;
    buffer.type = name(type), buffer.element = static_cast<uint32_t>(size_of(type));
  }
  return buffer;
}

Buffer Session::contents(int buffer) const {
  const auto index = static_cast<size_t>(buffer);
  Buffer result{arguments_.buffers[index].initial.type, arguments_.buffers[index].initial.shape, {}};
  const uint8_t* bytes = pointer_to(buffers_[index]);
  result.bytes.assign(bytes, bytes + arguments_.buffers[index].initial.bytes.size());
  return result;
}

} // namespace crosslane::launch
