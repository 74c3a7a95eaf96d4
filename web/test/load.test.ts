import { describe, expect, it } from "vitest";
import { parseProfile } from "../src/load";
import { bareName, bytes, full, percent, place, seconds, short, xyz } from "../src/format";
import { fixture, fixtures } from "../fixtures";

const problem = (text: string) => {
  const loaded = parseProfile(text);
  return loaded && "problem" in loaded ? loaded.problem : null;
};

describe("loading", () => {
  it("knows the page that no profile was put into", () => {
    expect(parseProfile('"@CROSSLANE_PROFILE@"')).toBeNull();
  });
  it("says what is wrong with what is no profile", () => {
    expect(problem('{"format": "crosslane-')).toMatch(/not valid JSON .*cut off/);
    expect(problem('{"format": "other"}')).toMatch(/"format" is "other", not "crosslane-profile"/);
    expect(problem("[]")).toMatch(/holds no crosslane profile/);
    expect(problem('{"format": "crosslane-profile", "version": 2}')).toMatch(/version 2; this page reads up to version 1/);
    expect(problem('{"format": "crosslane-profile", "version": "1"}')).toMatch(/"version" is "1"; a number/);
    expect(problem('{"format": "crosslane-profile", "version": 1, "sources": []}')).toMatch(/no list "kernels"/);
    expect(problem('{"format": "crosslane-profile", "version": 1, "sources": [], "kernels": [{"name": "k"}]}')).toMatch(/Kernel "k" .* no list "instructions"/);
  });
  it("knows how many lanes of a line's vector instructions were active, whatever EXEC was for its scalar ones", () => {
    const instruction = (kind: string, executions: number, lanes: number) => ({ address: "0x0", function: "k", offset: 0, text: "i", class: kind, executions, lanes });
    const line = (...instructions: number[]) => ({ source: [0, 1], instructions, executions: 0, lanes: 0 });
    const kernel = { name: "k", instructions: [instruction("valu", 2, 64), instruction("lds", 2, 128), instruction("message", 9, 0)], lines: [line(0, 1, 2), line(2), line(0, 99)] };
    const loaded = parseProfile(JSON.stringify({ format: "crosslane-profile", version: 1, sources: [], kernels: [kernel] }));
    // (64 + 128) / (64 * 4); a line of scalar instructions alone; 64 / 128, and an instruction that is not there
    expect(loaded && "profile" in loaded && loaded.profile.kernels[0]!.lines!.map((l) => l.active_share)).toEqual([0.75, null, 0.5]);
  });
  it("takes a profile with only what must be there, and every fixture", () => {
    const loaded = parseProfile('{"format": "crosslane-profile", "version": 1, "sources": [], "kernels": [{"name": "k", "instructions": []}]}');
    expect(loaded).toMatchObject({ profile: { views: [], kernels: [{ short: "k", lines: [], findings: [] }] } });
    for (const name of Object.keys(fixtures)) expect(problem(JSON.stringify(fixture(name)))).toBeNull();
  });
});

describe("format", () => {
  it("writes numbers as people read them", () => {
    expect([0, 999, 1000, 12345, 999_499, 999_500, 1.5e9, 0.25].map(short)).toEqual(["0", "999", "1.00k", "12.3k", "999k", "1.00M", "1.50G", "0.25"]);
    expect([1234567, 99.5, 0.333].map(full)).toEqual(["1,234,567", "99.5", "0.33"]);
    expect([0, 0.0001, 0.034, 0.5, 0.996, 1].map(percent)).toEqual(["0 %", "< 0.1 %", "3.4 %", "50 %", "99.6 %", "1".padEnd(3, "0") + " %"]);
    expect([0, 1023, 4096, 1536, 3 * 1024 ** 2].map(bytes)).toEqual(["0 B", "1023 B", "4 KiB", "1.5 KiB", "3 MiB"]);
    expect([2.5e-5, 0.0123, 1.5, 125].map(seconds)).toEqual(["25 µs", "12.3 ms", "1.5 s", "2 min 5 s"]);
    expect([xyz([64, 1, 1]), xyz([1024, 8, 1]), xyz([2, 1, 3])]).toEqual(["64", "1,024 × 8", "2 × 1 × 3"]);
  });
  it("takes namespaces and template arguments off a name", () => {
    expect(bareName("saxpy")).toBe("saxpy");
    expect(bareName("a::b<c::d<e>>::f<g>")).toBe("f");
    expect(bareName("void_kernel<int, (x)3>")).toBe("void_kernel");
    expect(bareName("_Z3foov")).toBe("_Z3foov");
    expect(bareName("<lambda>")).toBe("<lambda>");
  });
  it("names a line of a source, and is silent without", () => {
    expect(place(fixture("demo"), [0, 30, 4])).toBe("stencils.hip:30");
    expect(place(fixture("demo"), null)).toBe("");
    expect(place(fixture("nolines"), [7, 3])).toBe("line 3");
  });
});
