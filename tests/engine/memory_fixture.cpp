// Building waves, running one instruction, comparing all registers and memory.
#include "tests/engine/memory_fixture.h"
#include "tests/engine/assembler.h"
#include <map>
#include <sys/mman.h>

namespace crosslane::test {
namespace {

CROSSLANE_CC void stop(const Uop*, Wave*) {}

struct Sink : engine::UopSink {
  std::vector<Uop> uops;
  Uop& append(engine::UopKind) override { return uops.emplace_back(); }
  Uop& last() override { return uops.back(); }
};

// Made once per seed: tests make waves by the hundred thousand.
const std::vector<uint32_t>& noise_words(unsigned seed) {
  static std::map<unsigned, std::vector<uint32_t>> made;
  auto& words = made[seed];
  if (words.empty()) {
    std::mt19937 noise(seed);
    for (int i = 0; i < 16384; ++i)
      words.push_back(uint32_t(noise()));
  }
  return words;
}

} // namespace

std::vector<const engine::Backend*> host_levels() {
  std::vector<const engine::Backend*> levels = {&engine::backend_v1};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
    levels.push_back(&engine::backend_v3);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    levels.push_back(&engine::backend_v4);
  return levels;
}

std::vector<isa::Instruction> assemble(isa::Target target, const std::vector<std::string>& lines) {
  std::vector<isa::Instruction> result;
  for (const auto& bytes : assemble_all(lines, target)) {
    isa::Instruction inst;
    EXPECT_EQ(isa::decode(target, bytes, inst), int(bytes.size())) << lines[result.size()];
    result.push_back(inst);
  }
  EXPECT_EQ(result.size(), lines.size());
  return result;
}

isa::Instruction assemble(isa::Target target, const std::string& line) {
  static std::map<std::pair<isa::Target, std::string>, isa::Instruction> known;
  const auto key = std::pair(target, line);
  if (!known.contains(key))
    known[key] = assemble(target, std::vector<std::string>{line}).at(0);
  return known[key];
}

TestWave::TestWave(unsigned seed)
    : storage_(static_cast<uint8_t*>(std::aligned_alloc(64, machine::wave_bytes(true))), std::free),
      lds_(test_lds_bytes + 64), scratch_(test_scratch_bytes * 64) {
  const std::vector<uint32_t>& words = noise_words(seed);
  std::memset(storage_.get(), 0, machine::vgpr_offset(0));
  wave_ = reinterpret_cast<Wave*>(storage_.get());
  std::memcpy(wave_->s, words.data(), 124 * 4);
  std::memcpy(wave_->v, words.data() + 1000, test_vgprs * 256);
  std::memcpy(lds_.data(), words.data() + 6000, lds_.size());
  std::memcpy(scratch_.data(), words.data() + 8000, scratch_.size());
  wave_->s[124] = ~0u;
  wave_->vgpr_count = test_vgprs;
  wave_->reach = machine::everything;
  wave_->workgroup = &group_;
  wave_->scratch = scratch_.data();
  wave_->scratch_bytes = test_scratch_bytes;
  wave_->fault = &fault_;
  group_.lds = lds_.data();
  group_.lds_bytes = test_lds_bytes;
  group_.wave_count = 1;
  group_.gds = &gds_;
  set_exec(~uint64_t(0));
}

void TestWave::set_address(int reg, int lane, uint64_t address) {
  v(reg, lane) = uint32_t(address);
  v(reg + 1, lane) = uint32_t(address >> 32);
}

uint8_t& TestWave::scratch(uint32_t offset, int lane) { return scratch_[offset / 4 * 256 + lane * 4 + offset % 4]; }

std::vector<uint32_t> TestWave::registers() const {
  return std::vector<uint32_t>(&wave_->v[0][0], &wave_->v[0][0] + test_vgprs * 64);
}

bool TestWave::run(const engine::Backend& level, const isa::Instruction& inst) {
  Sink sink;
  engine::Lowering lowering{inst, isa::row(inst.op), sink};
  if (!level.lower_vector(lowering))
    return false;
  std::unique_ptr<Uop, void (*)(void*)> uops(
      static_cast<Uop*>(std::aligned_alloc(64, sizeof(Uop) * (sink.uops.size() + 1))), std::free);
  std::memcpy(uops.get(), sink.uops.data(), sizeof(Uop) * sink.uops.size());
  uops.get()[sink.uops.size()] = Uop{};
  uops.get()[sink.uops.size()].fn = stop;
  uops.get()->fn(uops.get(), wave_);
  return true;
}

Guarded::Guarded(uint64_t bytes, unsigned seed) : size_(bytes) {
  auto* p =
      static_cast<uint8_t*>(mmap(nullptr, bytes + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(p, 4096, PROT_NONE);
  mprotect(p + 4096 + bytes, 4096, PROT_NONE);
  data_ = p + 4096;
  std::mt19937 noise(seed);
  for (uint64_t i = 0; i < bytes; ++i)
    data_[i] = uint8_t(noise());
}
Guarded::~Guarded() { munmap(data_ - 4096, size_ + 8192); }

std::vector<uint64_t> exec_masks() {
  return {0,
          ~uint64_t(0),
          0x5555555555555555,
          0xaaaaaaaaaaaaaaaa,
          uint64_t(1),
          uint64_t(1) << 37,
          uint64_t(1) << 63,
          0x00000000ffff0000,
          0xfffffffffffffffe,
          0x7fffffffffffffff,
          0x0ff0f00f8001c3a5,
          0xffff0000ffffffff};
}

std::vector<Pattern> patterns(uint32_t bytes, uint32_t span) {
  std::mt19937 noise(bytes);
  std::vector<Pattern> all;
  const auto add = [&](const char* name, auto f) {
    Pattern p{name, {}};
    bool fits = true;
    for (uint32_t i = 0; i < 64; ++i) {
      p.offsets.push_back(f(i));
      fits = fits && uint64_t(p.offsets[i]) + bytes <= span;
    }
    if (fits)
      all.push_back(p);
  };
  add("contiguous", [&](uint32_t i) { return 64 + i * bytes; });
  add("ends at the last byte", [&](uint32_t i) { return span - (64 - i) * bytes; });
  add("starts at the first byte", [&](uint32_t i) { return i * bytes; });
  add("misaligned", [&](uint32_t i) { return 17 + i * bytes; });
  add("uniform", [&](uint32_t) { return 20u; });
  add("uniform, last item", [&](uint32_t) { return span - bytes; });
  add("uniform per row", [&](uint32_t i) { return i / 16 * 48; });
  add("rows apart", [&](uint32_t i) { return i % 16 * bytes + (3 - i / 16) * (span / 4 + 4); });
  add("pairs", [&](uint32_t i) { return 8 + i / 2 * bytes; });
  add("reversed", [&](uint32_t i) { return (63 - i) * bytes; });
  add("stride of two", [&](uint32_t i) { return i * bytes * 2 % (span - bytes); });
  add("one lane out of line", [&](uint32_t i) { return i == 21 ? 40u : 64 + i * bytes; });
  add("random", [&](uint32_t) { return uint32_t(noise() % (span - bytes + 1)); });
  add("random, aligned", [&](uint32_t) { return uint32_t(noise() % (span / 16)) * 16; });
  add("a field of structures", [&](uint32_t i) { return 4 + i * (bytes + 4); });
  add("near, in any order", [&](uint32_t i) { return 32 + i / 16 * 256 + uint32_t(noise() % (60 - bytes / 4)) * 4; });
  add("near the last byte", [&](uint32_t i) { return span - bytes - uint32_t(i * 37 % 64 / 4 * 8); });
  add("groups of eight", [&](uint32_t i) { return i % 8 * bytes + i / 8 * (span / 8); });
  add("random, few", [&](uint32_t) { return uint32_t(noise() % 4) * bytes; });
  return all;
}

std::string vregs(int first, int dwords) {
  if (dwords == 1)
    return "v" + std::to_string(first);
  return "v[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]";
}

const std::vector<LoadKind>& load_kinds() {
  static const std::vector<LoadKind> kinds = {
      {"load_ubyte", "ds_read_u8", 1, false, -1, false},
      {"load_sbyte", "ds_read_i8", 1, true, -1, false},
      {"load_ushort", "ds_read_u16", 2, false, -1, false},
      {"load_sshort", "ds_read_i16", 2, true, -1, false},
      {"load_dword", "ds_read_b32", 4, false, -1, false},
      {"load_dwordx2", "ds_read_b64", 8, false, -1, false},
      {"load_dwordx3", "ds_read_b96", 12, false, -1, false},
      {"load_dwordx4", "ds_read_b128", 16, false, -1, false},
      {"load_ubyte_d16", "ds_read_u8_d16", 1, false, 0, true},
      {"load_ubyte_d16_hi", "ds_read_u8_d16_hi", 1, false, 1, true},
      {"load_sbyte_d16", "ds_read_i8_d16", 1, true, 0, true},
      {"load_sbyte_d16_hi", "ds_read_i8_d16_hi", 1, true, 1, true},
      {"load_short_d16", "ds_read_u16_d16", 2, false, 0, true},
      {"load_short_d16_hi", "ds_read_u16_d16_hi", 2, false, 1, true},
  };
  return kinds;
}

uint32_t loaded(const LoadKind& kind, const uint8_t* bytes, int k, uint32_t old) {
  uint32_t value = 0;
  if (kind.bytes >= 4) {
    for (int b = 0; b < 4; ++b)
      value |= uint32_t(bytes[4 * k + b]) << 8 * b;
    return value;
  }
  for (int b = 0; b < kind.bytes; ++b)
    value |= uint32_t(bytes[b]) << 8 * b;
  if (kind.sign && value >> (8 * kind.bytes - 1))
    value -= 1u << 8 * kind.bytes;
  if (kind.half == 0)
    return (old & 0xffff0000) | (value & 0xffff);
  if (kind.half == 1)
    return (old & 0xffff) | value << 16;
  return value;
}

const std::vector<StoreKind>& store_kinds() {
  static const std::vector<StoreKind> kinds = {
      {"store_byte", "ds_write_b8", 1, false, false},
      {"store_short", "ds_write_b16", 2, false, false},
      {"store_dword", "ds_write_b32", 4, false, false},
      {"store_dwordx2", "ds_write_b64", 8, false, false},
      {"store_dwordx3", "ds_write_b96", 12, false, false},
      {"store_dwordx4", "ds_write_b128", 16, false, false},
      {"store_byte_d16_hi", "ds_write_b8_d16_hi", 1, true, true},
      {"store_short_d16_hi", "ds_write_b16_d16_hi", 2, true, true},
  };
  return kinds;
}

} // namespace crosslane::test
