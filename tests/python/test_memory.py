"""Nothing is kept that nobody has, and nothing goes that somebody has."""
import gc
import sys
import weakref

import numpy as np

import crosslane


def resident_kib():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def mappings():
    with open("/proc/self/maps") as file:
        return sum(1 for _ in file)


def test_launches_leave_nothing(example):
    kernel = example("vector_add.cl").vector_add
    a, c = np.ones(10_000, np.float32), np.zeros(10_000, np.float32)

    def launch(times):
        for i in range(times):
            kernel[10_000](a, a, c, 10_000)
            kernel[100](crosslane.zeros(10_000), a[::2], c, 100, check="memory")

    launch(200)
    gc.collect()
    size, maps = resident_kib(), mappings()
    launch(1000)  # 2000 launches; each would keep 80 kB
    gc.collect()
    assert resident_kib() - size < 4096
    assert mappings() - maps < 50


def test_modules_leave_nothing():
    text = "kernel void f(global int* p) { *p = 1; }"
    gone = []
    for _ in range(3):
        context = crosslane.Context()
        module = context.compile(text)
        kernel = module.f
        kernel[1](np.zeros(1, np.int32))
        gone += [weakref.ref(module), weakref.ref(kernel), weakref.ref(context)]
        del module, kernel, context
    gc.collect()
    assert [r() for r in gone] == [None] * 9


def test_arrays_are_let_go(example):
    kernel = example("vector_add.cl").vector_add
    a = np.ones(100, np.float32)
    device = crosslane.zeros(100)
    references, counts = [weakref.ref(a), weakref.ref(device)], sys.getrefcount(a)
    result = kernel[100](a, a, device, 100)
    assert sys.getrefcount(a) == counts
    launch = kernel[100].prepare(a, a, device, 100)
    del a, device
    gc.collect()
    assert references[0]() is not None  # the launch copies from it
    launch.run()
    del launch
    gc.collect()
    assert [r() for r in references] == [None, None]
    assert result.stats["workgroups"] == 1


def test_memory_of_the_device_lives_as_long_as_a_view():
    array = crosslane.array(np.arange(1000), np.int32)
    part = array[500:].view(np.uint32).reshape(5, 100)[2]
    del array
    gc.collect()
    np.testing.assert_array_equal(part, np.arange(700, 800))
    before = mappings()
    arrays = [crosslane.zeros(1 << 16) for _ in range(50)]
    del arrays
    gc.collect()
    assert mappings() <= before + 5


def test_a_kernel_outlives_its_names():
    kernel = crosslane.Context().compile("kernel void f(global int* p) { *p += 1; }").f
    gc.collect()
    value = np.zeros(1, np.int32)
    kernel[1](value)
    assert value[0] == 1


def test_a_variable_outlives_its_module():
    variable = crosslane.compile("global int v = 5; kernel void f() { v = 6; }").variable("v", np.int32)
    gc.collect()
    assert variable[0] == 5
