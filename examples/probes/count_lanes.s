// A probe of one's own, for 'crosslane instrument --probe count_lanes.s --at memory': at each place, how often waves come
// by, their work-items together, and how often all 64 were there.
count %c0
s_bcnt1_i32_b64 %s0, exec
add %c1, %s0
s_cmp_eq_u32 %s0, 64
s_cselect_b32 %s1, 1, 0
add %c2, %s1
