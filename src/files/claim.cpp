// A name is had by who makes the file.
#include "files/claim.h"
#include "files/error.h"
#include "files/place.h"
#include "files/write.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <vector>

namespace crosslane::files {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> file_of(const std::string& name) {
  auto place = place_of(name);
  if (place && place->replaceable())
    return place->path;
  if (!place)
    llvm::consumeError(place.takeError()); // files::write() tells
  return {};
}

std::string numbered(const std::string& name, int number) {
  const fs::path path = name;
  const std::string mark = number > 1 ? fmt::format("{}.{}", getpid(), number) : fmt::format("{}", getpid());
  return (path.parent_path() / fmt::format("{}.{}{}", path.stem().string(), mark, path.extension().string())).string();
}

void remove(const std::string& name) {
  if (const auto file = file_of(name))
    unlink(file->c_str());
}

// Makes all of the files, or none if one of them is there. Other errors are files::write()'s to tell.
bool create_all(const std::vector<std::string>& paths) {
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto file = file_of(paths[i]);
    if (!file || create(*file) != std::errc::file_exists)
      continue;
    while (i-- > 0)
      remove(paths[i]);
    return false;
  }
  return true;
}

} // namespace

bool is_file_name(const std::string& name) { return file_of(name).has_value(); }

void claim(std::span<std::string* const> wanted) {
  std::vector<std::string*> files;
  for (std::string* name : wanted)
    if (!name->empty() && is_file_name(*name))
      files.push_back(name);
  for (int number = 0; number < 100; ++number) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const std::string* file : files)
      names.push_back(number ? numbered(*file, number) : *file);
    if (!create_all(names))
      continue;
    for (size_t i = 0; i < files.size(); ++i)
      *files[i] = names[i];
    return;
  }
}

void unclaim(const std::string& name) {
  if (std::error_code error; fs::file_size(name, error) == 0 && !error)
    remove(name);
}

llvm::Error clear(std::span<const std::string> names) {
  for (const std::string& name : names)
    if (auto error = check_writable(name))
      return error;
  for (const std::string& name : names)
    if (const auto file = file_of(name); file && unlink(file->c_str()) != 0 && errno != ENOENT)
      return fail("{}: {}", name, std::strerror(errno));
  return llvm::Error::success();
}

} // namespace crosslane::files
