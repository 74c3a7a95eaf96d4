import { describe, expect, test } from "vitest";
import { asFloat, f16Text, formatWord, halfToNumber, maskText, nextFormat, population } from "../../src/trace/format";

describe("formats of a word", () => {
  test("integers", () => {
    expect(formatWord(0xffffffff, "hex")).toBe("ffffffff");
    expect(formatWord(10, "hex")).toBe("0000000a");
    expect(formatWord(0xffffffff, "signed")).toBe("-1");
    expect(formatWord(0x80000000, "signed")).toBe("-2147483648");
    expect(formatWord(0x80000000, "unsigned")).toBe("2147483648");
  });

  // Bit patterns of IEEE binary32, from its definition: sign, 8 exponent bits (bias 127), 23 fraction bits.
  test("32-bit floats", () => {
    expect(formatWord(0x3f800000, "f32")).toBe("1"); // 0 01111111 0...
    expect(formatWord(0xc0490fdb, "f32")).toBe("-3.1415927"); // the float nearest to -pi
    expect(formatWord(0x3dcccccd, "f32")).toBe("0.1");
    expect(formatWord(0x80000000, "f32")).toBe("-0");
    expect(formatWord(0x7f800000, "f32")).toBe("+Inf");
    expect(formatWord(0xff800000, "f32")).toBe("-Inf");
    expect(formatWord(0x7fc00000, "f32")).toBe("NaN");
    expect(formatWord(0xffffffff, "f32")).toBe("NaN");
    expect(formatWord(0x00000001, "f32")).toBe("1e-45"); // the least subnormal, 2^-149 = 1.4e-45
    expect(formatWord(0x7f7fffff, "f32")).toBe("3.4028235e38"); // the greatest
    expect(formatWord(0x4b800000, "f32")).toBe("16777216"); // 2^24
  });

  test("a float's text reads back as the same float", () => {
    let word = 12345;
    for (let i = 0; i < 20000; i++) {
      word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
      const text = formatWord(word, "f32");
      if (text === "NaN") continue;
      expect(Object.is(Math.fround(Number(text.replace("Inf", "Infinity"))), asFloat(word)), `${word}: ${text}`).toBe(true);
    }
  });

  // binary16: sign, 5 exponent bits (bias 15), 10 fraction bits.
  test("16-bit floats", () => {
    expect(halfToNumber(0x3c00)).toBe(1); // 0 01111 0...
    expect(halfToNumber(0xc000)).toBe(-2);
    expect(halfToNumber(0x7bff)).toBe(65504); // (2 - 2^-10) * 2^15
    expect(halfToNumber(0x0001)).toBe(2 ** -24);
    expect(halfToNumber(0x03ff)).toBe(1023 * 2 ** -24);
    expect(halfToNumber(0x0400)).toBe(2 ** -14);
    expect(halfToNumber(0xfc00)).toBe(-Infinity);
    expect(halfToNumber(0x7e00)).toBeNaN();
    expect(Object.is(halfToNumber(0x8000), -0)).toBe(true);
    expect(f16Text(0x2e66)).toBe("0.1"); // 0.0999755859375 is the half nearest to 0.1
    expect(formatWord(0x40003c00, "f16x2")).toBe("1 2"); // low half first
    expect(formatWord(0x7e00fc00, "f16x2")).toBe("-Inf NaN");
    expect(formatWord(0x00018000, "f16x2")).toBe("-0 6e-8"); // 2^-24 = 5.96e-8; the next one is 1.19e-7
  });

  test("no two half floats have the same text", () => {
    const seen = new Set<string>();
    let numbers = 0;
    for (let half = 0; half < 0x10000; half++) {
      if (Number.isNaN(halfToNumber(half))) continue;
      seen.add(f16Text(half));
      numbers++;
    }
    expect(numbers).toBe(0x10000 - 2 * 1023); // all but exponent 31 with a fraction
    expect(seen.size).toBe(numbers);
  });
});

test("masks", () => {
  expect(maskText(0xffn)).toBe("0x00000000000000ff");
  expect(population(0n)).toBe(0);
  expect(population(0xffffffffffffffffn)).toBe(64);
  expect(population(0x8000000080000001n)).toBe(3);
});

test("formats go round", () => {
  expect(nextFormat("hex")).toBe("signed");
  expect(nextFormat("f16x2")).toBe("hex");
});
