// Loads that are a stride apart, and stores side by side. 256 work-items are 4 wavefronts of 64 lanes.
// A wavefront's 64 lanes ask for 64 * 4 = 256 bytes: 4 lines of 64 bytes at best, 16 for the four wavefronts.
// At stride s, lanes are 4 s bytes apart, so that 16 / s of them share a line as long as s divides 16: 4 s lines.
// L1 takes 4 groups of 16, at a clock each where a quad's addresses lie within 4 dwords (stride 1), else as 16 quads.
//
// launch: --kernel stride --grid 256 --block 64 in=u32[1024] out=u32[1024] stride=1
// expect: load@1 bytes=4 requests=4 lanes=256 lines=16 ideal_lines=16 excess_lines=0 bytes_asked=1024 bytes_moved=1024
// expect: load@1 l2_operations=16 address_collisions=0 clocks=16 ideal_clocks=16 quads_one_block=16 misaligned_lanes=0
// expect: load@1 split_lanes=0 pattern="contiguous" pattern_share=1 stride=0
// expect: store@1 bytes=4 requests=4 lanes=256 lines=16 ideal_lines=16 clocks=16 pattern="contiguous"
//
// launch: --kernel stride --grid 256 --block 64 in=u32[1024] out=u32[1024] stride=2
// expect: load@1 requests=4 lines=32 ideal_lines=16 excess_lines=16 bytes_asked=1024 bytes_moved=2048 clocks=64 ideal_clocks=16
// expect: load@1 separate_quads=16 pattern="stride 8 bytes" stride=8
// expect: store@1 lines=16
//
// launch: --kernel stride --grid 256 --block 64 in=u32[1024] out=u32[1024] stride=4
// expect: load@1 requests=4 lines=64 ideal_lines=16 clocks=64 ideal_clocks=16 pattern="stride 16 bytes" alignment=1024
// expect: store@1 lines=16
//
// launch: --kernel stride --grid 256 --block 64 in=u32[2048] out=u32[1024] stride=8
// expect: load@1 requests=4 lines=128 ideal_lines=16 clocks=64 ideal_clocks=16 pattern="stride 32 bytes"
// expect: store@1 lines=16
//
// launch: --kernel stride --grid 256 --block 64 in=u32[4096] out=u32[1024] stride=16
// expect: load@1 requests=4 lines=256 ideal_lines=16 excess_lines=240 bytes_moved=16384 clocks=64 ideal_clocks=16
// expect: load@1 pattern="stride 64 bytes"
// expect: store@1 lines=16
//
// 33 dwords are 132 bytes, two lines and 4 bytes: every lane has a line of its own, as at 16. A wavefront begins 64 * 132 = 8448
// bytes after the one before, a multiple of 256 and of no higher power of two.
// launch: --kernel stride --grid 256 --block 64 in=u32[9216] out=u32[1024] stride=33
// expect: load@1 requests=4 lines=256 ideal_lines=16 clocks=64 ideal_clocks=16 pattern="stride 132 bytes" alignment=256
// expect: store@1 lines=16
__kernel void stride(__global const uint* in, __global uint* out, uint stride) {
  const uint i = get_global_id(0);
  out[i] = in[i * stride];
}
