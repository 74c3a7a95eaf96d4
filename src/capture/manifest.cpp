// A dispatch as JSON. What is read may be anybody's: each field is looked at before it is used, and the parts must fit
// together (judge()), so that nobody behind needs to ask again.
#include "capture/dispatch.h"
#include "codeobject/code_object.h"
#include "files/error.h"
#include "isa/target.h"
#include "machine/gds.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace crosslane::capture {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;
constexpr uint64_t page = 4096;
constexpr uint64_t window_begin = uint64_t(machine::window.first) << 32;
constexpr uint64_t window_end = window_begin + (uint64_t(machine::window.count) << 32);
constexpr size_t most_ranges = 1 << 20;
constexpr uint32_t most_scratch = 262128; // of a work-item, as the runtime has it

std::string hex(uint64_t value) { return fmt::format("{:#x}", value); }

Json json_of(const Content& c) { return {{"bytes", c.bytes}, {"list", c.zeros() ? Json() : Json(text_of(c.list))}}; }

Json json_of(const engine::AqlPacket& p) {
  return {{"header", p.header},
          {"setup", p.setup},
          {"workgroup_size", p.workgroup_size},
          {"reserved0", p.reserved0},
          {"grid_size", p.grid_size},
          {"private_segment_size", p.private_segment_size},
          {"group_segment_size", p.group_segment_size},
          {"kernel_object", hex(p.kernel_object)},
          {"kernarg_address", hex(p.kernarg_address)},
          {"reserved2", hex(p.reserved2)},
          {"completion_signal", hex(p.completion_signal)}};
}

Json json_of(const Outcome& o) {
  Json json = {
      {"instructions", o.instructions}, {"waves", o.waves}, {"workgroups", o.workgroups}, {"memory", o.memory}};
  if (const auto& f = o.fault)
    json["fault"] = {{"kind", machine::name(f->kind)}, {"pc", hex(f->pc)},   {"instruction", f->instruction},
                     {"workgroup", f->workgroup},      {"wave", f->wave},    {"lane", f->lane},
                     {"address", hex(f->address)},     {"detail", f->detail}};
  return json;
}

Json json_of(const SharedState& s) {
  Json json = {{"data", json_of(s.data)}, {"resources", Json::array()}, {"turns", s.turns}};
  for (const auto& r : s.resources)
    json["resources"].push_back({{"number", r.number},
                                 {"counter", r.counter},
                                 {"generation", r.generation},
                                 {"head", r.head},
                                 {"tail", r.tail}});
  return json;
}

// The fields of an object; what is wrong with the first that is not as it must be is kept.
class Fields {
public:
  Fields(const Json& json, std::string where, std::string& wrong)
      : json_(json), where_(std::move(where)), wrong_(wrong) {
    if (!json_.is_object())
      complain("is no object");
  }

