// Owns reading whole files, with messages that name the file and the reason, and the temporary folder of the compilers.
#pragma once
#include <array>
#include <csignal>
#include <cstdint>
#include <llvm/Support/Error.h>
#include <span>
#include <string>
#include <vector>

namespace crosslane::cli {

// Neither ends up in taking all memory: what is no plain file is read up to 1 GiB.
llvm::Expected<std::vector<uint8_t>> read_file(const std::string& path);
llvm::Expected<std::vector<uint8_t>> read_standard_input();

// Bytes of this machine's memory: no single array can be larger.
uint64_t host_memory();

// A line table names files in full; one under the current folder is shown from there: "vadd.cl:3:7".
std::string from_here(const std::string& path);

// A folder of its own under the system's temporary one, removed with all that is in it at the end of the scope; also
// when SIGINT, SIGTERM, SIGHUP or SIGQUIT arrives meanwhile, which then takes effect after the removal. What a killed
// process leaves is removed by the next one. Scopes may nest; not from several threads.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& path() const { return folder_; }
  // Makes a file, and the folders that it lies in.
  llvm::Error write(const std::string& name, std::span<const uint8_t> bytes) const;

private:
  explicit TemporaryFolder(std::string folder);
  std::string folder_; // empty: moved from
  int held_;           // see cli/stale_folders.h
  std::array<struct sigaction, 4> old_actions_;
};

} // namespace crosslane::cli
