// Drives LLVMFuzzerTestOneInput without libFuzzer: every run mutates one seed file, decided by the run's number alone,
// so that `--first N --runs 1` repeats a failure exactly. Structure of ELF files is known just well enough to aim at
// it.
//   fuzz_X --runs COUNT [--first NUMBER] [--random BYTES] [--aim PREFIX] [--write FILE] FILE-OR-FOLDER...
// --random: every other run gets up to so many random bytes instead of a seed.
// --aim: only sections whose names start so are changed, and nothing moves out of its section; seeds without are left
// out.
// --write: keeps each run's input there: the last one, or the one that failed.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#include <sanitizer/common_interface_defs.h>
#else
#define SANITIZED 0
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

struct Region {
  uint64_t offset, size, stride;
};
struct Seed {
  std::string name;
  Bytes bytes;
  std::vector<Region> regions; // where the structure is
};

constexpr unsigned seconds_per_run = 20; // a run that takes longer hangs
volatile uint64_t current_run = 0;

void report() {
  char text[128];
  auto run = static_cast<unsigned long long>(current_run);
  int length =
      std::snprintf(text, sizeof text, "fuzz: failed in run %llu; repeat with --first %llu --runs 1\n", run, run);
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0)
    _exit(2);
}

extern "C" void report_and_die(int signal) {
  report();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// A sanitizer has its own handlers and counts memory in its own way.
void watch_over_process() {
  std::signal(SIGALRM, report_and_die);
  std::signal(SIGABRT, report_and_die);
#if SANITIZED
  __sanitizer_set_death_callback(report);
#else
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE})
    std::signal(signal, report_and_die);
  constexpr uint64_t memory_limit = uint64_t{2} << 30; // nothing here has reason to take more
  rlimit limit{memory_limit, memory_limit};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

uint64_t field(const Bytes& bytes, uint64_t offset, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size && offset + i < bytes.size(); ++i)
    value |= uint64_t{bytes[offset + i]} << (8 * i);
  return value;
}

std::vector<Region> regions_of(const Bytes& bytes) {
  std::vector<Region> regions;
  auto add = [&](uint64_t offset, uint64_t size, uint64_t stride) {
    if (size && offset < bytes.size() && size <= bytes.size() - offset)
      regions.push_back({offset, size, stride});
  };
  if (bytes.size() > 64 && std::memcmp(bytes.data(),
                                       "\x7f"
                                       "ELF",
                                       4) == 0) {
    add(0, 64, 2);
    uint64_t headers = field(bytes, 32, 8), count = field(bytes, 56, 2);
    add(headers, count * 56, 8);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t type = field(bytes, headers + i * 56, 4);
      if (type == 2 || type == 4) // PT_DYNAMIC, PT_NOTE
        add(field(bytes, headers + i * 56 + 8, 8), field(bytes, headers + i * 56 + 32, 8), type == 2 ? 8 : 1);
    }
    uint64_t sections = field(bytes, 40, 8);
    count = field(bytes, 60, 2);
    add(sections, count * 64, 4);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t type = field(bytes, sections + i * 64 + 4, 4), flags = field(bytes, sections + i * 64 + 8, 8);
      bool table = type == 2 || type == 4 || type == 11; // SHT_SYMTAB, SHT_RELA, SHT_DYNSYM
      if (table || type == 3 || (type == 1 && !(flags & 4)))
        add(field(bytes, sections + i * 64 + 24, 8), field(bytes, sections + i * 64 + 32, 8), table ? 4 : 1);
    }
  } else {
    add(0, std::min<uint64_t>(bytes.size(), 512), 1);
  }
  return regions;
}

// Contents of the sections whose names start with `prefix`.
std::vector<Region> sections_named(const Bytes& bytes, std::string_view prefix) {
  std::vector<Region> regions;
  const uint64_t sections = field(bytes, 40, 8), count = field(bytes, 60, 2), names = field(bytes, 62, 2);
  const uint64_t strings = field(bytes, sections + names * 64 + 24, 8);
  for (uint64_t i = 0; i < count && bytes.size() > 64 && bytes[0] == 0x7f; ++i) {
    const uint64_t header = sections + i * 64, name = strings + field(bytes, header, 4);
    const uint64_t offset = field(bytes, header + 24, 8), size = field(bytes, header + 32, 8);
    if (size && offset < bytes.size() && size <= bytes.size() - offset && name + prefix.size() < bytes.size() &&
        std::memcmp(&bytes[name], prefix.data(), prefix.size()) == 0)
      regions.push_back({offset, size, 1});
  }
  return regions;
}

uint64_t interesting(Random& random) {
  constexpr uint64_t values[] = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 8,
                                 24,
                                 63,
                                 64,
                                 127,
                                 128,
                                 255,
                                 256,
                                 4095,
                                 4096,
                                 0x7fff,
                                 0xffff,
                                 0x10000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xfffffffffffff000,
                                 0xffffffffffffffff,
                                 0xfffffffffffffffe};
  return random() % 4 ? values[random() % std::size(values)] : random() >> (random() % 64);
}

