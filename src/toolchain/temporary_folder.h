// Owns the temporary folder of the compilers.
#pragma once
#include <array>
#include <csignal>
#include <cstdint>
#include <llvm/Support/Error.h>
#include <span>
#include <string>

namespace crosslane::toolchain {

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
  int held_;           // see toolchain/stale_folders.h
  std::array<struct sigaction, 4> old_actions_;
};

} // namespace crosslane::toolchain
