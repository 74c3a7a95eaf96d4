// printf on the device: every lane's line arrives on standard output once, with numbers, strings and wide values as the
// host's printf formats them.
#include <algorithm>
#include <string>
#include <unistd.h>

#include "tests/programs/hip/hip_check.h"

#define FORMAT "lane %d of block %u: %s %.3f %#llx%c\n"

__global__ void speak(int* returned) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  returned[i] = printf(FORMAT, int(threadIdx.x), unsigned(blockIdx.x), i & 1 ? "odd" : "even", i * 0.125,
                       0x123456789abcull + i, i == 5 ? '!' : '.');
}

__global__ void once() {
  if (threadIdx.x == 37)
    printf("only one lane, %%, %5d|%-5d|%s\n", 42, 42, "end");
}

int main() {
  const int count = 3 * 70;
  Device<int> returned(count);
  HIP(hipMemset(returned, 0x7f, returned.bytes()));
  HIP(hipDeviceSynchronize());

  // Standard output is a file meanwhile
  FILE* const file = tmpfile();
  const int original = dup(STDOUT_FILENO);
  REQUIRE(file && original >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
  speak<<<3, 70>>>(returned);
  HIP(hipDeviceSynchronize());
  once<<<1, 64>>>();
  HIP(hipDeviceSynchronize());
  fflush(stdout);
  dup2(original, STDOUT_FILENO);
  rewind(file);
  std::vector<std::string> lines, expected;
  char line[200];
  while (fgets(line, sizeof line, file))
    lines.push_back(line);

  const std::vector<int> results = returned.read();
  for (int i = 0; i < count; ++i) {
    const int length = snprintf(line, sizeof line, FORMAT, i % 70, unsigned(i) / 70, i & 1 ? "odd" : "even", i * 0.125,
                                0x123456789abcull + i, i == 5 ? '!' : '.');
    expected.push_back(line);
    REQUIRE(results[i] == length, "printf of %d returned %d, not %d", i, results[i], length);
  }
  expected.push_back("only one lane, %,    42|42   |end\n");
  REQUIRE(!lines.empty() && lines.back() == expected.back(), "the second kernel's line comes last");
  std::sort(lines.begin(), lines.end());
  std::sort(expected.begin(), expected.end());
  REQUIRE(lines.size() == expected.size(), "%zu lines", lines.size());
  for (size_t i = 0; i < lines.size(); ++i)
    REQUIRE(lines[i] == expected[i], "%s instead of %s", lines[i].c_str(), expected[i].c_str());
  printf("%zu lines\n", lines.size());
  return pass();
}
