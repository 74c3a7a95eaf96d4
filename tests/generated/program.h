// Owns what a generated kernel is: a typed tree whose nodes are templates of OpenCL C ("($0 + $1)"), so that a mismatch
// can be reduced by cutting the tree, and its printing. Variables are declared when something uses them: any cut leaves
// a kernel that still compiles.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::generated {

enum class Base : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16 };
struct Type {
  Base base = Base::u32;
  uint8_t width = 1; // 1, 2, 3, 4
  auto operator<=>(const Type&) const = default;
};
bool is_float(Base);
bool is_signed(Base);
Base as_unsigned(Base);
Base as_signed(Base);
unsigned bytes_of(Base);
std::string name_of(Type); // "uint4"; f16 is "hp" and "hp2"
std::string zero_of(Type);
std::string one_of(Type);

struct Expression {
  Type type;
  std::string text; // $0 to $9 stand for the arguments
  std::vector<Expression> arguments;
};

struct Statement;
using Block = std::vector<Statement>;
struct Statement {
  std::string text; // $0 to $9 the arguments, @0 to @9 the blocks in braces
  std::vector<Expression> arguments;
  std::vector<Block> blocks;
};

// What a name means; printed before the first statement when something uses it.
struct Declaration {
  std::string name, text;
};

struct Function {
  std::string name, head; // head: "uint fn0(uint a0, int a1)"
  std::vector<Declaration> declarations;
  Block body;
  Expression result;
};

// Where each work-item leaves one result. f16 is stored as its bits.
struct Slot {
  Type type;
};

struct Shape {
  int dimensions = 1;
  std::array<uint32_t, 3> block{64, 1, 1}, groups{1, 1, 1};
  std::array<uint64_t, 3> offset{0, 0, 0};
  bool fixed = false; // reqd_work_group_size
  uint32_t block_size() const { return block[0] * block[1] * block[2]; }
  uint32_t items() const { return block_size() * groups[0] * groups[1] * groups[2]; }
};

struct Kernel {
  std::string name;
  Shape shape;
  uint64_t input_seed = 0;
  std::vector<Function> functions;
  std::vector<Declaration> declarations;
  std::vector<Slot> slots;
  Block body;
  std::string verbatim; // when not empty, this is the text, whatever else is here
};

uint64_t slot_offset(const Kernel&, size_t slot); // bytes from the start of the buffer `out`; slots.size(): its size

std::string print(const Expression&);
std::string print(const Kernel&);
// `kernels` with the inclusion of portable.h.
std::string print(const std::vector<Kernel>& kernels);

} // namespace crosslane::generated
