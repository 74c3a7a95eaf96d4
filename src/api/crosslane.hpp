// crosslane.hpp: crosslane.h for C++20. Handles that destroy themselves, spans in place of pointers, exceptions in
// place of statuses. Header-only: it adds nothing to the library's ABI.
//
//   crosslane::Context context;
//   crosslane::Module module = context.load("vector_add.cl");
//   std::vector<float> a(1000, 1), b(1000, 2), c(1000);
//   auto launch = module.kernel("vector_add").launch();
//   launch.grid(1000).block(256).arguments(context.in(a), context.in(b), context.out(c), 1000u);
//   crosslane::Result result = launch.run();   // throws what the kernel did wrong
#pragma once
#include <array>
#include <concepts>
#include <crosslane/crosslane.h>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace crosslane {

// What cannot be done, and why.
class Error : public std::runtime_error {
public:
  Error(crosslane_status status, const std::string& message)
      : std::runtime_error(message.empty() ? crosslane_status_name(status) : message), status_(status) {}
  crosslane_status status() const noexcept { return status_; }

private:
  crosslane_status status_;
};

namespace detail {

template <auto destroy> struct Destroy {
  template <class Handle> void operator()(Handle* handle) const noexcept { destroy(handle); }
};
template <class Handle, auto destroy> using Owned = std::unique_ptr<Handle, Destroy<destroy>>;

// `message`: called behind what gave the status.
template <class F> void check(crosslane_status status, F message) {
  if (status != CROSSLANE_OK)
    throw Error(status, message());
}
inline void check(crosslane_status status) {
  check(status, [] { return ""; });
}

} // namespace detail

// Memory of a device.
class Buffer {
public:
  explicit Buffer(crosslane_buffer* handle) : handle_(handle) {}
  size_t size() const { return crosslane_buffer_size(get()); } // bytes
  void* data() const { return crosslane_buffer_data(get()); }
  // Its elements, in place: while no launch runs.
  template <class T> std::span<T> as() const { return {static_cast<T*>(data()), size() / sizeof(T)}; }
  crosslane_buffer* get() const { return handle_.get(); }

private:
  detail::Owned<crosslane_buffer, crosslane_buffer_destroy> handle_;
};

using Progress = crosslane_progress;
using Stats = crosslane_stats;

// What crosslane_fault has, to keep.
struct Fault {
  std::string kind, kernel, instruction, source, detail;
  uint64_t pc = 0, address = 0;
  std::array<uint32_t, 3> workgroup = {};
  uint32_t wave = 0;
  std::optional<uint32_t> lane;
};

class Result {
public:
  explicit Result(crosslane_result* handle) : handle_(handle) {}
  crosslane_status status() const { return crosslane_result_status(get()); }
  const char* message() const { return crosslane_result_message(get()); }

  Stats stats() const {
    Stats stats = {};
    stats.size = sizeof(stats);
    detail::check(crosslane_result_get_stats(get(), &stats), [&] { return message(); });
    return stats;
  }
  // None: it ended otherwise.
  std::optional<Fault> fault() const {
    crosslane_fault f = {};
    f.size = sizeof(f);
    if (crosslane_result_get_fault(get(), &f) != CROSSLANE_OK)
      return {};
    Fault fault{f.kind, f.kernel, f.instruction, f.source, f.detail, f.pc, f.address, {}, f.wave, {}};
    for (size_t i = 0; i < 3; ++i)
      fault.workgroup[i] = f.workgroup[i];
    if (f.lane >= 0)
      fault.lane = static_cast<uint32_t>(f.lane);
    return fault;
  }
  // "profile.json", "findings.sarif", ...: crosslane_result_document(). It lives as long as this.
  std::string_view document(const char* name) const {
    const char* text = nullptr;
    size_t size = 0;
    detail::check(crosslane_result_document(get(), name, &text, &size), [&] { return message(); });
    return {text, size};
  }
  // What a buffer of words holds now.
  template <class T> std::span<const T> buffer(const char* name) const {
    crosslane_contents c = {};
    c.size = sizeof(c);
    detail::check(crosslane_result_get_buffer(get(), name, &c), [&] { return message(); });
    return {static_cast<const T*>(c.bytes), c.byte_count / sizeof(T)};
  }
  crosslane_result* get() const { return handle_.get(); }

private:
  detail::Owned<crosslane_result, crosslane_result_destroy> handle_;
};

