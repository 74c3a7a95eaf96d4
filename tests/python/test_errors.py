"""What goes wrong is an exception that says what, where and what to do, and nothing of the user's is changed."""
import copy
import pickle

import numpy as np
import pytest

import crosslane
from conftest import ROOT

SCALE = """
kernel void scale(global float* data, float factor, uint n) {
  uint i = get_global_id(0);
  if (i <= n) // one too many
    data[i] *= factor;
}
kernel void trap(global int* p) { if (get_global_id(0) == 70) __builtin_trap(); p[get_global_id(0)] = 1; }
"""


@pytest.fixture(scope="module")
def module():
    return crosslane.compile(SCALE, name="scale")


def test_fault_is_data(module):
    data = np.ones(4096, np.float32)  # whole pages of it: what is behind is not mapped
    with pytest.raises(crosslane.KernelFault) as error:
        module.scale[8192, 256](data, 2.0, 8192)
    fault = error.value.fault
    assert fault == error.value.result.fault
    assert "unmapped address" in fault.kind and "load" in fault.instruction
    assert fault.source == "scale.cl:5:13"
    assert fault.workgroup[0] >= 16 and fault.workgroup[1:] == (0, 0) and fault.lane == 0  # whichever came first
    assert "past the end of 'data' (16384 bytes)" in fault.detail
    assert "past the end of 'data'" in str(error.value)
    assert (data == 1).all()  # nothing of a launch that faults comes back
    module.scale[4096, 256](data, 2.0, 4095)
    assert (data == 2).all()  # and all goes on


def test_errors_go_to_other_processes(module):
    with pytest.raises(crosslane.KernelFault) as error:
        module.scale[8192, 256](np.ones(4096, np.float32), 2.0, 8192)
    there = pickle.loads(pickle.dumps(error.value))
    assert type(there) is crosslane.KernelFault and str(there) == str(error.value)
    assert there.fault == error.value.fault and there.result is None


def test_trap(module):
    with pytest.raises(crosslane.KernelFault) as error:
        module.trap[128](np.zeros(128, np.int32))
    assert error.value.fault.lane is None or 0 <= error.value.fault.lane < 64
    assert "s_trap" in error.value.fault.instruction and "trap" in str(error.value)


def test_timeout():
    hangs = crosslane.load(ROOT / "docs/kernels/hangs.cl").hangs
    with pytest.raises(crosslane.Timeout) as error:
        hangs[512, 256]("u32[2]", timeout=0.2)
    assert isinstance(error.value, TimeoutError)
    assert "s_barrier" in str(error.value) and "docs/kernels/hangs.cl:6" in str(error.value)
    assert error.value.result is not None


def test_compile_errors():
    with pytest.raises(crosslane.CompileError, match=r"wrong\.cl:1:\d+: error: .*undeclared identifier 'x'"):
        crosslane.compile("kernel void f(global int* p) { *p = x; }", name="wrong")
    with pytest.raises(crosslane.CompileError, match="bad.s"):
        crosslane.compile("v_nonsense v0, v1\n", "asm", name="bad")
    with pytest.raises(crosslane.CompileError, match="gfx1100"):
        crosslane.compile("kernel void f() {}", target="gfx1100")
    with pytest.raises(FileNotFoundError, match="nothing.cl"):
        crosslane.load("nothing.cl")
    with pytest.raises(ValueError, match="language 'cuda': there are opencl, hip, asm"):
        crosslane.compile("", "cuda")
    assert issubclass(crosslane.CompileError, crosslane.Error)


def test_names(module):
    assert not hasattr(module, "nothing")
    assert "scale" in module and "nothing" not in module and "scale" in dir(module)
    with pytest.raises(AttributeError, match="has no kernel 'nothing'"):
        module.nothing
    with pytest.raises(LookupError, match=r"scale\(float\* data, float factor, uint n\)"):
        module["nothing"]
    assert [k.name for k in module] == ["scale", "trap"] and len(module) == 2
    assert module["scale"] is module.scale
    with pytest.raises(TypeError):  # and no endless recursion
        copy.deepcopy(module)


