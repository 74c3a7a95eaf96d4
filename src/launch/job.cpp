// Launch descriptions from text.
#include "launch/job.h"
#include "check/checks.h"
#include "check/suppressions.h"
#include "files/error.h"
#include "isa/enum_name.h"
#include "isa/suggest.h"
#include "launch/buffers.h"
#include "launch/values.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <toml++/toml.h>

namespace crosslane::launch {

namespace {

// As compilers write it, behind the name of the file.
std::string position(const toml::source_region& at) { return fmt::format("{}:{}", at.begin.line, at.begin.column); }

// One value as the word that the command line would have.
llvm::Expected<std::string> word_of(const toml::node& node, std::string_view key) {
  if (const auto* s = node.as_string())
    return s->get();
  if (const auto* i = node.as_integer())
    return fmt::format("{}", i->get());
  if (const auto* f = node.as_floating_point())
    return fmt::format("{}", f->get());
  if (const auto* b = node.as_boolean())
    return std::string(b->get() ? "true" : "false");
  if (const auto* array = node.as_array()) { // [1, 2, 3] -> "1,2,3"
    std::string text;
    for (const auto& element : *array) {
      if (element.is_array())
        break;
      auto word = word_of(element, key);
      if (!word)
        return word.takeError();
      text += (text.empty() ? "" : ",") + *word;
    }
    return text;
  }
  return fail("{}: '{}' is neither text, a number nor a list", position(node.source()), key);
}

// "unmapped_address" of FaultKind::unmapped_address, for those that end a kernel.
std::vector<std::string_view> fault_words() {
  std::vector<std::string_view> words;
  for (size_t n = 0; !isa::enum_name(machine::FaultKind(n)).empty(); ++n)
    if (const auto kind = machine::FaultKind(n);
        kind != machine::FaultKind::none && kind != machine::FaultKind::cancelled)
      words.push_back(isa::enum_name(kind));
  return words;
}

std::optional<machine::FaultKind> fault_of(std::string_view word) {
  for (size_t n = 0; !isa::enum_name(machine::FaultKind(n)).empty(); ++n)
    if (isa::enum_name(machine::FaultKind(n)) == word && std::ranges::count(fault_words(), word))
      return machine::FaultKind(n);
  return std::nullopt;
}

class Reader {
public:
  Reader(const toml::table& table, Job& job) : table_(table), job_(job) {}

  llvm::Error read() {
    for (const auto& [key, node] : table_) {
      const std::string_view name = key.str();
      const auto* row = find(name);
      if (!row)
        return fail("{}: unknown key '{}'{} Known are {}", position(key.source()), name,
                    isa::did_you_mean(name, keys(), "."), fmt::join(keys(), ", "));
      remember(key);
      if (auto error = (this->*row->read)(node, name))
        return error;
    }
    return llvm::Error::success();
  }

private:
  struct Row {
    std::string_view key;
    llvm::Error (Reader::*read)(const toml::node&, std::string_view);
  };
  static std::span<const Row> rows() {
    static constexpr Row all[] = {{"file", &Reader::text},
                                  {"target", &Reader::text},
                                  {"kernel", &Reader::text},
                                  {"grid", &Reader::sizes},
                                  {"groups", &Reader::sizes},
                                  {"block", &Reader::sizes},
                                  {"offset", &Reader::sizes},
                                  {"args", &Reader::arguments},
                                  {"out", &Reader::pairs},
                                  {"expect", &Reader::pairs},
                                  {"print", &Reader::words},
                                  {"clang", &Reader::words},
                                  {"rtol", &Reader::real},
                                  {"atol", &Reader::real},
                                  {"lds", &Reader::integer},
                                  {"stack", &Reader::integer},
                                  {"threads", &Reader::integer},
                                  {"runs", &Reader::integer},
                                  {"stats", &Reader::boolean},
                                  {"per_wave", &Reader::boolean},
                                  {"fidelity", &Reader::boolean},
                                  {"host_memory", &Reader::boolean},
                                  {"bounds", &Reader::text},
                                  {"overhead", &Reader::boolean},
                                  {"profile", &Reader::profile},
                                  {"launch", &Reader::profile},
                                  {"sample", &Reader::profile},
                                  {"by", &Reader::profile},
                                  {"trace_wave", &Reader::profile},
                                  {"json", &Reader::profile},
                                  {"csv", &Reader::profile},
                                  {"html", &Reader::profile},
                                  {"trap_handler", &Reader::text},
                                  {"sandbox", &Reader::boolean},
                                  {"timeout", &Reader::real},
                                  {"late", &Reader::boolean},
                                  {"check", &Reader::text},
                                  {"time", &Reader::boolean},
                                  {"gpu", &Reader::text},
                                  {"time_files", &Reader::text},
                                  {"counters", &Reader::text},
                                  {"time_error", &Reader::real},
                                  {"instrument", &Reader::profile},
                                  {"at", &Reader::profile},
                                  {"trace_bytes", &Reader::profile},
                                  {"findings", &Reader::text},
                                  {"suppress", &Reader::text},
                                  {"expect_fault", &Reader::fault},
                                  {"expect_findings", &Reader::words},
                                  {"poison", &Reader::integer},
                                  {"max_findings", &Reader::integer},
                                  {"error_exitcode", &Reader::integer}};
    return all;
  }
  static const Row* find(std::string_view key) {
    for (const auto& row : rows())
      if (row.key == key)
        return &row;
    return nullptr;
  }
  static std::vector<std::string_view> keys() {
    std::vector<std::string_view> all;
    for (const auto& row : rows())
      all.push_back(row.key);
    return all;
  }
  static llvm::Error wrong(const toml::node& node, std::string_view key, std::string_view wanted) {
    return fail("{}: '{}' must be {}", position(node.source()), key, wanted);
  }
  void remember(const toml::key& key, const std::string& prefix = "") {
    const auto& at = key.source().begin;
    job_.positions[prefix + std::string(key.str())] = {at.line, at.column};
  }

