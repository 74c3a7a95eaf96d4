// One wavefront, elements of 1 to 16 bytes, `stride` elements apart. Up to 4 bytes a group of 16 takes a clock where its quads
// are within 4 elements; wider ones are always 16 quads.
//
// Side by side, 64 lanes fill as many lines as the element has bytes.
// launch: --kernel bytes --grid 64 --block 64 in=u8[4096] out=u8[4096] stride=1
// expect: load@1 bytes=1 lines=1 ideal_lines=1 bytes_asked=64 clocks=4 quads_one_block=4 pattern="contiguous"
// expect: store@1 bytes=1 lines=1 ideal_lines=1 clocks=4
// launch: --kernel words --grid 64 --block 64 in=u16[2048] out=u16[2048] stride=1
// expect: load@1 bytes=2 lines=2 ideal_lines=2 bytes_asked=128 clocks=4 quads_one_block=4 pattern="contiguous"
// expect: store@1 bytes=2 lines=2 ideal_lines=2 clocks=4
// launch: --kernel pairs --grid 64 --block 64 in=u32[1024] out=u32[1024] stride=1
// expect: load@1 bytes=8 lines=8 ideal_lines=8 bytes_asked=512 clocks=16 ideal_clocks=16 wide=4 pattern="contiguous"
// expect: store@1 bytes=8 lines=8 ideal_lines=8 clocks=16
// launch: --kernel fours --grid 64 --block 64 in=u32[1024] out=u32[1024] stride=1
// expect: load@1 bytes=16 lines=16 ideal_lines=16 bytes_asked=1024 clocks=16 wide=4 pattern="contiguous" split_lanes=0
// expect: store@1 bytes=16 lines=16 ideal_lines=16 clocks=16
// 12 bytes: 16 lanes fill 3 lines, and those that begin at bytes 60 and 56 of a line end in the next: 2 of 16.
// launch: --kernel threes --grid 64 --block 64 in=u32[1024] out=u32[1024] stride=1
// expect: load@1 bytes=12 lines=12 ideal_lines=12 bytes_asked=768 clocks=16 wide=4 pattern="contiguous" split_lanes=8
// expect: store@1 bytes=12 lines=12 ideal_lines=12 split_lanes=8
//
// Every other element: twice the lines.
// launch: --kernel bytes --grid 64 --block 64 in=u8[4096] out=u8[4096] stride=2
// expect: load@1 lines=2 ideal_lines=1 clocks=16 separate_quads=4 pattern="stride 2 bytes"
// expect: store@1
// launch: --kernel words --grid 64 --block 64 in=u16[2048] out=u16[2048] stride=2
// expect: load@1 lines=4 ideal_lines=2 clocks=16 separate_quads=4 pattern="stride 4 bytes"
// expect: store@1
// launch: --kernel pairs --grid 64 --block 64 in=u32[1024] out=u32[1024] stride=2
// expect: load@1 lines=16 ideal_lines=8 clocks=16 wide=4 pattern="stride 16 bytes"
// expect: store@1
// launch: --kernel fours --grid 64 --block 64 in=u32[1024] out=u32[1024] stride=2
// expect: load@1 lines=32 ideal_lines=16 clocks=16 wide=4 pattern="stride 32 bytes"
// expect: store@1
// 24 bytes apart, the last lane ends at 63 * 24 + 12 = 1524, in line 23, and no line of the 24 is left out. 8 lanes are 192
// bytes; of those, which begin at bytes 0, 24, 48, 8, 32, 56, 16 and 40, one ends in the next line, that at 56.
// launch: --kernel threes --grid 64 --block 64 in=u32[1024] out=u32[1024] stride=2
// expect: load@1 lines=24 ideal_lines=12 clocks=16 wide=4 pattern="stride 24 bytes" split_lanes=8
// expect: store@1
//
// 17 * 16 = 272 bytes apart: a line each.
// launch: --kernel fours --grid 64 --block 64 in=u32[5120] out=u32[1024] stride=17
// expect: load@1 lines=64 ideal_lines=16 pattern="stride 272 bytes"
// expect: store@1

__kernel void bytes(__global const uchar* in, __global uchar* out, uint stride) {
  const uint i = get_global_id(0);
  out[i] = in[i * stride];
}

__kernel void words(__global const ushort* in, __global ushort* out, uint stride) {
  const uint i = get_global_id(0);
  out[i] = in[i * stride];
}

__kernel void pairs(__global const uint* in, __global uint* out, uint stride) {
  const uint i = get_global_id(0);
  vstore2(vload2(i * stride, in), i, out);
}

__kernel void threes(__global const uint* in, __global uint* out, uint stride) {
  const uint i = get_global_id(0);
  vstore3(vload3(i * stride, in), i, out);
}

__kernel void fours(__global const uint* in, __global uint* out, uint stride) {
  const uint i = get_global_id(0);
  vstore4(vload4(i * stride, in), i, out);
}
