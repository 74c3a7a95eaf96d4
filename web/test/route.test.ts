import { describe, expect, it } from "vitest";
import { formatHash, parseHash, summary } from "../src/route";

describe("route", () => {
  it("reads kernel, tab, line, instruction and the view's own parameters", () => {
    expect(parseHash("#/2/code?line=0:17&at=12&step=40")).toEqual({
      kernel: 2, tab: "code", line: [0, 17], instruction: 12, params: { step: "40" },
    });
  });
  it("takes what it does not know for the summary or the overview", () => {
    expect(parseHash("")).toEqual(summary);
    expect(parseHash("#/nonsense")).toEqual(summary);
    expect(parseHash("#/-1/code")).toEqual(summary);
    expect(parseHash("#/3/nonsense?line=x:y&at=1e9")).toEqual({ ...summary, kernel: 3 });
  });
  it("writes what it reads", () => {
    for (const hash of ["#/", "#/0/overview", "#/2/code?line=0:17&at=12", "#/1/trace?step=5", "#/1/lines?q=a%26b"])
      expect(formatHash(parseHash(hash))).toBe(hash);
  });
});
