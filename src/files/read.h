// Owns reading whole files, with messages that name the file and the reason, and how a file's name is shown.
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <string>
#include <vector>

namespace crosslane::files {

// Neither ends up in taking all memory: what is no plain file is read up to 1 GiB.
llvm::Expected<std::vector<uint8_t>> read(const std::string& path);
llvm::Expected<std::vector<uint8_t>> read_standard_input();

// Bytes of this machine's memory: no single array can be larger.
uint64_t host_memory();

// A line table names files in full; one under the current folder is shown from there: "vadd.cl:3:7".
std::string from_here(const std::string& path);

} // namespace crosslane::files
