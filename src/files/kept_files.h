// Owns a folder of files that nobody misses: each is there whole or not at all, none is believed that another user may
// have written, and all together take no more than so many bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace crosslane::files {

// Has no descriptor open between calls: programs close those that they do not know.
class KeptFiles {
public:
  // `path` is absolute. It is made when something is written.
  KeptFiles(std::string path, uint64_t most_bytes) : path_(std::move(path)), most_bytes_(most_bytes) {}
  const std::string& path() const { return path_; }

  // Notes that it was used. None with an empty `why`: there is no such file. Else: why nothing here is of use.
  std::optional<std::vector<uint8_t>> read(const std::string& name, std::string& why) const;
  // In place of what has that name; others may do so at the same time. Not empty: why not. What was used longest ago
  // may be removed to make room. `name`: 64 characters, of 0 to 9 and a to f.
  std::string write(const std::string& name, std::span<const uint8_t> bytes) const;
  void remove(const std::string& name) const;

private:
  class Descriptor;
  Descriptor open_folder(bool make, std::string& why) const;
  void account(const Descriptor& folder, uint64_t added) const;
  uint64_t make_room(const Descriptor& folder) const;

  std::string path_;
  uint64_t most_bytes_;
};

} // namespace crosslane::files
