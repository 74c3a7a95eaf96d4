"""What becomes of Python's values as arguments; expectations are NumPy's."""
import array
import ctypes

import numpy as np
import pytest

import crosslane

DTYPES = {"char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
          "long": "int64", "ulong": "uint64", "float": "float32", "double": "float64", "half": "float16"}


@pytest.fixture(scope="module")
def fills():
    text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(
        f"kernel void fill_{c}(global {c}* out, {c} value) {{ out[get_global_id(0)] = value; }}\n"
        for c in DTYPES if c != "half")
    return crosslane.compile(text)


@pytest.fixture(scope="module")
def module():
    return crosslane.compile("""
        struct Pair { int a; double b; };
        kernel void twice(global const int* in, global int* out) { uint i = get_global_id(0); out[i] = 2 * in[i]; }
        kernel void both(global int* a, global int* b) { uint i = get_global_id(0); a[i] += 1; b[i] += 10; }
        kernel void is_null(global const int* p, global int* out) { *out = p == 0; }
        kernel void spread(float4 v, float3 w, global float* out) { vstore4(v, 0, out); vstore3(w, 0, out + 4); }
        kernel void pair(struct Pair p, global double* out) { out[0] = p.a; out[1] = p.b; }
        kernel void sum_pairs(global const struct Pair* p, global double* out) {
          uint i = get_global_id(0); out[i] = p[i].a + p[i].b; }
        kernel void conjugate(global float2* z) { uint i = get_global_id(0); z[i].y = -z[i].y; }
        kernel void add_one(global int* p) { p[get_global_id(0)] += 1; }
        kernel void image(read_only image2d_t i, global int* out) { }
        constant int table[4] = {1, 2, 3, 4};
        global int counter = 5;
        kernel void count(global int* out) { *out = ++counter; }
    """)


@pytest.mark.parametrize("name", [c for c in DTYPES if c != "half"])
def test_numbers_of_every_type(fills, name):
    dtype = np.dtype(DTYPES[name])
    if dtype.kind == "f":
        values = [0, 1.5, -2, np.inf, np.finfo(dtype).tiny, np.float32(0.1), np.float64(0.1), True, 1 << 40]
    else:
        limits = np.iinfo(dtype)
        values = [limits.min, limits.max, 0, 5, True, np.uint8(7), dtype.type(9)]
    for value in values:
        out = np.zeros(3, dtype)
        fills[f"fill_{name}"][3](out, value)
        np.testing.assert_array_equal(out, np.array([value] * 3, dtype))
    out = np.zeros(3, dtype)
    if dtype.kind == "f":
        fills[f"fill_{name}"][3](out, float("nan"))
        assert np.isnan(out).all()
    else:
        for value in (limits.min - 1, limits.max + 1):
            with pytest.raises(OverflowError, match=f"argument 'value': {value} is not from {limits.min} to {limits.max}"):
                fills[f"fill_{name}"][3](out, value)
        with pytest.raises(TypeError, match="argument 'value': a float where an integer is needed"):
            fills[f"fill_{name}"][3](out, 2.0)
    assert not out[np.isfinite(out.astype(float))].any()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 3, 4), (0, 5)])
@pytest.mark.parametrize("where", [np, crosslane])
def test_shapes(module, shape, where):
    values = where.zeros(shape, np.int32)
    values[...] = np.arange(values.size).reshape(shape)
    out = where.zeros(shape, np.int32)
    module.twice[values.size, 64](values, out)
    np.testing.assert_array_equal(out, 2 * values)


def test_what_is_not_contiguous_is_put_back(module):
    whole = np.arange(40, dtype=np.int32).reshape(5, 8)
    expected = whole.copy()
    expected[::2, 1::3] += 1
    module.add_one[9](whole[::2, 1::3])
    np.testing.assert_array_equal(whole, expected)
    turned = np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    out = np.zeros((3, 4), np.int32)
    module.twice[12](turned, out)  # C order, whatever the memory's
    np.testing.assert_array_equal(out, 2 * turned)
    backwards = np.arange(5, dtype=np.int32)
    module.add_one[2](backwards[::-1][:2])
    np.testing.assert_array_equal(backwards, [0, 1, 2, 4, 5])
    device = crosslane.array(np.arange(10), np.int32)
    module.add_one[5](device[::2])
    np.testing.assert_array_equal(device, [1, 1, 3, 3, 5, 5, 7, 7, 9, 9])


def test_arrays_that_overlap_are_one(module):
    values = np.zeros(100, np.int32)
    module.both[60, 64](values[:60], values[40:])
    expected = np.zeros(100, np.int32)
    expected[:60] += 1
    expected[40:] += 10
    np.testing.assert_array_equal(values, expected)
    module.both[100](values, values)
    np.testing.assert_array_equal(values, expected + 11)
    frozen = values[:]
    frozen.setflags(write=False)
    module.twice[50](frozen[50:], values[:50])  # read-only, of memory that another argument writes
    np.testing.assert_array_equal(values[:50], 2 * (expected + 11)[50:])


