// Owns a folder for the files of one test, gone at its end.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace crosslane::test {

class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "crosslane-files-XXXXXX").string();
    path_ = mkdtemp(name.data()) ? name : "";
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

} // namespace crosslane::test