def test_templates():
    module = crosslane.compile("""#include <hip/hip_runtime.h>
        namespace ns { template <int N, class T> __global__ void f(T* p) { p[threadIdx.x] = N; } }
        template __global__ void ns::f<3, float>(float*);
        template __global__ void ns::f<4, int>(int*);""", "hip")
    three, four = np.zeros(2, np.float32), np.zeros(2, np.int32)
    module["ns::f<3, float>"][2, 2](three)
    module["ns::f<4,int>"][2, 2](four)
    assert three.tolist() == [3, 3] and four.tolist() == [4, 4]
    with pytest.raises(crosslane.UnknownName):
        module["ns::f"]


def test_sizes(module):
    data = np.ones(4, np.float32)
    with pytest.raises(TypeError, match=r"scale\[grid, block\]"):
        module.scale(data, 1, 3)
    with pytest.raises(TypeError, match="not 3 sizes"):
        module.scale[1, 2, 3]
    with pytest.raises(crosslane.LaunchError, match="one to three sizes, not 4"):
        module.scale[(1, 1, 1, 1), 1](data, 1.0, 3)
    with pytest.raises(crosslane.LaunchError, match="-1 is not from 0"):
        module.scale[-1](data, 1.0, 3)
    with pytest.raises(crosslane.LaunchError, match="workgroup of 2048"):
        module.scale[4096, 2048](data, 1.0, 3)
    with pytest.raises(crosslane.LaunchError, match="grid"):
        module.scale.launch(data, 1.0, 3)
    with pytest.raises(crosslane.LaunchError, match="one of the two"):
        module.scale.launch(data, 1.0, 3, grid=4, groups=1)


def test_options(module):
    data = np.ones(4, np.float32)
    for options, told in (({"check": "memory,nonsense"}, "'check' must be"), ({"timeout": -1}, "'timeout' must be"),
                          ({"time": 3}, "'time' must be true or false"), ({"target": "gfx906"}, "its module decided that"),
                          ({"sandbox": True}, "'sandbox' is not one of a launch")):
        with pytest.raises(crosslane.LaunchError, match=told):
            module.scale[4](data, 1.0, 3, **options)
    with pytest.raises(TypeError, match="option 'timeout': a object is neither"):
        module.scale[4](data, 1.0, 3, timeout=object())
    assert (data == 1).all()


def test_texts_in_options_are_what_they_are(module, tmp_path):
    name = 'a "b" \\ \t ä \U0001f600.json'
    data = np.ones(4, np.float32)
    module.scale[4](data, 1.0, 3, profile="branches", json=tmp_path / name)
    assert (tmp_path / name).exists()


def test_findings_raise_if_strict(module):
    data = np.arange(1000, dtype=np.float32)
    result = module.scale[1024, 256](data, 2.0, 1000, check="memory")
    assert [f["rule"] for f in result.findings] == ["memory-bounds"] * result.stats["findings"]
    with pytest.raises(crosslane.FindingsError, match="past the end of 'data'") as error:
        module.scale[1024, 256](data, 2.0, 1000, check="memory", strict=True)
    assert error.value.result.findings and isinstance(error.value, AssertionError)
    assert module.scale[1000, 250](data, 2.0, 999, check="memory", strict=True).findings == []


def test_expectations(module):
    assert module.scale[4]("f32[4]:1", 3.0, 3, expect={"data": "f32[4]:3"}).document("comparisons.txt").startswith("data: equal")
    with pytest.raises(crosslane.Different, match="data: .*differ"):
        module.scale[4]("f32[4]:1", 3.0, 3, expect={"data": "f32[4]:2"})


def test_memory_is_limited(module):
    with pytest.raises(MemoryError):
        crosslane.zeros(1 << 58, np.uint8)
    with pytest.raises(ValueError):
        crosslane.zeros(-1)


def test_vocabulary():
    assert "gfx906" in crosslane.targets() and "vega10" in crosslane.cards()
    assert crosslane.host_level() in ("v1", "v3", "v4")
    assert crosslane.__version__.count(".") == 2
    with pytest.raises(crosslane.UnknownName, match="there are on, off, always and verify"):
        crosslane.set_jit("perhaps")
