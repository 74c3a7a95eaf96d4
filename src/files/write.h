// Owns how files are written, for every verb and for the runtime library: whole or not at all. The bytes go into a new
// file beside the place, without a name or with one that nobody can guess, to the disk, and then take the place in one
// step; mode and owner stay those of the file before. Whatever fails, the old file is as it was and nothing is left
// behind. Descriptors, pipes and devices are written into. Links are followed (files/place.h).
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace crosslane::files {

llvm::Error write(const std::string& name, std::span<const uint8_t> bytes);
llvm::Error write(const std::string& name, std::string_view text);
// Would write() find a place? Asked before a long run.
llvm::Error check_writable(const std::string& name);
// Adds to the end of what is there, which others may do at the same time: each text stays in one piece.
llvm::Error append(const std::string& name, std::string_view text);
// Makes a file where nothing is (else: std::errc::file_exists), not by way of a link, and for nobody to wait for the
// disk.
std::error_code create(const std::string& path, std::span<const uint8_t> bytes = {});

} // namespace crosslane::files
