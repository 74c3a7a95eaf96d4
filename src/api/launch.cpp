// Launches: what is set is kept until it is run, which launch/ does.
#include "api/attempt.h"
#include "api/handles.h"
#include "profile/progress.h"
#include <algorithm>

using namespace crosslane;
using api::attempt, api::failed;

namespace {

// Why an argument cannot be set; the kernel's signature ends it, as in all that is said of arguments.
template <class... T>
crosslane_status wrong(crosslane_launch& launch, size_t index, fmt::format_string<T...> text, T&&... values) {
  return failed(launch.message, CROSSLANE_ERROR_LAUNCH, "argument {}: {}\n  kernel: {}", index,
                fmt::format(text, std::forward<T>(values)...), launch.kernel->text);
}

// What a replay has of its capture, and cannot be given.
crosslane_status captured(crosslane_launch& launch, std::string_view what) {
  return failed(launch.message, CROSSLANE_ERROR_LAUNCH, "{}: a replay has what was captured", what);
}

crosslane_status set(crosslane_launch& launch, size_t index, launch::Parameter::Kind kind, const char* what,
                     launch::SetArgument argument, std::shared_ptr<api::Memory> memory = nullptr) {
  if (!launch.kernel)
    return captured(launch, fmt::format("argument {}", index));
  if (const launch::Signature& signature = launch.kernel->signature; signature.known) {
    if (index >= signature.parameters.size())
      return wrong(launch, index, "there {} {}", signature.parameters.size() == 1 ? "is" : "are",
                   signature.parameters.size());
    const launch::Parameter& p = signature.parameters[index];
    // A pointer may be given as its eight bytes.
    if (p.kind != kind && !(p.kind == launch::Parameter::Kind::pointer && kind == launch::Parameter::Kind::scalar))
      return wrong(launch, index, "{} for '{}'", what, launch::describe(p));
    if (!argument.local_bytes && argument.bytes.size() != p.size)
      return wrong(launch, index, "{} bytes where {} are needed", argument.bytes.size(), p.size);
  }
  launch.arguments[index] = std::move(argument);
  launch.buffers.erase(index);
  if (memory)
    launch.buffers[index] = std::move(memory);
  return CROSSLANE_OK;
}

crosslane_status set_pointer(crosslane_launch& launch, size_t index, const void* address,
                             std::shared_ptr<api::Memory> memory = nullptr) {
  launch::SetArgument argument{std::vector<uint8_t>(sizeof(address))};
  std::memcpy(argument.bytes.data(), &address, sizeof(address));
  return set(launch, index, launch::Parameter::Kind::pointer, "an address", std::move(argument), std::move(memory));
}

// A number in words, as the parameter's type has it.
crosslane_status set_number(crosslane_launch& launch, size_t index, const std::string& text) {
  if (!launch.kernel)
    return captured(launch, fmt::format("argument {}", index));
  const auto& parameters = launch.kernel->signature.parameters;
  if (index >= parameters.size())
    return wrong(launch, index, "its type is not known: set its bytes");
  const launch::Parameter& p = parameters[index];
  if (p.kind != launch::Parameter::Kind::scalar || !p.element || p.elements != 1)
    return wrong(launch, index, "a number for '{}'", launch::describe(p));
  launch::SetArgument argument{std::vector<uint8_t>(launch::size_of(*p.element))};
  if (auto error = launch::store(*p.element, text, argument.bytes.data()))
    return wrong(launch, index, "{}", llvm::toString(std::move(error)));
  return set(launch, index, launch::Parameter::Kind::scalar, "a number", std::move(argument));
}

crosslane_status set_sizes(crosslane_launch* launch, uint32_t dimensions, const uint32_t* sizes,
                           launch::Sizes launch::Job::* place, const char* what) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (dimensions < 1 || dimensions > 3 || !sizes)
      return failed(l.message, CROSSLANE_ERROR_ARGUMENT, "{}: one to three sizes, not {}", what, dimensions);
    if (!l.kernel)
      return captured(l, what);
    if (place != &launch::Job::block)
      l.job.grid = l.job.groups = {};
    launch::Sizes& to = l.job.*place = {};
    std::copy_n(sizes, dimensions, to.value.begin());
    to.dims = static_cast<uint16_t>(dimensions);
    return CROSSLANE_OK;
  });
}

