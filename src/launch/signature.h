// Owns what a kernel wants: its explicit parameters with types as far as the metadata tells, and the line of text that
// every message about a wrong argument ends with.
#pragma once
#include "codeobject/code_object.h"
#include "launch/values.h"

namespace crosslane::launch {

struct Parameter {
  enum class Kind : uint8_t {
    scalar,      // by value, vectors and structs included
    pointer,     // to global memory
    local,       // to dynamic LDS: the argument is its size
    unsupported, // images, samplers, queues, pipes
  };
  std::string name;      // may be empty
  std::string type_name; // as the source writes it; may be empty
  std::string value_kind;
  Kind kind = Kind::scalar;
  uint32_t offset = 0, size = 0; // in the kernarg segment
  uint32_t pointee_align = 0;
  std::optional<Type> element; // of a scalar, or pointed to; nothing for structs and where no type is known
  uint32_t elements = 1;       // of a vector; 3-vectors are passed as 4
  bool read_only = false;      // a pointer to const
};

struct Signature {
  std::string kernel; // "ns::f<3, float>"
  bool known = false; // false: no metadata, parameters is empty and arguments carry their types
  std::vector<Parameter> parameters;
};

Signature signature_of(const codeobject::Kernel&);
// "vadd(global float* a, int n)"
std::string describe(const Parameter&);
std::string describe(const Signature&);

// Whether the function is meant by its symbol, its demangled name, or that without result and parameters: "f<3,
// float>". Spaces do not count.
bool is_called(std::string_view symbol, std::string_view wanted);

// The kernel that `wanted` names as is_called() has it, by describe()'s text, or without the arguments of its template
// if only one is called so. Without a name the only one there is. The error lists what there is.
llvm::Expected<const codeobject::Kernel*> choose_kernel(const codeobject::CodeObject&, std::string_view wanted,
                                                        std::string_view how = "choose one with --kernel");

} // namespace crosslane::launch
