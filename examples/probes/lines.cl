// For 'crosslane instrument --probe lines.cl --at memory': how often waves access memory here, and how many lines of 64
// bytes their work-items begin in, each line once.
uint2 probe(ulong exec, ulong address) {
  ulong line = address >> 6, left = exec;
  uint lines = 0;
  while (left) {
    uint lane = __builtin_ctzl(left);
    ulong first = __builtin_amdgcn_readlane((uint)(line >> 32), lane);
    first = first << 32 | (uint)__builtin_amdgcn_readlane((uint)line, lane);
    left &= ~__builtin_amdgcn_ballot_w64(line == first);
    ++lines;
  }
  return (uint2)(1, lines);
}
