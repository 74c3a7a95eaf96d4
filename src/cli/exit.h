// Owns the exit status of the command. `run` has that of its program.
#pragma once

namespace crosslane::cli {

enum Exit : int {
  ok = 0,
  wrong = 1,            // the result is not as expected; of `asm`: errors in the text; of `jit`: not compiled
  bad = 2,              // usage or input
  fault = 3,            // the kernel faulted
  timeout = 124,        // as timeout(1) says it; a signal is 128 and its number
  not_executable = 126, // of `run`, as env(1) and timeout(1) say it: the program is there, but cannot be started
  not_found = 127,
};

// The same for manual pages.
struct ExitText {
  const char *status, *what;
  bool runs; // of what runs kernels alone
};
inline constexpr ExitText exit_texts[] = {
    {"0", "all is well", false},
    {"1", "a result is not as expected, or there are findings", false},
    {"2", "bad usage or input", false},
    {"3", "the kernel faulted", true},
    {"124", "the time limit of --timeout is over", true},
    {"128 + N", "stopped by signal N", true},
};

} // namespace crosslane::cli
