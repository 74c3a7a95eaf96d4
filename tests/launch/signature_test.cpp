// Signatures of compiled kernels, and kernels chosen by them.
#include "launch/signature.h"
#include "tests/expected.h"
#include "toolchain/compile.h"

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

const std::string inputs = CLI_INPUT_DIR;

TEST(Signature, IsTheSourcesForEveryTargetAndLevel) {
  for (const char* target : {"gfx803", "gfx900", "gfx906:xnack-"})
    for (const char* level : {"-O0", "-O3"}) {
      const auto object = value_of(toolchain::load_code(inputs + "/vadd.cl", {target, {level}}));
      ASSERT_NE(object, nullptr) << target;
      EXPECT_EQ(describe(signature_of(object->kernels()[0])), "vadd(float* a, float* b, float* c, int n)");
    }
}

TEST(Signature, KnowsPointersToConst) {
  const std::string hip =
      "#include <hip/hip_runtime.h>\n"
      "__global__ void f(const float* a, float* const b, const int* const* c, int* d, const int e) {}";
  const std::string opencl =
      "kernel void f(global const float* a, global float* const b, constant int* c, global int* d,"
      "              const int e) {}";
  for (const auto& [text, name] : {std::pair(hip, "k.hip"), std::pair(opencl, "k.cl")}) {
    const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    const auto object = value_of(toolchain::load_code(bytes, name, {}));
    ASSERT_NE(object, nullptr) << name;
    std::vector<bool> read_only;
    for (const Parameter& p : signature_of(object->kernels()[0]).parameters)
      read_only.push_back(p.read_only);
    EXPECT_EQ(read_only, (std::vector<bool>{true, false, true, false, false})) << name;
  }
}

TEST(Signature, ChoosesKernels) {
  const auto object = value_of(toolchain::load_code(inputs + "/math.cl", {}));
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(value_of(choose_kernel(*object, "atomics"))->name, "atomics");
  const std::string error = error_of(choose_kernel(*object, ""));
  EXPECT_HAS(error, "has 4 kernels; choose one with --kernel:");
  EXPECT_HAS(error, "native(float* x, float* out)");
  EXPECT_HAS(error_of(choose_kernel(*object, "x")), "has no kernel 'x'. There are:");
}

// The names are c++filt's of the symbols.
TEST(Signature, ChoosesInstancesOfTemplatesByDemangledNames) {
  const auto object = value_of(toolchain::load_code(inputs + "/templates.hip", {}));
  ASSERT_NE(object, nullptr);
  const std::string three = "_ZN6shapes5scaleILi3ENS_3BoxEEEvPT0_f";
  for (const char* name : {"_ZN6shapes5scaleILi3ENS_3BoxEEEvPT0_f", "shapes::scale<3, shapes::Box>",
                           "shapes::scale<3,shapes::Box>", "void shapes::scale<3, shapes::Box>(shapes::Box*, float)",
                           "shapes::scale<3, shapes::Box>(shapes::Box* data, float by)"})
    EXPECT_EQ(value_of(choose_kernel(*object, name))->name, three) << name;
  EXPECT_EQ(value_of(choose_kernel(*object, "(anonymous namespace)::hidden"))->name, "_ZN12_GLOBAL__N_16hiddenEPf");
  EXPECT_EQ(value_of(choose_kernel(*object, "set(int*)"))->name, "_Z3setPi");
  EXPECT_HAS(error_of(choose_kernel(*object, "set")),
             "2 kernels are called 'set'; name one in full:\n  set(float*)\n  set(int*)");
  EXPECT_HAS(error_of(choose_kernel(*object, "shapes::scale")),
             "2 kernels are called 'shapes::scale'; name one in full:\n"
             "  void shapes::scale<3, shapes::Box>(shapes::Box*, float)");
  // What the list says can be given back.
  for (const auto& kernel : object->kernels())
    EXPECT_EQ(value_of(choose_kernel(*object, describe(signature_of(kernel))))->name, kernel.name);
  EXPECT_HAS(error_of(choose_kernel(*object, "")), "\n  shapes::scale<4, shapes::Box>(shapes::Box* data, float by)");
}

} // namespace
} // namespace crosslane::launch
