/* Every function with NULL for what it needs: an error, or nothing. Returns the line of the first that is neither. C,
 * as the header is. */
#include <crosslane/crosslane.h>
#include <string.h>

#define REFUSES(call)                                                                                                  \
  if ((call) != CROSSLANE_ERROR_ARGUMENT)                                                                              \
  return __LINE__
#define IS(condition)                                                                                                  \
  if (!(condition))                                                                                                    \
  return __LINE__

int null_everywhere(void);
int null_everywhere(void) {
  crosslane_context *context = NULL, *shared = NULL;
  crosslane_module* module = NULL;
  crosslane_buffer* buffer = NULL;
  crosslane_launch* launch = NULL;
  crosslane_result* result = NULL;
  crosslane_capture* capture = NULL;
  crosslane_dispatch_info dispatch = {sizeof dispatch};
  crosslane_kernel_info info = {sizeof info};
  crosslane_stats stats = {sizeof stats};
  crosslane_fault fault = {sizeof fault};
  crosslane_contents contents = {sizeof contents};
  crosslane_parameter_info parameter = {sizeof parameter};
  const char* text = NULL;
  const uint32_t size = 1;

  crosslane_context_destroy(NULL), crosslane_module_destroy(NULL), crosslane_buffer_destroy(NULL);
  crosslane_launch_destroy(NULL), crosslane_result_destroy(NULL), crosslane_capture_destroy(NULL);
  crosslane_launch_cancel(NULL), crosslane_launch_clear_arguments(NULL), crosslane_launch_on_progress(NULL, NULL, NULL);
  IS(strlen(crosslane_context_message(NULL)) && strlen(crosslane_module_message(NULL)));
  IS(strlen(crosslane_launch_message(NULL)) && strlen(crosslane_result_message(NULL)));
  IS(!strcmp(crosslane_module_target(NULL), "") && crosslane_module_kernel_count(NULL) == 0);
  IS(!crosslane_module_kernel_at(NULL, 0) && !crosslane_module_kernel(NULL, ""));
  IS(crosslane_kernel_parameter_index(NULL, "a") == -1);
  IS(!crosslane_buffer_data(NULL) && crosslane_buffer_size(NULL) == 0);
  IS(crosslane_result_status(NULL) == CROSSLANE_ERROR_ARGUMENT);
  IS(strlen(crosslane_capture_message(NULL)) && crosslane_capture_dispatch_count(NULL) == 0);
  REFUSES(crosslane_set_jit(NULL));
  REFUSES(crosslane_capture_open(NULL, "x", &capture));
  REFUSES(crosslane_capture_get_dispatch(NULL, 0, &dispatch));
  REFUSES(crosslane_capture_replay(NULL, 0, &launch));
  REFUSES(crosslane_replay_set_workgroups(NULL, 0, 1));
  REFUSES(crosslane_replay_set_expect(NULL, 1));
  REFUSES(crosslane_context_create(NULL));
  REFUSES(crosslane_context_share(NULL, &shared));
  REFUSES(crosslane_module_load(NULL, "x", NULL, &module));
  REFUSES(crosslane_module_load_bytes(NULL, "x", 1, "x", NULL, &module));
  REFUSES(crosslane_module_variable(NULL, "x", &buffer));
  REFUSES(crosslane_module_reset(NULL));
  REFUSES(crosslane_kernel_get_info(NULL, &info));
  REFUSES(crosslane_kernel_get_parameter(NULL, 0, &parameter));
  REFUSES(crosslane_buffer_create(NULL, 1, "x", &buffer));
  REFUSES(crosslane_buffer_wrap(NULL, &info, 1, 0, "x", &buffer));
  REFUSES(crosslane_launch_create(NULL, &launch));
  REFUSES(crosslane_launch_set_grid(NULL, 1, &size));
  REFUSES(crosslane_launch_set_groups(NULL, 1, &size));
  REFUSES(crosslane_launch_set_block(NULL, 1, &size));
  REFUSES(crosslane_launch_set_value(NULL, 0, &size, 4));
  REFUSES(crosslane_launch_set_integer(NULL, 0, 1));
  REFUSES(crosslane_launch_set_real(NULL, 0, 1));
  REFUSES(crosslane_launch_set_buffer(NULL, 0, NULL, 0));
  REFUSES(crosslane_launch_set_pointer(NULL, 0, NULL));
  REFUSES(crosslane_launch_set_local(NULL, 0, 4));
  REFUSES(crosslane_launch_add_word(NULL, "5"));
  REFUSES(crosslane_launch_configure(NULL, ""));
  REFUSES(crosslane_launch_run(NULL, &result));
  REFUSES(crosslane_result_get_stats(NULL, &stats));
  REFUSES(crosslane_result_get_fault(NULL, &fault));
  REFUSES(crosslane_result_document(NULL, "printed", &text, NULL));
  REFUSES(crosslane_result_get_buffer(NULL, "a", &contents));

  IS(crosslane_context_create(&context) == CROSSLANE_OK);
  REFUSES(crosslane_module_load(context, NULL, NULL, &module));
  REFUSES(crosslane_module_load(context, "x", NULL, NULL));
  REFUSES(crosslane_module_load_bytes(context, NULL, 0, "x", NULL, &module));
  REFUSES(crosslane_module_load_bytes(context, "x", 1, NULL, NULL, &module));
  crosslane_load_options options = {0};
  REFUSES(crosslane_module_load(context, "x", &options, &module));
  REFUSES(crosslane_buffer_create(context, 1, "x", NULL));
  REFUSES(crosslane_buffer_wrap(context, NULL, 1, 0, "x", &buffer));
  REFUSES(crosslane_buffer_wrap(context, &info, 1, 64, "x", &buffer));
  IS(crosslane_buffer_wrap(context, NULL, 0, 0, NULL, &buffer) == CROSSLANE_OK && crosslane_buffer_size(buffer) == 0);
  crosslane_buffer_destroy(buffer);
  IS(crosslane_buffer_create(context, (size_t)1 << 60, "x", &buffer) == CROSSLANE_ERROR_MEMORY && !buffer);
  IS(strstr(crosslane_context_message(context), "'x'"));
  REFUSES(crosslane_context_share(context, NULL));
  IS(crosslane_context_share(context, &shared) == CROSSLANE_OK && !strcmp(crosslane_context_message(shared), ""));
  crosslane_context_destroy(context);
  IS(crosslane_buffer_create(shared, 4, "x", &buffer) == CROSSLANE_OK);
  crosslane_context_destroy(shared), crosslane_buffer_destroy(buffer);
  return 0;
}
