// One wavefront of which only some lanes load and store: those in `mask`. An inactive lane fits any case of L1, and a quad or a
// group of 16 without a lane takes no clock.
//
// The first half, side by side: 128 bytes, 2 groups of 16.
// launch: --kernel some --grid 64 --block 64 in=u32[2048] out=u32[1024] mask=0xffffffff stride=1
// expect: load@1 requests=1 lanes=32 lines=2 ideal_lines=2 bytes_asked=128 clocks=2 ideal_clocks=2 quads_one_block=2
// expect: load@1 pattern="contiguous"
// expect: store@1 lanes=32 lines=2
// Every other lane: all 4 lines, for 128 bytes.
// launch: --kernel some --grid 64 --block 64 in=u32[2048] out=u32[1024] mask=0x5555555555555555 stride=1
// expect: load@1 lanes=32 lines=4 ideal_lines=2 excess_lines=2 clocks=4 ideal_clocks=4 quads_one_block=4 pattern="contiguous"
// expect: store@1 lanes=32 lines=4 l2_operations=4
// Every other lane of a stride of 4 dwords: 4 lanes share a line, 2 of them are active. 16 lines.
// launch: --kernel some --grid 64 --block 64 in=u32[2048] out=u32[1024] mask=0x5555555555555555 stride=4
// expect: load@1 lanes=32 lines=16 ideal_lines=2 clocks=16 ideal_clocks=4 separate_quads=4 pattern="stride 16 bytes" stride=16
// expect: store@1
// One lane, the last.
// launch: --kernel some --grid 64 --block 64 in=u32[2048] out=u32[1024] mask=0x8000000000000000 stride=16
// expect: load@1 requests=1 lanes=1 lines=1 ideal_lines=1 bytes_asked=4 bytes_moved=64 clocks=1 ideal_clocks=1 same_address=1
// expect: load@1 pattern="single lane" alignment=64
// expect: store@1 lanes=1 lines=1 pattern="single lane"
// One lane of each quad, 16 bytes apart: a quad with one lane has one address, so case 2 for all groups. 4 quads share a line.
// launch: --kernel some --grid 64 --block 64 in=u32[2048] out=u32[1024] mask=0x1111111111111111 stride=1
// expect: load@1 lanes=16 lines=4 ideal_lines=1 clocks=4 ideal_clocks=4 quads_same_address=4 pattern="contiguous"
// expect: store@1
// Lanes 0, 1, 2 and 20, 21 at 32 bytes: lines 0, 0, 1, 10, 10. Two quads, neither within 4 dwords, a clock each.
// launch: --kernel some --grid 64 --block 64 in=u32[2048] out=u32[1024] mask=0x300007 stride=8
// expect: load@1 lanes=5 lines=3 ideal_lines=1 clocks=2 ideal_clocks=2 separate_quads=2 pattern="stride 32 bytes"
// expect: store@1
// A partial workgroup: 100 work-items are a wavefront of 64 lanes and one of 36, whose last line has 4 lanes. 4 + 3 lines; 4 + 3
// groups of 16.
// launch: --kernel some --grid 100 --block 100 in=u32[2048] out=u32[1024] mask=0xffffffffffffffff stride=1
// expect: load@1 requests=2 lanes=100 lines=7 ideal_lines=7 clocks=7 ideal_clocks=7
// expect: store@1 requests=2 lanes=100 lines=7

__kernel void some(__global const uint* in, __global uint* out, ulong mask, uint stride) {
  const uint i = get_global_id(0);
  if (mask >> (i % 64) & 1)
    out[i] = in[i * stride];
}
