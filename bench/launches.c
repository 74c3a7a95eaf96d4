/* What a launch through the library costs: vector_add of 64 and of 1000 work-items, arguments in device memory, again
 * and again. build/release/bin/crosslane_launches_bench examples/vector_add.cl */
#define _POSIX_C_SOURCE 199309L
#include <crosslane/crosslane.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  crosslane_context* context;
  crosslane_module* module;
  crosslane_buffer* buffer;
  crosslane_launch* launch;
  if (argc != 2 || crosslane_context_create(&context) || crosslane_module_load(context, argv[1], NULL, &module) ||
      crosslane_buffer_create(context, 4000, "data", &buffer) ||
      crosslane_launch_create(crosslane_module_kernel(module, "vector_add"), &launch)) {
    fprintf(stderr, "usage: launches examples/vector_add.cl\n");
    return 1;
  }
  for (uint32_t items = 64; items <= 1000; items += 936) {
    crosslane_launch_set_grid(launch, 1, &items);
    for (size_t i = 0; i < 3; ++i)
      crosslane_launch_set_buffer(launch, i, buffer, 0);
    crosslane_launch_set_integer(launch, 3, items);
    double best = 1e9;
    for (int round = 0; round < 20; ++round) {
      const double begin = now();
      for (int i = 0; i < 500; ++i) {
        crosslane_result* result;
        if (crosslane_launch_run(launch, &result)) {
          fprintf(stderr, "launches: %s\n", crosslane_launch_message(launch));
          return 1;
        }
        crosslane_result_destroy(result);
      }
      const double each = (now() - begin) / 500;
      best = each < best ? each : best;
    }
    printf("%u work-items: %.1f us a launch\n", items, best * 1e6);
  }
  return 0;
}
