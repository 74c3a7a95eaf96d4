// Owns what is in a file without its instructions: the entries of its bundles, and of each code object the kernels with
// what they ask for, the symbols and what the metadata says; as text and as JSON.
#pragma once
#include "codeobject/code_object.h"
#include "toolchain/compile.h"

namespace crosslane::cli {

struct Contents {
  struct Entry {
    std::string file; // "libk.a(k.o)"
    std::string id, target;
    uint64_t bytes = 0;
    const char* holds = ""; // "code object", "bitcode", ...
  };
  struct Object {
    std::string name; // "prog:gfx906"
    std::unique_ptr<codeobject::CodeObject> code;
  };
  std::string file;
  std::vector<Entry> entries;
  std::vector<Object> objects;
  std::vector<std::string> unread; // why, of what is there and cannot be read, or is of a target that is not known
};

// Of all that `options.target` names, or all. The error: nothing can be read.
llvm::Expected<Contents> contents_of(const std::string& file, const toolchain::CompileOptions& options);
std::string text_of(const Contents&);
std::string json_of(const Contents&);

} // namespace crosslane::cli
