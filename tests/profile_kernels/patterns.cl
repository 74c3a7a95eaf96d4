// Loads of 4 wavefronts (or 1) whose lanes read dwords in all kinds of order. 64 lanes ask for 256 bytes.
//
// All lanes of a wavefront read one dword, its own: one line where 4 bytes fill one at best. The wavefronts' dwords are 4 bytes
// apart. Every group of 16 has one address.
// launch: --kernel broadcast --grid 256 --block 64 in=u32[1024] out=u32[1024] shift=6
// expect: load@1 requests=4 lanes=256 lines=4 ideal_lines=4 bytes_asked=1024 bytes_moved=256 clocks=16 ideal_clocks=16
// expect: load@1 same_address=16 pattern="broadcast" pattern_share=1 alignment=4
// expect: store@1 requests=4 lines=16 pattern="contiguous"
//
// From the last to the first: the bytes of a wavefront lie side by side, and the order within a quad does not matter.
// launch: --kernel reversed --grid 256 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 requests=4 lines=16 ideal_lines=16 clocks=16 ideal_clocks=16 quads_one_block=16
// expect: load@1 pattern="contiguous, reversed" stride=0 alignment=256
// expect: store@1 pattern="contiguous"
//
// Neighbours swapped: 256 bytes of 4 lines per wavefront, quads within 16 bytes.
// launch: --kernel swapped --grid 256 --block 64 in=u32[1024] out=u32[1024] with=1
// expect: load@1 lines=16 ideal_lines=16 clocks=16 quads_one_block=16 pattern="contiguous, permuted"
// expect: store@1 pattern="contiguous"
//
// Lane l reads dword l ^ 20: lanes of a quad stay neighbours (20 = 16 + 4 has no bit below 4). Within 4 lines, too.
// launch: --kernel swapped --grid 256 --block 64 in=u32[1024] out=u32[1024] with=20
// expect: load@1 lines=16 ideal_lines=16 clocks=16 pattern="contiguous, permuted"
// expect: store@1 pattern="contiguous"
//
// Lane l reads dword 37 l % 64: 37 is odd, so that all 64 dwords are read once. Neighbours are 37 dwords apart, or 37 - 64 = -27:
// no quad is within 4.
// launch: --kernel scattered --grid 64 --block 64 in=u32[1024] out=u32[1024] factor=37 apart=1
// expect: load@1 requests=1 lines=4 ideal_lines=4 clocks=16 ideal_clocks=4 separate_quads=4 pattern="contiguous, permuted"
// expect: store@1 pattern="contiguous"
//
// Each of those in a line of its own: 64 lines.
// launch: --kernel scattered --grid 64 --block 64 in=u32[1024] out=u32[1024] factor=37 apart=16
// expect: load@1 lines=64 ideal_lines=4 excess_lines=60 clocks=16 pattern="random" stride=0
// expect: store@1 pattern="contiguous"
//
// Triangular numbers l (l + 1) / 2 modulo 64 are a permutation of 0 to 63, as they are modulo every power of two. A line each:
// 64 lines.
// launch: --kernel triangular --grid 64 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 requests=1 lines=64 ideal_lines=4 clocks=16 separate_quads=4 pattern="random" misaligned_lanes=0 alignment=4096
// expect: store@1 pattern="contiguous"
//
// Squares modulo the prime 61: 30 quadratic residues and 0, so that the 64 lanes read 31 dwords, each in a line of its own.
// 31 * 4 = 124 distinct bytes fill 2 lines at best. Lanes 0 to 3 read the squares 0, 1, 4, 9: no quad in one line.
// launch: --kernel squares --grid 64 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 requests=1 lines=31 ideal_lines=2 excess_lines=29 bytes_asked=256 bytes_moved=1984 clocks=16 pattern="random"
// expect: store@1 pattern="contiguous"
//
// Columns of an 8 * 8 matrix, a wavefront a matrix: lane l reads row l % 8, column l / 8. All of its 4 lines; a quad is 4 rows of
// 32 bytes.
// launch: --kernel transposed --grid 256 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 requests=4 lines=16 ideal_lines=16 clocks=64 ideal_clocks=16 separate_quads=16 pattern="contiguous, permuted"
// expect: store@1 pattern="contiguous"

__kernel void broadcast(__global const uint* in, __global uint* out, uint shift) {
  const uint i = get_global_id(0);
  out[i] = in[i >> shift];
}

__kernel void reversed(__global const uint* in, __global uint* out) {
  const uint i = get_global_id(0);
  out[i] = in[255 - i];
}

__kernel void swapped(__global const uint* in, __global uint* out, uint with) {
  const uint i = get_global_id(0);
  out[i] = in[i ^ with];
}

__kernel void scattered(__global const uint* in, __global uint* out, uint factor, uint apart) {
  const uint i = get_global_id(0);
  out[i] = in[i * factor % 64 * apart];
}

__kernel void triangular(__global const uint* in, __global uint* out) {
  const uint i = get_global_id(0);
  out[i] = in[i * (i + 1) / 2 % 64 * 16];
}

__kernel void squares(__global const uint* in, __global uint* out) {
  const uint i = get_global_id(0);
  out[i] = in[i * i % 61 * 16];
}

__kernel void transposed(__global const uint* in, __global uint* out) {
  const uint i = get_global_id(0), l = i % 64;
  out[i] = in[i / 64 * 64 + l % 8 * 8 + l / 8];
}
