"""Kernels of examples/ against NumPy, which knows nothing of ours."""
import numpy as np
import pytest

import crosslane


@pytest.mark.parametrize("n", [1, 63, 64, 1000, 4097])
@pytest.mark.parametrize("target", ["gfx803", "gfx900", "gfx90a"])
def test_vector_add(example, rng, n, target):
    a, b = rng.standard_normal((2, n), np.float32)
    c = np.zeros(n, np.float32)
    example("vector_add.cl", target=target).vector_add[n, 256](a, b, c, n)
    np.testing.assert_array_equal(c, a + b)


def test_f16(example, rng):
    n = 500
    a, b = rng.standard_normal((2, n, 2)).astype(np.float16)
    sums, products, greater = np.zeros((3, n, 2), np.float16)
    wide = np.zeros((n, 2), np.float32)
    example("f16.cl").f16[n](a, b, sums, products, wide, greater, n)
    np.testing.assert_array_equal(sums, a + b)
    np.testing.assert_array_equal(products, a * b - a)
    np.testing.assert_array_equal(wide, np.stack([a[:, 0].astype(np.float32) * 3, b[:, 1].astype(np.float32) / 2], 1))
    np.testing.assert_array_equal(greater[:, 0], np.maximum(a[:, 0], b[:, 0]))


def test_f64(example, rng):
    n = 1000
    a, b = rng.standard_normal((2, n)) * 100
    poly, quotient, root = np.zeros((3, n))
    whole, narrow = np.zeros(n, np.int64), np.zeros(n, np.float32)
    example("f64.cl").f64[n](a, b, poly, quotient, root, whole, narrow, n=n)
    np.testing.assert_array_equal(quotient, a / b)
    np.testing.assert_array_equal(root, np.sqrt(np.abs(a)))
    np.testing.assert_array_equal(whole, np.floor(a).astype(np.int64) + np.where(a < b, 1000000, 0))
    np.testing.assert_array_equal(narrow, np.maximum(np.trunc(a), b).astype(np.float32))
    np.testing.assert_allclose(poly, np.polyval([0.125, -0.5, 1.25, -3.0], a) * a + b, rtol=1e-12, atol=1e-9)


def test_u64(example, rng):
    n, divisor = 777, 3_000_000_019
    values = rng.integers(0, 1 << 64, n, np.uint64, endpoint=False)
    mixed, counts, divided = np.zeros(n, np.uint64), np.zeros(n, np.uint32), np.zeros(n, np.int64)
    example("hash.cl").hash[n](values, mixed, counts, divided, n, divisor)
    mask = (1 << 64) - 1
    for i in (0, 1, 62, 63, 500, 776):  # in Python's integers, which have no width
        v = z = (int(values[i]) + i * 0x9E3779B97F4A7C15) & mask
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        m = z ^ (z >> 31)
        r = v & 63
        m = ((m << r | m >> (64 - r)) & mask) + (m * v >> 64) & mask
        # mul_hi's operand is m before it is rotated.
        m ^= m << (i & 31) & mask
        signed = v - (1 << 64) if v >> 63 else v
        assert int(mixed[i]) == (m - (signed >> (i % 63))) & mask


def test_bytes_and_shorts(example, rng):
    n = 300
    a = rng.integers(0, 256, (n, 4), np.uint8)
    b = rng.integers(-128, 128, (n, 4), np.int8)
    blended, saturated, products = np.zeros_like(a), np.zeros_like(b), np.zeros((n, 4), np.int16)
    module = example("subdword.cl")
    getattr(module, "bytes")[n](a, b, blended, products, saturated, n)
    wide = a.astype(np.uint16)
    np.testing.assert_array_equal(blended, ((wide * 3 + wide[:, ::-1] * 5) >> 3).astype(np.uint8))
    np.testing.assert_array_equal(products, a.astype(np.int16) * b)
    np.testing.assert_array_equal(saturated, np.clip(b.astype(int) + b[:, [1, 2, 3, 0]], -128, 127))


@pytest.mark.parametrize("n", [16, 50, 64])
def test_matmul(example, rng, n):
    a, b = rng.integers(-8, 8, (2, n, n)).astype(np.float32)
    c = np.zeros((n, n), np.float32)
    rounded = (n + 15) // 16 * 16
    example("matmul_tiled.cl").matmul_tiled[(rounded, rounded), (16, 16)](a, b, c, n)
    np.testing.assert_array_equal(c, a @ b)


def test_stencil(example, rng):
    height, width = 37, 101
    grid = rng.standard_normal((height, width), np.float32)
    out = np.zeros_like(grid)
    example("stencil5.cl").stencil5.launch(grid, out, width, height, grid=(width, height), block=(16, 4))
    inner, f = grid[1:-1, 1:-1], np.float32
    expected = grid.copy()
    expected[1:-1, 1:-1] = inner + f(0.2) * (grid[1:-1, :-2] + grid[1:-1, 2:] + grid[:-2, 1:-1] + grid[2:, 1:-1] - f(4) * inner)
    np.testing.assert_array_equal(out, expected)


