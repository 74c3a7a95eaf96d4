// Contexts and the buffers in them.
#include "api/attempt.h"
#include "api/handles.h"
#include "machine/second_half.h"

using namespace crosslane;
using api::attempt, api::failed;

crosslane_status crosslane_context_create(crosslane_context** context) {
  if (!context)
    return CROSSLANE_ERROR_ARGUMENT;
  try {
    machine::use_second_half(); // captures are of programs, which begin with the first one
    *context = new crosslane_context{launch::Device::create(), {}};
    return CROSSLANE_OK;
  } catch (const std::bad_alloc&) {
    *context = nullptr;
    return CROSSLANE_ERROR_MEMORY;
  }
}

crosslane_status crosslane_context_share(const crosslane_context* context, crosslane_context** shared) {
  if (!context || !shared)
    return CROSSLANE_ERROR_ARGUMENT;
  *shared = new (std::nothrow) crosslane_context{context->device, {}};
  return *shared ? CROSSLANE_OK : CROSSLANE_ERROR_MEMORY;
}

void crosslane_context_destroy(crosslane_context* context) { delete context; }
const char* crosslane_context_message(const crosslane_context* context) {
  return context ? context->message.c_str() : "there is no context";
}

namespace {

crosslane_status create(crosslane_context& context, size_t size, const char* name, void* host, bool read_only,
                        crosslane_buffer** buffer) {
  *buffer = nullptr;
  auto memory = std::make_shared<api::Memory>();
  auto block = context.device->allocate(size, name ? name : "buffer", {});
  if (!block)
    return failed(context.message, CROSSLANE_ERROR_MEMORY, block.takeError());
  memory->block = std::move(*block);
  memory->data = memory->block.bytes().data(), memory->size = size;
  memory->host = host, memory->read_only = read_only;
  *buffer = new crosslane_buffer{std::move(memory)};
  return CROSSLANE_OK;
}

} // namespace

crosslane_status crosslane_buffer_create(crosslane_context* context, size_t size, const char* name,
                                         crosslane_buffer** buffer) {
  return attempt(context, [&](crosslane_context& c) {
    if (!buffer)
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "there is no place for the buffer");
    return create(c, size, name, nullptr, false, buffer);
  });
}

crosslane_status crosslane_buffer_wrap(crosslane_context* context, void* memory, size_t size, uint32_t flags,
                                       const char* name, crosslane_buffer** buffer) {
  return attempt(context, [&](crosslane_context& c) {
    if (!buffer || (!memory && size))
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "there is no {}", buffer ? "memory" : "place for the buffer");
    if (flags & ~CROSSLANE_READ_ONLY)
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "flags {:#x}: there is CROSSLANE_READ_ONLY", flags);
    return create(c, size, name, memory, flags & CROSSLANE_READ_ONLY, buffer);
  });
}

void crosslane_buffer_destroy(crosslane_buffer* buffer) { delete buffer; }
void* crosslane_buffer_data(const crosslane_buffer* buffer) { return buffer ? buffer->shared->data : nullptr; }
size_t crosslane_buffer_size(const crosslane_buffer* buffer) { return buffer ? buffer->shared->size : 0; }
