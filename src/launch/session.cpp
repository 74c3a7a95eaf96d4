// Filling and running.
#include "launch/session.h"
#include "engine/guard.h"
#include "files/error.h"
#include "files/read.h"
#include "profile/collector.h"
#include <algorithm>
#include <cstring>

namespace crosslane::launch {

namespace {

// What AMD's runtime gives a kernel whose stack the compiler could not bound (recursion, indirect calls).
constexpr uint32_t dynamic_stack_bytes = 16384;

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

} // namespace

llvm::Expected<std::unique_ptr<Session>> Session::create(std::shared_ptr<Device> device,
                                                         std::shared_ptr<LoadedCode> code,
                                                         const codeobject::Kernel& kernel, const Arguments& arguments,
                                                         const LaunchShape& shape, uint32_t stack) {
  std::unique_ptr<Session> session(new Session(std::move(device), std::move(code), kernel, arguments));
  if (auto error = session->place(shape, stack))
    return std::move(error);
  session->fill_buffers();
  return session;
}

std::unique_ptr<Session> Session::create(std::shared_ptr<Device> device, std::shared_ptr<LoadedCode> code,
                                         const codeobject::Kernel& kernel, const Arguments& arguments,
                                         std::shared_ptr<Captured> captured) {
  std::unique_ptr<Session> session(new Session(std::move(device), std::move(code), kernel, arguments));
  session->captured_packet_ = captured->dispatch().packet;
  session->captured_packet_.kernel_object = session->code_->loaded(kernel.descriptor_address);
  session->packet_ = &session->captured_packet_;
  session->captured_ = std::move(captured);
  return session;
}

engine::Options Session::options() const {
  engine::Options options;
  options.lds_faults = !captured_ || captured_->dispatch().lds_faults;
  options.poison = captured_ ? captured_->dispatch().poison : 0;
  return options;
}

const check::Allocations& Session::allocations() {
  if (!memory_events_)
    memory_events_.emplace(memory(), allocations_);
  return allocations_;
}

std::shared_ptr<check::UndefinedMemory> Session::unwritten() const {
  std::shared_ptr<check::UndefinedMemory> all;
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (arguments_.buffers[i].initial.unwritten) {
      if (!all)
        all = std::make_shared<check::UndefinedMemory>();
      all->add(address_of(buffers_[i].data()), address_of(buffers_[i].data()) + buffers_[i].size());
    }
  return all;
}

llvm::Expected<std::span<uint8_t>> Session::allocate(uint64_t size, const std::string& name) {
  auto block = device_->allocate(size, name, image().target);
  if (!block)
    return block.takeError();
  blocks_.push_back(std::move(*block));
  return blocks_.back().bytes();
}

llvm::Error Session::set_trap_handler(std::shared_ptr<LoadedCode> handler) {
  const codeobject::Symbol* entry = handler->object().find_symbol("trap_handler");
  if (!entry)
    return fail("{}: has no symbol 'trap_handler' (.globl)", handler->object().name());
  auto memory = allocate(4096 + 256, "memory of the trap handler");
  if (!memory)
    return memory.takeError();
  trap_memory_ = (address_of(memory->data()) + 255) / 256 * 256;
  trap_address_ = handler->loaded(entry->address);
  trap_handler_ = std::move(handler);
  return llvm::Error::success();
}

llvm::Error Session::place_printf_buffer() {
  if (std::ranges::none_of(kernel_.arguments, [](const auto& a) { return a.value_kind == "hidden_printf_buffer"; }))
    return llvm::Error::success();
  auto block = allocate(toolchain::printf_buffer_bytes, "printf buffer");
  if (!block)
    return block.takeError();
  printf_buffer_ = *block;
  toolchain::prepare_printf_buffer(printf_buffer_);
  return llvm::Error::success();
}

llvm::Error Session::place_records(const rewrite::KernelPlan& plan) {
  auto control = rewrite::control_address(code_->object(), plan);
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
  records_ = *block;
  control_address_ = code_->loaded(*control);
  control_ = rewrite::control_for(plan, address_of(block->data()), grid);
  return llvm::Error::success();
}

void Session::prepare_records() {
  std::ranges::fill(records_, rewrite::no_record);
  std::memcpy(reinterpret_cast<void*>(control_address_), &control_, sizeof(control_));
}

toolchain::Printed Session::take_printed() {
  return printf_buffer_.empty() ? toolchain::Printed()
                                : toolchain::take_printed(printf_buffer_, code_->object().printf_formats());
}

llvm::Error Session::place(const LaunchShape& shape, uint32_t stack) {
  auto packet = allocate(sizeof(engine::AqlPacket), "dispatch packet");
  if (!packet)
    return packet.takeError();
  packet_ = new (packet->data()) engine::AqlPacket;
  std::vector<uint64_t> addresses;
  for (const auto& buffer : arguments_.buffers) {
    auto block = allocate(buffer.initial.bytes.size(), buffer.name);
    if (!block)
      return block.takeError();
    buffers_.push_back(*block);
    addresses.push_back(address_of(block->data()));
  }
  if (auto error = place_printf_buffer())
    return error;
  const auto& apertures = machine::apertures();
  auto layout =
      make_kernarg(kernel_, arguments_, shape,
                   {addresses, apertures.shared_hi(), apertures.private_hi(), 0, address_of(printf_buffer_.data())});
  if (!layout)
    return layout.takeError();
  auto kernarg = allocate(layout->bytes.size(), "kernel arguments");
  if (!kernarg)
    return kernarg.takeError();
  std::ranges::copy(layout->bytes, kernarg->begin());

  const uint32_t fixed = std::max(kernel_.private_segment_fixed_size, kernel_.descriptor.private_segment_fixed_size);
  const bool dynamic = kernel_.uses_dynamic_stack || kernel_.descriptor.uses_dynamic_stack();
  packet_->setup = shape.dims;
  for (int d = 0; d < 3; ++d) {
    packet_->workgroup_size[d] = static_cast<uint16_t>(shape.block[d]);
    packet_->grid_size[d] = shape.grid[d];
  }
  packet_->private_segment_size = std::max(stack, dynamic ? fixed + dynamic_stack_bytes : fixed);
  packet_->group_segment_size = layout->lds_bytes;
  packet_->kernel_object = code_->loaded(kernel_.descriptor_address);
  packet_->kernarg_address = address_of(kernarg->data());
  return llvm::Error::success();
}

void Session::fill_buffers() {
  for (size_t i = 0; i < buffers_.size(); ++i)
    std::ranges::copy(arguments_.buffers[i].initial.bytes, buffers_[i].begin());
}

llvm::Error Session::reset() {
  if (captured_)
    if (auto error = captured_->reset())
      return error;
  fill_buffers();
  return code_->reset();
}

void Session::use_card_bounds() {
  card_bounds_ = true;
  memory().set_bounds(machine::Bounds::card);
  engine::set_card_bounds(&memory());
}

std::vector<std::string> Session::let_through() {
  std::vector<std::string> sentences;
  for (const std::string& where : memory().let_through())
    sentences.push_back(fmt::format("warning: kernel '{}' went {}: let through, as a card's pages of 4 KiB do",
                                    codeobject::demangle(kernel_.name), where));
  return sentences;
}

Session::~Session() {
  if (card_bounds_)
    engine::set_card_bounds(nullptr);
}

engine::Outcome Session::run(engine::Options options) {
  options.memory = &memory();
  options.amd_kernel_code = code_->object().version() == 2;
  options.trap_handler = trap_handler_ ? &trap_handler_->code() : nullptr;
  options.trap_handler_address = trap_address_, options.trap_memory_address = trap_memory_;
  // As HIP's runtime before a cooperative launch, which no metadata tells from another: the first barrier of the grid
  // waits for a wave of each workgroup.
  machine::Gds gds;
  if (captured_)
    captured_->fill_in(options, gds);
  else
    gds.state().resources[0].counter = static_cast<int64_t>(profile::workgroup_count(*packet_)) - 1;
  options.gds = &gds;
  if (control_address_)
    prepare_records();
  auto outcome =
      engine::run_part(code_->code(), *packet_, kernel_.name, options, captured_ ? captured_->part() : engine::Part());
  const engine::Code& code = code_->code();
  if (auto& fault = outcome.fault; fault && fault->pc >= code.base() && fault->pc < code.base() + code.size()) {
    if (fault->source.empty())
      fault->source = files::from_here(views::source_of(image(), fault->pc));
    const std::string symbol = views::symbol_of(image(), fault->pc);
    fault->kernel = codeobject::demangle(kernel_.name);
    if (!symbol.empty())
      fault->kernel += ", in " + symbol;
  }
  return outcome;
}

std::optional<findings::Buffer> Session::buffer_at(uint64_t address) const {
  const auto found = memory().nearest(address);
  if (!found || address - found->address >= found->size)
    return {};
  findings::Buffer buffer{found->name, found->address, found->size, "", 1};
  const auto argument =
      std::ranges::find(buffers_, found->address, [](std::span<uint8_t> b) { return address_of(b.data()); });
  for (const Bound& bound : arguments_.bound) // pointers that a program set
    if (uint64_t set = 0; bound.buffer < 0 && bound.bytes.size() == sizeof(set) && bound.parameter.element) {
      std::memcpy(&set, bound.bytes.data(), sizeof(set));
      if (bound.parameter.kind == Parameter::Kind::pointer && set - found->address < found->size)
        buffer.type = name(*bound.parameter.element), buffer.element = size_of(*bound.parameter.element);
    }
  if (argument != buffers_.end()) {
    const Type type = arguments_.buffers[static_cast<size_t>(argument - buffers_.begin())].initial.type;
    buffer.type = name(type), buffer.element = static_cast<uint32_t>(size_of(type));
  }
  return buffer;
}

Buffer Session::contents(int buffer) const {
  const auto index = static_cast<size_t>(buffer);
  const Buffer& initial = arguments_.buffers[index].initial;
  return {initial.type, initial.shape, {buffers_[index].begin(), buffers_[index].end()}};
}

} // namespace crosslane::launch
