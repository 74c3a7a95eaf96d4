"""Several Python threads, signals, and progress."""
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import crosslane
from conftest import ROOT

SPIN = """kernel void spin(global int* out, uint rounds) {
  uint v = get_global_id(0);
  for (uint i = 0; i < rounds; ++i) v = v * 1664525u + 1013904223u;
  out[get_global_id(0)] = v;
}"""


@pytest.fixture(scope="module")
def spin():
    return crosslane.compile(SPIN).spin


def test_threads_launch_at_once(example, rng):
    module = example("vector_add.cl")
    contexts = [crosslane.Context() for _ in range(2)]
    others = [c.load(ROOT / "examples/stencil5.cl") for c in contexts]
    failures = []

    def work(number):
        try:
            local = np.random.default_rng(number)
            for _ in range(40):
                a, b = local.standard_normal((2, 500), np.float32)
                c = np.zeros(500, np.float32)
                module.vector_add[500, 64](a, b, c, 500)
                np.testing.assert_array_equal(c, a + b)
                image = local.standard_normal((8, 8), np.float32)
                out = contexts[number % 2].zeros((8, 8))
                others[number % 2].stencil5[(8, 8), (8, 8)](image, out, 8, 8)
                np.testing.assert_array_equal(out[0], image[0])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_python_goes_on_while_a_kernel_runs(spin):
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    counter = threading.Thread(target=count)
    counter.start()
    with pytest.raises(crosslane.Timeout):
        spin[1, 1](np.zeros(1, np.int32), 0xFFFFFFFF, timeout=1)
    done.set()
    counter.join()
    assert len(ticks) > 10


class Running:
    """A launch that goes on until it is cancelled, and says when it has begun."""

    def __init__(self, kernel):
        self.begun = threading.Event()
        self.launch = kernel[1, 1].prepare(np.zeros(1, np.int32), 0xFFFFFFFF, progress=lambda p: self.begun.set(), timeout=120)
        self.ended = []

    def run(self):
        try:
            self.launch.run()
        except crosslane.Error as error:
            self.ended.append(type(error))

    def cancel(self):
        assert self.begun.wait(60)
        self.launch.cancel()


def test_cancel_from_another_thread(spin):
    running = Running(spin)
    thread = threading.Thread(target=running.cancel)
    thread.start()
    running.run()
    thread.join()
    assert running.ended == [crosslane.Cancelled]
    running.launch.cancel()  # nothing runs: nothing happens


def test_cancel_a_launch_of_another_thread(spin):
    running = Running(spin)
    thread = threading.Thread(target=running.run)
    thread.start()
    running.cancel()
    thread.join()
    assert running.ended == [crosslane.Cancelled]


def test_one_launch_is_not_run_twice_at_once(spin):
    running = Running(spin)
    thread = threading.Thread(target=running.run)
    thread.start()
    assert running.begun.wait(60)
    with pytest.raises(crosslane.LaunchError, match="running already"):
        running.launch.run()
    running.cancel()
    thread.join()
    assert running.ended == [crosslane.Cancelled]


def test_progress(spin):
    seen = []
    with pytest.raises(crosslane.Timeout):
        spin[1, 1](np.zeros(1, np.int32), 0xFFFFFFFF, timeout=1.5, progress=seen.append)
    assert seen and seen[-1].workgroups == 1 and seen[-1].seconds > 0
    assert all(isinstance(p, crosslane.Progress) for p in seen)

    def enough(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        spin[1, 1](np.zeros(1, np.int32), 0xFFFFFFFF, progress=enough)


def test_handlers_that_return_let_it_go_on(spin):
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        begin = time.monotonic()
        with pytest.raises(crosslane.Timeout):
            spin[1, 1](np.zeros(1, np.int32), 0xFFFFFFFF, timeout=3)
        assert len(rung) == 1 and rung[0] - begin < 2.5
    finally:
        signal.signal(signal.SIGALRM, before)


def test_handlers_that_raise_end_it(spin):
    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Alarm):
            spin[1, 1](np.zeros(1, np.int32), 0xFFFFFFFF, timeout=60)
    finally:
        signal.signal(signal.SIGALRM, before)
    out = np.zeros(1, np.int32)
    spin[1, 1](out, 1)
    assert out[0] == 1013904223


@pytest.mark.parametrize("where", ["kernel", "thread"])
def test_ctrl_c(where, tmp_path):
    script = tmp_path / "hangs.py"
    script.write_text(textwrap.dedent(f"""
        import sys, threading
        import crosslane, numpy as np
        spin = crosslane.compile({SPIN!r}).spin
        def launch():
            print("begins", flush=True)
            spin[1, 1](np.zeros(1, np.int32), 0xFFFFFFFF, timeout=3 if {where == "thread"} else 60)
        try:
            if {where == "thread"}:
                threading.excepthook = lambda args: print(args.exc_type.__name__, flush=True)
                thread = threading.Thread(target=launch)
                thread.start()
                thread.join()
            else:
                launch()
        except KeyboardInterrupt:
            print("KeyboardInterrupt", flush=True)
            c = np.zeros(1, np.int32)
            spin[1, 1](c, 1)
            print(c[0], flush=True)
    """))
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    told, _ = process.communicate(timeout=60)
    assert "KeyboardInterrupt\n1013904223\n" in told
    if where == "kernel":
        assert time.monotonic() - begin < 30  # and not the minute of its timeout
    assert process.returncode == 0


def test_compiling_leaves_pythons_handler():
    crosslane.compile("kernel void f() {}")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def _launch_in_child(queue):
    c = np.zeros(4, np.float32)
    crosslane.load(ROOT / "examples/vector_add.cl").vector_add[4, 4](np.ones(4, np.float32), np.ones(4, np.float32), c, 4)
    queue.put(c.tolist())


@pytest.mark.parametrize("way", ["spawn", "fork"])
def test_other_processes(spin, way):
    spin[1, 1](np.zeros(1, np.int32), 1)  # whose threads a fork does not have
    context = multiprocessing.get_context(way)
    queue = context.Queue()
    child = context.Process(target=_launch_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == [2, 2, 2, 2]
    child.join()


def test_ctrl_c_while_compiling(tmp_path):
    script = tmp_path / "compiles.py"
    script.write_text(textwrap.dedent("""
        import crosslane
        text = "".join(f"kernel void f{i}(global double* p) {{ p[0] = pow(p[1], lgamma(p[2])); }}\\n" for i in range(200))
        print("begins", flush=True)
        try:
            while True:
                crosslane.compile(text)
        except KeyboardInterrupt:
            print("KeyboardInterrupt", flush=True)
        crosslane.compile("kernel void f() {}").f[1]()
        print("ends", flush=True)
    """))
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)
    assert told == ("KeyboardInterrupt\nends\n", "")
