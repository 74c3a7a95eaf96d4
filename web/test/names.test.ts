// Names of kernels in narrow places: what they must tell apart, and what they may leave out.
import { describe, expect, test } from "vitest";
import type { Kernel } from "../src/profile";
import { distinctNames, partsOf } from "../src/model/names";

const kernel = (short: string, more: Partial<Kernel> = {}) => ({ short, readable: `void ${short}(int*)`, target: "gfx900", ...more }) as Kernel;

describe("parts of a name", () => {
  test.each([
    ["saxpy", "saxpy", []],
    ["ns::f<3, float>", "f", ["3", "float"]],
    ["a::f<b::c<1, d::e>, (anonymous namespace)::T*>", "f", ["c<1, e>", "T*"]],
    ["f<float (*)(int, int), 2>", "f", ["float (*)(int, int)", "2"]],
    ["a::T<3>::run", "run", []],
    ["main, line 12 (omp target)", "main, line 12 (omp target)", []],
  ])("%s", (name, bare, list) => {
    expect(partsOf(name)).toEqual({ name: bare, arguments: list });
  });
});

describe("distinct names", () => {
  test("instances of a template differ by their arguments", () => {
    expect(distinctNames([kernel("ns::f<3, float>"), kernel("ns::f<4, float>"), kernel("ns::g")])).toEqual(["f<3, …>", "f<4, …>", "g"]);
    expect(distinctNames([kernel("f<3, float>"), kernel("f<3, double>"), kernel("f<4, float>")])).toEqual(["f<3, float>", "f<3, double>", "f<4, float>"]);
  });
  test("a single instance keeps all of them", () => {
    expect(distinctNames([kernel("ns::f<3, ns::T>")])).toEqual(["f<3, T>"]);
  });
  test("other than by arguments: the card, the parameters", () => {
    expect(distinctNames([kernel("f", { card: "vega10" }), kernel("f", { card: "fiji" })])).toEqual(["f · vega10", "f · fiji"]);
    expect(distinctNames([kernel("f", { readable: "f(int)" }), kernel("f", { readable: "f(float)" })])).toEqual(["f · f(int)", "f · f(float)"]);
  });
  test("no two of a hundred instances are the same", () => {
    const names = distinctNames(Array.from({ length: 100 }, (_, i) => kernel(`rp::k<rp::config<${i}>, float, ${64 << (i % 4)}u>`)));
    expect(new Set(names).size).toBe(100);
  });
});
