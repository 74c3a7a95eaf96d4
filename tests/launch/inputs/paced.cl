// Kernels of paced_test.cpp: they read clocks, or look at what other waves write.
ulong __builtin_amdgcn_s_memtime(void);
ulong __builtin_amdgcn_s_memrealtime(void);
#define TIMES(n, what) __asm__ volatile("s_memtime %0\n .rept " #n "\n " what "\n .endr\n s_memtime %1\n s_waitcnt lgkmcnt(0)" : "=&s"(a), "=s"(b) : : "v1")
kernel void clocks(global ulong* out) {
    ulong a, b;
    TIMES(0, "s_nop 0");
    TIMES(0, "s_nop 0");
    out[0] = b - a;
    TIMES(8, "s_nop 0");
    TIMES(8, "s_nop 0");
    out[1] = b - a;
    TIMES(8, "v_mov_b32 v1, 0");
    TIMES(8, "v_mov_b32 v1, 0");
    out[2] = b - a;
    TIMES(1, "s_sleep 10");
    out[3] = b - a;
  }
  kernel void both_clocks(global ulong* out) {
    out[0] = __builtin_amdgcn_s_memtime(), out[1] = __builtin_amdgcn_s_memrealtime();
    for (int i = 0; i < 1000; ++i)
      __asm__ volatile("s_sleep 100");
    out[2] = __builtin_amdgcn_s_memtime(), out[3] = __builtin_amdgcn_s_memrealtime();
  }
  kernel void over_a_barrier(global ulong* before, global ulong* after) {
    uint wave = get_local_id(0) / 64;
    for (uint i = 0; i < wave * 10; ++i)
      __asm__ volatile("s_sleep 10");
    ulong a = __builtin_amdgcn_s_memtime();
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong b = __builtin_amdgcn_s_memtime();
    if (get_local_id(0) % 64 == 0)
      before[wave] = a, after[wave] = b;
  }
  kernel void tickets(global uint* next, global uint* taken, uint n) {
    local uint mine;
    for (;;) {
      if (get_local_id(0) == 0)
        mine = atomic_inc(next);
      barrier(CLK_LOCAL_MEM_FENCE);
      uint ticket = mine;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (ticket >= n)
        return;
      if (get_local_id(0) == 0)
        taken[ticket] = get_group_id(0) + 1;
    }
  }
  // Workgroups of odd numbers wait for the ones before them.
  kernel void pairs(global uint* flag, global uint* looks) {
    uint g = get_group_id(0), n = 0;
    if (g & 1) {
      while (atomic_add(&flag[g], 0) == 0)
        ++n;
      looks[g] = n;
    } else {
      for (int i = 0; i < 20; ++i)
        __asm__ volatile("s_sleep 100");
      atomic_inc(&flag[g + 1]);
    }
  }
  // The second wave waits for the first one in LDS, which waits for its time meanwhile.
  kernel void in_lds(global ulong* out) {
    local volatile uint flag;
    if (get_local_id(0) == 0)
      flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 64) {
      ulong a = __builtin_amdgcn_s_memtime();
      __asm__ volatile("s_sleep 10");
      out[0] = __builtin_amdgcn_s_memtime() - a;
      flag = 1;
    } else
      while (flag == 0)
        ;
  }
