// How values are shown when nobody chose a format. Which operands are floats is LLVM's AMDGPU instruction reference.
import { describe, expect, test } from "vitest";
import { Guess, operandsOf } from "../../src/trace/guess";
import type { TraceInstruction } from "../../src/profile";

describe("operands of an instruction", () => {
  test.each([
    ["v_mac_f32_e32 v5, s4, v4", ["v5"], ["s4", "v4", "v5"], "f32", "f32"],
    ["v_cvt_f32_i32_e32 v1, v2", ["v1"], ["v2"], "f32", "hex"],
    ["v_cvt_f32_ubyte0_e32 v1, v2", ["v1"], ["v2"], "f32", "hex"],
    ["v_cvt_i32_f32_e32 v1, -|v2|", ["v1"], ["v2"], "hex", "f32"],
    ["v_pk_fma_f16 v1, v2, v3, v4 op_sel:[0,1,0]", ["v1"], ["v2", "v3", "v4"], "f16x2", "f16x2"],
    ["v_cmp_lt_f32_e64 s[2:3], v1, s7", ["s2", "s3"], ["v1", "s7"], "hex", "f32"],
    ["v_add_f32_dpp v1, v2, v3 quad_perm:[1,0,3,2] row_mask:0xf", ["v1"], ["v2", "v3"], "f32", "f32"],
    ["v_mov_b32_e32 v1, v2", ["v1"], ["v2"], null, null],
    ["v_lshlrev_b32_e32 v1, 2, v0", ["v1"], ["v0"], "hex", "hex"],
    ["global_load_dwordx2 v[2:3], v1, s[8:9]", ["v2", "v3"], ["v1", "s8", "s9"], null, null],
    ["global_store_dword v[0:1], v5, off", [], ["v0", "v1", "v5"], null, null],
    ["ds_write_b32 v7, v6 offset:4", [], ["v7", "v6"], null, null],
    ["v_mfma_f32_32x32x8f16 a[0:1], v[2:3], v[4:5], 0", ["a0", "a1"], ["v2", "v3", "v4", "v5"], "f32", null],
    ["v_ldexp_f32 v1, v2, v3", ["v1"], ["v2", "v3"], "f32", null],
    ["s_waitcnt vmcnt(0)", [], [], "hex", null],
  ])("%s", (text, written, read, writes, reads) => {
    expect(operandsOf(text)).toEqual({ written, read, writes, reads });
  });
});

test("a load is what reads it first, until it is written again", () => {
  const texts = ["global_load_dword v2, v1, s[8:9]", "v_mov_b32_e32 v3, v2", "v_add_f32_e32 v4, 1.0, v2", "v_add_u32_e32 v2, v2, v1", "v_mov_b32_e32 v4, 0"];
  const instructions = texts.map((text, i): TraceInstruction => ({ address: `0x${i}`, function: "f", offset: i, text }));
  const guess = new Guess(instructions, texts.map((_, i) => [i, 0] as const));
  expect([0, 1, 2, 3, 4].map((position) => guess.at("v2", position))).toEqual(["hex", "f32", "f32", "f32", "hex"]);
  expect(guess.at("v1", 0)).toBe("hex"); // v_add_u32 reads it
  expect([2, 3, 5].map((position) => guess.at("v4", position))).toEqual(["hex", "f32", "hex"]);
  expect(guess.at("v9", 3)).toBe("hex");
});
