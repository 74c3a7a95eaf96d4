// Owns the numbers that the cycle model computes with, for one card: cycles are those of its core clock. Where each one
// comes from: gpu/machine.h.
#pragma once
#include "gpu/machine.h"
#include "timing/issue_cycles.h"
#include "timing/replay/trace.h"
#include <cstdint>

namespace crosslane::timing::replay {

struct Machine {
  // ---- The shape of the card
  uint32_t units = 64, engines = 4, simds = 4, waves_per_simd = 10;
  uint32_t vgprs = 256, sgprs = 800; // of a SIMD unit, per lane; what a wave takes is rounded up already
  uint32_t vgpr_granule = 4, sgpr_granule = 16, lds_granule = 512;
  uint32_t lds_bytes = 65536, barriers = 16;
  uint32_t waves_in_flight = 2048; // of the whole card
  uint32_t units_per_cache = 3;    // that share a scalar and an instruction cache
  double mhz = 1000;
  // ---- Issue
  uint32_t wave_period = 4, valu_period = 5; // from an instruction of a wave to its next one
  uint32_t taken = 16;                       // more, of a branch that is taken: code comes from the cache anew
  uint32_t lookahead = 8;                    // dwords of code that a wave has asked for before it needs them
  uint32_t time_latency = 41;                // s_memtime
  uint32_t most_vm = 63, most_lgkm = 15;     // that the counters hold
  bool barrier_waits = false;                // s_barrier lets a wave arrive when all that it asked for has come
  Rates rates;                               // of vector instructions
  // ---- Workgroups
  uint32_t launch_period = 4;    // cycles of the whole card for each workgroup,
  double wave_launch = 1;        // or for each of its waves, if that is more
  uint32_t launch_latency = 100; // from there to a wave's first instruction
  double launch_ns = 2870;       // before the first and behind the last one
  // ---- Caches of a unit
  uint32_t l1_lines = 256, l1_ways = 4, l1_latency = 124;
  uint32_t address_queue = 64; // cycles of addresses that wait before no more instructions are taken
  // Cycles of a load whose addresses take 16, by its Shape: lanes next to each other, anywhere.
  uint32_t load_clocks[shapes][2] = {{16, 16}, {16, 16}, {16, 32}, {16, 18}, {16, 20}, {16, 32}, {16, 32}, {24, 32}};
  bool bank_conflicts = false; // of L1: timing/l1_banks.h
  uint32_t store_clocks = 16;  // that the data of 64 lanes take from the registers, at least
  uint32_t store_bytes = 64;   // a cycle, of stores on their way to L2
  uint32_t store_extra = 0;    // until a store is acknowledged, more than for a load that misses L1
  uint32_t scalar_lines = 256, scalar_ways = 4, scalar_latency = 48;
  uint32_t code_lines = 512, code_ways = 4;
  uint32_t lds_latency = 48;
  // ---- L2 and memory
  uint32_t l2_lines = 65536, l2_ways = 16, l2_line_bytes = 64, channels = 16;
  double channel_bytes = 64;       // a cycle, that a channel reaches
  uint32_t interleave = 256;       // bytes
  uint32_t l2_latency = 260;       // of a load that misses L1, in all
  uint32_t scalar_miss = 155;      // more, of an SMEM load that hits L2
  uint32_t memory_latency = 610;   // of a load that misses L2, in all
  double memory_bytes = 200;       // a cycle, of all channels together
  uint32_t atomics_per_clock = 16; // lanes, of one channel
  uint32_t memory_request = 64;    // bytes that a miss asks memory for, at least
  uint32_t write_queue = 64;       // lines that memory may be behind a channel
};

// `used`: what it depends on.
Machine machine_of(const gpu::Machine&, gpu::Used& used);

} // namespace crosslane::timing::replay
