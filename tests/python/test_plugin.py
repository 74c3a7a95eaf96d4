"""crosslane.pytest, by pytest's own means of testing plugins."""

pytest_plugins = ["pytester"]

HEAD = """
import numpy as np
pytest_plugins = ["crosslane.pytest"]
"""
SCALE = """kernel void scale(global float* data, float factor, uint n) {
  uint i = get_global_id(0);
  if (i <= n) data[i] *= factor;
}"""


def test_five_lines_are_a_test(pytester):
    pytester.makefile(".cl", scale=SCALE)
    pytester.makeconftest(HEAD)
    pytester.makepyfile("""
        import numpy as np

        def test_scale(kernel, assert_clean, assert_close):
            scale = kernel("scale.cl")
            data = np.arange(1000, dtype=np.float32)
            assert_clean(scale[1000, 250], data, 2.0, 999)
            assert_close(data, np.arange(1000) * 2)

        def test_it_again(kernel, assert_clean):
            assert_clean(kernel("scale.cl", "scale", target="gfx906"), np.ones(4, np.float32), 1.0, 3, grid=4)
    """)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_findings_and_differences_fail_with_their_text(pytester):
    pytester.makefile(".cl", scale=SCALE)
    pytester.makeconftest(HEAD)
    pytester.makepyfile("""
        import numpy as np

        def test_bounds(kernel, assert_clean):
            assert_clean(kernel("scale.cl")[1024, 256], np.ones(1000, np.float32), 2.0, 1000)

        def test_values(kernel, assert_close):
            data = np.ones(4, np.float32)
            kernel("scale.cl")[4](data, 2.0, 3)
            assert_close(data, [2, 2, 3, 2], name="data")

        def test_file(kernel):
            kernel("nothing.cl")
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*findings of check=\"memory,sync,race,init\" in scale:",
                                 "*scale.cl:3:23: error: reads 4 bytes right past the end of 'data' (4000 bytes)*"])
    result.stdout.fnmatch_lines(["*Not equal to tolerance*", "*data*", "*Mismatched elements: 1 / 4*"])
    result.stdout.fnmatch_lines(["*FileNotFoundError: nothing.cl is neither in *"])


def test_options_of_the_command_line(pytester):
    pytester.makefile(".cl", peek="kernel void peek(global const int* data, global int* out) { *out = data[1000]; }")
    pytester.makeconftest(HEAD)
    pytester.makepyfile("""
        import numpy as np

        def test_peek(kernel, assert_clean):
            peek = kernel("peek.cl")
            assert peek.module.target == "gfx803"
            assert_clean(peek[1], np.ones(1000, np.int32), np.zeros(1, np.int32))
    """)
    options = ("--crosslane-target=gfx803", "-p", "no:cacheprovider")
    pytester.runpytest_subprocess("--crosslane-check=race", *options).assert_outcomes(passed=1)
    pytester.runpytest_subprocess("--crosslane-check=memory", *options).assert_outcomes(failed=1)


def test_variables_begin_anew(pytester):
    pytester.makefile(".cl", count="global int counter; kernel void count(global int* out) { *out = ++counter; }")
    pytester.makeconftest(HEAD)
    pytester.makepyfile("""
        import numpy as np, pytest

        @pytest.mark.parametrize("time", range(3))
        def test_count(kernel, time):
            out = np.zeros(1, np.int32)
            kernel("count.cl")[1](out)
            assert out[0] == 1
    """)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)
