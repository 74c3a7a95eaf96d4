// Owns the timing parameters of cards: what an estimate or a cycle model has to know beyond what the card tells about
// itself (gpu/card.h). Each has a value, how sure that is, and who says so; the list of parameters is
// gpu/parameters.inc, what is known of them gpu/machine_rows.inc. A card of the user's own comes from a TOML file.
#pragma once
#include "gpu/card.h"
#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::gpu {

enum class Parameter : uint8_t {
#define PARAMETER(name, unit, kind, least, most, about) name,
#include "gpu/parameters.inc"
#undef PARAMETER
};
inline constexpr size_t parameter_count = 0
#define PARAMETER(name, unit, kind, least, most, about) +1
#include "gpu/parameters.inc"
#undef PARAMETER
    ;

struct ParameterInfo {
  std::string_view name; // the key of files: "dpfactor"
  std::string_view unit; // "cycles"; may be empty
  bool whole = false;    // no fractions
  double least = 0, most = 0;
  std::string_view about;
};
const ParameterInfo& info(Parameter);
std::optional<Parameter> find_parameter(std::string_view name);

enum class Status : uint8_t {
  measured,  // by somebody, on this card or its like, which the source names
  published, // by the maker, or the authors of a tool that must know
  derived,   // from those, by plain arithmetic
  assumed,   // nobody was found who says it; the source says after what
  given,     // by the user's file
};
std::string_view name_of(Status);

struct Setting {
  double value = 0;
  Status status = Status::assumed;
  std::string source;
};

// All parameters of one card.
class Machine {
public:
  std::string name; // of the card, or of the user's file
  std::string base; // the card that it started from: its own name, if it is no file's
  std::string product;
  isa::Target target{};

  double operator[](Parameter p) const { return settings_[size_t(p)].value; }
  uint32_t whole(Parameter p) const { return uint32_t((*this)[p]); } // of those without fractions
  const Setting& setting(Parameter p) const { return settings_[size_t(p)]; }
  void set(Parameter p, Setting s) { settings_[size_t(p)] = std::move(s); }

private:
  std::array<Setting, parameter_count> settings_;
};

Machine machine(const Card&);
// What holds of a target whatever the card, with the numbers of its first card, which count as assumed; made once.
const Machine& machine(isa::Target);

// base = "vega10", a card or gfx name, then parameters by name: `clock = 1500`, or as toml_of() writes them. `name` is
// what it is called, `product` what programs are told. An error says file, line, what is allowed, and the nearest key.
struct ParsedMachine {
  std::optional<Machine> machine;
  std::string error; // if there is none
};
ParsedMachine parse_machine(std::string_view toml, const std::string& path);
// All parameters, with how sure they are and who says so. parse_machine() makes the same card of it.
std::string toml_of(const Machine&);

// Which parameters a result depends on. Those that are assumed are printed with it.
class Used {
public:
  void add(Parameter p) { set_.set(size_t(p)); }
  void add(const Used& other) { set_ |= other.set_; }
  bool has(Parameter p) const { return set_.test(size_t(p)); }
  std::vector<Parameter> assumed(const Machine&) const; // in the order of parameters.inc
  // Those that the user's file gives, and that the result does not depend on.
  std::vector<Parameter> unused(const Machine&) const;

private:
  std::bitset<parameter_count> set_;
};

} // namespace crosslane::gpu
