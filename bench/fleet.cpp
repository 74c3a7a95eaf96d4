// What handing out costs: items that take so many microseconds of a core, by the ranks of an MPI job; or, with so many
// simulated ranks that do nothing, what rank 0 alone needs for each item, and, with dead ones among them, for its end.
//   mpirun -n 2 build/release/bin/crosslane_fleet_bench 2000 1000
//   build/release/bin/crosslane_fleet_bench 100000 0 --simulate 10000 100
#include "fleet/fleet.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <string>

namespace {

using namespace crosslane::fleet;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

std::string spin(double seconds, uint64_t item) {
  const double end = now() + seconds;
  while (now() < end) {
  }
  return std::to_string(item);
}

// Ranks that answer at once, but for the last `dead` ones: they ask for work and are never heard of again. What their
// answers cost is rank 0's as well, as with messages.
class Simulated final : public Transport {
public:
  Simulated(int ranks, int dead) : ranks_(ranks), first_dead_(ranks - dead) {
    for (int r = 1; r < ranks; ++r)
      answers_.push_back({r, "r"});
  }
  int rank() const override { return 0; }
  int size() const override { return ranks_; }
  int neighbours() const override { return 1; }
  size_t longest() const override { return SIZE_MAX; }
  void send(int to, std::string_view bytes) override {
    if (to >= first_dead_)
      return;
    answers_.push_back({to, bytes.starts_with('w') ? "d" + std::string(bytes.substr(1)) + "result" : "b"});
  }
  std::optional<Message> receive() override {
    if (answers_.empty())
      return {};
    Message m = std::move(answers_.front());
    answers_.pop_front();
    return m;
  }
  void end(bool, int) override {}

private:
  const int ranks_, first_dead_;
  std::deque<Message> answers_;
};

int simulate(uint64_t items, double seconds, int ranks, int dead) {
  Simulated transport(ranks, dead);
  const double begin = now(), begin_processor = processor_seconds();
  const Outcome outcome = llvm::cantFail(
      run({items, [&](uint64_t item) { return spin(seconds, item); }}, {.transport = &transport, .patience = 0}));
  const double took = now() - begin, processor = processor_seconds() - begin_processor;
  std::printf("%llu items by %d simulated ranks, %d of them dead: %.3f s, %.3f s of a core, %.2f us an item\n",
              static_cast<unsigned long long>(items), ranks, dead, took, processor, processor / double(items) * 1e6);
  return outcome.results.size() == items ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  const bool simulated = argc == 6 && std::string(argv[3]) == "--simulate";
  if (argc != 3 && !simulated) {
    std::fprintf(stderr, "usage: crosslane_fleet_bench ITEMS MICROSECONDS [--simulate RANKS DEAD]\n");
    return 2;
  }
  const uint64_t items = std::strtoull(argv[1], nullptr, 10);
  const double seconds = std::atof(argv[2]) * 1e-6;
  if (simulated)
    return simulate(items, seconds, std::max(1, std::atoi(argv[4])), std::max(0, std::atoi(argv[5])));
  const auto transport = llvm::cantFail(open_mpi());
  const double begin = now();
  const Outcome outcome =
      llvm::cantFail(run({items, [&](uint64_t item) { return spin(seconds, item); }}, {.transport = transport.get()}));
  if (outcome.leader) {
    const double took = now() - begin;
    std::printf("%llu items of %s us by %d ranks: %.3f s, %.1f us an item beyond its own; %.3f of what they could do\n",
                static_cast<unsigned long long>(items), argv[2], transport->size(), took,
                (took * transport->size() / double(items) - seconds) * 1e6,
                seconds * double(items) / (took * transport->size()));
    std::fflush(stdout);
  }
  transport->end(outcome.silent.empty(), 0);
  std::_Exit(0);
}
