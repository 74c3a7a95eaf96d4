import { describe, expect, test } from "vitest";
import type { Trace, TraceChanges } from "../../src/profile";
import { check, packLanes, unpackLanes } from "../../src/trace/data";
import { Recording, firstAfter } from "../../src/trace/recording";

const all = "0xffffffffffffffff";

function lanes(of: (lane: number) => number): Uint32Array {
  return Uint32Array.from({ length: 64 }, (_, lane) => of(lane));
}

function trace(steps: Trace["steps"], initial: Trace["initial"], instructions = 4): Trace {
  return {
    kernel: 0,
    workgroup: [0, 0, 0],
    wave: 0,
    vgpr_count: 4,
    sgpr_count: 8,
    complete: true,
    instructions: Array.from({ length: instructions }, (_, i) => ({
      address: `0x${(i * 4).toString(16)}`,
      function: "f",
      offset: i * 4,
      text: `i${i}`,
      source: null,
    })),
    initial,
    steps,
  };
}

// v0 = 4 * lane; v1 = v0 + 1 in lanes 0 to 31; the same instruction again changes nothing; then back to all lanes, s2 = 7.
const small = trace(
  [
    [0, { v: { "0": packLanes(lanes((lane) => 4 * lane)) }, vcc: "0x1" }],
    [1, { exec: "0xffffffff", s: { "4": 0xffffffff, "5": 0xffffffff }, scc: 1 }],
    [2, { v: { "1": packLanes(lanes((lane) => (lane < 32 ? 4 * lane + 1 : 9))) } }],
    [2, 0],
    [3, { exec: all, s: { "2": 7 }, m0: 3, scc: 0 }],
  ],
  { v: { "0": 5, "1": 9, a2: 1 }, s: { "0": 100 }, exec: all },
);

describe("packing of lanes", () => {
  test("little-endian, lane 0 first", () => {
    // Lane 0 holds 0x04030201: the bytes 1, 2, 3, 4, which base64 begins with "AQIDB".
    const packed = packLanes(lanes((lane) => (lane === 0 ? 0x04030201 : 0)));
    expect(packed).toMatch(/^AQIDBAAAA/);
    expect(unpackLanes(packed)[0]).toBe(0x04030201);
    expect(unpackLanes(packed)[1]).toBe(0);
  });
  test("one number for all lanes", () => {
    expect(packLanes(lanes(() => 0xdeadbeef))).toBe(0xdeadbeef);
    expect([...unpackLanes(0xdeadbeef)]).toEqual(Array(64).fill(0xdeadbeef));
  });
  test("a text of another length is refused", () => {
    expect(() => unpackLanes("AAAA")).toThrow("3 bytes, not 256");
  });
});

describe("the small trace", () => {
  const recording = new Recording(small);
  test("values at each position", () => {
    expect(recording.length).toBe(5);
    expect([0, 1, 5].map((at) => recording.vector("v0", at)[3])).toEqual([5, 12, 12]);
    expect([2, 3, 4].map((at) => recording.vector("v1", at)[31])).toEqual([9, 125, 125]);
    expect(recording.vector("v1", 5)[32]).toBe(9);
    expect(recording.vector("v3", 5)[0]).toBe(0);
    expect(recording.vector("a2", 0)[63]).toBe(1);
    expect([0, 4, 5].map((at) => recording.scalar("s2", at))).toEqual([0, 0, 7]);
    expect([1, 2, 4, 5].map((at) => recording.scalar("scc", at))).toEqual([0, 1, 1, 0]);
    expect([4, 5].map((at) => recording.scalar("m0", at))).toEqual([0, 3]);
    expect([0, 1].map((at) => recording.mask("vcc", at))).toEqual([0n, 1n]);
    expect(recording.mask("exec", 3)).toBe(0xffffffffn);
    expect([...recording.activeLanes]).toEqual([64, 64, 32, 32, 32, 64]);
  });
  test("instructions", () => {
    expect([0, 1, 4, 5].map((at) => recording.instructionAt(at))).toEqual([-1, 0, 2, 3]);
    expect(recording.executionsOf(2)).toEqual([3, 4]);
  });
  test("what a step changed, and from what", () => {
    const second = recording.changesAt(2);
    expect(second.masks).toEqual([{ register: "exec", before: 0xffffffffffffffffn, after: 0xffffffffn }]);
    expect(second.scalars.map(({ register, before, after }) => [register, before, after])).toEqual([
      ["s4", 0, 0xffffffff],
      ["s5", 0, 0xffffffff],
      ["scc", 0, 1],
    ]);
    const third = recording.changesAt(3).vectors[0];
    expect(third?.register).toBe("v1");
    expect(third?.lanes).toEqual(Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => lane !== 2)); // 4*2+1 was 9
    expect(recording.changesAt(4)).toEqual({ masks: [], scalars: [], vectors: [] });
    expect(recording.changesAt(0)).toEqual({ masks: [], scalars: [], vectors: [] });
  });
  test("where a register or a lane changed", () => {
    expect(recording.changesOf("v1")).toEqual([3]);
    expect(recording.changesOf("v1", 31)).toEqual([3]);
    expect(recording.changesOf("v1", 32)).toEqual([]);
    expect(recording.changesOf("v1", 2)).toEqual([]);
    expect(recording.changesOf("exec")).toEqual([2, 5]);
    expect(recording.changesOf("exec", 63)).toEqual([2, 5]);
    expect(recording.changesOf("exec", 0)).toEqual([]);
    expect(recording.changesOf("s2")).toEqual([5]);
    expect(recording.changesOf("v3")).toEqual([]);
  });
  test("names of registers", () => {
    expect(recording.vectorNames).toEqual(["v0", "v1", "v2", "v3", "a2"]);
    expect(recording.usedVectors).toEqual(["v0", "v1", "a2"]);
    expect(recording.usedScalars).toEqual(["s0", "s2", "s4", "s5"]);
  });
});

