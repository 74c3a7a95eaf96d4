// A probe of one's own in OpenCL C, for 'crosslane instrument --probe count_lanes.cl --at memory': as count_lanes.s, but
// that nothing is counted where no work-item is active.
uint3 probe(ulong exec) {
  uint lanes = popcount(exec);
  return (uint3)(1, lanes, lanes == 64);
}
