// Disassembly for people. Addresses are those of the code object.
#include "cli/listing.h"
#include "engine/executes.h"
#include "engine/uops.h"
#include "files/error.h"
#include "files/read.h"
#include "findings/text.h"
#include "isa/decode.h"
#include "launch/signature.h"
#include "profile/process.h"
#include "profile/sources.h"
#include "views/locate.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace crosslane::cli {

namespace {

using codeobject::CodeObject;
using codeobject::Function;

struct Line {
  uint64_t address = 0;
  uint32_t size = 4;
  bool valid = false;
  isa::Instruction instruction;
};

std::vector<Line> decode_all(isa::Target target, std::span<const uint8_t> bytes, uint64_t begin) {
  std::vector<Line> lines;
  for (size_t at = 0; at + 4 <= bytes.size();) {
    Line line;
    line.address = begin + at;
    if (const int size = isa::decode(target, bytes.subspan(at), line.instruction); size > 0)
      line.valid = true, line.size = static_cast<uint32_t>(size);
    at += line.size;
    lines.push_back(line);
  }
  return lines;
}

std::optional<uint64_t> branch_target(const Line& line) {
  return line.valid ? views::branch_target(line.instruction, line.address) : std::nullopt;
}

std::string text_of(const CodeObject& object, const Function& function, const Line& line, uint32_t word) {
  return line.valid ? views::text_of(line.instruction, line.address, function, object)
                    : fmt::format(".long {:#010x}", word);
}

// Of source files, as far as they are there: line tables name them, and may come from anybody.
class SourceTexts {
public:
  // " | c[i] = a[i] + b[i];", and of a file that is not there, once, that it is not.
  std::string behind(const codeobject::SourceLine& at) {
    const auto [file, added] = files_.try_emplace(at.file);
    if (added)
      file->second = lines_of(at);
    if (file->second.empty())
      return added ? "  (the file is not there)" : "";
    return at.line <= file->second.size() ? fmt::format(" | {}", file->second[at.line - 1]) : "";
  }

private:
  static std::vector<std::string> lines_of(const codeobject::SourceLine& at) {
    profile::Sources sources(profile::current_folder());
    sources.place(at);
    std::vector<std::string> lines;
    for (const findings::SourceFile& file : sources.take())
      for (std::string_view rest = file.text ? *file.text : std::string_view(); !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        if (line.ends_with('\r'))
          line.remove_suffix(1);
        lines.emplace_back(line);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    return lines;
  }

  std::map<std::string, std::vector<std::string>> files_; // by the name in the line table; empty: not there
};

void append_uops(std::string& out, const isa::Instruction& instruction) {
  if (!engine::executes(instruction))
    fmt::format_to(std::back_inserter(out), "    ; not executed: {}\n", engine::why_not_executed(instruction));
  for (const auto& uop : engine::lowered(instruction))
    fmt::format_to(std::back_inserter(out), "    ; {}\n", engine::text(uop));
}

void append_function(std::string& out, const CodeObject& object, isa::Target target, const Function& function,
                     const ListingOptions& options, SourceTexts& texts) {
  const auto bytes = object.bytes_at(function.begin, function.end - function.begin);
  const auto lines = decode_all(target, bytes, function.begin);
  std::set<uint64_t> targets;
  for (const auto& line : lines)
    if (const auto to = branch_target(line); to && *to > function.begin && *to < function.end)
      targets.insert(*to);

  auto into = std::back_inserter(out);
  const std::string readable = codeobject::demangle(function.name);
  const bool said = function.kernel && options.descriptors; // in the line about the kernel
  fmt::format_to(into, "\n{}:{}\n", findings::plain(function.name),
                 said || readable == function.name ? "" : "  ; " + findings::plain(readable));
  std::string last_source;
  for (const auto& line : lines) {
    if (targets.contains(line.address))
      fmt::format_to(into, "L{:x}:\n", line.address);
    if (options.source)
      if (const auto source = object.source_line(line.address); source && source->line) {
        std::string place = fmt::format("{}:{}", findings::plain(files::from_here(source->file)), source->line);
        if (place != last_source) {
          fmt::format_to(into, "; {}{}\n", place, options.texts ? findings::plain_lines(texts.behind(*source)) : "");
          last_source = std::move(place);
        }
      }
    const auto word = [&](uint32_t i) {
      const auto* b = bytes.data() + (line.address - function.begin) + size_t(4) * i;
      return uint32_t(b[0]) | uint32_t(b[1]) << 8 | uint32_t(b[2]) << 16 | uint32_t(b[3]) << 24;
    };
    const std::string text = findings::plain(text_of(object, function, line, word(0)));
    if (options.addresses) {
      fmt::format_to(into, "  {:<58} // {:06x}:", text, line.address);
      for (uint32_t i = 0; i < line.size / 4; ++i)
        fmt::format_to(into, " {:08x}", word(i));
      out += '\n';
    } else {
      fmt::format_to(into, "  {}\n", text);
    }
    if (options.uops && line.valid)
      append_uops(out, line.instruction);
  }
}

void append_kernel(std::string& out, const codeobject::Kernel& kernel) {
  const auto& d = kernel.descriptor;
  auto into = std::back_inserter(out);
  fmt::format_to(into, "\n; kernel {}\n", describe(launch::signature_of(kernel)));
  fmt::format_to(into, ";   entry {:#x}, descriptor {} at {:#x}\n", kernel.entry, kernel.symbol,
                 kernel.descriptor_address);
  fmt::format_to(into, ";   {} SGPRs, {} VGPRs, {} bytes of LDS, {} bytes of scratch per lane{}, {} bytes of kernarg\n",
                 kernel.allocated_sgpr_count, kernel.allocated_vgpr_count, kernel.group_segment_fixed_size,
                 kernel.private_segment_fixed_size, kernel.uses_dynamic_stack ? " and a stack" : "",
                 kernel.kernarg_segment_size);
  std::string sgprs;
  int next = 0;
  const auto add = [&](bool enabled, const char* name, int count) {
    if (!enabled)
      return;
    sgprs += count == 1 ? fmt::format("{}s{} {}", next ? ", " : "", next, name)
                        : fmt::format("{}s[{}:{}] {}", next ? ", " : "", next, next + count - 1, name);
    next += count;
  };
  add(d.enable_sgpr_private_segment_buffer(), "private_segment_buffer", 4);
  add(d.enable_sgpr_dispatch_ptr(), "dispatch_ptr", 2);
  add(d.enable_sgpr_queue_ptr(), "queue_ptr", 2);
  add(d.enable_sgpr_kernarg_segment_ptr(), "kernarg_segment_ptr", 2);
  add(d.enable_sgpr_dispatch_id(), "dispatch_id", 2);
  add(d.enable_sgpr_flat_scratch_init(), "flat_scratch_init", 2);
  add(d.enable_sgpr_private_segment_size(), "private_segment_size", 1);
  next = std::max(next, static_cast<int>(d.user_sgpr_count()));
  add(d.enable_sgpr_workgroup_id_x(), "workgroup_id_x", 1);
  add(d.enable_sgpr_workgroup_id_y(), "workgroup_id_y", 1);
  add(d.enable_sgpr_workgroup_id_z(), "workgroup_id_z", 1);
  add(d.enable_sgpr_workgroup_info(), "workgroup_info", 1);
  add(d.enable_private_segment(), "scratch_wave_offset", 1);
  if (!sgprs.empty())
    fmt::format_to(into, ";   starts with {}, v0{} work-item id\n", sgprs,
                   d.enable_vgpr_workitem_id() == 0 ? "" : fmt::format("..v{}", d.enable_vgpr_workitem_id()));
  static constexpr const char* rounds[] = {"nearest", "+inf", "-inf", "zero"};
  static constexpr const char* denormals[] = {"flushed", "flushed out", "flushed in", "kept"};
  fmt::format_to(into, ";   f32 rounds to {}, denormals {}; f16 and f64 to {}, denormals {}; dx10_clamp {}, ieee {}\n",
                 rounds[d.float_round_mode_32()], denormals[d.float_denorm_mode_32()],
                 rounds[d.float_round_mode_16_64()], denormals[d.float_denorm_mode_16_64()],
                 d.enable_dx10_clamp() ? "on" : "off", d.enable_ieee_mode() ? "on" : "off");
}

} // namespace

llvm::Expected<std::string> listing(const CodeObject& object, const ListingOptions& options) {
  const auto target = isa::parse_target(object.processor());
  if (!target)
    return fail("{}: is for {}, whose instructions crosslane does not know", object.name(), object.processor());
  std::string out = fmt::format("; {}: code object v{} for {}\n", object.name(), object.version(), object.target_id());
  if (options.source)
    if (const std::string problem = object.debug_problem(); !problem.empty())
      out += fmt::format("; {}\n", problem);
  std::string only = options.only;
  if (!only.empty() && !object.find_symbol(only)) {
    const auto functions = object.functions();
    const auto called =
        std::ranges::find_if(functions, [&](const auto& f) { return !f.kernel && launch::is_called(f.name, only); });
    if (called != functions.end()) {
      only = called->name;
    } else {
      auto kernel = launch::choose_kernel(object, only);
      if (!kernel)
        return kernel.takeError();
      only = (*kernel)->name;
    }
  }
  SourceTexts texts;
  bool found = only.empty();
  for (const auto& function : object.functions()) {
    if (!only.empty() && function.name != only)
      continue;
    found = true;
    if (options.descriptors && function.kernel)
      if (const auto* kernel = object.find_kernel(function.name))
        append_kernel(out, *kernel);
    append_function(out, object, *target, function, options, texts);
  }
  if (!found)
    return fail("{}: '{}' is not a function", object.name(), only);
  return findings::plain_lines(out); // names of arguments, of types ...
}

} // namespace crosslane::cli
