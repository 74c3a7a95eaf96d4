// The same as JSON. Sizes are bytes, addresses those of the code object.
#include "cli/disasm/contents.h"
#include "launch/signature.h"
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using Json = nlohmann::ordered_json;

Json size_of(const uint32_t (&size)[3]) { return size[0] ? Json(size) : Json(); }
Json if_any(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json to_json(const codeobject::KernelArgument& a) {
  Json qualifiers = Json::array();
  for (const auto& [has, word] :
       {std::pair{a.is_const, "const"}, {a.is_volatile, "volatile"}, {a.is_restrict, "restrict"}, {a.is_pipe, "pipe"}})
    if (has)
      qualifiers.push_back(word);
  return {{"name", if_any(a.name)},
          {"type", if_any(a.type_name)},
          {"kind", a.value_kind},
          {"offset", a.offset},
          {"bytes", a.size},
          {"address_space", if_any(a.address_space)},
          {"access", if_any(a.access)},
          {"qualifiers", std::move(qualifiers)},
          {"hidden", a.hidden()}};
}

Json to_json(const codeobject::Kernel& k) {
  Json arguments = Json::array();
  for (const codeobject::KernelArgument& a : k.arguments)
    arguments.push_back(to_json(a));
  return {{"name", codeobject::demangle(k.name)},
          {"symbol", k.name},
          {"signature", launch::describe(launch::signature_of(k))},
          {"metadata", k.has_metadata},
          {"language", if_any(k.language)},
          {"kind", if_any(k.kind)},
          {"entry", k.entry},
          {"code_bytes", k.code_size ? Json(k.code_size) : Json()},
          {"descriptor", {{"symbol", k.symbol}, {"address", k.descriptor_address}}},
          {"sgprs", k.allocated_sgpr_count},
          {"vgprs", k.allocated_vgpr_count},
          {"agprs", k.agpr_count},
          {"sgprs_spilled", k.sgpr_spill_count},
          {"vgprs_spilled", k.vgpr_spill_count},
          {"lds_bytes", k.group_segment_fixed_size},
          {"scratch_bytes", k.private_segment_fixed_size},
          {"dynamic_stack", k.uses_dynamic_stack},
          {"kernarg_bytes", k.kernarg_segment_size},
          {"kernarg_alignment", k.kernarg_segment_align},
          {"wavefront_size", k.wavefront_size},
          {"max_block", k.max_flat_workgroup_size ? Json(k.max_flat_workgroup_size) : Json()},
          {"required_block", size_of(k.reqd_workgroup_size)},
          {"block_hint", size_of(k.workgroup_size_hint)},
          {"arguments", std::move(arguments)}};
}

const char* word_of(codeobject::Symbol::Kind kind) {
  using Kind = codeobject::Symbol::Kind;
  switch (kind) {
  case Kind::function: return "function";
  case Kind::kernel_descriptor: return "descriptor";
  case Kind::object: return "variable";
  case Kind::lds: return "lds";
  case Kind::other: break;
  }
  return "other";
}

Json to_json(const Contents::Object& object) {
  const codeobject::CodeObject& code = *object.code;
  Json kernels = Json::array(), empty = Json::array(), symbols = Json::array(), sections = Json::array();
  for (const codeobject::Kernel& k : code.kernels())
    kernels.push_back(to_json(k));
  for (const codeobject::Kernel& k : code.empty_kernels())
    empty.push_back(k.name);
  for (const codeobject::Symbol& s : code.symbols())
    if (!s.name.empty())
      symbols.push_back({{"name", s.name},
                         {"demangled", codeobject::demangle(s.name)},
                         {"kind", word_of(s.kind)},
                         {"address", s.defined ? Json(s.address) : Json()},
                         {"bytes", s.size},
                         {"binding", s.weak     ? "weak"
                                     : s.global ? "global"
                                                : "local"}});
  for (const codeobject::Section& s : code.sections())
    sections.push_back({{"name", s.name},
                        {"address", s.address},
                        {"bytes", s.size},
                        {"executable", s.executable},
                        {"writable", s.writable}});
  return {{"name", object.name},
          {"target", code.target_id()},
          {"metadata_target", if_any(code.metadata_target())},
          {"version", code.version()},
          {"bytes", code.bytes().size()},
          {"comment", if_any(code.comment())},
          {"kernels", std::move(kernels)},
          {"kernels_without_instructions", std::move(empty)},
          {"symbols", std::move(symbols)},
          {"sections", std::move(sections)},
          {"printf_formats", code.printf_formats()}};
}

} // namespace

std::string json_of(const Contents& contents) {
  Json entries = Json::array(), objects = Json::array();
  for (const Contents::Entry& e : contents.entries)
    entries.push_back(
        {{"file", e.file}, {"id", e.id}, {"target", if_any(e.target)}, {"bytes", e.bytes}, {"holds", e.holds}});
  for (const Contents::Object& object : contents.objects)
    objects.push_back(to_json(object));
  const Json document = {
      {"crosslane_contents", 1},       {"version", CROSSLANE_VERSION},       {"file", contents.file},
      {"entries", std::move(entries)}, {"code_objects", std::move(objects)}, {"not_read", contents.unread}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::cli