// What options may not say, or nothing.
const char* decided(const launch::Job& job) {
  return !job.file.empty()              ? "file"
         : !job.kernel.empty()          ? "kernel"
         : !job.compile.target.empty()  ? "target"
         : !job.compile.options.empty() ? "clang"
         : job.sandbox                  ? "sandbox"
                                        : nullptr;
}

// Of a replay, too.
const char* decided_by_capture(const launch::Job& job) {
  const std::pair<bool, const char*> given[] = {{job.grid.dims != 0, "grid"},
                                                {job.groups.dims != 0, "groups"},
                                                {job.block.dims != 0, "block"},
                                                {job.offset != decltype(job.offset){}, "offset"},
                                                {!job.arguments.empty(), "args"},
                                                {!job.out.empty(), "out"},
                                                {!job.print.empty(), "print"},
                                                {!job.expect.empty(), "expect"},
                                                {job.lds != 0, "lds"},
                                                {job.stack != 0, "stack"},
                                                {job.host_memory, "host_memory"},
                                                {!job.counters.empty(), "counters"},
                                                {!job.trap_handler.empty(), "trap_handler"}};
  const auto* found = std::ranges::find(given, true, &std::pair<bool, const char*>::first);
  return found == std::end(given) ? nullptr : found->second;
}

// Of a captured dispatch a fault may be what is expected.
crosslane_status status_of(const launch::Result& result, bool expect_captured) {
  if (expect_captured && !result.comparisons.empty() && result.unwritten.empty())
    return result.comparisons.front().different ? CROSSLANE_DIFFERENT : CROSSLANE_OK;
  switch (result.end) {
  case launch::End::complete: break;
  case launch::End::fault: return CROSSLANE_FAULT;
  case launch::End::refused: return CROSSLANE_REFUSED;
  case launch::End::timeout: return CROSSLANE_TIMEOUT;
  case launch::End::stopped: return CROSSLANE_CANCELLED;
  }
  if (!result.unwritten.empty())
    return CROSSLANE_ERROR_FILE;
  return std::ranges::any_of(result.comparisons, [](const auto& c) { return c.different != 0; }) ? CROSSLANE_DIFFERENT
                                                                                                 : CROSSLANE_OK;
}

std::string message_of(const launch::Result& result, crosslane_status status) {
  if (result.end != launch::End::complete && status != CROSSLANE_OK && status != CROSSLANE_DIFFERENT)
    return result.why;
  if (!result.unwritten.empty())
    return result.unwritten;
  std::string text;
  for (const launch::Comparison& comparison : result.comparisons)
    if (comparison.different)
      text += (text.empty() ? "" : "\n") + comparison.text;
  return text;
}

// Each piece of the caller's memory once, though several arguments may have it.
template <class F> void for_wrapped(const crosslane_launch& launch, F f) {
  std::vector<const api::Memory*> seen;
  for (const auto& [index, memory] : launch.buffers)
    if (memory->host && std::ranges::find(seen, memory.get()) == seen.end()) {
      seen.push_back(memory.get());
      f(*memory);
    }
}

launch::Observer observer_of(crosslane_launch& launch, std::string& notes) {
  launch::Observer observer;
  observer.note = [&notes](const std::string& text) { notes += text + "\n"; };
  observer.runs_begin = [&launch](launch::Stop& stop) {
    const std::lock_guard lock(launch.stopping);
    launch.stop = &stop;
  };
  observer.runs_end = [&launch] {
    const std::lock_guard lock(launch.stopping);
    launch.stop = nullptr;
  };
  if (launch.progress)
    observer.advanced = [&launch](const profile::ProgressState& state) {
      const crosslane_progress progress = {sizeof(progress),   state.groups_done,  state.groups,
                                           state.kernels_done, state.instructions, state.seconds};
      launch.progress(&progress, launch.progress_user);
    };
  return observer;
}

