// Results are kept under a hash of the text and the options.
#include "tests/engine/assembler.h"
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace crosslane::test {

namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// `commands` makes OUT from IN (both replaced by paths). A result appears under its final name complete or not at all.
std::vector<uint8_t> made_from(const std::string& text, std::string commands) {
  const fs::path folder = CROSSLANE_ASSEMBLED;
  fs::create_directories(folder);
  char key[40];
  std::snprintf(key, sizeof key, "%016zx%016zx", std::hash<std::string>{}(text),
                std::hash<std::string>{}(commands + text));
  const fs::path kept = folder / key;
  if (!fs::exists(kept)) {
    const std::string stem = (folder / (std::string(key) + "-" + std::to_string(getpid()))).string();
    std::ofstream(stem + ".s") << text;
    const auto replace = [&](const std::string& what, const std::string& by) {
      for (size_t at; (at = commands.find(what)) != std::string::npos;)
        commands.replace(at, what.size(), by);
    };
    replace("$IN", stem + ".s"), replace("$OBJECT", stem + ".o"), replace("$OUT", stem + ".out");
    const int status = std::system(("(" + commands + ") 2>" + stem + ".err").c_str());
    const std::string errors = read_text(stem + ".err");
    if (status == 0)
      fs::rename(stem + ".out", kept);
    for (const char* end : {".s", ".o", ".out", ".err"})
      fs::remove(stem + end);
    if (status != 0)
      throw std::runtime_error(errors);
  }
  const std::string content = read_text(kept);
  return {content.begin(), content.end()};
}

std::string to_object(isa::Target target) {
  return "llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=" + std::string(isa::info(target).name) +
         " -filetype=obj $IN -o $OBJECT";
}

} // namespace

std::vector<uint8_t> assemble(const std::string& text, isa::Target target) {
  return made_from(text, to_object(target) + " && llvm-objcopy-19 -O binary --only-section=.text $OBJECT $OUT");
}

std::vector<std::vector<uint8_t>> assemble_all(const std::vector<std::string>& texts, isa::Target target) {
  // One section, with a table of the texts' bounds at its end.
  std::string all = ".text\nbatch_begin:\n", table;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string n = std::to_string(i);
    all += "batch_" + n + ":\n" + texts[i] + "\nbatch_end_" + n + ":\n";
    table += ".long batch_" + n + "-batch_begin, batch_end_" + n + "-batch_begin\n";
  }
  const std::vector<uint8_t> bytes = assemble(all + table, target);
  std::vector<std::vector<uint8_t>> parts;
  const uint8_t* bounds = bytes.data() + bytes.size() - texts.size() * 8;
  for (size_t i = 0; i < texts.size(); ++i) {
    uint32_t at[2];
    std::memcpy(at, bounds + 8 * i, 8);
    parts.emplace_back(bytes.begin() + at[0], bytes.begin() + at[1]);
  }
  return parts;
}

std::vector<uint8_t> assemble_code_object(const std::string& text, isa::Target target) {
  return made_from(text, to_object(target) + " && ld.lld-19 -shared $OBJECT -o $OUT");
}

} // namespace crosslane::test