def test_copies_hide_no_overlap(module):
    values = np.zeros(10, np.int32)
    module.both[5](values[::2], values[1::2])
    np.testing.assert_array_equal(values, [1, 10] * 5)
    module.both[5](values[::2], values[::2])  # one copy for both
    np.testing.assert_array_equal(values, [12, 10] * 5)
    for a, b in ((values[::2], values[:5]), (values[::2], values[2::2]), (values[:5], values[4::-1])):
        with pytest.raises(crosslane.LaunchError, match="arguments '[ab]' and '[ab]' overlap"):
            module.both[4](a, b)
    module.twice[4](values[::2], np.zeros(4, np.int32))
    with pytest.raises(crosslane.LaunchError, match="arguments 'in' and 'out' overlap"):
        module.twice[4](values[::2], values[:5])
    np.testing.assert_array_equal(values, [12, 10] * 5)


def test_read_only_arrays_are_not_written(module):
    values = np.arange(5, dtype=np.int32)
    values.setflags(write=False)
    module.add_one[5](values)
    np.testing.assert_array_equal(values, np.arange(5))
    data = bytes(range(8))
    out = np.zeros(2, np.int32)
    module.twice[2](np.frombuffer(data, np.int32), out)
    np.testing.assert_array_equal(out, 2 * np.frombuffer(data, np.int32))
    assert data == bytes(range(8))


def test_memory_of_others(module):
    for memory in (array.array("i", [1, 2, 3]), (ctypes.c_int32 * 3)(1, 2, 3), bytearray(np.array([1, 2, 3], np.int32))):
        module.add_one[3](memory)
        np.testing.assert_array_equal(np.frombuffer(memory, np.int32), [2, 3, 4])


def test_memory_of_the_device_is_not_copied(module):
    values = crosslane.array([1, 2, 3, 4], np.int32)
    part = values[2:]
    module.add_one[2](part)
    np.testing.assert_array_equal(values, [1, 2, 4, 5])
    module.add_one[4](values.reshape(2, 2).view(np.uint32))
    np.testing.assert_array_equal(part, [5, 6])
    other = crosslane.Context().zeros(4, np.int32)  # of another context
    module.twice[4](values, other)
    np.testing.assert_array_equal(other, [4, 6, 10, 12])


def test_null(module):
    out = np.full(1, 7, np.int32)
    module.is_null[1](None, out)
    assert out[0] == 1
    module.is_null[1]("null", out)
    assert out[0] == 1
    module.is_null[1](np.zeros(1, np.int32), out)
    assert out[0] == 0


def test_vectors(module):
    for four, three in (((1, 2, 3, 4), (5, 6, 7)), (np.array([1, 2, 3, 4.0]), np.array([5, 6, 7, 0]))):
        out = np.zeros(7, np.float32)
        module.spread[1](four, three, out)
        np.testing.assert_array_equal(out, [1, 2, 3, 4, 5, 6, 7])
    module.spread[1](2, 0.5, out)
    np.testing.assert_array_equal(out, [2] * 4 + [0.5] * 3)
    with pytest.raises(TypeError, match="argument 'v': 2 values where 4 are needed"):
        module.spread[1]((1, 2), (1, 2, 3), out)


def test_structures(module):
    pair = np.dtype([("a", np.int32), ("b", np.float64)], align=True)
    pairs = np.array([(1, 0.5), (2, -8)], pair)
    out = np.zeros(2)
    module.pair[1](pairs[0], out)
    np.testing.assert_array_equal(out, [1, 0.5])
    module.pair[1](pairs[1].tobytes(), out)
    np.testing.assert_array_equal(out, [2, -8])
    module.sum_pairs[2](pairs, out)
    np.testing.assert_array_equal(out, pairs["a"] + pairs["b"])
    with pytest.raises(TypeError, match="argument 'p': 12 bytes where struct Pair p has 16"):
        module.pair[1](np.zeros(1, [("a", np.int32), ("b", np.float64)])[0], out)
    with pytest.raises(TypeError, match="argument 'p': a structure of 16 bytes needs"):
        module.pair[1](5, out)


def test_complex_numbers(module):
    z = np.array([1 + 2j, 3 - 4j], np.complex64)
    expected = z.conj()
    module.conjugate[2](z)
    np.testing.assert_array_equal(z, expected)


def test_words(module):
    result = module.twice[5]("i32[5]:iota", "[5]")
    np.testing.assert_array_equal(result.buffers["out"], [0, 2, 4, 6, 8])
    assert list(result.buffers) == ["in", "out"]
    assert result.buffers["in"].dtype == np.int32
    with pytest.raises(ValueError):
        result.buffers["in"][0] = 1
    with pytest.raises(KeyError):
        result.buffers["elsewhere"]
    mixed = np.zeros(5, np.int32)
    module.twice[5](out=mixed, **{"in": "i32[5]:iota:1"})
    np.testing.assert_array_equal(mixed, [2, 4, 6, 8, 10])


