// LLVM's tools as processes; their text is the oracle.
#include "tests/codeobject/tools.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace crosslane::codeobject::test {

std::string input_path(const std::string& name) { return std::string(INPUT_DIR) + "/" + name; }

std::vector<uint8_t> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string temporary(const std::string& name) {
  // A folder that goes when the process ends.
  static const struct Folder {
    std::string path = testing::TempDir() + "crosslane-" + std::to_string(getpid());
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  } folder;
  return folder.path + "/" + name;
}

std::vector<uint8_t> input_bytes(const std::string& name) { return bytes_of_file(input_path(name)); }

std::vector<uint8_t> hex_input(const std::string& name) {
  std::ifstream file(std::string(SOURCE_DIR) + "/" + name);
  std::vector<uint8_t> bytes;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#'))
      for (size_t i = 0; i + 1 < line.size(); i += 2)
        bytes.push_back(static_cast<uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::string run(const std::string& command, const std::string& standard_input) {
  std::string line = command + " 2>/dev/null";
  std::string input_file;
  if (!standard_input.empty()) {
    char name[] = "/tmp/crosslane-test-XXXXXX";
    int descriptor = mkstemp(name);
    input_file = name;
    if (write(descriptor, standard_input.data(), standard_input.size()) != static_cast<ssize_t>(standard_input.size()))
      throw std::runtime_error("cannot write " + input_file);
    close(descriptor);
    line += " < " + input_file;
  }
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe)
    throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  while (size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, got);
  int status = pclose(pipe);
  if (!input_file.empty())
    std::remove(input_file.c_str());
  if (status != 0)
    throw std::runtime_error("failed: " + command);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

std::unique_ptr<CodeObject> read_bytes_ok(const std::vector<uint8_t>& bytes) {
  auto object = CodeObject::read(bytes, "test.co");
  if (!object)
    throw std::runtime_error(llvm::toString(object.takeError()));
  return std::move(*object);
}

std::unique_ptr<CodeObject> read_input(const std::string& name) {
  auto object = CodeObject::read_file(input_path(name));
  if (!object)
    throw std::runtime_error(llvm::toString(object.takeError()));
  return std::move(*object);
}

std::string error_of(llvm::Error error) { return error ? llvm::toString(std::move(error)) : ""; }

std::string read_error(const std::vector<uint8_t>& bytes) {
  auto object = CodeObject::read(bytes, "test.co");
  return object ? "" : llvm::toString(object.takeError());
}

const std::vector<std::string>& all_inputs() {
  static const std::vector<std::string> names = {
      "arguments-gfx803-v4.co", "arguments-gfx803-v5.co", "arguments-gfx900-v4.co",
      "arguments-gfx900-v5.co", "arguments-gfx906-v4.co", "arguments-gfx906-v5.co",
      "arguments-O0.co",        "arguments-v6.co",        "arguments-xnack.co",
      "arguments-gfx90a.co",    "arguments-gfx1030.co",   "globals.co",
      "globals-relr.co",        "globals-stripped.co",    "bare.co",
      "bare-emit-relocs.co"};
  return names;
}

AlignedMemory::AlignedMemory(const CodeObject& object) : size(object.image_size()), begin(object.image_begin()) {
  uint64_t alignment = object.image_alignment();
  data.reset(static_cast<uint8_t*>(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)));
  std::memset(data.get(), 0xa5, size);
}

uint64_t AlignedMemory::word(uint64_t address) const {
  uint64_t value;
  std::memcpy(&value, at(address), 8);
  return value;
}

} // namespace crosslane::codeobject::test