  const Json* find(const char* name) const {
    if (!json_.is_object())
      return nullptr;
    const auto at = json_.find(name);
    return at == json_.end() || at->is_null() ? nullptr : &*at;
  }
  const Json& operator[](const char* name) {
    static const Json none;
    const Json* found = find(name);
    if (!found)
      complain(name, "is missing");
    return found ? *found : none;
  }
  template <class T> void number(const char* name, T& to) {
    const Json& json = (*this)[name];
    if (json.is_null())
      return;
    if (!number_of(json, to))
      complain(name, "is no number that it can have");
  }
  template <class T, size_t n> void numbers(const char* name, T (&to)[n]) { numbers_of((*this)[name], name, to, n); }
  template <class T, size_t n> void numbers(const char* name, std::array<T, n>& to) {
    numbers_of((*this)[name], name, to.data(), n);
  }
  void address(const char* name, uint64_t& to) {
    const Json& json = (*this)[name];
    if (json.is_null())
      return;
    const std::string* text = json.get_ptr<const std::string*>();
    if (!text || !text->starts_with("0x") || text->size() > 18)
      return complain(name, "is no address such as \"0x680000001000\"");
    const auto [end, error] = std::from_chars(text->data() + 2, text->data() + text->size(), to, 16);
    if (error != std::errc() || end != text->data() + text->size())
      complain(name, "is no address such as \"0x680000001000\"");
  }
  void text(const char* name, std::string& to) {
    const Json& json = (*this)[name];
    if (json.is_null())
      return;
    const std::string* text = json.get_ptr<const std::string*>();
    if (text && text->size() <= 65536)
      to = *text;
    else
      complain(name, "is no text");
  }
  void flag(const char* name, bool& to) {
    const Json& json = (*this)[name];
    if (json.is_boolean())
      to = json.get<bool>();
    else if (!json.is_null())
      complain(name, "is neither true nor false");
  }
  void content(const char* name, Content& to) {
    Fields f((*this)[name], inside(name), wrong_);
    f.number("bytes", to.bytes);
    to.list = all_zeros;
    const Json* list = f.find("list");
    if (!list)
      return;
    const std::string* text = list->get_ptr<const std::string*>();
    if (!text || text->size() != 2 * to.list.size())
      return f.complain("list", "is no hash of 64 hexadecimal digits");
    for (size_t i = 0; i < to.list.size(); ++i) {
      const auto [end, error] = std::from_chars(&(*text)[2 * i], &(*text)[2 * i] + 2, to.list[i], 16);
      if (error != std::errc() || end != &(*text)[2 * i] + 2)
        return f.complain("list", "is no hash of 64 hexadecimal digits");
    }
  }
  // Each of an array's.
  template <class Each> void list(const char* name, size_t most, Each&& each) {
    const Json& json = (*this)[name];
    if (json.is_null())
      return;
    if (!json.is_array() || json.size() > most)
      return complain(name, fmt::format("is no list of up to {}", most));
    for (size_t i = 0; i < json.size() && wrong_.empty(); ++i)
      each(Fields(json[i], fmt::format("{}[{}]", inside(name), i), wrong_));
  }
  Fields object(const char* name) { return {(*this)[name], inside(name), wrong_}; }
  void complain(const char* name, const std::string& what) { complain(fmt::format("'{}' {}", name, what)); }
  const Json& json() const { return json_; }

private:
  template <class T> static bool number_of(const Json& json, T& to) {
    if (json.is_number_unsigned()) {
      const auto value = json.get<uint64_t>();
      to = static_cast<T>(value);
      return value <= uint64_t(std::numeric_limits<T>::max());
    }
    if (!json.is_number_integer() || !std::is_signed_v<T>)
      return false;
    const auto value = json.get<int64_t>();
    to = static_cast<T>(value);
    return int64_t(to) == value;
  }
  template <class T> void numbers_of(const Json& json, const char* name, T* to, size_t n) {
    if (json.is_null())
      return;
    if (!json.is_array() || json.size() != n)
      return complain(name, fmt::format("is no list of {} numbers", n));
    for (size_t i = 0; i < n; ++i)
      if (!number_of(json[i], to[i]))
        return complain(name, fmt::format("is no list of {} numbers that it can have", n));
  }
  void complain(const std::string& what) {
    if (wrong_.empty())
      wrong_ = (where_.empty() ? "" : where_ + ": ") + what;
  }
  std::string inside(const char* name) const { return where_.empty() ? name : where_ + "." + name; }

  const Json& json_;
  std::string where_;
  std::string& wrong_;
};

void read(Fields f, engine::AqlPacket& p) {
  f.number("header", p.header);
  f.number("setup", p.setup);
  f.numbers("workgroup_size", p.workgroup_size);
  f.number("reserved0", p.reserved0);
  f.numbers("grid_size", p.grid_size);
  f.number("private_segment_size", p.private_segment_size);
  f.number("group_segment_size", p.group_segment_size);
  f.address("kernel_object", p.kernel_object);
  f.address("kernarg_address", p.kernarg_address);
  f.address("reserved2", p.reserved2);
  f.address("completion_signal", p.completion_signal);
}

void read(Fields f, Outcome& o) {
  f.number("instructions", o.instructions);
  f.number("waves", o.waves);
  f.number("workgroups", o.workgroups);
  f.flag("memory", o.memory);
  if (!f.find("fault"))
    return;
  machine::Fault& fault = o.fault.emplace();
  Fields g = f.object("fault");
  std::string kind;
  g.text("kind", kind);
  fault.kind = machine::FaultKind::none;
  for (int k = 1; k <= int(machine::FaultKind::cancelled); ++k)
    if (kind == machine::name(machine::FaultKind(k)))
      fault.kind = machine::FaultKind(k);
  if (fault.kind == machine::FaultKind::none)
    g.complain("kind", "is none of those that crosslane knows");
  g.address("pc", fault.pc);
  g.text("instruction", fault.instruction);
  g.numbers("workgroup", fault.workgroup);
  g.number("wave", fault.wave);
  g.number("lane", fault.lane);
  g.address("address", fault.address);
  g.text("detail", fault.detail);
}