llvm::Expected<launch::Result> launch_module(crosslane_launch& l, std::string& notes) {
  const launch::Prepared prepared{l.module->device, l.module->code, l.kernel->kernel, l.arguments, l.module->texts};
  return launch::launch(l.job, observer_of(l, notes), &prepared);
}

// Captures of programs that were alike have the same addresses: `taken` until the memory of one is gone.
std::mutex taken;

// From the start of the code object's image.
uint64_t object_pc(const machine::Fault& fault, const views::Image& image) {
  const bool inside = fault.pc >= image.base && fault.pc - image.base < image.object->image_size();
  return inside ? image.to_object(fault.pc) : fault.pc;
}

} // namespace

crosslane_status crosslane_launch_create(const crosslane_kernel* kernel, crosslane_launch** launch) {
  if (!kernel || !launch)
    return CROSSLANE_ERROR_ARGUMENT;
  try {
    *launch = nullptr;
    auto created = std::make_unique<crosslane_launch>();
    created->module = kernel->module->shared_from_this();
    created->kernel = kernel;
    created->job.wording = launch::Wording::keys;
    *launch = created.release();
    return CROSSLANE_OK;
  } catch (const std::bad_alloc&) {
    return CROSSLANE_ERROR_MEMORY;
  }
}

void crosslane_launch_destroy(crosslane_launch* launch) { delete launch; }
const char* crosslane_launch_message(const crosslane_launch* launch) {
  return launch ? launch->message.c_str() : "there is no launch: no such kernel";
}

crosslane_status crosslane_launch_set_grid(crosslane_launch* launch, uint32_t dimensions, const uint32_t* work_items) {
  return set_sizes(launch, dimensions, work_items, &launch::Job::grid, "grid");
}
crosslane_status crosslane_launch_set_groups(crosslane_launch* launch, uint32_t dimensions,
                                             const uint32_t* workgroups) {
  return set_sizes(launch, dimensions, workgroups, &launch::Job::groups, "groups");
}
crosslane_status crosslane_launch_set_block(crosslane_launch* launch, uint32_t dimensions, const uint32_t* work_items) {
  return set_sizes(launch, dimensions, work_items, &launch::Job::block, "block");
}

crosslane_status crosslane_launch_set_value(crosslane_launch* launch, size_t index, const void* bytes, size_t size) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (!bytes)
      return failed(l.message, CROSSLANE_ERROR_ARGUMENT, "there are no bytes");
    const auto* begin = static_cast<const uint8_t*>(bytes);
    return set(l, index, launch::Parameter::Kind::scalar, "a value", {{begin, begin + size}});
  });
}
crosslane_status crosslane_launch_set_integer(crosslane_launch* launch, size_t index, int64_t value) {
  return attempt(launch, [&](crosslane_launch& l) { return set_number(l, index, fmt::format("{}", value)); });
}
crosslane_status crosslane_launch_set_real(crosslane_launch* launch, size_t index, double value) {
  return attempt(launch, [&](crosslane_launch& l) { return set_number(l, index, fmt::format("{}", value)); });
}
crosslane_status crosslane_launch_set_buffer(crosslane_launch* launch, size_t index, crosslane_buffer* buffer,
                                             size_t offset) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (!buffer)
      return set_pointer(l, index, nullptr);
    if (l.kernel && offset > buffer->shared->size)
      return wrong(l, index, "{} bytes into a buffer of {}", offset, buffer->shared->size);
    return set_pointer(l, index, static_cast<const uint8_t*>(buffer->shared->data) + offset, buffer->shared);
  });
}
crosslane_status crosslane_launch_set_pointer(crosslane_launch* launch, size_t index, const void* address) {
  return attempt(launch, [&](crosslane_launch& l) { return set_pointer(l, index, address); });
}
crosslane_status crosslane_launch_set_local(crosslane_launch* launch, size_t index, uint32_t size) {
  return attempt(launch, [&](crosslane_launch& l) {
    return set(l, index, launch::Parameter::Kind::local, "bytes of LDS", {{}, size});
  });
}
crosslane_status crosslane_launch_add_word(crosslane_launch* launch, const char* word) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (!word)
      return failed(l.message, CROSSLANE_ERROR_ARGUMENT, "there is no word");
    if (!l.kernel)
      return captured(l, "arguments");
    l.job.arguments.emplace_back(word);
    return CROSSLANE_OK;
  });
}
void crosslane_launch_clear_arguments(crosslane_launch* launch) {
  if (launch)
    launch->job.arguments.clear(), launch->arguments.clear(), launch->buffers.clear();
}

