// lanes_run_at LEVEL PROGRAM args...: runs PROGRAM if this CPU has the instruction set LEVEL, else says so and exits
// 77, which CTest counts as skipped. Compiled for any x86-64, as the program itself could fault before its main.
#include <cstdio>
#include <cstring>
#include <unistd.h>

static bool has(const char* level) {
  const bool avx2 = __builtin_cpu_supports("x86-64-v3"), avx512 = __builtin_cpu_supports("x86-64-v4");
  const bool vbmi = avx512 && __builtin_cpu_supports("avx512vbmi"),
             vbmi2 = vbmi && __builtin_cpu_supports("avx512vbmi2");
  const struct {
    const char* name;
    bool present;
  } levels[] = {{"baseline", true},      {"avx2", avx2},
                {"avx512", avx512},      {"avx512_vbmi", vbmi},
                {"avx512_vbmi2", vbmi2}, {"avx512_gfni", vbmi2 && __builtin_cpu_supports("gfni")}};
  for (const auto& l : levels)
    if (!std::strcmp(l.name, level))
      return l.present;
  std::fprintf(stderr, "lanes_run_at: no level '%s'\n", level);
  _exit(2);
}

int main(int argc, char** argv) {
  if (argc < 3)
    return std::fprintf(stderr, "usage: lanes_run_at LEVEL PROGRAM [args]\n"), 2;
  if (!has(argv[1]))
    return std::printf("skipped: this CPU has no %s\n", argv[1]), 77;
  execv(argv[2], argv + 2);
  return std::perror(argv[2]), 2;
}
