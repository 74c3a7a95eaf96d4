// Owns a captured dispatch as a launch runs it again: its memory where it was, and what its dispatch was given beside
// it. See capture/.
#pragma once
#include "capture/placed.h"
#include "capture/reader.h"
#include "codeobject/code_object.h"
#include "engine/part.h"
#include "launch/byte_set.h"
#include "launch/compare.h"
#include "launch/wording.h"
#include "machine/gds.h"
#include <optional>

namespace crosslane::launch {

// Bytes that are zeros instead of what was captured.
struct Zeroed {
  uint64_t address = 0, size = 0;
  bool operator==(const Zeroed&) const = default;
};

class Captured {
public:
  // `number` of the dispatch; not set: the first.
  static llvm::Expected<std::shared_ptr<Captured>> open(const std::string& folder, std::optional<uint64_t> number);
  const capture::Dispatch& dispatch() const { return dispatch_; }
  const capture::Reader& reader() const { return *reader_; }
  // Its code object; and which of its kernels it is.
  llvm::Expected<std::shared_ptr<const codeobject::CodeObject>> object() const;
  llvm::Expected<const codeobject::Kernel*> kernel_of(const codeobject::CodeObject&) const;

  // Those workgroups alone; an error if the grid has others.
  llvm::Error choose(capture::Workgroups, Wording = Wording::command);
  engine::Part part() const;
  // Puts its memory where it was; `memory` knows it by its names. Before anything else is in the window.
  llvm::Error place(machine::Memory& memory, std::vector<Zeroed> zeroed);
  llvm::Error reset(); // as before the dispatch again
  // The same where nothing but these bytes, by address, has changed.
  llvm::Error reset(std::span<const Interval> changed);
  // What the dispatch was given that no launch asks for.
  void fill_in(engine::Options&, machine::Gds&) const;

  // How a run compares with the dispatch that was captured. An error if nobody knows what that left.
  llvm::Expected<Comparison> compare(const engine::Outcome&, Wording = Wording::command) const;

private:
  Captured() = default;
  void zero() const;
  std::unique_ptr<capture::Reader> reader_;
  capture::Dispatch dispatch_;
  std::unique_ptr<capture::Placed> placed_;
  std::vector<uint8_t> gds_; // empty: zeros
  std::vector<Zeroed> zeroed_;
};

// "12", or "12..40": numbers in the order of launch.
llvm::Expected<capture::Workgroups> parse_workgroups(std::string_view text, Wording = Wording::command);

} // namespace crosslane::launch
