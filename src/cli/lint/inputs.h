// Owns getting from what a user names to code objects that can be judged: files of all kinds that hold GPU code, all
// code objects of libraries, folders, standard input. What cannot be read is told, and the rest goes on.
#pragma once
#include "lint/placed.h"
#include "toolchain/compile.h"
#include <functional>

namespace crosslane::cli {

struct LintUnit {
  std::unique_ptr<codeobject::CodeObject> object;
  lint::Origin origin;
};

struct LintInputs {
  std::vector<std::string> names; // "-": standard input
  toolchain::CompileOptions compile;
};

struct InputVisitor {
  std::function<void(LintUnit&)> unit;
  std::function<void(const std::string& message)> error;
  // Code that crosslane does not know, in a file of which it knows the rest.
  std::function<void(const std::string& file, const std::string& target, const std::string& reason)> gap;
  // Each entry of a bundle, before what is in it; may be null.
  std::function<void(const std::string& file, const codeobject::BundleEntry&)> entry = nullptr;
  uint64_t files = 0, skipped = 0; // skipped: files of folders without GPU code
};

void each_unit(const LintInputs&, InputVisitor&);

// Of assembly text. `target` empty: the text's own, or the default.
llvm::Expected<LintUnit> unit_of_text(const std::string& text, const std::string& name, const std::string& target);

} // namespace crosslane::cli