// A machine that only goes forwards, written without columns, is the oracle: it applies each step to whole copies.
function replay(source: Trace): { v: Map<string, Uint32Array>; s: Map<string, number>; exec: bigint; vcc: bigint }[] {
  const states: ReturnType<typeof replay> = [];
  let state = { v: new Map<string, Uint32Array>(), s: new Map<string, number>(), exec: 0n, vcc: 0n };
  const apply = (changes: TraceChanges | 0) => {
    state = { ...state, v: new Map(state.v), s: new Map(state.s) };
    if (changes !== 0) {
      for (const [key, value] of Object.entries(changes.v ?? {})) state.v.set(`v${key}`, unpackLanes(value));
      for (const [key, value] of Object.entries(changes.s ?? {})) state.s.set(`s${key}`, value);
      if (changes.exec) state.exec = BigInt(changes.exec);
      if (changes.vcc) state.vcc = BigInt(changes.vcc);
    }
    states.push(state);
  };
  apply(source.initial);
  for (const [, changes] of source.steps) apply(changes);
  return states;
}

test("random changes: forwards, backwards and at random the states are those of a replay", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const word = () => random(2 ** 32);
  const changes = (): TraceChanges | 0 => {
    if (random(5) === 0) return 0;
    const some: TraceChanges = {};
    if (random(2)) some.v = { [random(4)]: random(3) ? packLanes(lanes(() => word())) : word() };
    if (random(3) === 0) some.s = { [random(8)]: word(), [random(8)]: word() };
    if (random(6) === 0) some.exec = "0x" + ((BigInt(word()) << 32n) | BigInt(word())).toString(16);
    if (random(6) === 0) some.vcc = "0x" + BigInt(word()).toString(16);
    return some;
  };
  const initial = changes() || {};
  const source = trace(
    Array.from({ length: 400 }, () => [random(4), changes()] as [number, TraceChanges | 0]),
    initial,
  );
  const expected = replay(source);
  const compare = (recording: Recording, at: number) => {
    const state = expected[at];
    if (!state) throw new Error(`no state ${at}`);
    for (let i = 0; i < 4; i++)
      expect([...recording.vector(`v${i}`, at)]).toEqual([...(state.v.get(`v${i}`) ?? lanes(() => 0))]);
    for (let i = 0; i < 8; i++) expect(recording.scalar(`s${i}`, at)).toBe(state.s.get(`s${i}`) ?? 0);
    expect(recording.mask("exec", at)).toBe(state.exec);
    expect(recording.mask("vcc", at)).toBe(state.vcc);
  };
  const forwards = new Recording(source);
  for (let at = 0; at <= 400; at++) compare(forwards, at);
  const backwards = new Recording(source); // nothing unpacked yet
  for (let at = 400; at >= 0; at--) compare(backwards, at);
  for (let i = 0; i < 200; i++) compare(backwards, random(401));
});

test("a jump does not unpack what lies between", () => {
  // 20,000 steps of which only the last has values that can be unpacked: a reader that replays would throw.
  const steps: Trace["steps"] = Array.from({ length: 20000 }, () => [0, { v: { "0": "not base64 of 64 words" } }]);
  steps[14999] = [0, { v: { "0": packLanes(lanes((lane) => lane)) } }];
  const recording = new Recording(trace(steps, {}));
  expect(recording.vector("v0", 15000)[63]).toBe(63);
  expect(() => recording.vector("v0", 14999)).toThrow();
});

test("check says what is wrong", () => {
  expect(check(small)).toBeNull();
  expect(check(trace([[9, 0]], {}))).toBe("step 1 of the trace names instruction 9 of 4");
  expect(check({ ...small, steps: undefined as unknown as Trace["steps"] })).toMatch("no list of steps");
});

test("firstAfter counts those that are not greater", () => {
  expect([0, 1, 2, 3, 9].map((limit) => firstAfter([1, 3, 3], limit))).toEqual([0, 1, 1, 3, 3]);
});
