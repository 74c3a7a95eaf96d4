// Owns what the tests of loading share: code objects made at build time, readers and executables that clean up after
// themselves.
#pragma once
#include "tests/hsa/runtime_fixture.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace crosslane::test {

std::string built_path(const std::string& name);
std::vector<uint8_t> built(const std::string& name);
// Addresses of its global symbols, as llvm-readelf tells them.
std::map<std::string, uint64_t> readelf_symbols(const std::string& name);

class TestReader {
public:
  explicit TestReader(const std::vector<uint8_t>& bytes);
  ~TestReader();
  TestReader(const TestReader&) = delete;
  hsa_code_object_reader_t get() const { return reader_; }

private:
  hsa_code_object_reader_t reader_{};
};

class TestExecutable {
public:
  TestExecutable();
  ~TestExecutable();
  TestExecutable(const TestExecutable&) = delete;
  hsa_executable_t get() const { return executable_; }
  // The reader is gone when this returns; the bytes may go too.
  hsa_status_t load(hsa_agent_t agent, const std::vector<uint8_t>& bytes, hsa_loaded_code_object_t* loaded = nullptr);
  hsa_status_t freeze();
  // Handle 0 if there is none.
  hsa_executable_symbol_t symbol(const std::string& name, hsa_agent_t agent) const;
  uint64_t address(const std::string& name, hsa_agent_t agent) const;
  void destroy();

private:
  hsa_executable_t executable_{};
};

template <class T> T symbol_attribute(hsa_executable_symbol_t symbol, int attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol, hsa_executable_symbol_info_t(attribute), &value)) << attribute;
  return value;
}

} // namespace crosslane::test