def test_names(module):
    values, out = np.arange(3, dtype=np.int32), np.zeros(3, np.int32)
    module.twice[3](values, out=out)
    module.twice.launch(grid=3, arguments={"in": values, "out": out})
    np.testing.assert_array_equal(out, [0, 2, 4])
    with pytest.raises(crosslane.ArgumentError, match="argument 'out' is missing"):
        module.twice[3](values)
    with pytest.raises(crosslane.ArgumentError, match="3 arguments for 2 parameters"):
        module.twice[3](values, out, 1)
    with pytest.raises(crosslane.ArgumentError, match="argument 'in' is given twice"):
        module.twice[3](values, out, **{"in": values})
    with pytest.raises(crosslane.LaunchError, match="unknown key 'nonsense'(.|\n)*kernel: twice"):
        module.twice[3](values, out, nonsense=1)
    with pytest.raises(crosslane.ArgumentError, match="no parameter 'nonsense'"):
        module.twice.launch(values, out, grid=3, arguments={"nonsense": 1})


@pytest.mark.parametrize("value, told", [
    (np.zeros(3, np.float32), "an array of float32 where int32 is needed"),
    (np.zeros(3, np.int64), "an array of int64 where int32 is needed"),
    (np.zeros(3, bool), "an array of bool where int32 is needed"),
    (np.zeros(3, ">i4"), "an array of >i4, which is not in the byte order of the GPU"),
    (np.zeros(3, object), "an array of Python objects"),
    ([1, 2, 3], "needs an array, not a list"),
    (5, "needs an array, not a int"),
    (np.int32(5), "needs an array, not a int32"),
    (crosslane.local(8), "needs an array, not a Local"),
])
def test_what_is_no_array_of_the_type(module, value, told):
    with pytest.raises(TypeError, match="argument 'in': (.|\n)*kernel: twice"):
        module.twice[3](value, np.zeros(3, np.int32))
    with pytest.raises(crosslane.Error) as error:
        module.twice[3](value, np.zeros(3, np.int32))
    assert told in str(error.value)


def test_signedness_and_bytes_are_free(module):
    out = np.zeros(3, np.uint32)
    module.twice[3](np.array([1, 2, 3], np.uint32), out)
    module.twice[3](np.array([1, 2, 3], np.int32).view(np.uint8), out)
    np.testing.assert_array_equal(out, [2, 4, 6])


def test_images_are_refused_by_name(module):
    with pytest.raises(crosslane.LaunchError, match="argument 'i': parameters of type image2d_t are not supported"):
        module.image[1](np.zeros(4), np.zeros(1, np.int32))


def test_variables(module):
    counter = module.variable("counter", np.int32)
    assert counter.shape == (1,) and counter[0] == 5
    out = np.zeros(1, np.int32)
    module.count[1](out)
    assert out[0] == 6 and counter[0] == 6
    counter[0] = 40
    module.count[1](out)
    assert out[0] == 41
    module.reset()
    assert counter[0] == 5
    with pytest.raises(crosslane.UnknownName, match="no variable 'nothing'"):
        module.variable("nothing")


def test_hip_booleans_and_halves():
    module = crosslane.compile("""#include <hip/hip_runtime.h>
        __global__ void f(bool yes, _Float16 h, unsigned long long big, _Float16* out, bool* flags, unsigned long long* wide) {
          out[threadIdx.x] = yes ? h : -h; flags[threadIdx.x] = !flags[threadIdx.x]; *wide = big; }""", "hip")
    for yes in (True, False, np.bool_(True)):
        out, flags, wide = np.zeros(2, np.float16), np.array([True, False]), np.zeros(1, np.uint64)
        module.f[2, 2](yes, 0.1, (1 << 64) - 3, out, flags, wide)
        np.testing.assert_array_equal(out, np.array([0.1, 0.1], np.float16) * (1 if yes else -1))
        np.testing.assert_array_equal(flags, [False, True])
        assert int(wide[0]) == (1 << 64) - 3
    with pytest.raises(OverflowError, match="argument 1: 1e10|argument 'h': 10000000000.0 is beyond float16"):
        module.f[2, 2](True, 1e10, 0, out, flags, wide)


def test_kernels_without_metadata():
    module = crosslane.load(__file__.replace("test_arguments.py", "plain.s"))
    kernel = module.plain
    assert not kernel.has_metadata
    out = np.zeros(64, np.uint32)
    kernel[64, 64](out, np.uint32(7))
    np.testing.assert_array_equal(out, np.arange(64) + 7)
    with pytest.raises(TypeError, match="argument 1: the kernel has no metadata: a int does not say its type"):
        kernel[64, 64](out, 7)