// A launch that ended early, with what is known of it.
class KernelError : public Error {
public:
  KernelError(crosslane_status status, const std::string& message, std::shared_ptr<const Result> result)
      : Error(status, message), result_(std::move(result)) {}
  const Result& result() const { return *result_; }

private:
  std::shared_ptr<const Result> result_;
};

// Bytes of dynamic LDS, as an argument.
struct Local {
  uint32_t bytes;
};

class Launch {
public:
  explicit Launch(crosslane_launch* handle) : handle_(handle) {}

  // Work-items; workgroups; work-items of a workgroup.
  template <std::convertible_to<uint32_t>... N> Launch& grid(N... n) { return sizes(crosslane_launch_set_grid, n...); }
  template <std::convertible_to<uint32_t>... N> Launch& groups(N... n) {
    return sizes(crosslane_launch_set_groups, n...);
  }
  template <std::convertible_to<uint32_t>... N> Launch& block(N... n) {
    return sizes(crosslane_launch_set_block, n...);
  }

  // Numbers as the parameter's type has them; buffers; nullptr; Local; anything else trivial by its bytes.
  template <class T> Launch& argument(size_t index, const T& value) {
    using V = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<V, Local>)
      return done(crosslane_launch_set_local(get(), index, value.bytes));
    else if constexpr (std::is_same_v<V, std::nullptr_t>)
      return done(crosslane_launch_set_buffer(get(), index, nullptr, 0));
    else if constexpr (std::is_same_v<V, Buffer>)
      return done(crosslane_launch_set_buffer(get(), index, value.get(), 0));
    else if constexpr (std::is_pointer_v<V>)
      return done(crosslane_launch_set_pointer(get(), index, value));
    else if constexpr (std::is_floating_point_v<V>)
      return done(crosslane_launch_set_real(get(), index, static_cast<double>(value)));
    else if constexpr (std::is_integral_v<V> && (std::is_signed_v<V> || sizeof(V) < 8))
      return done(crosslane_launch_set_integer(get(), index, static_cast<int64_t>(value)));
    else if constexpr (std::is_trivially_copyable_v<V>)
      return done(crosslane_launch_set_value(get(), index, &value, sizeof(value)));
    else
      static_assert(std::is_trivially_copyable_v<V>, "an argument is a number, a Buffer, a pointer, Local, nullptr or "
                                                     "a structure that is passed by its bytes");
  }
  template <class... T> Launch& arguments(const T&... values) {
    size_t index = 0;
    (argument(index++, values), ...);
    return *this;
  }
  // "a=f32[1000]:iota": crosslane_launch_add_word().
  Launch& word(const char* text) { return done(crosslane_launch_add_word(get(), text)); }
  Launch& clear_arguments() {
    crosslane_launch_clear_arguments(get());
    return *this;
  }
  // "profile = 'all'": crosslane_launch_configure().
  Launch& configure(const char* toml) { return done(crosslane_launch_configure(get(), toml)); }
  // Called by a thread of the library while it runs.
  Launch& on_progress(std::function<void(const Progress&)> callback) {
    progress_ = std::make_unique<std::function<void(const Progress&)>>(std::move(callback));
    crosslane_launch_on_progress(
        get(), [](const crosslane_progress* p, void* user) { (*static_cast<decltype(progress_.get())>(user))(*p); },
        progress_.get());
    return *this;
  }

  // Of a captured dispatch: crosslane_replay_set_workgroups(), crosslane_replay_set_expect().
  Launch& workgroups(uint64_t first, uint64_t count) {
    return done(crosslane_replay_set_workgroups(get(), first, count));
  }
  Launch& expect_captured(bool expect = true) { return done(crosslane_replay_set_expect(get(), expect)); }

  // Whatever comes of it; throws where nothing ran.
  Result try_run() {
    crosslane_result* result = nullptr;
    const crosslane_status status = crosslane_launch_run(get(), &result);
    if (!result)
      throw Error(status, crosslane_launch_message(get()));
    return Result(result);
  }
  // Throws KernelError if the kernel did not end well.
  Result run() {
    Result result = try_run();
    if (const crosslane_status status = result.status(); status != CROSSLANE_OK) {
      const std::string message = result.message();
      throw KernelError(status, message, std::make_shared<const Result>(std::move(result)));
    }
    return result;
  }
  // From any thread.
  void cancel() const { crosslane_launch_cancel(get()); }
  crosslane_launch* get() const { return handle_.get(); }

