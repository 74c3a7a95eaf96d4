// Helpers for the code object tests: inputs, and the text of LLVM's own tools as the oracle.
#pragma once
#include "codeobject/code_object.h"
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::codeobject::test {

std::string input_path(const std::string& name); // a file made at build time
std::vector<uint8_t> input_bytes(const std::string& name);
std::vector<uint8_t> bytes_of_file(const std::string& path);
std::vector<uint8_t> hex_input(const std::string& name); // "version3.hex": what no compiler of today writes
std::string run(const std::string& command,
                const std::string& standard_input = ""); // standard output; fails the test on error
std::string temporary(const std::string& name);          // a path of this process alone: tests run at the same time
std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> words_of(const std::string& line);

std::unique_ptr<CodeObject> read_input(const std::string& name); // throws with the message if it cannot be read
std::unique_ptr<CodeObject> read_bytes_ok(const std::vector<uint8_t>& bytes);
std::string error_of(llvm::Error error);                   // "" for success
std::string read_error(const std::vector<uint8_t>& bytes); // message of CodeObject::read, "" if it succeeds

// Every code object made from the sources, for tests that hold for all of them.
const std::vector<std::string>& all_inputs();

struct AlignedMemory {
  explicit AlignedMemory(const CodeObject& object);
  std::span<uint8_t> bytes() { return {data.get(), size}; }
  uint8_t* at(uint64_t address) const { return data.get() + (address - begin); }
  uint64_t word(uint64_t address) const;
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> data;
  uint64_t size, begin;
};

template <class T> void patch(std::vector<uint8_t>& bytes, uint64_t offset, T value) {
  ASSERT_LE(offset + sizeof(T), bytes.size());
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[offset + i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
}

} // namespace crosslane::codeobject::test
