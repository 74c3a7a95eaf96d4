// OpenMP in C++ by LLVM 19: reductions, mapping of structures and sections, declare target, atomics, teams with shared
// memory and barriers, SPMD and generic regions. Debian's LLVM 19 links no printf for the device.
#include <omp.h>

#include <cmath>
#include <vector>

#include "tests/programs/check.h"

#pragma omp begin declare target
int offset = 5;
static int shifted(int x) { return x + offset; }
#pragma omp end declare target

struct Body {
  double mass;
  int count;
  double* positions;
};

int main() {
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  REQUIRE(!on_host, "the target region ran on the host");
  REQUIRE(omp_get_num_devices() == 1, "%d devices", omp_get_num_devices());

  const int count = 10000;
  std::vector<int> a(count);
  long long expected = 0;
  for (int i = 0; i < count; ++i)
    a[i] = (i * 37) % 1009 - 400, expected += a[i] + 5;
  int* data = a.data();
  long long sum = 0;
  double roots = 0, expected_roots = 0;
  int least = 1000;
  for (int i = 0; i < count; ++i)
    expected_roots += std::sqrt(double(i));
#pragma omp target teams distribute parallel for reduction(+ : sum, roots) reduction(min : least)                      \
    map(to : data[0 : count])
  for (int i = 0; i < count; ++i) {
    sum += shifted(data[i]);
    roots += std::sqrt(double(i));
    least = data[i] < least ? data[i] : least;
  }
  REQUIRE(sum == expected && least == -400, "%lld, not %lld; least %d", sum, expected, least);
  REQUIRE(std::fabs(roots - expected_roots) < 1e-9 * expected_roots, "%.12g, not %.12g", roots, expected_roots);

  offset = -1;
#pragma omp target update to(offset)
  Body body = {2.5, 300, new double[300]};
  for (int i = 0; i < 300; ++i)
    body.positions[i] = i;
#pragma omp target enter data map(to : body, body.positions[0 : 300])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < body.count; ++i)
    body.positions[i] = body.positions[i] * body.mass + shifted(i);
#pragma omp target exit data map(from : body.positions[0 : 300]) map(release : body)
  for (int i = 0; i < 300; ++i)
    REQUIRE(body.positions[i] == i * 2.5 + i - 1, "position %d is %g", i, body.positions[i]);
  delete[] body.positions;

  // A generic region: the main thread of each team works alone between two parallel loops over the team's memory
  int totals[8] = {0}, counter = 0;
#pragma omp target teams num_teams(8) thread_limit(64) map(from : totals) map(tofrom : counter)
  {
    int squares[64], total = 0;
#pragma omp parallel for shared(squares)
    for (int i = 0; i < 64; ++i)
      squares[i] = i * i + omp_get_team_num();
    for (int i = 0; i < 64; ++i)
      total += squares[i];
    if (omp_get_team_num() < 8)
      totals[omp_get_team_num()] = total;
#pragma omp parallel for
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic update
      counter += i;
    }
  }
  for (int team = 0; team < 8; ++team)
    REQUIRE(totals[team] == 85344 + 64 * team, "team %d: %d", team, totals[team]);
  REQUIRE(counter == 8 * 4950, "%d", counter);

  int first = 0, second = 0;
#pragma omp target nowait depend(out : first) map(from : first)
  first = 6;
#pragma omp target nowait depend(in : first) map(to : first) map(from : second)
  second = first * 7;
#pragma omp taskwait
  REQUIRE(second == 42, "%d", second);

  printf("sum %lld, roots %.6f\n", sum, roots);
  return pass();
}