void mutate_once(Bytes& bytes, const Seed& seed, Random& random) {
  if (bytes.empty())
    return;
  uint64_t offset = random() % bytes.size();
  if (!seed.regions.empty() && random() % 4) {
    const Region& region = seed.regions[random() % seed.regions.size()];
    offset = std::min(region.offset + random() % region.size / region.stride * region.stride, bytes.size() - 1);
  }
  switch (random() % 16) {
  case 0: bytes.resize(offset); break; // cut short
  case 1: bytes.insert(bytes.begin() + static_cast<long>(offset), random() % 9, static_cast<uint8_t>(random())); break;
  case 2: { // take a piece of elsewhere
    uint64_t from = random() % bytes.size(), size = random() % 65;
    size = std::min({size, bytes.size() - from, bytes.size() - offset});
    std::copy_n(Bytes(bytes.begin() + static_cast<long>(from), bytes.begin() + static_cast<long>(from + size)).begin(),
                size, bytes.begin() + static_cast<long>(offset));
    break;
  }
  case 3: bytes[offset] ^= static_cast<uint8_t>(1 << random() % 8); break;
  case 4: bytes[offset] = static_cast<uint8_t>(random()); break;
  case 5: { // a little more or less
    bytes[offset] = static_cast<uint8_t>(bytes[offset] + (random() % 2 ? 1 : -1));
    break;
  }
  default: { // a number of some width
    unsigned width = 1u << random() % 4;
    uint64_t value = interesting(random);
    for (unsigned i = 0; i < width && offset + i < bytes.size(); ++i)
      bytes[offset + i] = static_cast<uint8_t>(value >> (8 * i));
  }
  }
}

// The same within one region, whose neighbours stay as they are.
void mutate_region(Bytes& bytes, const Seed& seed, Random& random) {
  const Region& region = seed.regions[random() % seed.regions.size()];
  // Half of it near the front, where headers are.
  const uint64_t near = random() % 2 ? region.size : std::min<uint64_t>(region.size, 64);
  const uint64_t at = random() % near, left = region.size - at;
  uint8_t* const to = &bytes[region.offset + at];
  switch (random() % 8) {
  case 0: { // what follows moves a little, either way
    const uint64_t by = 1 + random() % std::min<uint64_t>(left, 8);
    if (random() % 2)
      std::memmove(to + by, to, left - by);
    else
      std::memmove(to, to + by, left - by);
    break;
  }
  case 1: { // take a piece of elsewhere
    const Region& other = seed.regions[random() % seed.regions.size()];
    const uint64_t from = random() % other.size;
    const uint64_t size = std::min({random() % 65, other.size - from, left});
    std::memmove(to, &bytes[other.offset + from], size);
    break;
  }
  case 2: *to ^= static_cast<uint8_t>(1 << random() % 8); break;
  case 3: *to = static_cast<uint8_t>(random()); break;
  case 4: *to = static_cast<uint8_t>(*to + (random() % 2 ? 1 : -1)); break;
  case 5:
    *to = static_cast<uint8_t>(random() % 0x2d); // a form, a tag, an opcode
    break;
  case 6: // a number that does not end
    std::memset(to, random() % 2 ? 0xff : 0x80, std::min<uint64_t>(left, 1 + random() % 12));
    break;
  default: {
    const unsigned width = 1u << random() % 4;
    const uint64_t value = interesting(random);
    for (unsigned i = 0; i < width && i < left; ++i)
      to[i] = static_cast<uint8_t>(value >> (8 * i));
  }
  }
}

void add_seed(std::vector<Seed>& seeds, const std::filesystem::path& path, std::string_view aim) {
  std::ifstream file(path, std::ios::binary);
  Seed seed{path.filename().string(), {std::istreambuf_iterator<char>(file), {}}, {}};
  seed.regions = aim.empty() ? regions_of(seed.bytes) : sections_named(seed.bytes, aim);
  if (aim.empty() || !seed.regions.empty())
    seeds.push_back(std::move(seed));
}

} // namespace

int main(int argc, char** argv) {
  uint64_t first = 0, runs = 1000, random_size = 0;
  std::string aim, kept;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    std::string* text = argument == "--aim" ? &aim : argument == "--write" ? &kept : nullptr;
    uint64_t* option = argument == "--runs"     ? &runs
                       : argument == "--first"  ? &first
                       : argument == "--random" ? &random_size
                                                : nullptr;
    if (option && i + 1 < argc) {
      *option = std::strtoull(argv[++i], nullptr, 10);
    } else if (text && i + 1 < argc) {
      *text = argv[++i];
    } else if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::directory_iterator(argument))
        if (entry.is_regular_file())
          files.push_back(entry.path());
    } else {
      files.emplace_back(argument);
    }
  }
  std::vector<Seed> seeds;
  for (const auto& file : files)
    add_seed(seeds, file, aim);
  if (seeds.empty()) {
    std::fprintf(stderr, "fuzz: no seed files given\n");
    return 2;
  }
  std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  watch_over_process();

  auto start = std::chrono::steady_clock::now();
  for (uint64_t run = first; run < first + runs; ++run) {
    current_run = run;
    alarm(seconds_per_run);
    Random random(run * 0x9e3779b97f4a7c15 + 1);
    const Seed& seed = seeds[random() % seeds.size()];
    Bytes bytes = seed.bytes;
    if (random_size && run % 2) {
      bytes.resize(1 + random() % random_size);
      for (uint8_t& byte : bytes)
        byte = static_cast<uint8_t>(random());
    } else if (run >= seeds.size()) { // the first runs take seeds as they are
      for (uint64_t left = 1 + random() % 6; left; --left)
        aim.empty() ? mutate_once(bytes, seed, random) : mutate_region(bytes, seed, random);
    }
    if (!kept.empty())
      std::ofstream(kept, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    // An allocation of its exact size, so that reading past the end is seen.
    std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("fuzz: %llu runs over %zu seeds in %.2f s\n", static_cast<unsigned long long>(runs), seeds.size(),
              seconds);
  return 0;
}
