/* A kernel of OpenCL C on memory of this program's.
 *
 *   cc vector_add.c $(pkg-config --cflags --libs crosslane) -o vector_add && ./vector_add ../vector_add.cl */
#include <crosslane/crosslane.h>
#include <stdio.h>

enum { count = 1000 };

static int failed(const char* message) {
  fprintf(stderr, "vector_add: %s\n", message);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2)
    return failed("usage: vector_add vector_add.cl");
  float a[count], b[count], c[count];
  for (int i = 0; i < count; ++i)
    a[i] = (float)i, b[i] = 1;

  crosslane_context* context;
  if (crosslane_context_create(&context))
    return failed("out of memory");
  crosslane_module* module;
  if (crosslane_module_load(context, argv[1], NULL, &module))
    return failed(crosslane_context_message(context));
  const crosslane_kernel* kernel = crosslane_module_kernel(module, "vector_add");
  if (!kernel)
    return failed(crosslane_module_message(module));

  crosslane_buffer *in_a, *in_b, *out;
  if (crosslane_buffer_wrap(context, a, sizeof a, CROSSLANE_READ_ONLY, "a", &in_a) ||
      crosslane_buffer_wrap(context, b, sizeof b, CROSSLANE_READ_ONLY, "b", &in_b) ||
      crosslane_buffer_wrap(context, c, sizeof c, 0, "c", &out))
    return failed(crosslane_context_message(context));

  crosslane_launch* launch;
  const uint32_t grid[] = {count};
  crosslane_launch_create(kernel, &launch);
  if (crosslane_launch_set_grid(launch, 1, grid) || crosslane_launch_set_buffer(launch, 0, in_a, 0) ||
      crosslane_launch_set_buffer(launch, 1, in_b, 0) || crosslane_launch_set_buffer(launch, 2, out, 0) ||
      crosslane_launch_set_integer(launch, 3, count))
    return failed(crosslane_launch_message(launch));

  crosslane_result* result;
  if (crosslane_launch_run(launch, &result))
    return failed(crosslane_launch_message(launch));
  crosslane_stats stats = {.size = sizeof stats};
  crosslane_result_get_stats(result, &stats);
  printf("c[0] = %g, c[%d] = %g; %llu wave-instructions on %s\n", c[0], count - 1, c[count - 1],
         (unsigned long long)stats.instructions, crosslane_module_target(module));

  crosslane_result_destroy(result);
  crosslane_launch_destroy(launch);
  crosslane_buffer_destroy(in_a), crosslane_buffer_destroy(in_b), crosslane_buffer_destroy(out);
  crosslane_module_destroy(module);
  crosslane_context_destroy(context);
  return 0;
}
