// Owns View: what a profile can collect, from the events that it hears to the text that tells of it. Each is a row of
// findings/views.inc and a file of report/views/, and nothing but these knows all of them: options, collector, reports
// and help go through all_views(). docs/adding-a-view.md shows how one is made.
#pragma once
#include "events/listener.h"
#include "findings/buffers.h"
#include "findings/profile.h"
#include "views/locate.h"
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace crosslane::findings {
struct Totals;
}

namespace crosslane::report {

class KernelText;
struct Names;

// What a user may ask of views beyond their names.
struct ViewOptions {
  bool per_wave = false; // each wavefront's share as well
};

// The instructions of a kernel while they are put together. Addresses are those of loaded code.
class Listing {
public:
  virtual findings::KernelProfile& kernel() = 0;
  virtual const views::Image& image() const = 0;
  // An instruction that has been executed. Only from Hearing::list(), as then the list of instructions is made.
  virtual void ran(uint64_t pc, const isa::Instruction&) = 0;
  // Null and -1: there is none, which cannot be of one that was executed.
  virtual findings::ProfiledInstruction* at(uint64_t pc) = 0;
  virtual int index(uint64_t pc) const = 0;

protected:
  ~Listing() = default;
};

// A view at work on one kernel: it hears of all of its launches, and is read when none is running.
class Hearing {
public:
  virtual ~Hearing() = default;
  virtual events::Listener& listener() = 0;
  // If it counts executions: tells the listing of each instruction that has any.
  virtual void list(Listing&) {}
  // Puts what it has heard into the instructions, and whatever else the kernel has of it.
  virtual void fill_in(Listing&) = 0;
  // The buffers that its examples reach, asked before their memory may be freed.
  virtual void add_reached(std::vector<findings::Buffer>&, const findings::FindBuffer&) const {}
};

// What the file of a view defines: `extern const ViewParts name_view`.
struct ViewParts {
  std::unique_ptr<Hearing> (*hear)(const ViewOptions&);
  // It fills in ProfiledInstruction::executions. Where no view does, count_executions() is heard besides. Comes first
  // in reports.
  bool counts_executions = false;
  // What it left is shown, where it left any, by these; a view without them shows its KernelProfile::figures.
  void (*instruction_json)(const findings::ProfiledInstruction&, nlohmann::ordered_json& entry) = nullptr;
  void (*kernel_json)(const findings::KernelProfile&, nlohmann::ordered_json& entry) = nullptr;
  void (*summary)(const findings::Totals&, KernelText&) = nullptr;
  // A table behind the kernel's text. Who asks for such views alone wants their tables and nothing else.
  std::string (*table)(const findings::KernelProfile&, const Names&, unsigned width) = nullptr;
};

struct View {
  const char* name;
  bool findings::Views::* on;
  const ViewParts& parts;
};

// In the order of their rows.
std::span<const View> all_views();
// In the order of reports.
std::span<const View> views_to_report();
// "a, b, c": all names, with `last` before the last one.
std::string view_names(const char* last = ", ");

// Executions alone.
std::unique_ptr<Hearing> count_executions();

} // namespace crosslane::report