private:
  template <class F, class... N> Launch& sizes(F set, N... n) {
    static_assert(sizeof...(n) >= 1 && sizeof...(n) <= 3, "one to three dimensions");
    const uint32_t all[] = {static_cast<uint32_t>(n)...};
    return done(set(get(), sizeof...(n), all));
  }
  Launch& done(crosslane_status status) {
    detail::check(status, [&] { return crosslane_launch_message(get()); });
    return *this;
  }
  std::unique_ptr<std::function<void(const Progress&)>> progress_; // outlives the handle
  detail::Owned<crosslane_launch, crosslane_launch_destroy> handle_;
};

// Of a module, which must outlive it.
class Kernel {
public:
  explicit Kernel(const crosslane_kernel* handle) : handle_(handle) {}
  crosslane_kernel_info info() const {
    crosslane_kernel_info info = {};
    info.size = sizeof(info);
    detail::check(crosslane_kernel_get_info(handle_, &info));
    return info;
  }
  std::vector<crosslane_parameter_info> parameters() const {
    std::vector<crosslane_parameter_info> all(info().parameter_count);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].size = sizeof(all[i]);
      detail::check(crosslane_kernel_get_parameter(handle_, i, &all[i]));
    }
    return all;
  }
  Launch launch() const {
    crosslane_launch* launch = nullptr;
    detail::check(crosslane_launch_create(handle_, &launch));
    return Launch(launch);
  }
  const crosslane_kernel* get() const { return handle_; }

private:
  const crosslane_kernel* handle_;
};

class Module {
public:
  explicit Module(crosslane_module* handle) : handle_(handle) {}
  std::string_view target() const { return crosslane_module_target(get()); }
  // Without a name: the only one.
  Kernel kernel(const char* name = "") const {
    const crosslane_kernel* kernel = crosslane_module_kernel(get(), name);
    if (!kernel)
      throw Error(CROSSLANE_ERROR_NAME, crosslane_module_message(get()));
    return Kernel(kernel);
  }
  std::vector<Kernel> kernels() const {
    std::vector<Kernel> all;
    for (size_t i = 0; const crosslane_kernel* kernel = crosslane_module_kernel_at(get(), i); ++i)
      all.emplace_back(kernel);
    return all;
  }
  // Memory of a variable, in place.
  Buffer variable(const char* name) const {
    crosslane_buffer* buffer = nullptr;
    detail::check(crosslane_module_variable(get(), name, &buffer), [&] { return crosslane_module_message(get()); });
    return Buffer(buffer);
  }
  void reset() {
    detail::check(crosslane_module_reset(get()), [&] { return crosslane_module_message(get()); });
  }
  crosslane_module* get() const { return handle_.get(); }

private:
  detail::Owned<crosslane_module, crosslane_module_destroy> handle_;
};

// Dispatches that `crosslane run --capture` kept.
class Capture {
public:
  explicit Capture(crosslane_capture* handle) : handle_(handle) {}
  size_t size() const { return crosslane_capture_dispatch_count(get()); }
  // Its texts live as long as this.
  crosslane_dispatch_info operator[](size_t index) const {
    crosslane_dispatch_info info = {};
    info.size = sizeof(info);
    detail::check(crosslane_capture_get_dispatch(get(), index, &info),
                  [&] { return crosslane_capture_message(get()); });
    return info;
  }
  // By its number.
  Launch replay(uint64_t number) const {
    crosslane_launch* launch = nullptr;
    detail::check(crosslane_capture_replay(get(), number, &launch), [&] { return crosslane_capture_message(get()); });
    return Launch(launch);
  }
  crosslane_capture* get() const { return handle_.get(); }

private:
  detail::Owned<crosslane_capture, crosslane_capture_destroy> handle_;
};

