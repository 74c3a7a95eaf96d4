import { describe, expect, it } from "vitest";
import { codeExcerpt, findingsOf, instructionAt, placeText, seenText, sourceExcerpt } from "../src/model/checks";
import { fixture } from "../fixtures";

const profile = fixture("checked");
const tiled = profile.kernels[2]!;
const { findings } = profile.check!;

describe("what --check found", () => {
  it("belongs to the kernels that have the instruction", () => {
    expect(findingsOf(tiled, findings)).toEqual(findings.slice(0, 2));
    expect(findingsOf(profile.kernels[0]!, findings)).toEqual([]);
    expect(findingsOf({ ...tiled, target: "gfx90a" }, findings)).toEqual([]);
    expect(instructionAt(tiled, findings[0]!.notes[0]!.place)).toBe(13);
  });
  it("is shown amid source and assembly", () => {
    const code = codeExcerpt(tiled, 23);
    expect(code.rows).toHaveLength(9);
    expect(code.rows.filter((r) => r.here)).toEqual([{ number: `+0x${tiled.instructions[23]!.offset.toString(16)}`, text: "ds_read_b32 v6, v7", here: true }]);
    const source = sourceExcerpt(profile, tiled, 23)!;
    expect(source.rows.find((r) => r.here)?.number).toBe("30");
    expect(source.rows[0]!.number).toBe("26");
    expect(codeExcerpt(tiled, 0).rows).toHaveLength(5);
    expect(sourceExcerpt(fixture("notext"), tiled, 23)).toBeNull();
  });
  it("says where, and who", () => {
    expect(seenText(findings[0]!)).toBe("workgroup (1,0,0), wave 0, lane 5, address 0x4; 512 times");
    expect(seenText(findings[1]!)).toBe("");
    expect(placeText(findings[2]!.place)).toBe("elsewhere+0x10");
    expect(placeText(findings[0]!.place)).toBe("/src/stencils/stencils.hip:30:5");
  });
});
