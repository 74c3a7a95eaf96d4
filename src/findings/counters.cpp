// The counters and metrics that users of AMD's profilers know, by their names: those that follow from what a profile
// holds, with values; those that take time or the contents of caches, with the reason why not. docs/counters.md is the
// manual; the order is the same.
// Sources: ROCm rocprofiler (gfx_metrics.xml, metrics.xml) for names and formulas; AMD, "MI200 Performance Counters and
// Metrics", for what counts as what; rocprof-compute for the last ones.
#include "findings/counter_inputs.h"
#include "findings/derive.h"
#include "findings/modelled.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crosslane::findings {

namespace {

// With a model of the card its numbers, else why there are none.
class Model {
public:
  explicit Model(const Modelled* model) : model_(model) {}
  template <class F> Value time(F of) const { return model_ ? Value(of(*model_)) : no_time(); }
  template <class F> Value l1(F of) const {
    return model_ ? Value(of(*model_)) : Value::none("depends on what the L1 cache holds, which is not modelled");
  }
  template <class F> Value l2(F of) const {
    return model_ ? Value(of(*model_)) : Value::none("depends on what the L2 cache holds, which is not modelled");
  }
  // What the model of the card leaves out.
  Value neither(const char* why) const { return model_ ? Value::none(why) : no_time(); }
  explicit operator bool() const { return model_; }

private:
  static Value no_time() { return Value::none("takes time, which is not modelled"); }
  const Modelled* model_;
};

constexpr const char* no_stalls_of_writes = "the model of the card does not tell which writes wait";
constexpr const char* no_stalls_of_l1 = "the model of the card does not tell what waits behind L1";

// Counters in their order. A formula finds those before it by name; what those lack it lacks.
class Table {
public:
  explicit Table(std::vector<Counter>& counters) : counters_(counters) {}

