// Owns reading and writing whole files, with messages that name the file and the reason.
#pragma once
#include <array>
#include <csignal>
#include <cstdint>
#include <llvm/Support/Error.h>
#include <span>
#include <string>
#include <vector>

namespace crosslane::cli {

llvm::Expected<std::vector<uint8_t>> read_file(const std::string& path);
llvm::Error write_file(const std::string& path, std::span<const uint8_t> bytes);
llvm::Error write_file(const std::string& path, const std::string& text);

// A line table names files in full; one under the current folder is shown from there: "vadd.cl:3:7".
std::string from_here(const std::string& path);

// A folder of its own under the system's temporary one, removed with all that is in it at the end of the scope; also
// when SIGINT, SIGTERM or SIGHUP arrives meanwhile, which then takes effect after the removal. Scopes may nest; not
// from several threads.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& path() const { return folder_; }

private:
  explicit TemporaryFolder(std::string folder);
  std::string folder_; // empty: moved from
  std::array<struct sigaction, 3> old_actions_;
};

} // namespace crosslane::cli
