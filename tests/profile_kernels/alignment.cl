// Lanes side by side, from some bytes into a line on. A wavefront's 256 bytes then lie in 5 lines instead of 4.
//
// launch: --kernel shifted --grid 256 --block 64 in=u8[4096] out=u32[1024] offset=0
// expect: load@1 requests=4 lines=16 ideal_lines=16 misaligned_lanes=0 split_lanes=0 clocks=16 pattern="contiguous" alignment=256
// expect: store@1 lines=16
//
// By a dword: aligned for itself. A block of 4 dwords need not be aligned for L1.
// launch: --kernel shifted --grid 256 --block 64 in=u8[4096] out=u32[1024] offset=4
// expect: load@1 lines=20 ideal_lines=16 excess_lines=4 misaligned_lanes=0 split_lanes=0 clocks=16 pattern="contiguous" alignment=4
// expect: store@1 lines=16
//
// By a byte: no dword is aligned. Every 16th lane begins at byte 61 of a line and ends in the next: 4 of 64.
// launch: --kernel shifted --grid 256 --block 64 in=u8[4096] out=u32[1024] offset=1
// expect: load@1 lines=20 ideal_lines=16 misaligned_lanes=256 split_lanes=16 clocks=16 pattern="contiguous" alignment=1
// expect: store@1 lines=16 misaligned_lanes=0
//
// By two bytes: begins at byte 62.
// launch: --kernel shifted --grid 256 --block 64 in=u8[4096] out=u32[1024] offset=2
// expect: load@1 lines=20 misaligned_lanes=256 split_lanes=16 alignment=2
// expect: store@1 lines=16
//
// By a line: aligned again.
// launch: --kernel shifted --grid 256 --block 64 in=u8[4096] out=u32[1024] offset=64
// expect: load@1 lines=16 ideal_lines=16 misaligned_lanes=0 alignment=64
// expect: store@1 lines=16
//
// Stores, by a byte.
// launch: --kernel shifted_store --grid 256 --block 64 in=u32[1024] out=u8[4096] offset=1
// expect: load@1 lines=16
// expect: store@1 requests=4 lines=20 ideal_lines=16 l2_operations=20 misaligned_lanes=256 split_lanes=16 clocks=16
//
// Words by a byte: 128 bytes per wavefront. Wavefront w begins at 128 w + 1 and touches 3 lines, 2 at best. Lanes 31 and 63 begin
// at byte 63 of a line.
// launch: --kernel shifted_words --grid 256 --block 64 in=u8[4096] out=u32[1024] offset=1
// expect: load@1 bytes=2 lines=12 ideal_lines=8 misaligned_lanes=256 split_lanes=8 clocks=16 pattern="contiguous"
// expect: store@1 lines=16
//
// 16 bytes, by a dword: 1024 bytes per wavefront, 17 lines, 16 at best; every 4th lane begins at byte 52. A multiple of 4 is aligned
// enough. More than 4 bytes are taken by quads.
// launch: --kernel shifted_quads --grid 256 --block 64 in=u8[8192] out=u32[1024] offset=4
// expect: load@1 bytes=16 lines=68 ideal_lines=64 misaligned_lanes=0 split_lanes=64 clocks=64 ideal_clocks=64 wide=16 alignment=4
// expect: store@1 lines=16

__kernel void shifted(__global const uchar* in, __global uint* out, uint offset) {
  const uint i = get_global_id(0);
  out[i] = ((__global const uint*)(in + offset))[i];
}

__kernel void shifted_store(__global const uint* in, __global uchar* out, uint offset) {
  const uint i = get_global_id(0);
  ((__global uint*)(out + offset))[i] = in[i];
}

__kernel void shifted_words(__global const uchar* in, __global uint* out, uint offset) {
  const uint i = get_global_id(0);
  out[i] = ((__global const ushort*)(in + offset))[i];
}

__kernel void shifted_quads(__global const uchar* in, __global uint* out, uint offset) {
  const uint i = get_global_id(0);
  const uint4 v = ((__global const uint4*)(in + offset))[i];
  out[i] = v.x ^ v.y ^ v.z ^ v.w;
}
