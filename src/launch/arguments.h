// Owns the way from words to a kernel's arguments: "a=f32[1000]:iota", "5", "n=i32:5", "lds:1024", matched with the
// kernel's signature by name or position. Every error ends with the signature.
//   5  -3  1.5  0xff  true        scalar, type from the signature
//   i32:5  f32x4:1,2,3,4          scalar or vector with its type; 1,2,3,4 where the signature has a vector
//   hex:0011aabb                  bytes of a struct passed by value
//   f32[1000]:iota  @x.npy  ...   buffer (launch/buffers.h)
//   &a                            the buffer of parameter a once more
//   null                          a null pointer
//   lds:1024                      bytes of dynamic LDS for a local pointer
#pragma once
#include "launch/buffers.h"
#include "launch/signature.h"
#include <map>

namespace crosslane::launch {

struct Bound {
  Parameter parameter;
  std::vector<uint8_t> bytes; // scalar: exactly parameter.size; pointer that is no buffer of ours: its address, or
                              // none for null
  int buffer = -1;            // pointer: index into Arguments::buffers
  uint32_t local_bytes = 0;   // local
};

struct NamedBuffer {
  std::string name; // of the first parameter that uses it; "argN" if it has none
  Buffer initial;
};

struct Arguments {
  std::vector<Bound> bound; // in the order of the signature; without metadata, in the order given
  std::vector<NamedBuffer> buffers;
  // Index of the buffer that --out, --print or --expect calls `name`; the error lists the buffers.
  llvm::Expected<int> find_buffer(std::string_view name, const Signature&) const;
};

// An argument that a program sets, where a command line has a word for it.
struct SetArgument {
  std::vector<uint8_t> bytes;               // of a value: exactly its size; of a pointer: an address
  std::optional<uint32_t> local_bytes = {}; // for a local pointer
};
using SetArguments = std::map<size_t, SetArgument>; // by position

// `set`: those that need no word.
llvm::Expected<Arguments> bind_arguments(const Signature&, std::span<const std::string> words,
                                         const std::string& folder, const SetArguments& set = {});

} // namespace crosslane::launch
