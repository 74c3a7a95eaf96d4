// Loading and running.
#include "cli/session.h"
#include "cli/error.h"
#include "cli/files.h"
#include "engine/guard.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace crosslane::cli {

namespace {

// What AMD's runtime gives a kernel whose stack the compiler could not bound (recursion, indirect calls).
constexpr uint32_t dynamic_stack_bytes = 16384;

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
  if (auto error = session->reset())
    return std::move(error);
  return session;
}

// The address of the image.
llvm::Expected<uint64_t> Session::load_image(const codeobject::CodeObject& object) {
  const uint64_t alignment = object.image_alignment(), size = object.image_size();
  void* block = memory_.allocate(size + alignment, "code of " + object.name());
  if (!block)
    return fail("{}: no memory for {} bytes of code", object.name(), size);
  const uint64_t base = (address_of(block) + alignment - 1) / alignment * alignment;
  if (auto error = object.load({pointer_to(base), size}))
    return std::move(error);
  return base;
}

llvm::Error Session::load(isa::Target target) {
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
  void* block = memory_.allocate(4096 + 256, "memory of the trap handler");
  if (!block)
    return fail("no memory for the trap handler");
  trap_memory_ = (address_of(block) + 255) / 256 * 256;
  std::memset(pointer_to(trap_memory_), 0, 4096);
  return llvm::Error::success();
}

llvm::Error Session::place(const LaunchShape& shape, uint32_t stack) {
  void* packet = memory_.allocate(sizeof(engine::AqlPacket), "dispatch packet");
  if (!packet)
    return fail("no memory for the dispatch packet");
  packet_ = new (packet) engine::AqlPacket;
  for (const auto& buffer : arguments_.buffers) {
    void* block = memory_.allocate(buffer.initial.bytes.size(), buffer.name);
    if (!block)
      return fail("no memory for buffer '{}' of {} bytes", buffer.name, buffer.initial.bytes.size());
    buffers_.push_back(address_of(block));
  }
  const auto& apertures = machine::apertures();
  auto layout = make_kernarg(kernel_, arguments_, shape, {buffers_, apertures.shared_hi(), apertures.private_hi(), 0});
  if (!layout)
    return layout.takeError();
  void* kernarg = memory_.allocate(layout->bytes.size(), "kernel arguments");
  if (!kernarg)
    return fail("no memory for the kernel's arguments");
  std::copy(layout->bytes.begin(), layout->bytes.end(), static_cast<uint8_t*>(kernarg));

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
  packet_->kernarg_address = address_of(kernarg);
  return llvm::Error::success();
}

llvm::Error Session::reset() {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const auto& bytes = arguments_.buffers[i].initial.bytes;
    std::copy(bytes.begin(), bytes.end(), pointer_to(buffers_[i]));
  }
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

Session::~Session() {
  if (card_bounds_)
    engine::set_card_bounds(nullptr);
}

engine::Outcome Session::run(engine::Options options) {
  options.memory = &memory_;
  options.amd_kernel_code = object_.version() == 2;
  options.trap_handler = trap_handler_.get();
  options.trap_handler_address = trap_address_, options.trap_memory_address = trap_memory_;
  auto outcome = engine::run(*code_, *packet_, kernel_.name, options);
  for (const std::string& where : memory_.let_through())
    std::fprintf(stderr, "crosslane: warning: kernel '%s' went %s: let through, as a card's pages of 4 KiB do\n",
                 codeobject::demangle(kernel_.name).c_str(), where.c_str());
  if (auto& fault = outcome.fault;
      fault && fault->pc >= image_.base && fault->pc < image_.base + object_.image_size()) {
    if (fault->source.empty())
      fault->source = from_here(views::source_of(image_, fault->pc));
    const std::string symbol = views::symbol_of(image_, fault->pc);
    fault->kernel = codeobject::demangle(kernel_.name);
    if (!symbol.empty())
      fault->kernel += ", in " + symbol;
  }
  return outcome;
}

Buffer Session::contents(int buffer) const {
  const auto index = static_cast<size_t>(buffer);
  Buffer result{arguments_.buffers[index].initial.type, arguments_.buffers[index].initial.shape, {}};
  const uint8_t* bytes = pointer_to(buffers_[index]);
  result.bytes.assign(bytes, bytes + arguments_.buffers[index].initial.bytes.size());
  return result;
}

} // namespace crosslane::cli
