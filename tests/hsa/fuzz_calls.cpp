// Random sequences of calls of all functions by several threads, with handles that live, are freed, of another kind or
// made up, with hsa_init and hsa_shut_down in between: fuzz_hsa_calls --seconds 3600 --seed 1. Each sequence is decided
// by its seed as far as threads allow (--threads 1: wholly). After each call: its status is one that the header
// documents. Between: what nobody touches is as it was. At the end of a sequence: no thread and no file is left; at the
// end: memory does not grow.
#include "tests/hsa/calls/calls.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <malloc.h>
#include <optional>
#include <thread>
#include <unistd.h>

using namespace crosslane::test::calls;

namespace {

using Clock = std::chrono::steady_clock;

FILE* report = stderr; // which stays when standard error goes away

uint64_t seed_now = 0; // of the sequence
constexpr size_t kept = 32;
struct Last { // calls of one thread
  const char* name[kept] = {};
  size_t next = 0;
  bool inside = false;
};
constexpr size_t most_threads = 16;
Last last[most_threads];

void tell_last() {
  std::fprintf(report, "\nsequence of seed %llu; the last calls of each thread, the latest first:\n",
               static_cast<unsigned long long>(seed_now));
  for (size_t t = 0; t < most_threads; ++t) {
    if (!last[t].next)
      continue;
    std::fprintf(report, "thread %zu%s:", t, last[t].inside ? " (in the first)" : "");
    for (size_t i = 1; i <= std::min(kept, last[t].next); ++i)
      std::fprintf(report, " %s", last[t].name[(last[t].next - i) % kept]);
    std::fprintf(report, "\n");
  }
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(report, "\nfuzz_hsa_calls: %s", why.c_str());
  tell_last();
  std::_Exit(1);
}

int entries(const char* folder) {
  int count = 0;
  DIR* const directory = opendir(folder);
  while (readdir(directory))
    ++count;
  closedir(directory);
  return count;
}

// Bytes of malloc() that are in use.
long heap_kib() { return long(mallinfo2().uordblks + mallinfo2().hblkhd) / 1024; }

struct Totals {
  std::atomic<uint64_t> calls{0}, succeeded{0}, refused{0}, initialisations{0};
  std::vector<std::atomic<uint64_t>> by_row = std::vector<std::atomic<uint64_t>>(rows().size());
} totals;

// What no random call names.
struct Sentinel {
  hsa_signal_t signal{};
  uint64_t* memory = nullptr;
  uint64_t pattern;
  explicit Sentinel(World& world, uint64_t seed) : pattern(seed * 0x9e3779b97f4a7c15) {
    std::mt19937_64 rng(seed);
    hsa_signal_create(int64_t(pattern), 0, nullptr, &signal);
    void* p = nullptr;
    hsa_amd_memory_pool_allocate({world.pick(Kind::host_pool, rng, false)}, 4096, 0, &p);
    memory = static_cast<uint64_t*>(p);
    if (memory)
      std::fill_n(memory, 512, pattern);
  }
  void look() const {
    if (signal.handle && hsa_signal_load_scacquire(signal) != int64_t(pattern))
      fail("a signal that nobody named has changed");
    if (memory && !std::all_of(memory, memory + 512, [&](uint64_t word) { return word == pattern; }))
      fail("memory that nobody named has changed");
  }
};

// Is the runtime up, and may it be ended? Shared: calls that name memory, and sentinels.
std::shared_mutex up;

void one(World& world, const Row& row, size_t thread, std::mt19937_64& rng, size_t index) {
  Chooser c(world, rng(), true);
  std::shared_lock stays(up, std::defer_lock);
  std::shared_lock lock(world.memory, std::defer_lock);
  if (row.memory) { // the memory is there until the call returns
    stays.lock();
    if (!world.live(Kind::agent))
      return;
    lock.lock();
  }
  last[thread].name[last[thread].next++ % kept] = row.name;
  last[thread].inside = true;
  const int status = run(row, c);
  last[thread].inside = false;
  if (!documented(row.name, status))
    fail(std::string(row.name) + " gives " + name_of_status(status) + ", which its header does not document");
  ++totals.calls;
  ++(status == no_status || status == HSA_STATUS_SUCCESS ? totals.succeeded : totals.refused);
  if (index < totals.by_row.size())
    ++totals.by_row[index];
}

void calls(World& world, size_t thread, uint64_t seed, int count) {
  std::mt19937_64 rng(seed);
  // Some are weighted: what makes things go on, and what makes things.
  static const auto heavy = [] {
    std::vector<size_t> list;
    for (size_t i = 0; i < rows().size(); ++i)
      if (std::strstr(rows()[i].name, "create") || std::strstr(rows()[i].name, "destroy") ||
          std::strstr(rows()[i].name, "copy") || std::strstr(rows()[i].name, "allocate") ||
          std::strstr(rows()[i].name, "free"))
        list.push_back(i);
    return list;
  }();
  for (int i = 0; i < count; ++i) {
    const uint64_t dice = rng() % 16;
    if (dice < 3) {
      one(world, packets, thread, rng, SIZE_MAX);
    } else {
      const size_t index = dice < 7 ? heavy[rng() % heavy.size()] : rng() % rows().size();
      one(world, rows()[index], thread, rng, index);
    }
  }
}

// hsa_init, calls by all threads, hsa_shut_down; some rounds end while the others still call.
void sequence(World& world, uint64_t seed, size_t threads, int count) {
  seed_now = seed;
  for (Last& each : last)
    each = {};
  std::mt19937_64 rng(seed);
  const bool ends_early = threads > 1 && rng() % 4 == 0;
  const auto begin = [&] {
    const std::unique_lock lock(up);
    if (hsa_init() != HSA_STATUS_SUCCESS)
      fail("hsa_init fails");
    ++totals.initialisations;
    world.open();
  };
  const auto end = [&] {
    const std::unique_lock lock(up);
    world.close();
    if (const hsa_status_t status = hsa_shut_down(); status != HSA_STATUS_SUCCESS)
      fail("hsa_shut_down gives " + name_of_status(status));
  };
  begin();
  std::optional<Sentinel> sentinel(std::in_place, world, seed);
  std::atomic<size_t> running{threads};
  std::vector<std::thread> all;
  for (size_t t = 0; t < threads; ++t)
    all.emplace_back([&, t, own = rng()] {
      calls(world, t, own, count);
      --running;
    });
  while (running) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (ends_early && rng() % 4 == 0) {
      sentinel->look();
      sentinel.reset();
      end();
      begin();
      sentinel.emplace(world, rng());
    } else {
      sentinel->look();
    }
  }
  for (auto& thread : all)
    thread.join();
  sentinel->look();
  sentinel.reset();
  end();
  // Threads end after the call of the API that they served.
  if (hsa_shut_down() != HSA_STATUS_ERROR_NOT_INITIALIZED)
    fail("hsa_shut_down works once too often");
}

