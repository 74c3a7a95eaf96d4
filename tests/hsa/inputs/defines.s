// Defines what external.s needs.
  .data
  .globl needed
  .p2align 4
  .type needed, @object
needed:
  .quad 11, 22
  .size needed, . - needed
