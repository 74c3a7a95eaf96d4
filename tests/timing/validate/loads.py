# Loads that hit L1, as perftest has them: raw, typed and of images; 64 lanes in a row, at one address or anywhere, within 4 KiB
# or less. How a load reaches L1 is up to its instruction; what its data mean is not looked at.
from kernels import assembly, looped, pointer

# Data format and number format of a resource, and its channels; bytes of an element.
TYPED = {"R8": (1, 0, 1, 1), "R16F": (2, 7, 1, 2), "R32F": (4, 7, 1, 4),
         "RG8": (3, 0, 2, 2), "RG16F": (5, 7, 2, 4), "RG32F": (11, 7, 2, 8),
         "RGBA8": (10, 0, 4, 4), "RGBA16F": (12, 7, 4, 8), "RGBA32F": (14, 7, 4, 16)}
RAW = {"x1": (4, "dword"), "x2": (8, "dwordx2"), "x3": (12, "dwordx3"), "x4": (16, "dwordx4")}
SELECT = 4 | 5 << 3 | 6 << 6 | 7 << 9  # x, y, z, w
SIDE = 16  # texels of a line of the image
UNITS = 8   # compute units, however many the card has: they know nothing of each other where all loads hit L1
GROUPS = 8  # of four waves, for each unit, which holds all of them


def spread(register, element, pattern):
    """Byte offsets of the lanes. Random: lanes that are next to each other are 37 elements apart."""
    return {"uniform": f"  v_mov_b32 {register}, 0",
            "linear": f"  v_mul_u32_u24 {register}, {element}, v0",
            "random": f"  v_mul_u32_u24 {register}, 37, v0\n  v_and_b32 {register}, 63, {register}\n"
                      f"  v_mul_u32_u24 {register}, {element}, {register}"}[pattern]


def registers(count):
    return "v8" if count == 1 else f"v[8:{7 + count}]"


def raw(kind, pattern, unaligned):
    element, name = RAW[kind]
    return spread("v1", element, pattern), (f"buffer_load_{name} {registers(element // 4)}, v1, s[12:15], 0 offen" +
                                            (" offset:4" if unaligned else ""))


def typed(kind, pattern):
    data, number, channels, element = TYPED[kind]
    place = spread("v1", 1, pattern) + f"""
  s_or_b32 s13, s13, {element << 16:#x}
  s_mov_b32 s15, {SELECT | number << 12 | data << 15:#x}"""
    return place, f"buffer_load_format_{'xyzw'[:channels]} {registers(channels)}, v1, s[12:15], 0 idxen"


def image(kind, pattern, target):
    """A linear one of two dimensions; in a row: 16 texels of one line, then of the next."""
    data, number, channels, element = TYPED[kind]
    pitch = max(SIDE, 256 // element)
    gfx9 = target.startswith("gfx9")
    words = {18: (SIDE - 1) | (SIDE - 1) << 14, 19: SELECT | (0 if gfx9 else 8) << 20 | 9 << 28,
             20: (pitch - 1) << 13, 21: 0, 22: 0, 23: 0}
    place = spread("v3", 1, pattern) + f"""
  v_and_b32 v1, {SIDE - 1}, v3
  v_lshrrev_b32 v2, 4, v3
  s_lshr_b32 s16, s12, 8
  s_lshl_b32 s17, s13, 24
  s_or_b32 s16, s16, s17
  s_lshr_b32 s17, s13, 8
  s_or_b32 s17, s17, {data << 20 | number << 26:#x}
""" + "\n".join(f"  s_mov_b32 s{s}, {value:#x}" for s, value in words.items())
    return place, f"image_load {registers(channels)}, v[1:2], s[16:23] dmask:{(1 << channels) - 1:#x} unorm"


def cycles(run, how, kind, pattern):
    """Cycles of a compute unit for a wave's load: the slope between two numbers of loads."""
    place, load = (typed(kind, pattern) if how == "typed" else image(kind, pattern, run.target) if how == "image" else
                   raw(kind, pattern, how == "unaligned"))
    run.use(run.card_with(compute_units=UNITS))
    run.units = UNITS
    place = pointer + f"\n  v_and_b32 v0, 63, v0\n{place}\n"
    loads = "\n".join([f"  {load}"] * 16) + "\n  s_waitcnt vmcnt(0)"
    few, many = (run.launch(assembly(place + looped(loads, n, "s28"), run.target, arguments=["buffer"], vgprs=16, sgprs=40), ".s",
                            "u32[4096]", groups=UNITS * GROUPS, block=256) for n in (4, 12))
    return (many["cycles"] - few["cycles"]) / (GROUPS * 4 * 8 * 16)