void on_crash(int signal) {
  std::fprintf(report, "\nfuzz_hsa_calls: signal %d", signal);
  tell_last();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

} // namespace

int main(int argc, char** argv) {
  double seconds = 10;
  uint64_t seed = 1;
  size_t threads = 4;
  int count = 400;
  uint64_t sequences = UINT64_MAX;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const double value = std::atof(argv[i + 1]);
    if (option == "--seconds")
      seconds = value;
    else if (option == "--seed")
      seed = uint64_t(value);
    else if (option == "--threads")
      threads = std::clamp<size_t>(size_t(value), 1, most_threads);
    else if (option == "--calls")
      count = int(value);
    else if (option == "--sequences")
      sequences = uint64_t(value);
    else
      return std::fprintf(
                 stderr,
                 "fuzz_hsa_calls [--seconds S] [--seed N] [--sequences N] [--threads N] [--calls N of a thread]\n"),
             2;
  }
  setenv("CROSSLANE_GPU", "vega10,vega20", 1);
  setenv("CROSSLANE_QUIET", "1", 1);
  setenv("CROSSLANE_VRAM", "1G", 1);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  report = fdopen(dup(STDERR_FILENO), "w");
  std::setvbuf(report, nullptr, _IONBF, 0);
  if (!std::getenv("CROSSLANE_FUZZ_LOUD"))
    (void)!freopen("/dev/null", "w", stderr); // what the runtime says of kernels' faults
  for (const int signal : {SIGABRT, SIGFPE, SIGSEGV, SIGBUS})
    std::signal(signal, on_crash);
  static World& world = *new World; // stays: threads may be in it at the end
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  uint64_t done = 0;
  int tasks = 0, files = 0;
  long memory = 0;
  const uint64_t first = seed;
  for (; done < sequences && elapsed() < seconds; ++done, ++seed) {
    sequence(world, seed, threads, count);
    if (done == 4)
      tasks = entries("/proc/self/task") + int(std::thread::hardware_concurrency()),
      files = entries("/proc/self/fd"); // oneTBB's workers come late
    if (done == 20)
      memory = heap_kib();
    if (done <= 4)
      continue;
    // What a queue's own callback stopped ends when that callback has returned, which may be after hsa_shut_down.
    for (int tries = 0; entries("/proc/self/task") > tasks || entries("/proc/self/fd") > files; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (tries == 1000)
        fail("left: " + std::to_string(entries("/proc/self/task")) + " threads, once " + std::to_string(tasks) + "; " +
             std::to_string(entries("/proc/self/fd")) + " files, once " + std::to_string(files));
    }
    if (done % 1000 == 0)
      std::printf("%8.0f s: %llu sequences, %llu calls, %ld KiB\n", elapsed(), static_cast<unsigned long long>(done),
                  static_cast<unsigned long long>(totals.calls.load()), heap_kib());
  }
  size_t covered = 0;
  for (size_t i = 0; i < rows().size(); ++i)
    if (totals.by_row[i])
      ++covered;
    else
      std::printf("never called: %s\n", rows()[i].name);
  std::printf("seeds %llu to %llu, %zu threads: %llu calls of %zu functions of %zu, %llu succeeded, %llu refused; %llu "
              "sequences, %llu "
              "initialisations, %llu memory faults of kernels and copies; %.0f s; %ld KiB of heap in use, after 20 "
              "sequences %ld\n",
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1), threads,
              static_cast<unsigned long long>(totals.calls.load()), covered, rows().size(),
              static_cast<unsigned long long>(totals.succeeded.load()),
              static_cast<unsigned long long>(totals.refused.load()), static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(totals.initialisations.load()),
              static_cast<unsigned long long>(world.faults.load()), elapsed(), heap_kib(), memory);
  if (memory && heap_kib() > memory + 1024)
    return std::printf("memory grows\n"), 1;
  return 0;
}
