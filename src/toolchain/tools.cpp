// Programs found by name, and run.
#include "toolchain/tools.h"
#include "files/error.h"
#include "files/read.h"
#include <cstdlib>
#include <filesystem>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Program.h>
#include <optional>

namespace crosslane::toolchain {

llvm::Expected<std::string> find_tool(Tool tool) {
  struct Row {
    const char *variable, *versioned, *plain, *package;
  };
  static constexpr Row rows[] = {{"CROSSLANE_CLANG", "clang-19", "clang", "clang-19"},
                                 {"CROSSLANE_LLD", "ld.lld-19", "ld.lld", "lld-19"}};
  const Row& row = rows[static_cast<int>(tool)];
  if (const char* chosen = std::getenv(row.variable); chosen && *chosen) {
    if (auto path = llvm::sys::findProgramByName(chosen))
      return *path;
    return fail("{}={}: there is no such program", row.variable, chosen);
  }
  for (const char* name : {row.versioned, row.plain})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return fail("neither {} nor {} is in PATH: install Debian's package {}, or set {}", row.versioned, row.plain,
              row.package, row.variable);
}

llvm::Expected<RunResult> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                                   const std::string& log) {
  std::vector<llvm::StringRef> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef("/dev/null"), llvm::StringRef(log),
                                                      llvm::StringRef(log)};
  std::string error;
  bool not_started = false;
  RunResult result;
  result.status = llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects, 0, 0, &error, &not_started);
  if (not_started || result.status < 0)
    return fail("{}: {}", program, error);
  auto messages = files::read(log);
  if (!messages)
    return messages.takeError();
  result.messages.assign(messages->begin(), messages->end());
  while (!result.messages.empty() && result.messages.back() == '\n')
    result.messages.pop_back();
  if (result.status && result.messages.empty())
    result.messages = fmt::format("{}: ended with status {} and said nothing", program, result.status);
  return result;
}

llvm::Error wrote(const std::string& program, const std::string& path) {
  if (std::filesystem::exists(path))
    return llvm::Error::success();
  return fail("{}: ended well and wrote no code: is that the program it should be?", program);
}

llvm::Expected<std::string> link_object(const std::string& object, const std::string& output, const std::string& log,
                                        bool open) {
  auto lld = find_tool(Tool::lld);
  if (!lld)
    return lld.takeError();
  // Undefined hidden symbols are errors to the linker whatever it is told, unless it is told to write its result
  // anyway.
  auto result = run_tool(*lld, {"-shared", open ? "--noinhibit-exec" : "--no-undefined", object, "-o", output}, log);
  if (!result)
    return result.takeError();
  if (result->status)
    return result->messages;
  if (auto error = wrote(*lld, output))
    return std::move(error);
  return std::string();
}

llvm::Expected<std::vector<uint8_t>> code_of(const std::string& program, const std::string& path) {
  if (auto error = wrote(program, path))
    return std::move(error);
  return files::read(path);
}

} // namespace crosslane::toolchain
