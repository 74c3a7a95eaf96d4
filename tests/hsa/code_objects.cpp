// Readers and executables of the code objects that the build made.
#include "tests/hsa/code_objects.h"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace crosslane::test {

std::string built_path(const std::string& name) { return std::string(INPUT_DIR) + "/" + name; }

std::vector<uint8_t> built(const std::string& name) {
  std::ifstream file(built_path(name), std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_FALSE(bytes.empty()) << built_path(name);
  return bytes;
}

std::map<std::string, uint64_t> readelf_symbols(const std::string& name) {
  std::map<std::string, uint64_t> result;
  FILE* pipe = popen((READELF " --symbols --wide " + built_path(name)).c_str(), "r");
  char line[512];
  while (pipe && std::fgets(line, sizeof line, pipe)) {
    std::istringstream words(line);
    std::string number, value, size, type, binding, visibility, section, symbol;
    if (words >> number >> value >> size >> type >> binding >> visibility >> section >> symbol && binding != "LOCAL")
      result[symbol] = std::strtoull(value.c_str(), nullptr, 16);
  }
  if (pipe)
    pclose(pipe);
  return result;
}

TestReader::TestReader(const std::vector<uint8_t>& bytes) {
  EXPECT_SUCCESS(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader_));
}
TestReader::~TestReader() { EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader_)); }

TestExecutable::TestExecutable() {
  EXPECT_SUCCESS(
      hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable_));
}
TestExecutable::~TestExecutable() { destroy(); }
void TestExecutable::destroy() {
  if (executable_.handle)
    EXPECT_SUCCESS(hsa_executable_destroy(executable_));
  executable_ = {};
}

hsa_status_t TestExecutable::load(hsa_agent_t agent, const std::vector<uint8_t>& bytes,
                                  hsa_loaded_code_object_t* loaded) {
  const TestReader reader(bytes);
  return hsa_executable_load_agent_code_object(executable_, agent, reader.get(), nullptr, loaded);
}

hsa_status_t TestExecutable::freeze() { return hsa_executable_freeze(executable_, nullptr); }

hsa_executable_symbol_t TestExecutable::symbol(const std::string& name, hsa_agent_t agent) const {
  hsa_executable_symbol_t symbol{};
  const hsa_status_t status = hsa_executable_get_symbol_by_name(executable_, name.c_str(), &agent, &symbol);
  EXPECT_TRUE(status == HSA_STATUS_SUCCESS || status == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME) << status;
  return symbol;
}

uint64_t TestExecutable::address(const std::string& name, hsa_agent_t agent) const {
  return symbol_attribute<uint64_t>(symbol(name, agent), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
}

} // namespace crosslane::test