  llvm::Error text(const toml::node& node, std::string_view key) {
    const auto* value = node.as_string();
    if (!value)
      return wrong(node, key, "text");
    if (key == "check" && !check::wanted_of(value->get()))
      return wrong(node, key, fmt::format("{}, or several with commas", check::check_names));
    if (key == "bounds" && value->get() != "exact" && value->get() != "card")
      return wrong(node, key, "\"exact\" or \"card\"");
    if (key == "time_files" || key == "counters" || key == "findings") {
      (key == "counters"   ? job_.counters
       : key == "findings" ? job_.checked.file
                           : job_.time_files) = resolve_output(job_.folder, value->get());
      return llvm::Error::success();
    }
    if (key == "suppress") {
      job_.checked.suppress = resolve_path(job_.folder, value->get());
      return llvm::Error::success();
    }
    (key == "file"     ? job_.file
     : key == "target" ? job_.compile.target
     : key == "kernel" ? job_.kernel
     : key == "bounds" ? job_.bounds
     : key == "check"  ? job_.check
     : key == "gpu"    ? job_.gpu
                       : job_.trap_handler) = value->get();
    return llvm::Error::success();
  }
  llvm::Error profile(const toml::node& node, std::string_view key) {
    auto word = word_of(node, key);
    if (!word)
      return word.takeError();
    profile::Texts& texts = job_.profile;
    if (key == "instrument")
      *word = rewrite::with_files(*word, [&](const auto& file) { return resolve_path(job_.folder, file); });
    if (key == "json" || key == "csv" || key == "html")
      (key == "json" ? texts.json : key == "csv" ? texts.csv : texts.html) = resolve_output(job_.folder, *word);
    else
      (key == "profile"       ? texts.views
       : key == "launch"      ? texts.launches
       : key == "sample"      ? texts.sample
       : key == "by"          ? texts.by
       : key == "instrument"  ? texts.instrument
       : key == "at"          ? texts.at
       : key == "trace_bytes" ? texts.trace_bytes
                              : texts.trace) = std::move(*word);
    return llvm::Error::success();
  }
  llvm::Error sizes(const toml::node& node, std::string_view key) {
    auto word = word_of(node, key);
    if (!word)
      return word.takeError();
    if (key == "offset") {
      auto offset = parse_offset(*word);
      if (!offset)
        return fail("{}: {}", position(node.source()), llvm::toString(offset.takeError()));
      job_.offset = *offset;
      return llvm::Error::success();
    }
    auto sizes = parse_sizes(*word, key);
    if (!sizes)
      return fail("{}: {}", position(node.source()), llvm::toString(sizes.takeError()));
    (key == "grid" ? job_.grid : key == "groups" ? job_.groups : job_.block) = *sizes;
    return llvm::Error::success();
  }
  llvm::Error arguments(const toml::node& node, std::string_view key) {
    if (const auto* array = node.as_array()) {
      for (const auto& element : *array) {
        auto word = word_of(element, key);
        if (!word)
          return word.takeError();
        job_.arguments.push_back(*word);
      }
      return llvm::Error::success();
    }
    const auto* table = node.as_table();
    if (!table)
      return wrong(node, key, "a table of names, or a list");
    for (const auto& [name, value] : *table) {
      auto word = word_of(value, name.str());
      if (!word)
        return word.takeError();
      job_.arguments.push_back(std::string(name.str()) + "=" + *word);
    }
    return llvm::Error::success();
  }
  llvm::Error pairs(const toml::node& node, std::string_view key) {
    const auto* table = node.as_table();
    if (!table)
      return wrong(node, key, "a table of buffers, such as [out] c = \"c.npy\"");
    for (const auto& [name, value] : *table) {
      const auto* file = value.as_string();
      if (!file)
        return wrong(value, name.str(), "text");
      (key == "out" ? job_.out : job_.expect).push_back(std::string(name.str()) + "=" + file->get());
      remember(name, std::string(key) + ".");
    }
    return llvm::Error::success();
  }
  llvm::Error words(const toml::node& node, std::string_view key) {
    auto& list = key == "print" ? job_.print : key == "clang" ? job_.compile.options : job_.expect_findings;
    if (const auto* one = node.as_string()) {
      list.push_back(one->get());
      return llvm::Error::success();
    }
    const auto* array = node.as_array();
    if (!array)
      return wrong(node, key, "text or a list of texts");
    for (const auto& element : *array) {
      const auto* value = element.as_string();
      if (!value)
        return wrong(node, key, "a list of texts");
      list.push_back(value->get());
    }
    return llvm::Error::success();
  }
  llvm::Error fault(const toml::node& node, std::string_view key) {
    const auto* value = node.as_string();
    job_.expect_fault = value ? fault_of(value->get()) : std::nullopt;
    if (job_.expect_fault)
      return llvm::Error::success();
    const auto words = fault_words();
    return wrong(node, key,
                 fmt::format("one of {}{}", fmt::join(words, ", "),
                             value ? isa::did_you_mean(value->get(), words) : std::string()));
  }
  llvm::Error real(const toml::node& node, std::string_view key) {
    const auto value = node.value<double>();
    if (!value)
      return wrong(node, key, "a number");
    if (key == "timeout" && !(*value >= 0))
      return wrong(node, key, "a number of seconds, or 0 for no limit");
    if (key == "time_error" && !(*value >= 0 && *value <= 100))
      return wrong(node, key, "a number of percent, 0 to 100");
    (key == "rtol"         ? job_.rtol
     : key == "atol"       ? job_.atol
     : key == "time_error" ? job_.time_error
                           : job_.timeout) = *value;
    return llvm::Error::success();
  }
  llvm::Error integer(const toml::node& node, std::string_view key) {
    const auto* value = node.as_integer();
    if (!value || value->get() < 0 || value->get() > UINT32_MAX)
      return wrong(node, key, "a whole number, not negative");
    const auto number = static_cast<uint32_t>(value->get());
    if (key == "max_findings") {
      job_.checked.most = number;
      return llvm::Error::success();
    }
    if (key == "error_exitcode") {
      if (number < 1 || number > 255)
        return wrong(node, key, "a number from 1 to 255");
      job_.checked.status = int(number);
      return llvm::Error::success();
    }
    (key == "lds"       ? job_.lds
     : key == "stack"   ? job_.stack
     : key == "threads" ? job_.threads
     : key == "poison"  ? job_.poison
                        : job_.runs) = number;
    return llvm::Error::success();
  }
  llvm::Error boolean(const toml::node& node, std::string_view key) {
    const auto* value = node.as_boolean();
    if (!value)
      return wrong(node, key, "true or false");
    (key == "stats"         ? job_.stats
     : key == "fidelity"    ? job_.fidelity
     : key == "overhead"    ? job_.overhead
     : key == "host_memory" ? job_.host_memory
     : key == "sandbox"     ? job_.sandbox
     : key == "late"        ? job_.late
     : key == "time"        ? job_.time
                            : job_.profile.per_wave) = value->get();
    return llvm::Error::success();
  }

