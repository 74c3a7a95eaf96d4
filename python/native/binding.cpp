// crosslane._native: crosslane.hpp as Python has it, one class for each of its own, and nothing beyond: what a Python
// programmer sees is written in Python (python/crosslane), which knows NumPy. This file does not.
//
// The GIL is released while sources are compiled and kernels run. Everything else is short and keeps it, which is also
// what lets threads share modules and contexts, whose handles are for one thread at a time.
#include "python/native/interruptible.h"
#include <atomic>
#include <crosslane/crosslane.hpp>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <thread>

namespace py = pybind11;
using namespace crosslane;

namespace {

py::str text_of(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

py::dict dict_of(const Fault& f) {
  using namespace py::literals;
  return py::dict("kind"_a = text_of(f.kind), "kernel"_a = text_of(f.kernel), "pc"_a = f.pc,
                  "instruction"_a = text_of(f.instruction), "source"_a = text_of(f.source),
                  "workgroup"_a = py::make_tuple(f.workgroup[0], f.workgroup[1], f.workgroup[2]), "wave"_a = f.wave,
                  "lane"_a = f.lane, "address"_a = f.address, "detail"_a = text_of(f.detail));
}

py::dict dict_of(const Stats& s) {
  using namespace py::literals;
  return py::dict("instructions"_a = s.instructions, "waves"_a = s.waves, "workgroups"_a = s.workgroups,
                  "seconds"_a = s.seconds, "best_seconds"_a = s.best_seconds, "findings"_a = s.findings);
}

py::dict dict_of(const crosslane_kernel_info& k) {
  using namespace py::literals;
  return py::dict("name"_a = k.name, "symbol"_a = k.symbol, "signature"_a = k.signature,
                  "has_metadata"_a = k.has_metadata != 0, "kernarg_bytes"_a = k.kernarg_bytes,
                  "lds_bytes"_a = k.lds_bytes, "scratch_bytes"_a = k.scratch_bytes, "vgprs"_a = k.vgprs,
                  "agprs"_a = k.agprs, "sgprs"_a = k.sgprs, "max_block"_a = k.max_block,
                  "required_block"_a = py::make_tuple(k.required_block[0], k.required_block[1], k.required_block[2]));
}

py::tuple tuple_of(const uint32_t (&n)[3]) { return py::make_tuple(n[0], n[1], n[2]); }

py::dict dict_of(const crosslane_dispatch_info& d) {
  using namespace py::literals;
  return py::dict("number"_a = d.number, "launch"_a = d.launch, "kernel"_a = text_of(d.kernel),
                  "symbol"_a = text_of(d.symbol), "target"_a = d.target, "card"_a = text_of(d.card),
                  "command"_a = text_of(d.command), "ended"_a = d.ended, "grid"_a = tuple_of(d.grid),
                  "block"_a = tuple_of(d.block), "workgroups"_a = d.workgroups, "memory_bytes"_a = d.memory_bytes,
                  "comparable"_a = d.comparable != 0);
}

py::tuple tuple_of(const crosslane_parameter_info& p) {
  return py::make_tuple(p.name, p.type_name, static_cast<int>(p.kind), p.bytes, static_cast<int>(p.element), p.elements,
                        p.read_only != 0);
}

// Bytes of somebody, who stays while there are views of them.
struct Bytes {
  py::object owner;
  const void* data;
  size_t size;
  int element;
  std::vector<uint64_t> shape;
};

Bytes contents(const py::object& self, const char* name) {
  const Result& result = self.cast<const Result&>();
  crosslane_contents c = {};
  c.size = sizeof(c);
  if (const auto status = crosslane_result_get_buffer(result.get(), name, &c); status != CROSSLANE_OK)
    throw Error(status, result.message());
  return {self, c.bytes, c.byte_count, static_cast<int>(c.element), {c.shape, c.shape + c.dimensions}};
}

// A launch that another thread, or a callback of its own, may cancel.
class Job {
public:
  explicit Job(Launch launch) : launch_(std::move(launch)) {}
  Launch& launch() { return launch_; }

  // `progress`: called by a thread of the library, which raises what it raises where the kernel was launched.
  Result run(const py::object& progress, bool main_thread) {
    if (running_.exchange(true))
      throw Error(CROSSLANE_ERROR_LAUNCH, "this launch is running already, in another thread: prepare one for each");
    std::optional<py::error_already_set> raised;
    std::unique_ptr<Result> result;
    const auto ended = [&] {
      crosslane_launch_on_progress(launch_.get(), nullptr, nullptr);
      running_ = false;
    };
    try {
      if (!progress.is_none())
        launch_.on_progress([&](const Progress& p) {
          const py::gil_scoped_acquire acquire;
          try {
            if (!raised)
              progress(p.workgroups_done, p.workgroups, p.runs_done, p.instructions, p.seconds);
          } catch (py::error_already_set& error) {
            raised.emplace(std::move(error));
            launch_.cancel();
          }
        });
      const auto work = [&] { result = std::make_unique<Result>(launch_.try_run()); };
      if (main_thread) {
        python::run_interruptibly(work, [&] { launch_.cancel(); });
      } else {
        const py::gil_scoped_release release;
        work();
      }
    } catch (...) {
      ended();
      throw;
    }
    ended();
    if (raised)
      throw std::move(*raised);
    return std::move(*result);
  }

  // A run that has been asked for may not have come to where it can be stopped.
  void cancel() const {
    const py::gil_scoped_release release;
    for (int i = 0; i < 1000 && running_; ++i) {
      launch_.cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

private:
  Launch launch_;
  std::atomic<bool> running_{false};
};

// What of a library's errors Python has classes of, crosslane/errors.py says.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown)
      std::rethrow_exception(std::move(thrown));
  } catch (const Error& error) {
    const py::object made = py::module_::import("crosslane.errors")
                                .attr("error_of")(static_cast<int>(error.status()), text_of(error.what()));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  }
}

template <class F> Module load(const Context& context, F f) {
  const Context own = context.share();
  const py::gil_scoped_release release;
  return f(own);
}

template <class Set> void set_sizes(Job& job, Set set, const std::vector<uint32_t>& sizes) {
  Launch& launch = job.launch();
  if (const auto status = set(launch.get(), static_cast<uint32_t>(sizes.size()), sizes.data()); status != CROSSLANE_OK)
    throw Error(status, crosslane_launch_message(launch.get()));
}

void bind_memory(py::module_& m) {
  py::class_<Buffer>(m, "Buffer", py::buffer_protocol())
      .def_property_readonly("size", &Buffer::size)
      .def_property_readonly("address", [](const Buffer& b) { return reinterpret_cast<uintptr_t>(b.data()); })
      .def_buffer([](const Buffer& b) {
        return py::buffer_info(static_cast<uint8_t*>(b.data()), static_cast<py::ssize_t>(b.size()));
      });
  py::class_<Bytes>(m, "Bytes", py::buffer_protocol())
      .def_readonly("element", &Bytes::element)
      .def_readonly("shape", &Bytes::shape)
      .def_buffer([](const Bytes& b) {
        return py::buffer_info(static_cast<uint8_t*>(const_cast<void*>(b.data)), static_cast<py::ssize_t>(b.size),
                               /*readonly=*/true);
      });
}

void bind_code(py::module_& m) {
  py::class_<Context>(m, "Context")
      .def(py::init<>())
      .def("load",
           [](const Context& c, const std::string& file, const std::string& target,
              const std::vector<std::string>& clang) {
             return load(c, [&](const Context& own) { return own.load(file.c_str(), target.c_str(), clang); });
           })
      .def("load_bytes",
           [](const Context& c, const py::bytes& bytes, const std::string& name, const std::string& target,
              const std::vector<std::string>& clang) {
             const std::string_view text = bytes;
             return load(
                 c, [&](const Context& own) { return own.load_source(text, name.c_str(), target.c_str(), clang); });
           })
      .def("buffer",
           [](const Context& c, size_t bytes, const std::string& name) { return c.buffer(bytes, name.c_str()); })
      .def("capture", [](const Context& c, const std::string& folder) { return c.capture(folder.c_str()); })
      .def("wrap", [](const Context& c, uintptr_t address, size_t bytes, bool read_only, const std::string& name) {
        return c.wrap(reinterpret_cast<void*>(address), bytes, read_only ? CROSSLANE_READ_ONLY : 0, name.c_str());
      });
  py::class_<Module>(m, "Module")
      .def_property_readonly("target", &Module::target)
      .def(
          "kernel", [](const Module& module, const std::string& name) { return module.kernel(name.c_str()); },
          py::keep_alive<0, 1>())
      .def("kernels",
           [](const py::object& self) {
             py::list all;
             for (const Kernel& kernel : self.cast<const Module&>().kernels()) {
               py::object one = py::cast(kernel);
               py::detail::keep_alive_impl(one, self);
               all.append(one);
             }
             return all;
           })
      .def("variable", [](const Module& module, const std::string& name) { return module.variable(name.c_str()); })
      .def("reset", &Module::reset);
  py::class_<Kernel>(m, "Kernel")
      .def_property_readonly("info", [](const Kernel& k) { return dict_of(k.info()); })
      .def_property_readonly("parameters",
                             [](const Kernel& k) {
                               py::list all;
                               for (const crosslane_parameter_info& p : k.parameters())
                                 all.append(tuple_of(p));
                               return all;
                             })
      .def("launch", [](const Kernel& k) { return std::make_unique<Job>(k.launch()); });
}

void bind_launch(py::module_& m) {
  py::class_<Capture>(m, "Capture")
      .def_property_readonly("size", &Capture::size)
      .def("dispatch", [](const Capture& c, size_t index) { return dict_of(c[index]); })
      .def("replay", [](const Capture& c, uint64_t number) { return std::make_unique<Job>(c.replay(number)); });
  py::class_<Job>(m, "Launch")
      .def("grid", [](Job& j, const std::vector<uint32_t>& n) { set_sizes(j, crosslane_launch_set_grid, n); })
      .def("groups", [](Job& j, const std::vector<uint32_t>& n) { set_sizes(j, crosslane_launch_set_groups, n); })
      .def("block", [](Job& j, const std::vector<uint32_t>& n) { set_sizes(j, crosslane_launch_set_block, n); })
      .def("value",
           [](Job& j, size_t index, const py::bytes& bytes) {
             const std::string_view view = bytes;
             if (const auto status = crosslane_launch_set_value(j.launch().get(), index, view.data(), view.size());
                 status != CROSSLANE_OK)
               throw Error(status, crosslane_launch_message(j.launch().get()));
           })
      .def("buffer",
           [](Job& j, size_t index, const Buffer* buffer, size_t offset) {
             if (const auto status =
                     crosslane_launch_set_buffer(j.launch().get(), index, buffer ? buffer->get() : nullptr, offset);
                 status != CROSSLANE_OK)
               throw Error(status, crosslane_launch_message(j.launch().get()));
           })
      .def("pointer", [](Job& j, size_t index,
                         uintptr_t address) { j.launch().argument(index, reinterpret_cast<const void*>(address)); })
      .def("local", [](Job& j, size_t index, uint32_t bytes) { j.launch().argument(index, Local{bytes}); })
      .def("word", [](Job& j, const std::string& word) { j.launch().word(word.c_str()); })
      .def("workgroups", [](Job& j, uint64_t first, uint64_t count) { j.launch().workgroups(first, count); })
      .def("expect_captured", [](Job& j, bool expect) { j.launch().expect_captured(expect); })
      .def("configure", [](Job& j, const std::string& toml) { j.launch().configure(toml.c_str()); })
      .def("run", &Job::run)
      .def("cancel", &Job::cancel);
  py::class_<Result>(m, "Result")
      .def_property_readonly("status", [](const Result& r) { return static_cast<int>(r.status()); })
      .def_property_readonly("message", [](const Result& r) { return text_of(r.message()); })
      .def_property_readonly("stats", [](const Result& r) { return dict_of(r.stats()); })
      .def_property_readonly("fault",
                             [](const Result& r) -> py::object {
                               const auto fault = r.fault();
                               return fault ? py::object(dict_of(*fault)) : py::none();
                             })
      .def("document", [](const Result& r, const std::string& name) { return text_of(r.document(name.c_str())); })
      .def("contents", contents);
}

std::vector<std::string> all_of(const char* (*at)(size_t)) {
  std::vector<std::string> all;
  for (size_t i = 0; const char* name = at(i); ++i)
    all.emplace_back(name);
  return all;
}

} // namespace

PYBIND11_MODULE(_native, m) {
  py::register_exception_translator(translate);
  bind_memory(m);
  bind_code(m);
  bind_launch(m);
  m.def("version", crosslane_version);
  m.def("host_level", crosslane_host_level);
  m.def("targets", [] { return all_of(crosslane_target); });
  m.def("cards", [] { return all_of(crosslane_card); });
  m.def("set_jit", [](const std::string& policy) { detail::check(crosslane_set_jit(policy.c_str())); });
}
