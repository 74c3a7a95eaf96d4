// AccVGPRs are decoded but not executed: a named fault, not a dropped operand.
// targets: gfx90a
// fault: unimplemented instruction
  global_load_dword a0, v[0:1], off
  s_endpgm
