// The kernels of the programs that speak HSA directly. Workgroups have 64 items and nothing comes from a library, so the two
// arguments are the whole kernarg segment.

static size_t item(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }

kernel void add(global uint *data, uint value) { data[item()] += value; }

// Does not commute with itself for two values: the order of dispatches shows in the result.
kernel void mix(global uint *data, uint value) { data[item()] = data[item()] * 31u + value; }

kernel void count(global uint *counter, uint value) {
  if (__builtin_amdgcn_workitem_id_x() == 0)
    __scoped_atomic_fetch_add(counter, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

// A store that no API function sees, into what may be a signal's value.
kernel void store(global long *where, uint value) {
  if (item() == 0) *where = value;
}

// Waits for somebody else's store, for as long as it takes.
kernel void wait_for(global volatile uint *flag, uint value) {
  while (*flag != value) {
  }
  if (item() == 0) flag[1] = value + 1;
}

// The clock that a client is told the rate of (wall_clock64 of HIP).
kernel void ticks(global ulong *times, uint place) {
  if (item() == 0) times[place] = __builtin_amdgcn_s_memrealtime();
}

// Takes 6,400 cycles of the card a round; the clocks before and behind.
kernel void sleep_for(global ulong *told, uint rounds) {
  ulong cycles = __builtin_amdgcn_s_memtime(), ticks = __builtin_amdgcn_s_memrealtime();
  for (uint i = 0; i < rounds; ++i)
    __builtin_amdgcn_s_sleep(100);
  if (item() == 0) {
    told[0] = cycles, told[1] = ticks;
    told[2] = __builtin_amdgcn_s_memtime(), told[3] = __builtin_amdgcn_s_memrealtime();
  }
}

// An index out of memory.
kernel void look_up(global uint *data, uint value) { data[64 + (data[item()] & 63)] = value; }
