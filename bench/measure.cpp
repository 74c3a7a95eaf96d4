// Google Benchmark repeats and takes medians; a reporter of ours collects them. Warm-up is the first, unmeasured run.
#include "bench/measure.h"
#include "bench/items.h"
#include "jit/jit.h"
#include "tests/kernels/compile.h"
#include "tests/kernels/opencl.h"
#include "tests/kernels/runner.h"
#include <benchmark/benchmark.h>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosslane::bench {
namespace {

class Native : public workload::Session {
public:
  Native(const Item& item, const workload::Workload& w) : item_(item), workload_(w) {
    for (const auto& b : w.buffers)
      memory_.push_back(b.initial);
    for (auto& m : memory_)
      pointers_.buffers.push_back(m.data());
  }
  void fill() override {
    for (size_t i = 0; i < memory_.size(); ++i)
      if (!memory_[i].empty())
        std::memcpy(memory_[i].data(), workload_.buffers[i].initial.data(), memory_[i].size());
  }
  double once() override {
    double start = workload::Clock::now();
    item_.native(pointers_);
    return workload::Clock::now() - start;
  }
  std::vector<workload::Bytes> read() override { return memory_; }

private:
  const Item& item_;
  const workload::Workload& workload_;
  std::vector<workload::Bytes> memory_;
  Pointers pointers_;
};

// Empty when right.
std::string check(workload::Session& session, workload::Workload& w) {
  w.reference(w);
  session.fill();
  session.once();
  if (!session.error().empty())
    return session.error();
  auto got = session.read();
  for (size_t i = 0; i < w.buffers.size(); ++i)
    if (w.buffers[i].compare != workload::Compare::none)
      if (auto wrong = compare(w.buffers[i], got[i], w.buffers[i].expected))
        return "wrong result: " + *wrong;
  return "";
}

// Keeps the medians (or the only run) by name.
class Collector : public benchmark::BenchmarkReporter {
public:
  explicit Collector(nlohmann::json& results) : results_(results) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median")
        continue;
      nlohmann::json entry = {{"item", run.run_name.function_name}};
      if (run.error_occurred)
        entry["error"] = run.error_message;
      else {
        entry["seconds"] = run.GetAdjustedRealTime();
        for (const char* name : {"instructions", "compiling"})
          if (auto c = run.counters.find(name); c != run.counters.end())
            entry[name] = double(c->second);
      }
      results_.push_back(entry);
    }
  }

private:
  nlohmann::json& results_;
};

struct Prepared {
  workload::Workload workload;
  std::unique_ptr<workload::Session> session;
  workload::CrosslaneSession* counting = nullptr;
  double compiling = 0; // seconds of processor time
  std::string error;
};

Prepared* prepare(const Item& item, const std::string& machine, unsigned threads, bool small,
                  workload::OpenCl* opencl) {
  auto* p = new Prepared;
  p->workload = small ? item.small() : item.full();
  if (machine == "native")
    p->session = std::make_unique<Native>(item, p->workload);
  else if (machine == "opencl")
    p->session = opencl->open(p->workload, workload::examples_folder());
  else {
    workload::Settings settings;
    settings.threads = threads;
    if (p->workload.target)
      settings.target = p->workload.target;
    auto session = workload::open_crosslane(p->workload, settings);
    p->counting = session.get();
    p->session = std::move(session);
  }
  p->error = p->session->error();
  if (!p->error.empty())
    return p;
  const double before = jit::stats().seconds;
  if (machine == "crosslane" && threads == 1)
    p->error = check(*p->session, p->workload);
  else if (!small)
    p->session->once();
  p->compiling = jit::stats().seconds - before;
  if (p->error.empty())
    p->error = p->session->error();
  return p;
}

} // namespace

int measure(const std::string& machine, unsigned threads, bool small, const std::string& only, const std::string& out) {
  std::unique_ptr<workload::OpenCl> opencl;
  nlohmann::json results = nlohmann::json::array();
  if (machine == "opencl") {
    opencl = std::make_unique<workload::OpenCl>();
    if (opencl->device().empty()) {
      std::fprintf(stderr, "%s\n", opencl->reason().c_str());
      return 1;
    }
  }
  const std::vector<Item> list = items();
  const Item* current = nullptr;
  std::unique_ptr<Prepared> prepared; // of the current item; the last one's memory is gone before the next is measured
  for (const Item& item : list) {
    if (!only.empty() && item.name.find(only) == std::string::npos)
      continue;
    if (machine == "native" && !item.native)
      continue;
    if (machine == "opencl" && item.kind == Kind::instructions)
      continue;
    if (small && !item.small)
      continue;
    auto* b = benchmark::RegisterBenchmark(item.name.c_str(), [&, small, threads, machine](benchmark::State& state) {
      if (current != &item) {
        std::fprintf(stderr, "  %s\n", item.name.c_str());
        current = &item;
        prepared.reset();
        prepared.reset(prepare(item, machine, threads, small, opencl.get()));
      }
      if (!prepared->error.empty()) {
        state.SkipWithError(prepared->error.c_str());
        return;
      }
      for (auto _ : state)
        state.SetIterationTime(prepared->session->once());
      if (!prepared->session->error().empty())
        state.SkipWithError(prepared->session->error().c_str());
      if (prepared->counting) {
        state.counters["instructions"] = double(prepared->counting->stats().instructions);
        state.counters["compiling"] = prepared->compiling;
      }
    });
    b->UseManualTime()->Unit(benchmark::kSecond);
    if (small)
      b->Iterations(1);
    else
      b->MinTime(0.1)->Repetitions(5)->ReportAggregatesOnly();
  }
  Collector collector(results);
  benchmark::RunSpecifiedBenchmarks(&collector);
  prepared.reset();
  std::ofstream(out) << results.dump(2) << "\n";
  return 0;
}

} // namespace crosslane::bench