void read(Fields f, SharedState& s) {
  f.content("data", s.data);
  f.list("resources", 64, [&](Fields g) {
    auto& r = s.resources.emplace_back();
    g.number("number", r.number);
    g.number("counter", r.counter);
    g.number("generation", r.generation);
    g.number("head", r.head);
    g.number("tail", r.tail);
    if (r.number >= 64)
      g.complain("number", "is not below 64");
  });
  const Json& turns = f["turns"];
  if (!turns.is_array() || turns.size() > 65536)
    return f.complain("turns", "is no list");
  for (const Json& turn : turns) {
    if (!turn.is_array() || turn.size() != 2 || !turn[0].is_number_unsigned() || !turn[1].is_number_unsigned())
      return f.complain("turns", "is no list of pairs of numbers");
    s.turns.emplace_back(turn[0].get<uint64_t>(), turn[1].get<uint64_t>());
  }
}

void read(Fields f, Dispatch& d) {
  f.number("number", d.number);
  f.number("launch", d.launch);
  f.text("kernel", d.kernel);
  f.text("target", d.target);
  f.text("card", d.card);
  f.text("crosslane", d.crosslane);
  f.text("command", d.command);
  read(f.object("packet"), d.packet);
  f.address("packet_address", d.packet_address);
  f.address("queue_address", d.queue_address);
  f.number("dispatch_id", d.dispatch_id);
  Fields code = f.object("code");
  code.text("name", d.code.name);
  code.content("object", d.code.bytes);
  code.address("base", d.code.base);
  code.number("size", d.code.size);
  Fields units = f.object("units");
  units.number("count", d.units.count);
  units.number("engines", d.units.engines);
  units.number("arrays_per_engine", d.units.arrays_per_engine);
  units.numbers("mask", d.units.mask);
  f.flag("lds_faults", d.lds_faults);
  f.number("poison", d.poison);
  if (f.find("workgroups")) {
    Fields w = f.object("workgroups");
    Workgroups& range = d.workgroups.emplace();
    w.number("first", range.first);
    w.number("count", range.count);
  }
  if (f.find("shared"))
    read(f.object("shared"), d.shared.emplace());
  f.list("allocations", most_ranges, [&](Fields g) {
    Allocation& a = d.allocations.emplace_back();
    g.text("name", a.name);
    g.address("address", a.address);
    g.number("size", a.size);
    g.flag("runtime", a.runtimes);
  });
  f.list("memory", most_ranges, [&](Fields g) {
    Range& r = d.memory.emplace_back();
    g.address("address", r.address);
    g.flag("writable", r.writable);
    g.content("before", r.before);
    r.size = r.before.bytes;
    if (g.find("after"))
      g.content("after", r.after.emplace());
  });
  if (f.find("outcome"))
    read(f.object("outcome"), d.outcome.emplace());
}

bool holds(const Range& r, uint64_t address, uint64_t bytes) {
  return address >= r.address && bytes <= r.size && address - r.address <= r.size - bytes;
}

// What does not fit together; empty: all does.
std::string judge(const Dispatch& d) {
  if (!isa::parse_target(d.target))
    return fmt::format("it is for '{}', which crosslane does not run", d.target);
  uint64_t free_from = window_begin;
  for (const Range& r : d.memory) {
    if (r.address % page || r.size % page || !r.size || r.address < free_from || r.address >= window_end ||
        r.size > window_end - r.address)
      return fmt::format("memory of {} bytes at {:#x} is not in the window of device memory, or not behind the memory "
                         "before it",
                         r.size, r.address);
    if (r.after && r.after->bytes != r.size)
      return fmt::format("memory at {:#x} has {} bytes before the dispatch and {} after it", r.address, r.size,
                         r.after->bytes);
    free_from = r.end();
  }
  for (const Allocation& a : d.allocations)
    if (a.address < window_begin || a.address >= window_end || a.size > window_end - a.address)
      return fmt::format("allocation '{}' is not in the window of device memory", a.name);
  const auto mapped = [&](uint64_t address, uint64_t bytes) {
    return std::ranges::any_of(d.memory, [&](const Range& r) { return holds(r, address, bytes); });
  };
  if (!d.code.size || d.code.base % page || !mapped(d.code.base, d.code.size))
    return "the code is not in its memory";
  if (d.packet.kernel_object - d.code.base >= d.code.size)
    return "the kernel is not in the code";
  if (d.packet_address && !mapped(d.packet_address, sizeof d.packet))
    return "the packet is not in its memory";
  if (d.packet.private_segment_size > most_scratch)
    return fmt::format("it asks for {} bytes of scratch for each work-item; the limit is {}",
                       d.packet.private_segment_size, most_scratch);
  for (int i = 0; i < 3; ++i)
    if (!d.packet.workgroup_size[i] || !d.packet.grid_size[i])
      return "its grid or its workgroups are empty";
  const auto of = [&](int i) {
    return (uint64_t(d.packet.grid_size[i]) + d.packet.workgroup_size[i] - 1) / d.packet.workgroup_size[i];
  };
  uint64_t count = of(0) * of(1);
  if (__builtin_mul_overflow(count, of(2), &count))
    return "it has more workgroups than 64 bits can count";
  if (const auto& w = d.workgroups; w && (!w->count || w->first >= count || w->count > count - w->first))
    return fmt::format("{} workgroups from {} on are not within the {} of its grid", w->count, w->first, count);
  if (!d.units.count || d.units.count > engine::most_units || !d.units.engines || !d.units.arrays_per_engine ||
      d.units.engines > d.units.count || d.units.arrays_per_engine > d.units.count || !d.units.enabled())
    return "its card has no compute units, or too many";
  if (d.shared && d.shared->data.bytes != machine::gds_bytes)
    return fmt::format("the global data share has {} bytes", d.shared->data.bytes);
  return "";
}

} // namespace

