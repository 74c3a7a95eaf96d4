// Words to kernel arguments: names, positions, types, and the messages for what is wrong.
#include "launch/arguments.h"
#include "tests/expected.h"
#include <cstring>

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

codeobject::KernelArgument argument(const char* name, const char* type, const char* kind, uint32_t offset,
                                    uint32_t size) {
  codeobject::KernelArgument a;
  a.name = name, a.type_name = type, a.value_kind = kind, a.offset = offset, a.size = size;
  return a;
}

Signature sample() {
  codeobject::Kernel kernel;
  kernel.name = "k";
  kernel.has_metadata = true;
  kernel.arguments = {argument("x", "float*", "global_buffer", 0, 8),
                      argument("v", "float4", "by_value", 16, 16),
                      argument("n", "int", "by_value", 32, 4),
                      argument("s", "struct S", "by_value", 36, 12),
                      argument("l", "int*", "dynamic_shared_pointer", 48, 4),
                      argument("", "", "hidden_block_count_x", 56, 4)};
  return signature_of(kernel);
}
const std::string text = "k(float* x, float4 v, int n, struct S s, int* l)";

llvm::Expected<Arguments> bind(std::vector<std::string> words) { return bind_arguments(sample(), words, ""); }
const std::vector<std::string> good = {"f32[4]:iota", "1,2,3,4", "5", "hex:000102030405060708090a0b", "lds:64"};
// The error when word `i` of a good list is replaced.
std::string error_with(size_t i, const char* word) {
  auto words = good;
  words[i] = word;
  return error_of(bind(words));
}

TEST(Arguments, SignatureText) { EXPECT_EQ(describe(sample()), text); }

TEST(Arguments, ByPositionAndByName) {
  for (const auto& words :
       {good,
        std::vector<std::string>{"n=5", "l=i32[16]", "x=[4]:iota", "v=f32x4:1,2,3,4", "s=hex:000102030405060708090a0b"},
        std::vector<std::string>{"n=5", "f32[4]:iota", "1,2,3,4", "l=64", "hex:000102030405060708090A0B"}}) {
    const Arguments arguments = value_of(bind(words));
    ASSERT_EQ(arguments.bound.size(), 5u);
    ASSERT_EQ(arguments.buffers.size(), 1u);
    EXPECT_EQ(arguments.buffers[0].name, "x");
    EXPECT_EQ(arguments.bound[0].buffer, 0);
    float v[4];
    ASSERT_EQ(arguments.bound[1].bytes.size(), sizeof v);
    std::memcpy(v, arguments.bound[1].bytes.data(), sizeof v);
    EXPECT_EQ(v[3], 4.0f);
    EXPECT_EQ(arguments.bound[2].bytes, (std::vector<uint8_t>{5, 0, 0, 0}));
    EXPECT_EQ(arguments.bound[3].bytes.back(), 11);
    EXPECT_EQ(arguments.bound[4].local_bytes, 64u);
  }
}

TEST(Arguments, NullAndShared) {
  auto words = good;
  words[0] = "null";
  EXPECT_EQ(value_of(bind(words)).bound[0].buffer, -1);
  codeobject::Kernel kernel;
  kernel.has_metadata = true;
  kernel.arguments = {argument("a", "int*", "global_buffer", 0, 8), argument("b", "int*", "global_buffer", 8, 8)};
  const auto shared = value_of(bind_arguments(signature_of(kernel), std::vector<std::string>{"i32[4]", "&a"}, ""));
  EXPECT_EQ(shared.buffers.size(), 1u);
  EXPECT_EQ(shared.bound[1].buffer, 0);
  EXPECT_EQ(value_of(shared.find_buffer("b", signature_of(kernel))), 0);
}

TEST(Arguments, EveryErrorShowsTheSignature) {
  for (const std::string& error :
       {error_of(bind({"f32[4]"})), error_of(bind({"f32[4]", "1,2,3,4", "5", "hex:00", "64", "7"})),
        error_of(bind({"y=5"})), error_with(0, "5"), error_with(0, "i32[4]"), error_with(0, "&y"), error_with(1, "1,2"),
        error_with(1, "f32[4]"), error_with(1, "f64:1"), error_with(2, "1.5"), error_with(2, "f32:5"),
        error_with(2, "5000000000"), error_with(3, "5"), error_with(3, "hex:00"), error_with(3, "hex:0"),
        error_with(3, "hex:zz"), error_with(4, "x")})
    EXPECT_HAS(error, "kernel: " + text);
}

TEST(Arguments, Messages) {
  EXPECT_HAS(error_of(bind({"f32[4]"})), "argument 'v' is missing");
  EXPECT_HAS(error_of(bind({"y=5"})), "the kernel has no parameter 'y'");
  EXPECT_HAS(error_of(bind({"n=5", "n=6"})), "parameter 'n' is given twice");
  EXPECT_HAS(error_with(0, "i32[4]"), "a buffer of i32 where float* is needed");
  EXPECT_HAS(error_with(1, "1,2"), "2 value(s) where 4 are needed");
  EXPECT_HAS(error_with(2, "f32:5"), "f32 where int is needed");
  EXPECT_HAS(error_with(3, "5"), "a struct of 12 bytes");
  auto many = good;
  many.push_back("7");
  EXPECT_HAS(error_of(bind(many)), "too many arguments: '7' is left over");
}

TEST(Arguments, WithoutMetadataTypesAreGiven) {
  Signature unknown;
  unknown.kernel = "k";
  const auto arguments =
      value_of(bind_arguments(unknown, std::vector<std::string>{"i32:5", "x=f32[4]", "u8:1", "f64:2.5"}, ""));
  ASSERT_EQ(arguments.bound.size(), 4u);
  EXPECT_EQ(arguments.bound[0].parameter.offset, 0u);
  EXPECT_EQ(arguments.bound[1].parameter.offset, 8u);
  EXPECT_EQ(arguments.bound[2].parameter.offset, 16u);
  EXPECT_EQ(arguments.bound[3].parameter.offset, 24u);
  EXPECT_EQ(arguments.buffers[0].name, "x");
  EXPECT_HAS(error_of(bind_arguments(unknown, std::vector<std::string>{"5"}, "")), "no metadata: say the type");
}

TEST(Arguments, TypesOfHipComeFromTheMangledName) {
  codeobject::Kernel kernel;
  kernel.name = "_Z4axpyIfEvT_PKS0_PS0_i";
  kernel.has_metadata = true;
  kernel.arguments = {argument("a", "", "by_value", 0, 4), argument("x.coerce", "", "global_buffer", 8, 8),
                      argument("y.coerce", "", "global_buffer", 16, 8), argument("n", "", "by_value", 24, 4)};
  const Signature signature = signature_of(kernel);
  EXPECT_EQ(describe(signature), "axpy<float>(float a, float const* x, float* y, int n)");
  EXPECT_EQ(signature.parameters[0].element, Type::f32);
  EXPECT_EQ(signature.parameters[1].element, Type::f32);
  EXPECT_EQ(signature.parameters[3].element, Type::i32);
}

} // namespace
} // namespace crosslane::launch
