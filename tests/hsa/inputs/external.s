// A code object with pointers to variables that it does not define: `needed` must be defined by somebody, `wanted` may be.
  .text
  .globl use
  .p2align 8
  .type use, @function
use:
  s_endpgm
.Luse_end:
  .size use, .Luse_end - use

  .data
  .globl pointers
  .p2align 3
  .type pointers, @object
pointers:
  .quad needed
  .quad needed + 8
  .weak wanted
  .quad wanted
  .size pointers, . - pointers

  .rodata
  .p2align 6
  .amdhsa_kernel use
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 8
  .end_amdhsa_kernel
