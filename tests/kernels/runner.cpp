// Code, buffers and kernarg segments live in guarded memory for as long as the session.
#include "tests/kernels/runner.h"
#include "codeobject/code_object.h"
#include "jit/jit.h"
#include "machine/memory.h"
#include "tests/kernels/compile.h"
#include <new>

namespace crosslane::workload {
namespace {

constexpr uint32_t dynamic_stack = 16384; // bytes per work-item for recursion and calls through pointers, as ROCm gives

struct Prepared {
  const codeobject::Kernel* kernel;
  engine::AqlPacket* packet; // where the kernel reads it
};

template <class T> void put(uint8_t* kernarg, const codeobject::KernelArgument& a, T v) {
  std::memcpy(kernarg + a.offset, &v, std::min<size_t>(a.size, sizeof v));
}

// The hidden arguments that a host runtime fills in. Source: LLVM AMDGPUUsage, "Code Object V5 Metadata".
void put_hidden(uint8_t* kernarg, const codeobject::KernelArgument& a, const Launch& launch, uint32_t dynamic_lds) {
  const std::string& kind = a.value_kind;
  size_t d = kind.ends_with("_y") ? 1 : kind.ends_with("_z") ? 2 : 0;
  if (kind.starts_with("hidden_block_count"))
    put<uint32_t>(kernarg, a, launch.grid[d] / launch.block[d]);
  else if (kind.starts_with("hidden_group_size"))
    put<uint16_t>(kernarg, a, uint16_t(launch.block[d]));
  else if (kind.starts_with("hidden_remainder"))
    put<uint16_t>(kernarg, a, uint16_t(launch.grid[d] % launch.block[d]));
  else if (kind.starts_with("hidden_global_offset"))
    put<uint64_t>(kernarg, a, launch.offset[d]);
  else if (kind == "hidden_grid_dims")
    put<uint16_t>(kernarg, a, uint16_t(launch.dimensions));
  else if (kind == "hidden_dynamic_lds_size")
    put<uint32_t>(kernarg, a, dynamic_lds);
  else if (kind == "hidden_private_base")
    put<uint32_t>(kernarg, a, machine::apertures().private_hi());
  else if (kind == "hidden_shared_base")
    put<uint32_t>(kernarg, a, machine::apertures().shared_hi());
}

std::string prepare(const codeobject::CodeObject& object, uint64_t load_bias, const Launch& launch,
                    machine::Memory& memory, const std::vector<void*>& buffers, Prepared& out) {
  out.kernel = object.find_kernel(launch.kernel);
  if (!out.kernel)
    return "no kernel " + launch.kernel + " in " + object.name();
  const codeobject::Kernel& k = *out.kernel;
  auto* kernarg = static_cast<uint8_t*>(memory.allocate(std::max<uint32_t>(k.kernarg_segment_size, 8), "kernarg"));
  uint32_t lds = k.group_segment_fixed_size;
  size_t next = 0;
  for (const auto& a : k.arguments) {
    if (a.hidden())
      continue;
    if (next == launch.arguments.size())
      return launch.kernel + " has more arguments than the workload gives";
    const Argument& given = launch.arguments[next++];
    if (given.kind == Argument::Kind::buffer)
      put(kernarg, a, uint64_t(buffers[given.buffer]));
    else if (given.kind == Argument::Kind::value)
      std::memcpy(kernarg + a.offset, given.value.data(), std::min<size_t>(a.size, given.value.size()));
    else {
      uint32_t align = std::max(a.pointee_align, 16u);
      lds = round_up(lds, align);
      put(kernarg, a, lds);
      lds += given.local_size;
    }
  }
  lds += launch.extra_lds;
  if (next != launch.arguments.size())
    return launch.kernel + " has fewer arguments than the workload gives";
  for (const auto& a : k.arguments)
    if (a.hidden())
      put_hidden(kernarg, a, launch, lds - k.group_segment_fixed_size);

  out.packet = new (memory.allocate(sizeof(engine::AqlPacket), "packet")) engine::AqlPacket;
  engine::AqlPacket& p = *out.packet;
  p.setup = uint16_t(launch.dimensions);
  for (int d = 0; d < 3; ++d)
    p.workgroup_size[d] = uint16_t(launch.block[d]), p.grid_size[d] = launch.grid[d];
  p.private_segment_size = k.private_segment_fixed_size + (k.uses_dynamic_stack ? dynamic_stack : 0);
  p.group_segment_size = lds;
  p.kernel_object = load_bias + k.descriptor_address;
  p.kernarg_address = uint64_t(kernarg);
  return "";
}

class Engine : public CrosslaneSession {
public:
  Engine(const Workload& workload, const Settings& settings) : workload_(workload) {
    error_ = open(settings);
    if (error_.empty())
      fill();
    options_.threads = settings.threads;
    options_.memory = &memory_;
    options_.reach = machine::device_reach(); // as strict as the command
    options_.lds_faults = options_.register_faults = true;
    options_.listener = settings.listener;
  }

