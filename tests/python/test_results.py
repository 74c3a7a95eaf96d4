"""What is known of a launch."""
import builtins
import html
import re

import numpy as np
import pytest

import crosslane


@pytest.fixture
def vectors():
    a = np.arange(1000, dtype=np.float32)
    return a, a, np.zeros(1000, np.float32), 1000


def test_plain(example, vectors):
    result = example("vector_add.cl").vector_add[1000, 256](*vectors)
    # 4 workgroups, of 4 waves but the last, which has 232 work-items.
    assert result.stats["workgroups"] == 4 and result.stats["waves"] == 16
    assert result.stats["instructions"] % 16 == 0 and result.stats["seconds"] > 0
    for name in ("profile", "findings", "timing", "fidelity", "counters", "fault"):
        assert getattr(result, name) is None, name
    assert result.printed == "" and result.tables == {} and dict(result.buffers) == {}
    assert re.fullmatch(r"<vector_add: 4 workgroups, \d+ wave-instructions, [\d.e-]+ ms>", repr(result))
    assert result._repr_html_().startswith("<table>")
    with pytest.raises(crosslane.UnknownName, match="no option 'profile'"):
        result.document("profile.json")
    with pytest.raises(crosslane.UnknownName, match="there are printed, "):
        result.document("nonsense")


def test_everything(example, vectors):
    result = example("vector_add.cl").vector_add.launch(
        *vectors, grid=1000, block=256, profile="all", check={"memory", "race"}, time=True, gpu="vega10", fidelity=True,
        timeout=100.0, runs=1)
    kernel = result.profile["kernels"][0]
    assert result.profile["format"] == "crosslane-profile" and kernel["grid"] == [1000, 1, 1]
    assert kernel["wave_instructions"] == result.stats["instructions"]
    assert result.findings == []
    assert result.timing["card"] == "vega10" and result.timing["nanoseconds"] > 0
    assert result.fidelity is not None
    assert {"instructions", "lines", "counters", "mix", "findings", "timing"} <= set(result.tables)
    assert sum(row["executions"] for row in result.tables["instructions"]) == result.stats["instructions"]
    assert "0 findings" in repr(result)


def test_page_is_sandboxed(example, vectors):
    result = example("vector_add.cl").vector_add[1000, 256](*vectors, profile="branches")
    page = result._repr_html_()
    match = re.fullmatch(r'<iframe sandbox="allow-scripts" style="[^"]*" srcdoc="([^"]*)"></iframe>', page)
    assert html.unescape(match[1]) == result.document("profile.html")


def test_printed():
    module = crosslane.compile('kernel void hello() { printf("hello %d\\n", (int)get_global_id(0) + 40); }')
    assert module.hello[2, 2]().printed == "hello 40\nhello 41\n"


def test_probes(example):
    values, out = np.arange(256, dtype=np.uint32), np.zeros(256, np.uint32)
    result = example("if_else.s").if_else[256, 64](values, out, 32, instrument="divergence")
    assert result.profile["measured_by"] == "probes"
    branches = [row["branch"] for row in result.tables["instructions"] if "branch" in row]
    assert branches[0]["executions"] == branches[0]["divergences"] == 4  # 4 waves, each of two halves


def test_files_are_written_too(example, vectors, tmp_path):
    result = example("vector_add.cl").vector_add[1000](*vectors, profile="branches", json=tmp_path / "p.json",
                                                       html=tmp_path / "p.html")
    assert (tmp_path / "p.json").read_text() == result.document("profile.json")
    assert (tmp_path / "p.html").stat().st_size > 100_000


def test_pandas_is_asked_for_when_it_is_needed(example, vectors, monkeypatch):
    result = example("vector_add.cl").vector_add[1000](*vectors, profile="branches")
    imported = builtins.__import__

    def without(name, *rest, **keywords):
        if name == "pandas":
            raise ImportError(name)
        return imported(name, *rest, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="python3-pandas"):
        result.to_pandas("instructions")


def test_pandas(example, vectors):
    pytest.importorskip("pandas")
    result = example("vector_add.cl").vector_add[1000](*vectors, profile="branches")
    frame = result.to_pandas("instructions")
    assert frame["executions"].sum() == result.stats["instructions"]
    sites = frame[frame["branch.executions"].notna()]["text"]
    assert [text.split()[0] for text in sites] == ["s_and_saveexec_b64", "s_cbranch_execz"]
    assert set(result.to_pandas()) == set(result.tables)
    with pytest.raises(crosslane.UnknownName, match="there are .*instructions"):
        result.to_pandas("nonsense")


def test_a_result_outlives_its_launch():
    result = crosslane.compile("kernel void f(global int* p) { *p = 5; }").f[1]("i32[1]")
    contents = result.buffers["p"]
    del result
    assert contents[0] == 5


def test_prepared_launches(example):
    a, c = np.ones(100, np.float32), np.zeros(100, np.float32)
    launch = example("vector_add.cl").vector_add[100].prepare(a, a, c, 100)
    for value in (1, 7):
        a[:] = value
        launch.run()
        assert (c == 2 * value).all()
    strided = np.ones(200, np.float32)
    launch = example("vector_add.cl").vector_add[100].prepare(strided[::2], a, c, 100)
    strided[:] = 3
    launch.run()
    assert (c == 10).all()


def test_modules_say_what_they_are(example):
    module = example("vector_add.cl")
    assert repr(module) == "<module vector_add.cl for gfx900: vector_add>"
    assert repr(module.vector_add) == "<kernel vector_add(float* a, float* b, float* c, uint n) for gfx900>"
    assert module.vector_add.info["max_block"] == 256
    assert [p.read_only for p in module.vector_add.parameters] == [True, True, False, False]
    assert str(module.vector_add.parameters[3]) == "uint n"
