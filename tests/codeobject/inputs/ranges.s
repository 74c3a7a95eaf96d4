// Code of one line whose inlined calls cover pieces of it that only lists of ranges can say: every kind of entry that
// version 5 has (VERSION=5), base addresses in the lists of version 4 (VERSION=4).
  .amdgcn_target "amdgcn-amd-amdhsa--gfx906"
  .text
  .globl first
  .p2align 8
  .type first,@function
first:
  .file 0 "/src" "kernel.cl"
  .file 1 "/src" "called.cl"
  .loc 1 10 1
  .rept 31
  s_nop 0
  .endr
  s_endpgm
.Lend:
  .size first, .Lend-first

  .section .debug_abbrev,"",@progbits
  .byte 1, 0x11, 1              // a unit with children
  .byte 0x10, 0x17, 0x1b, 0x08  // stmt_list sec_offset, comp_dir string
  .byte 0x11, 0x01, 0x12, 0x06  // low_pc addr, high_pc data4
  .if VERSION == 5
  .byte 0x73, 0x17, 0x74, 0x17  // addr_base, rnglists_base sec_offset
  .endif
  .byte 0, 0
  .byte 2, 0x2e, 1              // a subprogram with children
  .byte 0x03, 0x08, 0x11, 0x01, 0x12, 0x06
  .byte 0, 0
  .byte 3, 0x1d, 0              // an inlined call without
  .if VERSION == 5
  .byte 0x55, 0x23              // ranges rnglistx
  .else
  .byte 0x55, 0x17              // ranges sec_offset
  .endif
  .byte 0x58, 0x0b, 0x59, 0x0b, 0x57, 0x0b
  .byte 0, 0
  .byte 0

  .section .debug_info,"",@progbits
  .long .Linfo_end-.Linfo
.Linfo:
  .short VERSION
  .if VERSION == 5
  .byte 1, 8
  .long 0
  .else
  .long 0
  .byte 8
  .endif
  .byte 1
  .long 0
  .asciz "/src"
  .quad first
  .long .Lend-first
  .if VERSION == 5
  .long .Laddresses-.Laddress_table, .Loffsets-.Llists
  .endif
  .byte 2
  .asciz "first"
  .quad first
  .long .Lend-first
  .if VERSION == 5
  .byte 3, 0, 1, 77, 3
  .byte 3, 1, 1, 78, 5
  .else
  .byte 3
  .long 0
  .byte 1, 77, 3
  .endif
  .byte 0, 0
.Linfo_end:

  .if VERSION == 5
  .section .debug_addr,"",@progbits
.Laddress_table:
  .long .Laddresses_end-.Laddress_table-4
  .short 5
  .byte 8, 0
.Laddresses:
  .quad first, first+0x20, first+0x28, first+0x2c, first+0x30
.Laddresses_end:

  .section .debug_rnglists,"",@progbits
.Llists:
  .long .Llists_end-.Llists-4
  .short 5
  .byte 8, 0
  .long 2
.Loffsets:
  .long .Llist0-.Loffsets, .Llist1-.Loffsets
.Llist0:
  .byte 4, 4, 8                 // offset_pair, from the unit's own base
  .byte 5                       // base_address
  .quad first+0x10
  .byte 4, 0, 4
  .byte 1, 1                    // base_addressx
  .byte 4, 0, 4
  .byte 2, 2, 3                 // startx_endx
  .byte 3, 4, 4                 // startx_length
  .byte 6                       // start_end
  .quad first+0x38, first+0x3c
  .byte 7                       // start_length
  .quad first+0x40
  .byte 4, 0
.Llist1:
  .byte 7
  .quad first+0x50
  .byte 8, 0
.Llists_end:
  .else
  .section .debug_ranges,"",@progbits
  .quad 4, 8                    // from the unit's own base
  .quad -1, first+0x10          // another base
  .quad 0, 4
  .quad 0x10, 0x18
  .quad 0, 0
  .endif
