// The words.
#include "check/init/judge.h"
#include "lint/registers.h"
#include <fmt/format.h>

namespace crosslane::check::init {

namespace {

lint::Rule rule_of(Matter matter) {
  switch (matter) {
  case Matter::branch: return lint::Rule::undefined_branch;
  case Matter::exec: return lint::Rule::undefined_exec;
  case Matter::address: return lint::Rule::undefined_address;
  case Matter::message: return lint::Rule::undefined_message;
  case Matter::store: return lint::Rule::undefined_store;
  }
  return lint::Rule::undefined_branch;
}

std::string_view verb(Matter matter) {
  switch (matter) {
  case Matter::branch: return "decides by";
  case Matter::exec: return "turns lanes on by";
  case Matter::address: return "finds its address by";
  case Matter::message: return "sends";
  case Matter::store: return "stores";
  }
  return "";
}

} // namespace

void Judge::tell(Matter matter, const machine::Wave& wave, uint64_t pc, unsigned slot, int lane, uint64_t times,
                 const Origin& origin, uint64_t address) {
  told_.add(rule_of(matter), pc, 0, wave, lane, times, [&] {
    const auto name = [&](uint64_t n) { return lint::register_name(generation_, uint16_t(n), 1); };
    std::string what = name(slot), where;
    switch (origin.kind) {
    case Origin::Kind::none: where = "undefined"; break;
    case Origin::Kind::slot: where = origin.number == slot ? "nothing has written" : name(origin.number); break;
    case Origin::Kind::lds: where = fmt::format("byte {} of LDS", origin.number); break;
    case Origin::Kind::scratch: where = fmt::format("byte {} of its scratch", origin.number); break;
    case Origin::Kind::memory: where = "memory"; break;
    }
    Told::Said said{.message = {}, .notes = {}, .address = address};
    if (origin.kind == Origin::Kind::slot && origin.number == slot) {
      said.message = fmt::format("{} {}, which nothing has written", verb(matter), what);
    } else {
      said.message = fmt::format("{} {}, which depends on {} that nothing has written", verb(matter), what, where);
      said.notes.push_back({origin.pc, fmt::format("{} is read here first", where)});
    }
    return said;
  });
}

} // namespace crosslane::check::init