def test_mandelbrot(example):
    width, height, limit = 60, 40, 50
    counts = np.zeros((height, width), np.uint32)
    x0, y0, step = -2.0, -1.0, 0.05
    example("mandelbrot.cl").mandelbrot[(width, height), (8, 8)](counts, width, height, x0, y0, step=step, limit=limit)
    f = np.float32
    cx = (f(x0) + np.arange(width, dtype=f) * f(step))[None, :].repeat(height, 0)
    cy = (f(y0) + np.arange(height, dtype=f) * f(step))[:, None].repeat(width, 1)
    x, y, k = np.zeros_like(cx), np.zeros_like(cx), np.zeros(cx.shape, np.uint32)
    inside = np.ones(cx.shape, bool)
    for _ in range(limit):
        inside &= x * x + y * y <= 4
        y, x = np.where(inside, 2 * x * y + cy, y), np.where(inside, x * x - y * y + cx, x)
        k += inside
    np.testing.assert_array_equal(counts, k)


def test_local_memory(example, rng):
    n = 1000
    values = rng.integers(0, 100, n).astype(np.float32)
    partial = np.zeros(4, np.float32)
    example("reduce_tree.cl").reduce_tree[1024, 256](values, partial, n, crosslane.local(1024))
    padded = np.concatenate([values, np.zeros(24, np.float32)])
    np.testing.assert_array_equal(partial, padded.reshape(4, 256).sum(1))


def test_atomics(example, rng):
    values = rng.integers(0, 1 << 32, 5000, np.uint32, endpoint=False)
    for name in ("histogram_global", "histogram_local"):
        counts = np.zeros(256, np.uint32)
        example("histogram.cl")[name][5000](values, counts, 5000)
        np.testing.assert_array_equal(counts, np.bincount(values & 255, minlength=256))


def test_three_launches_on_memory_of_the_device(example, rng):
    n, groups = 10_000, 40
    module = example("prefix_sum.cl")
    values = crosslane.array(rng.integers(0, 1000, n), np.uint32)
    out, totals = crosslane.zeros(n, np.uint32), crosslane.zeros(groups, np.uint32)
    module.scan_groups[groups * 256, 256](values, out, totals, n)
    module.scan_totals[64, 64](totals, groups)
    module.add_totals[n, 256](out, totals, n)
    np.testing.assert_array_equal(out, np.cumsum(values))


def test_three_dimensions(example):
    shape = (6, 10, 12)  # z, y, x
    records = np.zeros(shape + (8,), np.uint32)
    example("ids.cl").ids[shape[::-1], (4, 5, 2)](records)
    z, y, x = np.indices(shape, np.uint32)
    np.testing.assert_array_equal(records[..., 0], x | y << 10 | z << 20)
    np.testing.assert_array_equal(records[..., 1], x % 4 | y % 5 << 10 | z % 2 << 20)
    assert (records[..., 6] == 3).all()


def test_offset(example):
    records = np.zeros((10, 8), np.uint32)
    example("ids.cl").ids[10, 10](records, offset=5)
    np.testing.assert_array_equal(records[:, 0], np.arange(5, 15))


def test_groups(example):
    a = np.arange(512, dtype=np.float32)
    c = np.zeros(512, np.float32)
    result = example("vector_add.cl").vector_add.launch(a, a, c, 512, groups=2, block=256)
    assert result.stats["workgroups"] == 2
    np.testing.assert_array_equal(c, 2 * a)


def test_empty_grid(example):
    c = np.ones(4, np.float32)
    result = example("vector_add.cl").vector_add[0, 64](c, c, c, 4)
    assert result.stats["waves"] == 0
    assert (c == 1).all()


def test_hip_with_dynamic_lds(example, rng):
    height, width, side = 33, 47, 16
    values = rng.integers(0, 1 << 32, (height, width), np.uint32, endpoint=False)
    out = np.zeros((width, height), np.uint32)
    example("transpose.hip").transpose.launch(values, out, np.uint32(width), np.uint32(height), groups=(3, 3), block=(side, 4),
                                              lds=side * (side + 1) * 4)
    np.testing.assert_array_equal(out, values.T)


def test_assembly(example):
    values, out = np.arange(256, dtype=np.uint32), np.zeros(256, np.uint32)
    example("if_else.s", target="gfx906").if_else[256, 64](values, out, 32)
    lane = np.arange(256) % 64
    np.testing.assert_array_equal(out, np.where(lane < 32, 2 * values + 1, values ^ 0xFF))
