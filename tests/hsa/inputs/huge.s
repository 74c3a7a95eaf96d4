// A variable of 2 GiB, which nobody uses.
  .bss
  .globl huge
  .p2align 4
  .type huge, @object
huge:
  .skip 0x80000000
  .size huge, . - huge
