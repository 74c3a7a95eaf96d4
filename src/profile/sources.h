// Owns the source files that a profile speaks of: each once, with its text if it is there.
#pragma once
#include "codeobject/code_object.h"
#include "findings/profile.h"
#include <map>
#include <set>
#include <span>

namespace crosslane::profile {

// Sources that are no files, by their names in the line table.
using SourceTexts = std::map<std::string, std::string>;

class Sources {
public:
  // `folder`: where relative paths begin; files below it are named from there.
  // `texts`: what stands for files of these names.
  explicit Sources(std::string folder, SourceTexts texts = {}) : folder_(std::move(folder)), texts_(std::move(texts)) {}
  // The place of an instruction; files are read when they come up first. What was inlined from a header of the
  // toolchain has the place of the call in the program's own code.
  findings::Place place(const codeobject::CodeObject&, uint64_t address);
  // The same of a line that is known.
  findings::Place place(const codeobject::SourceLine&);
  // Of the code objects whose debug information is damaged, a sentence each.
  const std::vector<std::string>& problems() const { return problems_; }
  std::vector<findings::SourceFile> take() { return std::move(files_); }

private:
  int file(const std::string& path);
  const std::string folder_;
  const SourceTexts texts_;
  std::map<std::string, int> known_; // by the path of the line table
  std::map<std::string, int> paths_; // by the path shown
  std::vector<findings::SourceFile> files_;
  std::set<const codeobject::CodeObject*> asked_;
  std::vector<std::string> problems_;
  uint64_t bytes_ = 0; // of all texts
};

// The bytes of a file as a text that reports show, in UTF-8; nothing: they are none, or too many.
std::optional<std::string> as_source_text(std::span<const uint8_t> bytes);

// Whether a file is a header of a compiler or a runtime rather than the program's own.
bool is_toolchain(const std::string& path);

// "hip", "opencl", ... by the file's ending; empty: unknown.
std::string language_of(const std::string& path);

} // namespace crosslane::profile