  void add(const char* name, const char* unit, const char* about, const Value& value) {
    counters_.push_back({name, value.number, unit, about, value.why});
  }
  Value operator[](std::string_view name) const {
    const auto at = std::find_if(counters_.begin(), counters_.end(), [&](const Counter& c) { return c.name == name; });
    if (at == counters_.end())
      return Value::none(fmt::format("{}: not a counter of this target", name));
    const Counter& counter = *at;
    if (counter.value)
      return *counter.value;
    // The innermost name says it best.
    return Value::none(counter.why.find(": ") == std::string::npos ? fmt::format("{}: {}", name, counter.why)
                                                                   : counter.why);
  }

private:
  std::vector<Counter>& counters_;
};

isa::Generation generation_of(const KernelProfile& kernel) {
  const auto target = isa::parse_target(kernel.target);
  return target ? isa::info(*target).generation : isa::Generation::gfx9;
}

bool has_matrix_operations(const KernelProfile& kernel) { return generation_of(kernel) >= isa::Generation::gfx908; }

enum class Interface : uint8_t { mc, ea, ea_twice }; // between L2 and memory: gfx8 and earlier, gfx9, gfx906

Interface interface_of(const KernelProfile& kernel) {
  const isa::Generation generation = generation_of(kernel);
  if (generation < isa::Generation::gfx9)
    return Interface::mc;
  return generation == isa::Generation::gfx906 ? Interface::ea_twice : Interface::ea;
}

void add_clocks(Table& t, const Model& model) {
  t.add("GRBM_COUNT", "cycles", "clock cycles", model.time([](const Modelled& m) { return m.cycles; }));
  t.add("GRBM_GUI_ACTIVE", "cycles", "clock cycles in which the GPU was busy",
        model.time([](const Modelled& m) { return m.cycles; }));
}

// What instructions were counted as; nothing of it where only a wave was traced.
Value if_counted(const Views& views, const Value& value) {
  return views.any() ? value : Value::none("needs --profile");
}

void add_instructions(Table& t, const KernelProfile& kernel, const Views& views, const Model& model) {
  const IssuedCounts n = issued(kernel);
  const auto add = [&](const char* name, const char* about, const Value& value) {
    t.add(name, "wave-instructions", about, if_counted(views, value));
  };
  // Of a sample, waves and instructions are of the same workgroups.
  t.add("SQ_WAVES", "waves", "wavefronts that ran", kernel.sampled ? if_counted(views, n.ended) : kernel.waves);
  add("SQ_INSTS_VALU", "vector ALU", n.valu);
  if (has_matrix_operations(kernel))
    add("SQ_INSTS_MFMA", "matrix operations, which are in SQ_INSTS_VALU as well", n.matrix);
  add("SQ_INSTS_VMEM_WR", "vector memory, stores and atomics that return nothing, FLAT among them", n.vmem_writes);
  add("SQ_INSTS_VMEM_RD", "vector memory, loads and atomics that return a value, FLAT among them", n.vmem_reads);
  add("SQ_INSTS_VMEM", "vector memory, FLAT among them", n.vmem_reads + n.vmem_writes);
  add("SQ_INSTS_SALU", "scalar ALU", n.salu);
  add("SQ_INSTS_SMEM", "scalar memory", n.smem);
  add("SQ_INSTS_FLAT", "FLAT, GLOBAL and SCRATCH", n.flat);
  add("SQ_INSTS_FLAT_LDS_ONLY", "FLAT of which all lanes reached LDS", flat_lds_only(kernel, views));
  add("SQ_INSTS_LDS", "LDS, FLAT among them, but not GLOBAL and SCRATCH", n.lds);
  add("SQ_INSTS_GDS", "GDS and GWS", n.gds);
  add("SQ_INSTS_BRANCH", "branches, jumps and calls", n.branches);
  add("SQ_INSTS_SENDMSG", "messages and s_endpgm", n.messages);
  t.add("SQ_WAIT_INST_LDS", "quad-cycles", "waves waiting to issue an LDS instruction",
        model.time([](const Modelled& m) { return double(m.lds_waits) / 4; }));
  t.add("SQ_ACTIVE_INST_VALU", "quad-cycles", "SIMD units busy with vector ALU instructions",
        if_counted(views, n.valu_quads));
  t.add("SQ_INST_CYCLES_SALU", "quad-cycles", "scalar units busy with scalar ALU instructions",
        if_counted(views, n.salu_quads));
  t.add("SQ_THREAD_CYCLES_VALU", "lane quad-cycles", "SIMD units busy with vector ALU instructions, times active lanes",
        thread_quads(kernel, views));
}

void add_lds(Table& t, const KernelProfile& kernel, const Views& views) {
  const LdsSums sums = lds(kernel);
  const auto counted = [&](uint64_t n) { return views.lds ? Value(n) : Value::none("needs --profile lds"); };
  t.add("SQ_LDS_BANK_CONFLICT", "cycles", "LDS busy longer because of bank conflicts",
        counted(sums.bank_conflict_cycles));
  t.add("SQ_LDS_ADDR_CONFLICT", "cycles", "LDS busy longer because atomics of a wavefront go to one dword",
        counted(sums.same_address_cycles));
  t.add("SQ_LDS_IDX_ACTIVE", "cycles", "LDS busy with loads, stores and atomics, conflicts among them",
        counted(sums.cycles));
}

void add_caches(Table& t, const KernelProfile& kernel, const Views& views, const Model& model) {
  const IssuedCounts n = issued(kernel);
  const MemorySums m = memory(kernel);
  const auto counted = [&](uint64_t sum) { return views.memory ? Value(sum) : Value::none("needs --profile memory"); };
  t.add("TA_TA_BUSY", "cycles", "address units busy", model.time([](const Modelled& m) { return m.address_busy; }));
  const auto add = [&](const char* name, const char* about, uint64_t n) {
    t.add(name, "wave-instructions", about, if_counted(views, n));
  };
  add("TA_FLAT_WAVEFRONTS", "FLAT, GLOBAL and SCRATCH", n.flat_kinds.all());
  add("TA_FLAT_READ_WAVEFRONTS", "FLAT, GLOBAL and SCRATCH loads", n.flat_kinds.reads);
  add("TA_FLAT_WRITE_WAVEFRONTS", "FLAT, GLOBAL and SCRATCH stores", n.flat_kinds.writes);
  add("TA_FLAT_ATOMIC_WAVEFRONTS", "FLAT and GLOBAL atomics", n.flat_kinds.atomics);
  add("TA_BUFFER_WAVEFRONTS", "buffers, without images", n.buffer_kinds.all());
  add("TA_BUFFER_READ_WAVEFRONTS", "buffer loads", n.buffer_kinds.reads);
  add("TA_BUFFER_WRITE_WAVEFRONTS", "buffer stores", n.buffer_kinds.writes);
  add("TA_BUFFER_ATOMIC_WAVEFRONTS", "buffer atomics", n.buffer_kinds.atomics);
  t.add("TA_TOTAL_WAVEFRONTS", "wave-instructions", "vector memory instructions that reached memory with any lane",
        counted(m.requests));
  t.add("TCP_TCP_TA_DATA_STALL_CYCLES", "cycles", "L1 waiting to return data", model.neither(no_stalls_of_l1));
  t.add("TCP_TOTAL_ACCESSES", "accesses",
        "of L1 by groups of lanes that coalesce, 16 for a wavefront at best, 64 at worst", counted(4 * m.clocks));
  t.add("TCP_TOTAL_CACHE_ACCESSES", "cache lines", "of 64 bytes that L1 looks up, for each wavefront on its own",
        counted(m.read_lines + m.written_lines + m.atomic_lines));
  t.add("TCP_TCC_READ_REQ", "requests", "loads that go on from L1 to L2",
        model.l1([](const Modelled& m) { return m.l1_misses; }));
  t.add("TCP_TCC_WRITE_REQ", "requests", "stores that go on from L1, which writes through, to L2: a cache line each",
        counted(m.written_lines));
  t.add("TCP_TCC_ATOMIC_WITH_RET_REQ", "requests", "atomics that return a value, in L2: a lane each",
        counted(m.atomics_with_return));
  t.add("TCP_TCC_ATOMIC_WITHOUT_RET_REQ", "requests", "atomics that return none, in L2: a lane each",
        counted(m.atomics));
  t.add("TCC_HIT", "requests", "that L2 held", model.l2([](const Modelled& m) { return m.l2_hits; }));
  t.add("TCC_MISS", "requests", "that L2 did not hold", model.l2([](const Modelled& m) { return m.l2_misses; }));
}

// The model reads and writes whole lines; assumed: two interfaces have half of it each.
void add_memory(Table& t, Interface interface, const Model& model) {
  const double share = interface == Interface::ea_twice ? 0.5 : 1;
  const auto read = [&](double bytes) {
    return model.l2([&](const Modelled& m) { return share * double(m.bytes_read) / bytes; });
  };
  const auto written = [&](double bytes) {
    return model.l2([&](const Modelled& m) { return share * double(m.bytes_written) / bytes; });
  };
  const Value none_of_32 = model.l2([](const Modelled&) { return 0; });
  const Value stall = model.neither(no_stalls_of_writes);
  if (interface == Interface::mc) {
    t.add("TCC_MC_RDREQ", "requests of 32 bytes", "reads of memory by L2", read(32));
    t.add("TCC_MC_WRREQ", "requests of 32 bytes", "writes of memory by L2", written(32));
    t.add("TCC_MC_WRREQ_STALL", "cycles", "writes of memory waiting", stall);
    return;
  }
  t.add("TCC_EA_RDREQ", "requests", "reads of memory by L2, of 32 or 64 bytes", read(64));
  t.add("TCC_EA_RDREQ_32B", "requests", "reads of memory by L2, of 32 bytes", none_of_32);
  t.add("TCC_EA_WRREQ", "requests", "writes of memory by L2, of 32 or 64 bytes", written(64));
  t.add("TCC_EA_WRREQ_64B", "requests", "writes of memory by L2, of 64 bytes", written(64));
  t.add("TCC_EA_WRREQ_STALL", "cycles", "writes of memory waiting", stall);
  if (interface == Interface::ea)
    return;
  t.add("TCC_EA1_RDREQ", "requests", "as TCC_EA_RDREQ, second interface", read(64));
  t.add("TCC_EA1_RDREQ_32B", "requests", "as TCC_EA_RDREQ_32B, second interface", none_of_32);
  t.add("TCC_EA1_WRREQ", "requests", "as TCC_EA_WRREQ, second interface", written(64));
  t.add("TCC_EA1_WRREQ_64B", "requests", "as TCC_EA_WRREQ_64B, second interface", written(64));
  t.add("TCC_EA1_WRREQ_STALL", "cycles", "as TCC_EA_WRREQ_STALL, second interface", stall);
}

// rocprofiler's, in the words of its formulas.
void add_derived(Table& t, const Model& model) {
  constexpr const char* each = "wave-instructions per wave";
  const Value waves = t["SQ_WAVES"], active = t["GRBM_GUI_ACTIVE"];
  // Without a model nothing is divided by them: `active` has no value.
  const Value units = model.time([](const Modelled& m) { return m.compute_units; });
  const Value simds = model.time([](const Modelled& m) { return m.compute_units * m.simds; });
  t.add("Wavefronts", "waves", "SQ_WAVES", waves);
  t.add("VALUInsts", each, "vector ALU", t["SQ_INSTS_VALU"] / waves);
  t.add("SALUInsts", each, "scalar ALU", t["SQ_INSTS_SALU"] / waves);
  t.add("VFetchInsts", each, "vector loads that are not FLAT; atomics that return a value",
        (t["SQ_INSTS_VMEM_RD"] - t["TA_FLAT_READ_WAVEFRONTS"]) / waves);
  t.add("SFetchInsts", each, "scalar memory", t["SQ_INSTS_SMEM"] / waves);
  t.add("VWriteInsts", each, "vector stores that are not FLAT; atomics that return nothing",
        (t["SQ_INSTS_VMEM_WR"] - t["TA_FLAT_WRITE_WAVEFRONTS"]) / waves);
  t.add("FlatVMemInsts", each, "FLAT that reached memory, GLOBAL and SCRATCH",
        (t["SQ_INSTS_FLAT"] - t["SQ_INSTS_FLAT_LDS_ONLY"]) / waves);
  t.add("LDSInsts", each, "LDS but for FLAT that reached it alone",
        (t["SQ_INSTS_LDS"] - t["SQ_INSTS_FLAT_LDS_ONLY"]) / waves);
  t.add("FlatLDSInsts", each, "FLAT that reached LDS alone", t["SQ_INSTS_FLAT_LDS_ONLY"] / waves);
  t.add("GDSInsts", each, "GDS and GWS", t["SQ_INSTS_GDS"] / waves);
  t.add("VALUUtilization", "%", "lanes of busy SIMD units that were active",
        100 * t["SQ_THREAD_CYCLES_VALU"] / (t["SQ_ACTIVE_INST_VALU"] * 64));
  t.add("VALUBusy", "%", "of the time of the SIMD units", 100 * t["SQ_ACTIVE_INST_VALU"] * 4 / active / simds);
  t.add("SALUBusy", "%", "of the time of the scalar units", 100 * t["SQ_INST_CYCLES_SALU"] * 4 / active / simds);
  t.add("GPUBusy", "%", "of the time", 100 * active / t["GRBM_COUNT"]);
  t.add("FetchSize", "KiB", "read from memory by L2",
        model.l2([](const Modelled& m) { return double(m.bytes_read) / 1024; }));
  t.add("WriteSize", "KiB", "written to memory by L2",
        model.l2([](const Modelled& m) { return double(m.bytes_written) / 1024; }));
  t.add("MemWrites32B", "requests of 32 bytes", "writes of memory by L2",
        model.l2([](const Modelled& m) { return double(m.bytes_written) / 32; }));
  t.add("L2CacheHit", "%", "requests that L2 held", 100 * t["TCC_HIT"] / (t["TCC_HIT"] + t["TCC_MISS"]));
  t.add("MemUnitBusy", "%", "of the time", 100 * t["TA_TA_BUSY"] / active / units);
  t.add("MemUnitStalled", "%", "of the time", 100 * t["TCP_TCP_TA_DATA_STALL_CYCLES"] / active / units);
  t.add("WriteUnitStalled", "%", "of the time", model.neither(no_stalls_of_writes));
  t.add("ALUStalledByLDS", "%", "of the time", 100 * t["SQ_WAIT_INST_LDS"] * 4 / waves / active);
  t.add("LDSBankConflict", "%", "of the time", 100 / active * t["SQ_LDS_BANK_CONFLICT"] / units);
}

// rocprof-compute's.
void add_compute(Table& t) {
  t.add("VALU Active Threads", "lanes", "active in a vector ALU instruction, on average over its time",
        t["SQ_THREAD_CYCLES_VALU"] / t["SQ_ACTIVE_INST_VALU"]);
  t.add("Bank Conflicts/Access", "cycles per cycle", "of bank conflicts for each cycle of LDS without them",
        t["SQ_LDS_BANK_CONFLICT"] / (t["SQ_LDS_IDX_ACTIVE"] - t["SQ_LDS_BANK_CONFLICT"]));
  t.add("Coalescing", "%", "how well lanes of vector memory instructions coalesced on their way to L1, 25 to 100",
        t["TA_TOTAL_WAVEFRONTS"] * 64 * 100 / (t["TCP_TOTAL_ACCESSES"] * 4));
  t.add("vL1D Cache Hit Rate", "%", "cache lines that L1 held",
        100 - 100 *
                  (t["TCP_TCC_READ_REQ"] + t["TCP_TCC_WRITE_REQ"] + t["TCP_TCC_ATOMIC_WITH_RET_REQ"] +
                   t["TCP_TCC_ATOMIC_WITHOUT_RET_REQ"]) /
                  t["TCP_TOTAL_CACHE_ACCESSES"]);
}

} // namespace

namespace {

void derive(KernelProfile& kernel, const Views& views, const Model& model) {
  kernel.counters.clear();
  Table t(kernel.counters);
  add_clocks(t, model);
  add_instructions(t, kernel, views, model);
  add_lds(t, kernel, views);
  add_caches(t, kernel, views, model);
  add_memory(t, interface_of(kernel), model);
  add_derived(t, model);
  add_compute(t);
}

} // namespace

void derive_counters(KernelProfile& kernel, const Views& views) { derive(kernel, views, Model(nullptr)); }

void add_modelled(KernelProfile& kernel, const Views& views, const Modelled& modelled) {
  if (!kernel.sampled && kernel.launches == 1)
    derive(kernel, views, Model(&modelled));
}

} // namespace crosslane::findings
