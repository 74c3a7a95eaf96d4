// The three cases in which 16 lanes reach L1 in one clock, and what breaks them: one lane of one wavefront, `odd`, reads `off`
// dwords further on. Any group of 16 that fits no case takes 4 clocks. No `odd` lane is lane 64.
//
// Case 1, all lanes of 16 read one dword: 4 lines, each 64 bytes after the one before, for 4 dwords.
// launch: --kernel sixteens --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=64 off=0
// expect: load@1 requests=1 lines=4 ideal_lines=1 clocks=4 ideal_clocks=4 same_address=4 pattern="one address per 16 lanes"
// expect: store@1 pattern="contiguous"
// Lane 21 a dword on: its quad {20-23} reads two neighbouring dwords, which is in a block of 4: case 3 for these 16 lanes.
// launch: --kernel sixteens --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=21 off=1
// expect: load@1 clocks=4 same_address=3 quads_one_block=1
// expect: store@1
// 3 on: the first and the fourth of 4 consecutive dwords.
// launch: --kernel sixteens --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=21 off=3
// expect: load@1 clocks=4 same_address=3 quads_one_block=1
// expect: store@1
// 4 on: the first and the fifth. 3 groups with a clock, one with 4. Still 4 lines; 5 distinct dwords.
// launch: --kernel sixteens --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=21 off=4
// expect: load@1 clocks=7 ideal_clocks=4 same_address=3 separate_quads=1 lines=4 ideal_lines=1
// expect: store@1
//
// Case 2, each quad reads one dword, 256 bytes after that of the quad before: 16 lines for 16 dwords.
// launch: --kernel quads --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=64 off=0
// expect: load@1 requests=1 lines=16 ideal_lines=1 clocks=4 ideal_clocks=4 quads_same_address=4 pattern="random"
// expect: store@1
// Lane 5 four dwords on, in the same line: 17 distinct dwords, 68 bytes.
// launch: --kernel quads --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=5 off=4
// expect: load@1 lines=16 ideal_lines=2 clocks=7 quads_same_address=3 separate_quads=1
// expect: store@1
// Lane 63 a line on: 17 lines.
// launch: --kernel quads --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=63 off=16
// expect: load@1 lines=17 ideal_lines=2 clocks=7 quads_same_address=3 separate_quads=1
// expect: store@1
//
// Case 3, each quad reads 4 consecutive dwords, in the order 1 0 3 2 (lane l dword (3 l + 1) % 4), 256 bytes after the quad
// before: 16 lines for 64 dwords.
// launch: --kernel blocks --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=64 off=0
// expect: load@1 requests=1 lines=16 ideal_lines=4 clocks=4 ideal_clocks=4 quads_one_block=4 pattern="random"
// expect: store@1
// Lane 6 reads dword 3 of its quad's (1 0 3 2). One dword on it reads dword 4: 0, 1, 2 and 4 are not within 4 consecutive ones.
// launch: --kernel blocks --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=6 off=1
// expect: load@1 lines=16 ideal_lines=4 clocks=7 quads_one_block=3 separate_quads=1
// expect: store@1
// Lane 5 reads dword 0. Four on, the quad reads 1, 4, 3 and 2: 4 consecutive dwords, which need not be aligned.
// launch: --kernel blocks --grid 64 --block 64 in=u32[4096] out=u32[1024] odd=5 off=4
// expect: load@1 lines=16 ideal_lines=4 clocks=4 quads_one_block=4
// expect: store@1
//
// Wider than a dword, no case applies: 16 quads, whatever they read.
// launch: --kernel pairs --grid 64 --block 64 in=u64[1024] out=u64[1024] shift=6
// expect: load@1 bytes=8 lines=1 ideal_lines=1 clocks=16 ideal_clocks=16 wide=4 pattern="broadcast"
// expect: store@1 bytes=8 lines=8 ideal_lines=8 clocks=16 wide=4 pattern="contiguous"

uint further(uint lane, uint odd, uint off) { return lane == odd ? off : 0; }

__kernel void sixteens(__global const uint* in, __global uint* out, uint odd, uint off) {
  const uint l = get_global_id(0);
  out[l] = in[l / 16 * 16 + further(l, odd, off)];
}

__kernel void quads(__global const uint* in, __global uint* out, uint odd, uint off) {
  const uint l = get_global_id(0);
  out[l] = in[l / 4 * 64 + further(l, odd, off)];
}

__kernel void blocks(__global const uint* in, __global uint* out, uint odd, uint off) {
  const uint l = get_global_id(0);
  out[l] = in[l / 4 * 64 + (3 * l + 1) % 4 + further(l, odd, off)];
}

__kernel void pairs(__global const ulong* in, __global ulong* out, uint shift) {
  const uint l = get_global_id(0);
  out[l] = in[l >> shift];
}