crosslane_status crosslane_launch_configure(crosslane_launch* launch, const char* toml) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (!toml)
      return failed(l.message, CROSSLANE_ERROR_ARGUMENT, "there are no options");
    launch::Job job = l.job;
    if (auto error = launch::lay_over(job, toml, "options"))
      return failed(l.message, CROSSLANE_ERROR_LAUNCH, std::move(error));
    if (const char* key = decided(job))
      return failed(l.message, CROSSLANE_ERROR_LAUNCH, "options: '{}' is not one of a launch: {}", key,
                    job.sandbox ? "it takes rights from the whole process, for good"
                                : "its module decided that when it was loaded");
    if (const char* key = l.kernel ? nullptr : decided_by_capture(job))
      return captured(l, fmt::format("options: '{}'", key));
    l.job = std::move(job);
    return CROSSLANE_OK;
  });
}

void crosslane_launch_on_progress(crosslane_launch* launch, crosslane_progress_callback callback, void* user) {
  if (launch)
    launch->progress = callback, launch->progress_user = user;
}

crosslane_status crosslane_launch_run(crosslane_launch* launch, crosslane_result** result) {
  return attempt(launch, [&](crosslane_launch& l) {
    if (!result)
      return failed(l.message, CROSSLANE_ERROR_ARGUMENT, "there is no place for the result");
    *result = nullptr;
    for_wrapped(l, [](const api::Memory& m) { std::memcpy(m.data, m.host, m.size); });
    auto made = std::make_unique<crosslane_result>();
    std::unique_lock lock(taken, std::defer_lock);
    if (!l.kernel)
      lock.lock();
    auto outcome = l.kernel ? launch_module(l, made->notes) : launch::launch(l.job, observer_of(l, made->notes));
    if (!outcome)
      return failed(l.message, CROSSLANE_ERROR_LAUNCH, outcome.takeError());
    if (outcome->end == launch::End::complete)
      for_wrapped(l, [](const api::Memory& m) {
        if (!m.read_only)
          std::memcpy(m.host, m.data, m.size);
      });
    made->module = l.module;
    made->code = outcome->ready->object;
    if (const auto& fault = outcome->outcome.fault)
      made->fault_pc = object_pc(*fault, l.module ? l.module->code->image() : outcome->ready->session->image());
    if (!l.kernel)
      outcome->ready = nullptr; // and with it the memory
    made->result = std::move(*outcome);
    made->status = status_of(made->result, l.job.expect_captured);
    made->why = l.message = message_of(made->result, made->status);
    *result = made.release();
    return (*result)->status;
  });
}

void crosslane_launch_cancel(crosslane_launch* launch) {
  if (!launch)
    return;
  const std::lock_guard lock(launch->stopping);
  if (launch->stop)
    launch->stop->request("crosslane_launch_cancel()");
}
