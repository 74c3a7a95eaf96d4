// Addresses in words: elements where the type is known, bytes where not, and lines that reach beyond a buffer.
import { expect, test } from "vitest";
import { placeText, startText, whereIs } from "../src/model/buffers";
import type { Profile } from "../src/profile";

const profile = {
  buffers: [
    { name: "in", address: "0x680000001010", size: 400, type: "f32", element: 4 },
    { name: "device memory 2", address: "0x680000003000", size: 4096, type: null, element: null },
  ],
} as unknown as Profile;

test.each([
  [0x680000001010n, 4, "in[0]"],
  [0x680000001010n, 64, "in[0..15]"],
  [0x680000001014n, 16, "in[1..4]"],
  [0x680000001012n, 1, "in[0]"], // a byte within an element
  [0x680000001000n, 64, "in[0..11]"], // 16 bytes of the line lie before it
  [0x680000001190n, 64, "in[96..99]"], // the last 16 bytes
  [0x680000003040n, 64, "device memory 2, bytes 64..127"],
  [0x680000003040n, 1, "device memory 2, byte 64"],
  [0x680000009000n, 4, "0x680000009000"],
])("%s, %s bytes", (address, bytes, text) => {
  expect(placeText(profile, address, bytes)).toBe(text);
});

test("where a line begins", () => {
  expect(startText(whereIs(profile, 0x680000001050n, 64)!)).toBe("[16]");
  expect(startText(whereIs(profile, 0x680000003040n, 64)!)).toBe("+64");
  expect(whereIs({} as Profile, 0n, 4)).toBeNull();
});
