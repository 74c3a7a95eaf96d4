// Owns where a name that a user gave for a file leads to: an open descriptor of this process ("-", /dev/stdout,
// /dev/fd/3), or a path without links, at which there is a file, something else, or nothing.
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <string>

namespace crosslane::files {

inline constexpr const char* standard_output = "-"; // as other tools call it

struct Place {
  int descriptor = -1; // that of this process; the path is then empty
  std::string path;
  bool exists = false, regular = false;
  uint64_t device = 0, inode = 0; // if it exists
  uint32_t mode = 0, user = 0, group = 0;

  // Is there a file to be replaced, or a name to be given to a new one? All else is written into.
  bool replaceable() const { return descriptor < 0 && (regular || !exists); }
  // Files by what they are, so that links have no second name; what does not exist yet by its path. Terminals, pipes
  // and /dev/null are many things at once, and equal to nothing.
  bool same(const Place&) const;
};

// Follows links, also to where nothing is yet, but no link that another user laid into a folder which everybody may
// write to (Linux's fs.protected_symlinks).
llvm::Expected<Place> place_of(const std::string& name);
Place place_of(int descriptor);

} // namespace crosslane::files
