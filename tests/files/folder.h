// A folder of its own for a test of files, gone at its end, and what lies in it.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <llvm/Support/Error.h>
#include <string>
#include <vector>

namespace crosslane::files::test {

namespace fs = std::filesystem;

class InFolder : public testing::Test {
protected:
  InFolder() {
    std::string pattern = (fs::temp_directory_path() / "crosslane-files-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~InFolder() override { fs::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder))
      found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }

  fs::path folder;
};

inline std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

} // namespace crosslane::files::test
