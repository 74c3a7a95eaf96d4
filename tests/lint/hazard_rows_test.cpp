// Every rule about wait states, in every place where the two instructions can stand: found if, and only if, fewer
// states lie between than the manuals and compilers ask for. The table is written from those, not from
// isa/rows/hazards.inc: hazard_table.inc.
#include "tests/lint/linted.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace crosslane::test {

namespace {

constexpr std::string_view targets[] = {"gfx600", "gfx701", "gfx803", "gfx900", "gfx908", "gfx90a"};

struct Pair {
  std::string_view rule, first, second, states; // states: a column for each target
};
constexpr Pair pairs[] = {
#define PAIR(rule, first, second, states) {#rule, first, second, states},
#include "tests/lint/hazard_table.inc"
#undef PAIR
};

// "5": an error with less than five states; "4w" a warning, "5n" a note, "5p" pedantic; "1+2n": an error with less than
// one, else a note with less than two; "0": nothing whatever; "-": the target does not have these instructions.
struct Needed {
  int states = 0;
  lint::Severity severity{};
};

std::vector<std::vector<Needed>> columns(std::string_view text) {
  std::vector<std::vector<Needed>> all;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    all.emplace_back();
    for (size_t at = 0; word != "-" && at < word.size();) {
      size_t digits = 0;
      Needed n{std::stoi(word.substr(at), &digits), lint::Severity::error};
      at += digits;
      if (at < word.size() && word[at] != '+')
        n.severity = word[at] == 'w'   ? lint::Severity::warning
                     : word[at] == 'n' ? lint::Severity::note
                                       : lint::Severity::pedantic,
        ++at;
      if (at < word.size())
        ++at; // '+'
      all.back().push_back(n);
    }
  }
  return all;
}

enum class Filler { s_nop, valu, salu, waitcnt, branch, count };
enum class Place { one_block, edge, loop, into_call, out_of_call, count };

// Code without and with its labels, numbered by lines.
class Source {
public:
  void add(std::string_view lines) {
    for (std::istringstream all{std::string(lines)}; std::getline(all, line_);)
      text_ += line_, text_ += '\n', ++lines_;
  }
  uint64_t lines() const { return lines_; }
  const std::string& text() const { return text_; }
  std::string label() { return fmt::format("L{}", ++labels_); }

  void fill(Filler f, int states) {
    if (f == Filler::s_nop) {
      for (; states > 0; states -= 8)
        add(fmt::format("s_nop {}", std::min(states, 8) - 1));
      return;
    }
    for (; states > 0; --states) {
      if (f == Filler::branch) {
        const std::string to = label();
        add(fmt::format("s_branch {}\ns_nop 15\n{}:", to, to));
      } else {
        add(f == Filler::valu ? "v_mov_b32_e32 v100, v101" : f == Filler::salu ? "s_mov_b32 s90, 0" : "s_waitcnt 0");
      }
    }
  }

private:
  std::string text_, line_;
  uint64_t lines_ = 0;
  int labels_ = 0;
};