  const toml::table& table_;
  Job& job_;
};

// The line of a key with more parts ("a.b.c") than any key here has, or 0. toml++ limits the depth of lists and not
// that of keys, of which each part is a level of recursion.
size_t line_of_deep_key(std::string_view text) {
  constexpr size_t most = 256;
  size_t line = 1, dots = 0;
  for (const char c : text) {
    const bool key =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_-. \t'\"").find(c) != std::string_view::npos;
    line += c == '\n';
    dots = !key ? 0 : dots + (c == '.');
    if (dots > most)
      return line;
  }
  return 0;
}

// That they can be met, and belong together.
llvm::Error judge_expectations(const Job& job) {
  const auto at = [&](const std::string& key) {
    const Job::Position p = job.positions.at(key);
    return fmt::format("{}:{}:{}", job.description, p.line, p.column);
  };
  if (job.expect_fault && !job.expect.empty())
    return fail("{}: 'expect_fault' and [expect] exclude each other: what a kernel leaves that faulted is not compared",
                at("expect_fault"));
  if (job.expect_findings.empty())
    return llvm::Error::success();
  if (job.check.empty())
    return fail("{}: 'expect_findings' needs 'check', whose findings are meant", at("expect_findings"));
  const std::string lines = fmt::format("{}", fmt::join(job.expect_findings, "\n"));
  if (auto parsed = check::Suppressions::parse(lines, "expect_findings"); !parsed)
    return fail("{}: {}", at("expect_findings"), llvm::toString(parsed.takeError()));
  return llvm::Error::success();
}

llvm::Error three(std::string_view text, std::string_view what, std::array<uint64_t, 3>& values, uint16_t& dims,
                  uint64_t largest) {
  dims = 0;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    uint64_t value = 0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || result.ec != std::errc() || result.ptr != word.data() + word.size() || value > largest)
      return fail("{}: '{}' is not a size; give one to three numbers, such as 1024 or 64,64", what, word);
    if (dims == 3)
      return fail("{}: more than three sizes", what);
    values[dims++] = value;
    if (comma == std::string_view::npos)
      return llvm::Error::success();
    rest.remove_prefix(comma + 1);
  }
}

} // namespace

