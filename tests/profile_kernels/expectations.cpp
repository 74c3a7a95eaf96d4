// The comments are read line by line; nothing in a kernel's code is.
#include "tests/profile_kernels/expectations.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace crosslane::test {

namespace {

using workload::Bytes;

// Words between blanks; blanks in quotes belong to a word, and the quotes do not.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  bool quoted = false, open = false;
  for (const char c : text) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      open = false;
    else {
      if (!open)
        all.emplace_back();
      open = true;
      all.back() += c;
    }
  }
  if (quoted)
    throw std::runtime_error("a quote is not closed");
  return all;
}

std::pair<std::string, std::string> split(const std::string& word, char at) {
  const size_t i = word.find(at);
  if (i == word.npos)
    throw std::runtime_error("'" + word + "' has no '" + at + "'");
  return {word.substr(0, i), word.substr(i + 1)};
}

template <class T> Bytes bytes_of(T value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A number as `size` bytes of a kind: 'f' float or double, else an integer.
Bytes number(const std::string& text, char kind, size_t size) {
  size_t used = 0;
  Bytes bytes;
  if (kind == 'f')
    bytes = size == 8 ? bytes_of(std::stod(text, &used)) : bytes_of(std::stof(text, &used));
  else
    bytes = text.starts_with('-') ? bytes_of(std::stoll(text, &used, 0)) : bytes_of(std::stoull(text, &used, 0));
  if (used != text.size() || bytes.size() < size)
    throw std::runtime_error("'" + text + "' is no number of that type");
  bytes.resize(size);
  return bytes;
}

// "u32[4096]:iota"
Bytes buffer(const std::string& text) {
  static const std::regex form(R"(([uif])(8|16|32|64)\[(\d+)\](?::(.*))?)");
  std::smatch m;
  if (!std::regex_match(text, m, form))
    throw std::runtime_error("'" + text + "' is no buffer");
  const char kind = *m[1].first;
  const size_t size = std::stoul(m[2]) / 8, count = std::stoul(m[3]);
  std::vector<std::string> values;
  std::stringstream list(m[4]);
  for (std::string value; std::getline(list, value, ',');)
    values.push_back(value);
  const bool iota = m[4] == "iota";
  if (values.size() > 1 && values.size() != count)
    throw std::runtime_error("'" + text + "' has " + std::to_string(values.size()) + " values");
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    const Bytes one = number(iota                 ? std::to_string(i)
                             : values.empty()     ? "0"
                             : values.size() == 1 ? values[0]
                                                  : values[i],
                             kind, size);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

std::array<uint32_t, 3> sizes(const std::string& text) {
  std::array<uint32_t, 3> all{1, 1, 1};
  std::stringstream list(text);
  std::string value;
  for (size_t d = 0; std::getline(list, value, ','); ++d)
    all.at(d) = uint32_t(std::stoul(value));
  return all;
}

void read_argument(const std::string& word, workload::Workload& w) {
  workload::Launch& launch = w.launches[0];
  const auto [name, value] = split(word, '=');
  if (value.starts_with("lds:"))
    launch.arguments.push_back(workload::local(uint32_t(std::stoul(value.substr(4)))));
  else if (value.find('[') != value.npos) {
    w.buffers.push_back({name, workload::Element::u8, buffer(value), workload::Compare::none, 0, {}});
    launch.arguments.push_back(workload::buffer(w.buffers.size() - 1));
  } else if (value.find('.') != value.npos)
    launch.arguments.push_back({workload::Argument::Kind::value, 0, number(value, 'f', 4), 0});
  else
    launch.arguments.push_back({workload::Argument::Kind::value, 0, number(value, 'i', 8), 0}); // as much as fits
}

void read_launch(const std::string& text, ProfileKernel& kernel) {
  workload::Launch& launch = kernel.workload.launches.emplace_back();
  const auto all = words(text);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].starts_with("--")) {
      read_argument(all[i], kernel.workload);
      continue;
    }
    const std::string& option = all[i];
    if (++i == all.size())
      throw std::runtime_error(option + " has no value");
    if (option == "--kernel")
      launch.kernel = all[i];
    else if (option == "--grid") {
      launch.grid = sizes(all[i]);
      launch.dimensions = 1 + int(std::count(all[i].begin(), all[i].end(), ','));
    } else if (option == "--block")
      launch.block = sizes(all[i]);
    else if (option == "--lds")
      launch.extra_lds = uint32_t(std::stoul(all[i]));
    else
      throw std::runtime_error("no option " + option);
  }
  if (launch.kernel.empty())
    throw std::runtime_error("a launch needs --kernel");
}

Expectation read_expectation(const std::string& text, int line) {
  Expectation e;
  e.line = line;
  for (const std::string& word : words(text))
    if (e.site.empty())
      e.site = word;
    else if (!e.values.insert(split(word, '=')).second)
      throw std::runtime_error("'" + word + "' is there twice");
  if (e.site.find('@') == e.site.npos)
    throw std::runtime_error("'" + e.site + "' is no site such as load@1");
  return e;
}

} // namespace

std::vector<ProfileKernel> read_profile_kernels(const std::string& path) {
  static const std::regex form(R"(\s*(?://|;|#)\s*(targets|launch|expect):\s*(.*?)\s*)");
  std::ifstream file(path);
  std::vector<ProfileKernel> kernels;
  std::vector<std::string> targets = {"gfx803", "gfx900", "gfx906"};
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::smatch m;
    if (!std::regex_match(line, m, form))
      continue;
    try {
      if (m[1] == "targets")
        targets = words(m[2]);
      else if (m[1] == "launch") {
        ProfileKernel& kernel = kernels.emplace_back();
        kernel.path = path;
        kernel.launch = m[2];
        kernel.targets = targets;
        kernel.line = number;
        kernel.workload.source = path;
        kernel.workload.name = std::filesystem::path(path).stem();
        read_launch(m[2], kernel);
      } else if (kernels.empty())
        throw std::runtime_error("expects before it launches");
      else
        kernels.back().expectations.push_back(read_expectation(m[2], number));
    } catch (const std::exception& e) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + e.what());
    }
  }
  if (kernels.empty())
    throw std::runtime_error(path + ": launches nothing");
  return kernels;
}

std::vector<ProfileKernel> all_profile_kernels() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(CROSSLANE_PROFILE_KERNELS))
    if (entry.path().extension() == ".cl" || entry.path().extension() == ".s")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<ProfileKernel> all;
  for (const std::string& path : paths)
    for (ProfileKernel& kernel : read_profile_kernels(path))
      all.push_back(std::move(kernel));
  return all;
}

std::string mismatches(const ProfileKernel& kernel, const Sites& actual) {
  std::string text;
  const auto say = [&](int line, const std::string& what) {
    text += kernel.path + ":" + std::to_string(line) + ": " + what + "\n";
  };
  Sites unexpected = actual;
  for (const Expectation& e : kernel.expectations) {
    unexpected.erase(e.site);
    const auto site = actual.find(e.site);
    if (site == actual.end()) {
      say(e.line, "no " + e.site);
      continue;
    }
    for (const auto& [name, value] : e.values) {
      const auto found = site->second.find(name);
      if (found == site->second.end())
        say(e.line, e.site + " has no " + name);
      else if (found->second != value)
        say(e.line, e.site + ": " + name + " is " + found->second + ", expected " + value);
    }
  }
  for (const auto& [site, values] : unexpected)
    if (!site.starts_with("scalar_") && !site.starts_with("valu@") && !site.starts_with("branch@"))
      say(kernel.line, site + " is not expected");
  return text;
}

} // namespace crosslane::test