// The line of the second instruction; 0: this place cannot have so few states.
uint64_t write(Source& s, const Pair& p, int gap, Filler filler, Place place) {
  if (gap == 0 && (place == Place::loop || place == Place::into_call || place == Place::out_of_call))
    return 0; // the branch or the call is a state
  if (place == Place::loop && p.second.starts_with("s_rfe"))
    return 0;
  const auto second = [&] {
    s.add(p.second);
    return s.lines();
  };
  const auto function = [&](const std::string& name) { s.add(fmt::format(".type {},@function\n{}:", name, name)); };
  const std::string name = s.label() + "_case";
  function(name);
  uint64_t line = 0;
  const std::string there = s.label();
  switch (place) {
  case Place::one_block: s.add(p.first), s.fill(filler, gap), line = second(); break;
  case Place::edge:
    if (gap == 0) {
      s.add(fmt::format("s_cbranch_scc1 {}", there)), s.add(p.first), s.add(there + ":"), line = second();
      break;
    }
    s.add(p.first), s.fill(filler, (gap - 1) / 2);
    s.add(fmt::format("s_cbranch_scc1 {}\ns_endpgm\n{}:", there, there));
    s.fill(filler, gap - 1 - (gap - 1) / 2), line = second();
    break;
  case Place::loop:
    s.add(there + ":"), s.fill(filler, (gap - 1) / 2), line = second();
    s.add(p.first), s.fill(filler, gap - 1 - (gap - 1) / 2);
    s.add(fmt::format("s_cbranch_scc1 {}", there));
    break;
  case Place::into_call:
  case Place::out_of_call: {
    const std::string callee = name + "_callee",
                      to = fmt::format("s_getpc_b64 s[60:61]\ns_add_u32 s60, s60, "
                                       "{0}@rel32@lo+4\ns_addc_u32 s61, s61, {0}@rel32@hi+12",
                                       callee);
    const std::string_view call = "s_swappc_b64 s[62:63], s[60:61]", back = "s_setpc_b64 s[62:63]";
    s.add(to);
    if (place == Place::into_call) {
      s.add(p.first), s.fill(filler, (gap - 1) / 2), s.add(call), s.add("s_endpgm"), function(callee);
      s.fill(filler, gap - 1 - (gap - 1) / 2), line = second(), s.add(back);
      return line;
    }
    s.add(call), s.fill(filler, (gap - 1) / 2), line = second(), s.add("s_endpgm"), function(callee);
    s.add(p.first), s.fill(filler, gap - 1 - (gap - 1) / 2), s.add(back);
    return line;
  }
  case Place::count: break;
  }
  s.add("s_endpgm");
  return line;
}

class HazardRows : public testing::TestWithParam<size_t> {};

} // namespace

TEST_P(HazardRows, AreFoundWhereStatesAreMissingAndNowhereElse) {
  struct Expected {
    const Pair* pair;
    int gap;
    Filler filler;
    Place place;
    std::optional<lint::Severity> severity;
  };
  Source s;
  s.add("s_endpgm");
  std::map<uint64_t, Expected> expected;
  for (const Pair& p : pairs) {
    const auto all = columns(p.states);
    ASSERT_EQ(all.size(), std::size(targets)) << p.rule;
    int most = 0;
    for (const Needed& n : all[GetParam()])
      most = std::max(most, n.states);
    for (int gap = 0; gap <= most + 1 && !all[GetParam()].empty(); ++gap)
      for (int place = 0; place < int(Place::count); ++place)
        for (int filler = 0; filler < (gap ? int(Filler::count) : 1); ++filler) {
          std::optional<lint::Severity> severity;
          for (const Needed& n : all[GetParam()])
            if (gap < n.states && (!severity || n.severity < *severity))
              severity = n.severity;
          if (const uint64_t line = write(s, p, gap, Filler(filler), Place(place)))
            expected[line] = {&p, gap, Filler(filler), Place(place), severity};
        }
  }
  const lint::Report report =
      report_of(s.text(), {.target = std::string(targets[GetParam()]), .rules = lint::RuleSet::all});
  std::map<std::pair<uint64_t, std::string>, lint::Severity> found;
  for (const lint::Finding& f : report.findings)
    found[{f.pc, std::string(lint::text_of(f.rule).name)}] = f.severity;
  int wrong = 0;
  for (const auto& [line, e] : expected) {
    const auto at = found.find({line, std::string(e.pair->rule)});
    const auto severity = at == found.end() ? std::nullopt : std::optional(at->second);
    if (severity != e.severity && ++wrong <= 20)
      ADD_FAILURE() << e.pair->rule << ": " << e.pair->first << " .. " << e.pair->second << ", " << e.gap
                    << " states of filler " << int(e.filler) << " in place " << int(e.place) << ": "
                    << (severity ? lint::name_of(*severity) : "silent") << " instead of "
                    << (e.severity ? lint::name_of(*e.severity) : "silent");
  }
  EXPECT_EQ(wrong, 0) << "of " << expected.size();
  RecordProperty("cases", int(expected.size()));
  EXPECT_GT(expected.size(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, HazardRows, testing::Range<size_t>(0, std::size(targets)),
                         [](const auto& info) { return std::string(targets[info.param]); });

} // namespace crosslane::test
