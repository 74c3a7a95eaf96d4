// One writer for the process.
#include "files/redirect.h"

namespace crosslane::files {

namespace {

FileWriter& writer() {
  static FileWriter one;
  return one;
}

} // namespace

void redirect_files(FileWriter given) { writer() = std::move(given); }
const FileWriter& redirected_files() { return writer(); }

} // namespace crosslane::files
