// Metadata against the YAML that llvm-readelf --notes prints: every value that the oracle knows is looked up in ours.
#include "tests/codeobject/tools.h"
#include <map>
#include <optional>

namespace crosslane::codeobject::test {
namespace {

// Path -> scalar, e.g. "amdhsa.kernels[0].args[2].offset" -> "16". Enough YAML for what readelf writes: block maps and
// sequences by indentation.
std::map<std::string, std::string> flatten_yaml(const std::string& text) {
  struct Level {
    int indent;
    std::string path; // of the map or sequence at this indentation
    int index;        // next element of a sequence, -1 in a map
  };
  std::map<std::string, std::string> flat;
  std::vector<Level> levels;
  for (std::string line : lines_of(text)) {
    int indent = static_cast<int>(line.find_first_not_of(' '));
    if (line.find_first_not_of(' ') == std::string::npos)
      continue;
    std::string rest = line.substr(static_cast<size_t>(indent));
    while (!levels.empty() && (levels.back().indent > indent ||
                               (levels.back().indent == indent && levels.back().index >= 0 && !rest.starts_with("- "))))
      levels.pop_back();
    std::string parent = levels.empty() ? "" : levels.back().path;
    while (rest.starts_with("- ")) {
      if (levels.empty() || levels.back().indent != indent || levels.back().index < 0)
        levels.push_back({indent, parent, 0});
      parent = levels.back().path + "[" + std::to_string(levels.back().index++) + "]";
      size_t skip = rest.find_first_not_of(' ', 1);
      rest = rest.substr(skip);
      indent += static_cast<int>(skip);
      if (rest.find(':') != std::string::npos)
        levels.push_back({indent, parent, -1});
    }
    size_t colon = rest.find(':');
    std::string key = colon == std::string::npos ? "" : rest.substr(0, colon);
    std::string value = colon == std::string::npos ? rest : rest.substr(colon + 1);
    value.erase(0, std::min(value.size(), value.find_first_not_of(' ')));
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'')
      value = value.substr(1, value.size() - 2);
    std::string path = key.empty() ? parent : parent.empty() ? key : parent + (key.starts_with('.') ? "" : ".") + key;
    if (!key.empty() && value.empty())
      levels.push_back({indent + 2, path, rest.empty() ? -1 : 0}), levels.back().index = 0;
    else
      flat[path] = value;
  }
  return flat;
}

std::string yes(bool value) { return value ? "true" : "false"; }

std::optional<std::string> argument_value(const KernelArgument& a, const std::string& key) {
  std::map<std::string, std::string> values = {{".name", a.name},
                                               {".type_name", a.type_name},
                                               {".value_kind", a.value_kind},
                                               {".offset", std::to_string(a.offset)},
                                               {".size", std::to_string(a.size)},
                                               {".address_space", a.address_space},
                                               {".access", a.access},
                                               {".actual_access", a.actual_access},
                                               {".pointee_align", std::to_string(a.pointee_align)},
                                               {".is_const", yes(a.is_const)},
                                               {".is_volatile", yes(a.is_volatile)},
                                               {".is_restrict", yes(a.is_restrict)},
                                               {".is_pipe", yes(a.is_pipe)}};
  auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> kernel_value(const Kernel& k, std::string key) {
  if (key.starts_with(".args[")) {
    size_t close = key.find(']');
    size_t index = std::stoul(key.substr(6, close - 6));
    return index < k.arguments.size() ? argument_value(k.arguments[index], key.substr(close + 1)) : "missing";
  }
  if (key.starts_with(".language_version"))
    return std::nullopt;
  int index = 0;
  if (size_t open = key.find('['); open != std::string::npos) {
    index = std::stoi(key.substr(open + 1));
    key = key.substr(0, open);
  }
  auto n = [](uint32_t value) { return std::to_string(value); };
  std::map<std::string, std::string> values = {{".name", k.name},
                                               {".symbol", k.symbol},
                                               {".kind", k.kind},
                                               {".language", k.language},
                                               {".vec_type_hint", k.vec_type_hint},
                                               {".device_enqueue_symbol", k.device_enqueue_symbol},
                                               {".kernarg_segment_size", n(k.kernarg_segment_size)},
                                               {".kernarg_segment_align", n(k.kernarg_segment_align)},
                                               {".group_segment_fixed_size", n(k.group_segment_fixed_size)},
                                               {".private_segment_fixed_size", n(k.private_segment_fixed_size)},
                                               {".wavefront_size", n(k.wavefront_size)},
                                               {".sgpr_count", n(k.sgpr_count)},
                                               {".vgpr_count", n(k.vgpr_count)},
                                               {".agpr_count", n(k.agpr_count)},
                                               {".sgpr_spill_count", n(k.sgpr_spill_count)},
                                               {".vgpr_spill_count", n(k.vgpr_spill_count)},
                                               {".max_flat_workgroup_size", n(k.max_flat_workgroup_size)},
                                               {".reqd_workgroup_size", n(k.reqd_workgroup_size[index % 3])},
                                               {".workgroup_size_hint", n(k.workgroup_size_hint[index % 3])},
                                               {".uses_dynamic_stack", yes(k.uses_dynamic_stack)},
                                               {".workgroup_processor_mode", n(k.workgroup_processor_mode)},
                                               {".uniform_work_group_size", n(k.uniform_work_group_size)}};
  auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

void compare(const CodeObject& object, const std::string& path) {
  std::string text = run(std::string(READELF) + " --notes " + path);
  size_t start = text.find("---\n"), end = text.find("\n...", start);
  ASSERT_NE(start, std::string::npos);
  size_t compared = 0, kernels = 0;
  for (const auto& [key, value] : flatten_yaml(text.substr(start + 4, end - start - 3))) {
    if (key.starts_with("amdhsa.kernels[")) {
      size_t close = key.find(']');
      size_t index = std::stoul(key.substr(15, close - 15));
      ASSERT_LT(index, object.kernels().size());
      kernels = std::max(kernels, index + 1);
      auto ours = kernel_value(object.kernels()[index], key.substr(close + 1));
      if (key.find(".language_version") != std::string::npos)
        continue;
      ASSERT_TRUE(ours) << "readelf prints " << key << ", which nothing here reads";
      EXPECT_EQ(*ours, value) << key;
      ++compared;
    } else if (key == "amdhsa.target") {
      EXPECT_EQ(object.metadata_target(), value);
    }
  }
  EXPECT_EQ(kernels, object.kernels().size());
  EXPECT_GT(compared, 20u * kernels);
}

TEST(Metadata, EveryValueAsReadelfPrintsIt) {
  for (const std::string& name : all_inputs()) {
    if (name.starts_with("bare"))
      continue;
    SCOPED_TRACE(name);
    compare(*read_input(name), input_path(name));
  }
}

TEST(Metadata, ArgumentsInTheirOrder) {
  auto object = read_input("arguments-gfx906-v5.co");
  const Kernel* kernel = object->find_kernel("everything");
  ASSERT_TRUE(kernel);
  ASSERT_GE(kernel->arguments.size(), 11u);
  EXPECT_EQ(kernel->arguments[0].value_kind, "global_buffer");
  EXPECT_EQ(kernel->arguments[0].type_name, "float*");
  EXPECT_TRUE(kernel->arguments[0].is_restrict);
  EXPECT_EQ(kernel->arguments[9].value_kind, "dynamic_shared_pointer");
  EXPECT_EQ(kernel->arguments[9].pointee_align, 4u);
  EXPECT_EQ(kernel->arguments[10].pointee_align, 16u);
  EXPECT_FALSE(kernel->arguments[10].hidden());
  EXPECT_EQ(kernel->reqd_workgroup_size[0], 64u);
  EXPECT_EQ(kernel->reqd_workgroup_size[1], 2u);
  auto hip = read_input("globals.co");
  const Kernel* sum = hip->find_kernel("sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->arguments[2].offset, 16u);
  EXPECT_TRUE(sum->arguments.size() > 3 ? sum->arguments.back().hidden() : true);
}

// ld.lld leaves the notes of two objects side by side; a kernel in the second is as good as one in the first.
TEST(Metadata, SeveralNotes) {
  auto object = read_input("two-notes.co");
  ASSERT_EQ(object->kernels().size(), 3u);
  for (const Kernel& kernel : object->kernels())
    EXPECT_TRUE(kernel.has_metadata) << kernel.name;
  EXPECT_TRUE(object->find_kernel("prints"));
  EXPECT_EQ(object->find_kernel("everything")->arguments[0].type_name, "float*");
}

TEST(Metadata, PrintfFormats) {
  auto object = read_input("prints.co");
  ASSERT_EQ(object->printf_formats().size(), 1u);
  EXPECT_EQ(object->printf_formats()[0],
            "1:1:4:value %d\\n"); // number, argument count, sizes, text, as the compiler joins them
}

} // namespace
} // namespace crosslane::codeobject::test