uint64_t Dispatch::workgroup_count() const {
  uint64_t count = 1;
  for (int i = 0; i < 3; ++i)
    count *= (uint64_t(packet.grid_size[i]) + packet.workgroup_size[i] - 1) / packet.workgroup_size[i];
  return count;
}

uint64_t Dispatch::bytes() const {
  uint64_t sum = 0;
  for (const Range& range : memory)
    sum += range.size;
  return sum;
}

std::string text_of(const Dispatch& d) {
  Json json = {
      {"format", format},
      {"crosslane", d.crosslane},
      {"command", d.command},
      {"number", d.number},
      {"kernel", d.kernel},
      {"launch", d.launch},
      {"target", d.target},
      {"card", d.card},
      {"packet", json_of(d.packet)},
      {"packet_address", hex(d.packet_address)},
      {"queue_address", hex(d.queue_address)},
      {"dispatch_id", d.dispatch_id},
      {"code",
       {{"name", d.code.name}, {"object", json_of(d.code.bytes)}, {"base", hex(d.code.base)}, {"size", d.code.size}}},
      {"units",
       {{"count", d.units.count},
        {"engines", d.units.engines},
        {"arrays_per_engine", d.units.arrays_per_engine},
        {"mask", d.units.mask}}},
      {"lds_faults", d.lds_faults},
      {"poison", d.poison}};
  if (d.workgroups)
    json["workgroups"] = {{"first", d.workgroups->first}, {"count", d.workgroups->count}};
  if (d.shared)
    json["shared"] = json_of(*d.shared);
  json["allocations"] = Json::array();
  for (const Allocation& a : d.allocations)
    json["allocations"].push_back(
        {{"name", a.name}, {"address", hex(a.address)}, {"size", a.size}, {"runtime", a.runtimes}});
  json["memory"] = Json::array();
  for (const Range& r : d.memory) {
    Json range = {{"address", hex(r.address)}, {"writable", r.writable}, {"before", json_of(r.before)}};
    if (r.after && *r.after != r.before)
      range["after"] = json_of(*r.after);
    json["memory"].push_back(std::move(range));
  }
  if (d.outcome)
    json["outcome"] = json_of(*d.outcome);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

llvm::Expected<Dispatch> parse_dispatch(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return fail("{}: is no JSON, or not all of it", name);
  std::string wrong;
  Fields fields(json, "", wrong);
  int version = 0;
  fields.number("format", version);
  if (wrong.empty() && version != format)
    return fail("{}: has format {}; this crosslane reads format {}", name, version, format);
  Dispatch dispatch;
  if (wrong.empty())
    read(fields, dispatch);
  if (wrong.empty())
    wrong = judge(dispatch);
  if (!wrong.empty())
    return fail("{}: {}", name, wrong);
  return dispatch;
}

std::string producer() { return "crosslane " CROSSLANE_VERSION; }

std::string place_of(const Dispatch& d, uint64_t address) {
  for (const Allocation& a : d.allocations)
    if (address - a.address < a.size)
      return fmt::format("{} [{:#x}]", a.name, address - a.address);
  return fmt::format("between allocations, {:#x}", address);
}

} // namespace crosslane::capture