class Context {
public:
  Context() {
    crosslane_context* context = nullptr;
    detail::check(crosslane_context_create(&context));
    handle_.reset(context);
  }

  // `target`: "" for the code's own, or gfx900 for sources. `clang`: options for sources.
  Module load(const char* file, const char* target = "", std::span<const std::string> clang = {}) const {
    return load(target, clang, [&](const crosslane_load_options* options, crosslane_module** module) {
      return crosslane_module_load(get(), file, options, module);
    });
  }
  // What a file of that name would hold.
  Module load_bytes(std::span<const std::byte> bytes, const char* name, const char* target = "",
                    std::span<const std::string> clang = {}) const {
    return load(target, clang, [&](const crosslane_load_options* options, crosslane_module** module) {
      return crosslane_module_load_bytes(get(), bytes.data(), bytes.size(), name, options, module);
    });
  }
  Module load_source(std::string_view text, const char* name, const char* target = "",
                     std::span<const std::string> clang = {}) const {
    return load_bytes(std::as_bytes(std::span(text)), name, target, clang);
  }

  // What `crosslane run --capture` wrote.
  Capture capture(const char* folder) const {
    crosslane_capture* capture = nullptr;
    detail::check(crosslane_capture_open(get(), folder, &capture), [&] { return crosslane_context_message(get()); });
    return Capture(capture);
  }

  // Zeroed memory of the device.
  Buffer buffer(size_t bytes, const char* name = "buffer") const {
    crosslane_buffer* buffer = nullptr;
    detail::check(crosslane_buffer_create(get(), bytes, name, &buffer),
                  [&] { return crosslane_context_message(get()); });
    return Buffer(buffer);
  }
  // Memory of the caller's, copied to the device when a launch begins, and back when it has completed.
  template <std::ranges::contiguous_range R> Buffer out(R&& range, const char* name = "buffer") const {
    return wrap(std::ranges::data(range), std::ranges::size(range) * sizeof(*std::ranges::data(range)), 0, name);
  }
  // The same, but that nothing comes back.
  template <std::ranges::contiguous_range R> Buffer in(const R& range, const char* name = "buffer") const {
    return wrap(const_cast<void*>(static_cast<const void*>(std::ranges::data(range))),
                std::ranges::size(range) * sizeof(*std::ranges::data(range)), CROSSLANE_READ_ONLY, name);
  }
  // The same of bytes, with flags.
  Buffer wrap(void* memory, size_t bytes, uint32_t flags = 0, const char* name = "buffer") const {
    crosslane_buffer* buffer = nullptr;
    detail::check(crosslane_buffer_wrap(get(), memory, bytes, flags, name, &buffer),
                  [&] { return crosslane_context_message(get()); });
    return Buffer(buffer);
  }
  // Another handle of the same, for another thread.
  Context share() const {
    crosslane_context* shared = nullptr;
    detail::check(crosslane_context_share(get(), &shared));
    return Context(shared);
  }
  crosslane_context* get() const { return handle_.get(); }

private:
  explicit Context(crosslane_context* handle) : handle_(handle) {}
  template <class F> Module load(const char* target, std::span<const std::string> clang, F f) const {
    std::vector<const char*> words;
    for (const std::string& word : clang)
      words.push_back(word.c_str());
    words.push_back(nullptr);
    crosslane_load_options options = {};
    options.size = sizeof(options);
    options.target = target && *target ? target : nullptr;
    options.clang_options = words.data();
    crosslane_module* module = nullptr;
    detail::check(f(&options, &module), [&] { return crosslane_context_message(get()); });
    return Module(module);
  }
  detail::Owned<crosslane_context, crosslane_context_destroy> handle_;
};

} // namespace crosslane
