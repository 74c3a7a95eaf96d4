// Collecting, and the text.
#include "cli/disasm/contents.h"
#include "cli/lint/inputs.h"
#include "files/error.h"
#include "findings/text.h"
#include "launch/signature.h"
#include <algorithm>

namespace crosslane::cli {

namespace {

using findings::plain;

const char* holding(const codeobject::BundleEntry& entry) {
  const std::string_view text(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
  return entry.bytes.empty() ? "nothing"
         : text.starts_with("\x7f"
                            "ELF")
             ? entry.target.empty() ? "host code" : "code object"
         : text.starts_with("BC\xc0\xde") ? "bitcode"
                                          : "something else";
}

const char* word_of(const codeobject::Symbol& s) {
  using Kind = codeobject::Symbol::Kind;
  return s.kind == Kind::function            ? "function"
         : s.kind == Kind::kernel_descriptor ? "descriptor"
         : s.kind == Kind::object            ? "variable"
         : s.kind == Kind::lds               ? "LDS"
                                             : "label";
}

std::string sizes(const uint32_t (&size)[3]) {
  return size[0] ? fmt::format("{},{},{}", size[0], size[1], size[2]) : std::string();
}

// What a line of the table has no column for.
std::string notes_of(const codeobject::Kernel& k) {
  std::vector<std::string> notes;
  if (!sizes(k.reqd_workgroup_size).empty())
    notes.push_back("workgroups of " + sizes(k.reqd_workgroup_size));
  else if (!sizes(k.workgroup_size_hint).empty())
    notes.push_back("workgroups best of " + sizes(k.workgroup_size_hint));
  if (k.max_flat_workgroup_size)
    notes.push_back(fmt::format("at most {} work-items", k.max_flat_workgroup_size));
  if (k.sgpr_spill_count || k.vgpr_spill_count)
    notes.push_back(fmt::format("{} SGPRs and {} VGPRs spilled", k.sgpr_spill_count, k.vgpr_spill_count));
  if (k.uses_dynamic_stack)
    notes.emplace_back("a stack of no known size");
  if (!k.has_metadata)
    notes.emplace_back("no metadata: its arguments are not known");
  if (!k.kind.empty() && k.kind != "normal")
    notes.push_back("kind " + k.kind);
  return fmt::format("{}", fmt::join(notes, "; "));
}

using Rows = std::vector<std::vector<std::string>>;
constexpr size_t any_width = SIZE_MAX;

void append_kernels(std::string& out, std::span<const codeobject::Kernel> kernels) {
  Rows rows = {{"SGPRs", "VGPRs", "AGPRs", "LDS", "scratch", "kernarg", "code", "kernel"}};
  for (const codeobject::Kernel& k : kernels) {
    rows.push_back({std::to_string(k.allocated_sgpr_count), std::to_string(k.allocated_vgpr_count),
                    std::to_string(k.agpr_count), std::to_string(k.group_segment_fixed_size),
                    std::to_string(k.private_segment_fixed_size), std::to_string(k.kernarg_segment_size),
                    k.code_size ? std::to_string(k.code_size) : "-", plain(launch::describe(launch::signature_of(k)))});
    if (const std::string notes = notes_of(k); !notes.empty())
      rows.push_back({"", "", "", "", "", "", "", "  " + plain(notes)});
  }
  out += fmt::format("\n  {} kernel{} (LDS, kernarg and code in bytes; scratch in bytes of a work-item)\n",
                     kernels.size(), kernels.size() == 1 ? "" : "s");
  out += findings::aligned(rows, "rrrrrrrl", any_width);
}

void append_symbols(std::string& out, std::span<const codeobject::Symbol> symbols) {
  Rows rows = {{"address", "bytes", "", "", "symbol"}};
  for (const codeobject::Symbol& s : symbols) {
    if (s.name.empty())
      continue;
    const std::string readable = codeobject::demangle(s.name);
    rows.push_back({s.defined ? fmt::format("{:#x}", s.address) : "-", std::to_string(s.size), word_of(s),
                    !s.defined ? "undefined"
                    : s.weak   ? "weak"
                    : s.global ? "global"
                               : "local",
                    plain(s.name) + (readable == s.name ? "" : "  " + plain(readable))});
  }
  out += fmt::format("\n  {} symbol{}\n", rows.size() - 1, rows.size() == 2 ? "" : "s");
  if (rows.size() > 1)
    out += findings::aligned(rows, "rrlll", any_width);
}

void append_object(std::string& out, const Contents::Object& object) {
  const codeobject::CodeObject& code = *object.code;
  out += fmt::format("{}: code object v{} for {}, {} bytes\n", plain(object.name), code.version(), code.target_id(),
                     code.bytes().size());
  for (std::string_view rest = code.comment(); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    out += "  by " + plain(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  append_kernels(out, code.kernels());
  for (const codeobject::Kernel& k : code.empty_kernels())
    out += fmt::format("  kernel without instructions: {}\n", plain(k.name));
  append_symbols(out, code.symbols());
  if (!code.printf_formats().empty()) {
    out += fmt::format("\n  {} format{} of printf\n", code.printf_formats().size(),
                       code.printf_formats().size() == 1 ? "" : "s");
    for (const std::string& format : code.printf_formats())
      out += "  " + plain(format) + "\n";
  }
}

} // namespace

llvm::Expected<Contents> contents_of(const std::string& file, const toolchain::CompileOptions& options) {
  Contents contents;
  contents.file = file;
  std::vector<std::string> errors;
  InputVisitor visitor{
      .unit = [&](LintUnit& unit) { contents.objects.push_back({unit.origin.file, std::move(unit.object)}); },
      .error = [&](const std::string& message) { errors.push_back(message); },
      .gap = [&](const std::string& name, const std::string&,
                 const std::string& reason) { contents.unread.push_back(name + ": " + reason); },
      .entry =
          [&](const std::string& name, const codeobject::BundleEntry& entry) {
            contents.entries.push_back({name, entry.id, entry.target, entry.bytes.size(), holding(entry)});
          }};
  each_unit({{file}, options}, visitor);
  if (contents.objects.empty() && contents.unread.empty() && !errors.empty())
    return fail("{}", fmt::join(errors, "\n"));
  contents.unread.insert(contents.unread.end(), errors.begin(), errors.end());
  return contents;
}

std::string text_of(const Contents& contents) {
  std::string out;
  if (!contents.entries.empty()) {
    Rows rows = {{"bytes", "", "target", "entry"}};
    for (const Contents::Entry& e : contents.entries)
      rows.push_back({std::to_string(e.bytes), e.holds, plain(e.target.empty() ? "-" : e.target),
                      plain(e.id) + (e.file == contents.file ? "" : " of " + plain(e.file))});
    out += fmt::format("{}: {} entr{}\n", plain(contents.file), contents.entries.size(),
                       contents.entries.size() == 1 ? "y" : "ies");
    out += findings::aligned(rows, "rlll", any_width);
  }
  for (const Contents::Object& object : contents.objects) {
    out += out.empty() ? "" : "\n";
    append_object(out, object);
  }
  for (const std::string& why : contents.unread)
    out += "\nnot read: " + findings::plain_lines(why) + "\n";
  return out;
}

} // namespace crosslane::cli
