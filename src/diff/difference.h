// Owns what has changed between two documents of one kind: numbers kernel by kernel, kernels and findings that came or
// went.
#pragma once
#include "diff/document.h"
#include <utility>

namespace crosslane::diff {

struct Row {
  std::string name, unit;
  std::optional<double> before, after; // at least one
  bool of_host = false;

  bool changed() const { return before != after; }
  std::optional<double> change() const;  // if there are both
  std::optional<double> percent() const; // of what was before; infinite if that was nothing, and there is something now
};

// A source line or a branch, as Part.
struct PartDifference {
  bool branch = false;
  std::string shown;     // where it is now, or was
  std::string was;       // if it was somewhere else
  std::vector<Row> rows; // of one that came or went, one side
};

struct KernelDifference {
  std::string name, shown;          // as in Kernel
  bool before = true, after = true; // is it in the document?
  std::vector<std::string> notes;   // why the numbers may not be comparable, a sentence each
  std::vector<Row> rows;            // in the order of the documents
  std::vector<PartDifference> parts;
};

struct Difference {
  Kind kind{};
  std::string before, after; // the files
  std::string before_producer, after_producer;
  std::vector<std::string> notes;
  std::vector<KernelDifference> kernels;
  bool has_findings = false;
  std::vector<Finding> came, went;
  std::vector<std::pair<Finding, Finding>> same; // as it was before, and now
};

// The error says why they cannot be compared.
llvm::Expected<Difference> compare(const Document& before, const Document& after);

} // namespace crosslane::diff