  void fill() override {
    for (size_t i = 0; i < buffers_.size(); ++i)
      if (const Bytes& bytes = workload_.buffers[i].initial; !bytes.empty())
        std::memcpy(buffers_[i], bytes.data(), bytes.size());
  }

  double once() override {
    stats_ = {};
    double start = Clock::now();
    for (const Prepared& launch : launches_) {
      options_.compiler = jit::compiler(); // where CROSSLANE_JIT asks for it
      auto outcome = engine::run(*code_, *launch.packet, launch.kernel->name, options_);
      if (outcome.fault) {
        error_ = machine::describe(*outcome.fault);
        break;
      }
      stats_.instructions += outcome.stats.instructions;
      stats_.waves += outcome.stats.waves;
      stats_.workgroups += outcome.stats.workgroups;
      stats_.seconds += outcome.stats.seconds;
    }
    return Clock::now() - start;
  }

  std::vector<Bytes> read() override {
    std::vector<Bytes> all;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      Bytes& bytes = all.emplace_back(workload_.buffers[i].initial.size());
      if (!bytes.empty())
        std::memcpy(bytes.data(), buffers_[i], bytes.size());
    }
    return all;
  }

  const engine::Stats& stats() const override { return stats_; }
  const codeobject::CodeObject& object() const override { return *object_; }
  const engine::Code& code() const override { return *code_; }

private:
  std::string open(const Settings& settings) {
    std::string error, path = compile(workload_.source, settings.target, settings.flags, error);
    if (path.empty())
      return error;
    auto object = codeobject::CodeObject::read_file(path);
    if (!object)
      return llvm::toString(object.takeError());
    if (settings.rewrite)
      object = codeobject::CodeObject::read(settings.rewrite(**object), path);
    if (!object)
      return llvm::toString(object.takeError());
    object_ = std::move(*object);
    uint64_t size = (object_->image_size() + 4095) / 4096 * 4096; // whole pages, so that the image starts at one
    auto* image = static_cast<uint8_t*>(memory_.allocate(size, "code"));
    if (auto failed = object_->load({image, object_->image_size()}))
      return llvm::toString(std::move(failed));
    auto target = isa::parse_target(object_->processor());
    if (!target)
      return "crosslane does not know " + object_->processor();
    code_ = std::make_unique<engine::Code>(*target, uint64_t(image), size);
    for (const Buffer& b : workload_.buffers)
      buffers_.push_back(memory_.allocate(std::max<size_t>(b.initial.size(), 4), b.name));
    for (const Launch& launch : workload_.launches) {
      error = prepare(*object_, uint64_t(image) - object_->image_begin(), launch, memory_, buffers_,
                      launches_.emplace_back());
      if (!error.empty())
        return error;
    }
    return "";
  }

  const Workload& workload_;
  machine::Memory memory_;
  std::unique_ptr<codeobject::CodeObject> object_;
  std::unique_ptr<engine::Code> code_;
  std::vector<void*> buffers_;
  std::vector<Prepared> launches_;
  engine::Options options_;
  engine::Stats stats_;
};

} // namespace

std::unique_ptr<CrosslaneSession> open_crosslane(const Workload& workload, const Settings& settings) {
  return std::make_unique<Engine>(workload, settings);
}

} // namespace crosslane::workload
