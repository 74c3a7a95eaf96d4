// Owns the text that describes an array argument:
//   f32[1000]            zeros                f32[64,64]:iota        0, 1, 2, ...
//   f32[1000]:iota:5:2   5, 7, 9, ...         i32[100]:random:7      seeded; floats in [0,1), integers of any value
//   f32[100]:random:7:-1:1  in [-1, 1)        u32[256]:0xff          the same value everywhere
//   f32[4]:1,2,3,4       these values         f32[1000]:uninit       bytes of 0xa5, as good as garbage
//   @x.npy  @x.raw:f32   a file               [1000]:iota            type from the kernel's signature
#pragma once
#include "launch/values.h"

namespace crosslane::launch {

// Does the text describe an array (rather than a scalar)?
bool looks_like_buffer(std::string_view text);
// `type`: what the signature says, for texts that leave it out. Relative files are under `folder` ("" = current).
llvm::Expected<Buffer> make_buffer(std::string_view text, std::optional<Type> type, const std::string& folder);
// "c.npy" under folder "jobs" -> "jobs/c.npy".
std::string resolve_path(const std::string& folder, std::string_view path);
// The same for a file to write: "-" stays standard output.
std::string resolve_output(const std::string& folder, const std::string& path);
llvm::Error write_buffer(const std::string& path, const Buffer&); // .npy by its name, else the raw bytes

} // namespace crosslane::launch