llvm::Expected<Sizes> parse_sizes(std::string_view text, std::string_view what) {
  std::array<uint64_t, 3> values = {1, 1, 1};
  Sizes sizes;
  if (auto error = three(text, what, values, sizes.dims, UINT32_MAX))
    return std::move(error);
  for (size_t d = 0; d < 3; ++d)
    sizes.value[d] = static_cast<uint32_t>(values[d]);
  return sizes;
}

llvm::Expected<std::array<uint64_t, 3>> parse_offset(std::string_view text) {
  std::array<uint64_t, 3> values = {0, 0, 0};
  uint16_t dims = 0;
  if (auto error = three(text, "offset", values, dims, UINT64_MAX))
    return std::move(error);
  return values;
}

llvm::Expected<std::pair<std::string, uint64_t>> parse_print(std::string_view text, Wording wording) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return std::pair(std::string(text), UINT64_MAX);
  uint8_t bytes[8];
  if (auto error = store(Type::u64, text.substr(colon + 1), bytes))
    return fail("{} {}: {}", option(wording, "print"), text, llvm::toString(std::move(error)));
  return std::pair(std::string(text.substr(0, colon)), static_cast<uint64_t>(load(Type::u64, bytes).integer));
}

llvm::Expected<std::pair<std::string, std::string>> parse_pair(std::string_view text, std::string_view what) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return fail("{} {}: write NAME=FILE, such as {} c=c.npy", what, text, what);
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

llvm::Error lay_over(Job& job, std::string_view text, const std::string& name) {
  if (const size_t line = line_of_deep_key(text))
    return fail("{}:{}: a key of more than 256 parts; known keys have one or two, such as args.n", name, line);
  try {
    const toml::table table = toml::parse(text, name);
    if (auto error = Reader(table, job).read())
      return fail("{}:{}", name, llvm::toString(std::move(error)));
  } catch (const toml::parse_error& error) {
    return fail("{}:{}:{}: {}", name, error.source().begin.line, error.source().begin.column, error.description());
  }
  return llvm::Error::success();
}

llvm::Expected<Job> parse_job(std::string_view text, const std::string& path) {
  Job job;
  job.folder = std::filesystem::path(path).parent_path().string();
  job.description = path;
  if (auto error = lay_over(job, text, path))
    return std::move(error);
  if (job.file.empty())
    return fail("{}: 'file' is missing: the kernel's .cl, .s, .hip or .co", path);
  if (auto error = judge_expectations(job))
    return std::move(error);
  return job;
}

} // namespace crosslane::launch
