// A profile is a file of anybody's: whatever it holds is looked at before it is used.
#include "cli/timing/profile.h"
#include "files/error.h"
#include "files/read.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using Json = nlohmann::json;

// 0 where it is not a number that counts something.
double count(const Json& from, const char* key) {
  const auto found = from.find(key);
  const double n = found != from.end() && found->is_number() ? found->get<double>() : 0;
  return std::isfinite(n) && n > 0 ? n : 0;
}
std::string text(const Json& from, const char* key) {
  const auto found = from.find(key);
  return found != from.end() && found->is_string() ? found->get<std::string>() : "";
}
const Json& list(const Json& from, const char* key) {
  static const Json empty = Json::array();
  const auto found = from.find(key);
  return found != from.end() && found->is_array() ? *found : empty;
}

std::optional<uint64_t> address(const std::string& hex) {
  uint64_t value = 0;
  if (!hex.starts_with("0x"))
    return std::nullopt;
  const auto end = hex.data() + hex.size();
  const auto result = std::from_chars(hex.data() + 2, end, value, 16);
  return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

void read_instruction(const Json& i, double times, ProfiledKernel& into) {
  const auto at = address(text(i, "address"));
  const double executions = count(i, "executions");
  if (!at || executions == 0)
    return;
  timing::Counted& c = into.counts[*at];
  c.executions = executions * times;
  for (const Json& m : list(i, "memory")) {
    if (!m.is_object() || text(m, "space") == "scalar")
      continue;
    c.vmem_cycles += count(m, "clocks") / executions;
    into.launch.bytes_most += count(m, "bytes_moved") * times;
  }
  if (const auto lds = i.find("lds"); lds != i.end() && lds->is_object())
    c.lds_cycles = count(*lds, "cycles") / executions;
}

llvm::Expected<ProfiledKernel> read_kernel(const Json& k, double buffers, const std::string& path) {
  ProfiledKernel out;
  out.name = text(k, "name"), out.target = text(k, "target"), out.launches = count(k, "launches");
  if (out.name.empty() || out.launches == 0)
    return fail("{}: a kernel without a name or launches", path);
  double sampled = 1;
  if (const auto s = k.find("sampled"); s != k.end() && s->is_object() && count(*s, "workgroups") > 0)
    sampled = count(*s, "of") / count(*s, "workgroups");
  const double times = sampled / out.launches;
  out.workgroup_items = 1;
  for (const Json& n : list(k, "block"))
    if (n.is_number_unsigned() && n.get<uint64_t>() > 0 && n.get<uint64_t>() <= 1024)
      out.workgroup_items *= n.get<uint32_t>();
  out.workgroup_items = std::min(out.workgroup_items, 1024u);
  out.launch.workgroups = count(k, "workgroups") / out.launches; // of all, also where instructions are of some
  out.launch.waves = count(k, "waves") / out.launches;
  out.launch.waves_per_workgroup = out.launch.workgroups > 0 ? out.launch.waves / out.launch.workgroups : 1;
  for (const Json& i : list(k, "instructions"))
    if (i.is_object())
      read_instruction(i, times, out);
  if (out.counts.empty())
    return fail("{}: counts no instructions of {}: make it with all views, as crosslane launch ... --profile all "
                "--json FILE",
                path, out.name);
  out.launch.bytes_least = std::min(buffers, out.launch.bytes_most);
  return out;
}

} // namespace

llvm::Expected<std::vector<ProfiledKernel>> read_profile(const std::string& path) {
  auto bytes = files::read(path);
  if (!bytes)
    return bytes.takeError();
  const Json document = Json::parse(bytes->begin(), bytes->end(), nullptr, false);
  if (!document.is_object() || text(document, "format") != "crosslane-profile")
    return fail("{}: is no profile: crosslane launch and crosslane run write one with --json FILE", path);
  if (count(document, "version") != 1)
    return fail("{}: is a profile of another version than 1", path);
  double buffers = 0;
  for (const Json& b : list(document, "buffers"))
    if (b.is_object())
      buffers += count(b, "size");
  std::vector<ProfiledKernel> kernels;
  for (const Json& k : list(document, "kernels")) {
    if (!k.is_object())
      return fail("{}: a kernel that is none", path);
    auto kernel = read_kernel(k, buffers, path);
    if (!kernel)
      return kernel.takeError();
    kernels.push_back(std::move(*kernel));
  }
  if (kernels.empty())
    return fail("{}: has no kernels", path);
  return kernels;
}

} // namespace crosslane::cli
