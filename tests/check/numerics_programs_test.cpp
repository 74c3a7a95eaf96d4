// Kernels in OpenCL C on all targets, whose findings are counted by a reference: the same operation by the host's
// compiler, in IEEE arithmetic.
#include "tests/check/source.h"
#include <cmath>

namespace crosslane::test {

namespace {

constexpr const char* targets[] = {"gfx803", "gfx900", "gfx906", "gfx908", "gfx90a"};

using Counts = std::map<std::string, uint64_t>;

// How often each rule was told of, by line of the source.
std::map<int, Counts> told_by_line(SourceKernel k) {
  k.check = "numerics";
  const launch::Result result = launched(k);
  std::map<int, Counts> counts;
  if (result.judged)
    for (const lint::PlacedFinding& f : result.judged->findings) {
      // Where it was written in this file, also of inlined functions of the library.
      const std::string& source = f.place.inlined_by.empty() ? f.place.source : f.place.inlined_by.back();
      const size_t colon = source.find(".cl:");
      EXPECT_NE(colon, std::string::npos) << source;
      counts[std::atoi(source.c_str() + colon + 4)][lint::id_of(f.rule)] += f.seen ? f.seen->times : 1;
    }
  return counts;
}
Counts told(const SourceKernel& k) {
  Counts sum;
  for (const auto& [line, counts] : told_by_line(k))
    for (const auto& [rule, times] : counts)
      sum[rule] += times;
  return sum;
}

// Numbers where something happens, each with each.
template <class T> std::pair<std::vector<T>, std::vector<T>> pairs() {
  using Limits = std::numeric_limits<T>;
  const T some[] = {T(0),
                    -T(0),
                    T(1),
                    T(-1),
                    T(3),
                    T(-0.25),
                    Limits::max(),
                    Limits::lowest(),
                    Limits::min(),
                    Limits::min() / 2,
                    Limits::denorm_min(),
                    -Limits::min(),
                    Limits::infinity(),
                    -Limits::infinity(),
                    Limits::quiet_NaN(),
                    std::sqrt(Limits::max())};
  std::pair<std::vector<T>, std::vector<T>> all;
  for (const T a : some)
    for (const T b : some)
      all.first.push_back(a), all.second.push_back(b);
  return all;
}

template <class T> void count(Counts& counts, bool finite, T result) {
  if (finite && std::isnan(result))
    ++counts["float-nan"];
  if (finite && std::isinf(result))
    ++counts["float-infinity"];
}

struct Operation {
  const char* name;
  const char* text; // of x and y
  float (*f)(float, float);
  double (*d)(double, double);
};

// NOLINTNEXTLINE(misc-redundant-expression)
#define OPERATION(name, text)                                                                                          \
  Operation {                                                                                                          \
    name, #text,                                                                                                       \
        [](float x, float y) -> float {                                                                                \
          (void)y;                                                                                                     \
          using namespace std;                                                                                         \
          return text;                                                                                                 \
        },                                                                                                             \
        [](double x, double y) -> double {                                                                             \
          (void)y;                                                                                                     \
          using namespace std;                                                                                         \
          return text;                                                                                                 \
        }                                                                                                              \
  }

const Operation operations[] = {
    OPERATION("add", x + y),      OPERATION("sub", x - y),          OPERATION("mul", x* y),
    OPERATION("div", x / y),      OPERATION("sqrt", sqrt(x)),       OPERATION("fma", fma(x, y, x)),
    OPERATION("min", fmin(x, y)), OPERATION("floor", floor(x) + y),
};

// A line for each of the texts, from the fourth on; results lie one behind the other.
std::string kernel_of(const std::string& type, const std::vector<std::string>& texts) {
  std::string source = (type == "half" ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "\n") +
                       std::string("kernel void k(global const ") + type + "* a, global const " + type +
                       "* b, global " + type + "* c) {\n  int i = get_global_id(0), n = get_global_size(0); " + type +
                       " x = a[i], y = b[i];\n";
  for (size_t n = 0; n < texts.size(); ++n)
    source += "  c[n * " + std::to_string(n) + " + i] = " + texts[n] + ";\n";
  return source + "}\n";
}
constexpr int first_line = 4;

template <class T>
SourceKernel two_operands(const std::string& target, const std::string& type, const std::vector<std::string>& texts,
                          const std::string& word) {
  const auto [a, b] = pairs<T>();
  return {.source = kernel_of(type, texts),
          .target = target,
          .options = "-cl-fp32-correctly-rounded-divide-sqrt",
          .buffers = {{"a.raw", bytes_of(a)}, {"b.raw", bytes_of(b)}},
          .arguments = {"a=@a.raw:" + word, "b=@b.raw:" + word,
                        "c=" + word + "[" + std::to_string(a.size() * texts.size()) + "]"},
          .items = int(a.size())};
}

class NumericsPrograms : public testing::TestWithParam<const char*> {};

} // namespace

TEST_P(NumericsPrograms, FindAsManyAsTheHostMakes) {
  std::vector<std::string> texts;
  std::map<int, Counts> floats, doubles;
  const auto [a, b] = pairs<float>();
  const auto [x, y] = pairs<double>();
  // gfx803 has no denormal floats by default.
  const auto seen = [](float v) {
    return std::string_view(GetParam()) == "gfx803" && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
  };
  for (const Operation& o : operations) {
    const int line = first_line + int(texts.size());
    const bool unary = std::string_view(o.text).find('y') == std::string_view::npos;
    for (size_t n = 0; n < a.size(); ++n)
      count(floats[line], std::isfinite(a[n]) && (unary || std::isfinite(b[n])), o.f(seen(a[n]), seen(b[n])));
    for (size_t n = 0; n < x.size(); ++n)
      count(doubles[line], std::isfinite(x[n]) && (unary || std::isfinite(y[n])), o.d(x[n], y[n]));
    texts.push_back(o.text);
  }
  const auto judged = [&](auto counts) {
    for (auto& [line, of_line] : counts)
      of_line.erase("float-flushed");
    std::erase_if(counts, [](const auto& c) { return c.second.empty(); });
    // The root scales its operand first, and all that is negative counts as small: the most negative number becomes an
    // infinity before it becomes a NaN.
    const auto root = std::ranges::find(texts, "sqrt(x)") - texts.begin();
    Counts& of_root = counts[first_line + int(root)];
    of_root["float-nan"] += of_root["float-infinity"], of_root.erase("float-infinity");
    return counts;
  };
  EXPECT_GE(floats.size(), 5u);
  EXPECT_EQ(judged(told_by_line(two_operands<float>(GetParam(), "float", texts, "f32"))), judged(floats));
  EXPECT_EQ(judged(told_by_line(two_operands<double>(GetParam(), "double", texts, "f64"))), judged(doubles));
}

// Library functions have infinities on their way to results that are none.
TEST_P(NumericsPrograms, AreSilentOfFunctionsThatGoByInfinities) {
  const std::vector<float> a = {0, 0, 0, 1, 2, 0.5f, 1e-38f, 100, 7, 1e10f, -1, -2, -3, 0, 1, 9};
  std::vector<float> all;
  for (int n = 0; n < 4; ++n)
    all.insert(all.end(), a.begin(), a.end());
  const std::vector<std::string> texts = {"pow(x, 2.0f)",   "pown(x, 3)",    "sqrt(fabs(x))",  "exp(-fabs(x))",
                                          "hypot(x, 0.0f)", "sin(x)",        "x / (x + 20)",   "atan2(x, 1.0f)",
                                          "tanh(x)",        "fmod(x, 3.0f)", "log1p(fabs(x))", "cbrt(x)"};
  auto found =
      told_by_line({.source = kernel_of("float", texts),
                    .target = GetParam(),
                    .buffers = {{"a.raw", bytes_of(all)}},
                    .arguments = {"a=@a.raw:f32", "b=f32[64]", "c=f32[" + std::to_string(64 * texts.size()) + "]"}});
  for (auto& [line, counts] : found)
    counts.erase("float-flushed");
  std::erase_if(found, [](const auto& f) { return f.second.empty(); });
  EXPECT_EQ(found, (std::map<int, Counts>()));
}

TEST_P(NumericsPrograms, FindHalvesThatOverflow) {
  using Half = _Float16;
  std::vector<Half> a, b;
  Counts sums, products;
  for (const float x : {0.0f, 1.0f, 255.0f, 256.0f, 40000.0f, 65504.0f, -65504.0f, float(INFINITY)})
    for (const float y : {0.0f, 2.0f, 256.0f, 257.0f, 30000.0f, -65504.0f, 65504.0f, 1.0f}) {
      a.push_back(Half(x)), b.push_back(Half(y));
      count(sums, std::isfinite(x), float(Half(float(Half(x)) + float(Half(y)))));
      count(products, std::isfinite(x), float(Half(float(Half(x)) * float(Half(y)))));
    }
  for (const auto& [text, expected] : {std::pair("x + y", sums), {"x * y", products}}) {
    SourceKernel k{.source = kernel_of("half", {text}),
                   .target = GetParam(),
                   .buffers = {{"a.raw", bytes_of(a)}, {"b.raw", bytes_of(b)}},
                   .arguments = {"a=@a.raw:f16", "b=@b.raw:f16", "c=f16[64]"}};
    EXPECT_EQ(told(k), expected) << text;
    // Pairs of them, as packed operations have them.
    k.source =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global const half2* a, global const half2* b, "
        "global half2* c) {\n  int i = get_global_id(0);\n  if (i < 32) { half2 x = a[i], y = b[i]; c[i] = " +
        std::string(text) + "; }\n}\n";
    uint64_t dwords = 0; // a store tells of a dword
    for (const auto& [rule, times] : told(k)) {
      EXPECT_EQ(rule, "float-infinity");
      dwords += times;
    }
    EXPECT_LE(dwords, expected.at("float-infinity"));
    EXPECT_GE(2 * dwords, expected.at("float-infinity"));
  }
}

TEST_P(NumericsPrograms, FindConversionsThatOverflow) {
  const std::vector<float> values = {0, 1, 65504, 65519, 65520, 70000, -65520, 1e30f, INFINITY, 3.5f, -2, 1e-7f};
  std::vector<float> a;
  Counts expected;
  for (size_t n = 0; n < 64; ++n) {
    a.push_back(values[n % values.size()]);
    count(expected, std::isfinite(a.back()), float(_Float16(a.back())));
  }
  EXPECT_EQ(told({.source = "kernel void k(global const float* a, global half* c) { vstore_half(a[get_global_id(0)], "
                            "get_global_id(0), c); }",
                  .target = GetParam(),
                  .buffers = {{"a.raw", bytes_of(a)}},
                  .arguments = {"a=@a.raw:f32", "c=f16[64]"}}),
            expected);
}

TEST_P(NumericsPrograms, FindDenormalsThatAreFlushed) {
  const auto [a, b] = pairs<float>();
  uint64_t expected = 0;
  for (size_t n = 0; n < a.size(); ++n) {
    const float r = a[n] * b[n];
    const bool in = std::fpclassify(a[n]) == FP_SUBNORMAL || std::fpclassify(b[n]) == FP_SUBNORMAL;
    expected += in || std::fpclassify(r) == FP_SUBNORMAL;
  }
  SourceKernel k = two_operands<float>(GetParam(), "float", {"x * y"}, "f32");
  k.options = "-cl-denorms-are-zero";
  EXPECT_EQ(told(k)["float-flushed"], expected);
}

// i * m leaves 32 bits in all but the first lane, and what is left is an index.
TEST_P(NumericsPrograms, FindIndicesThatOverflow) {
  for (const char* type : {"uint", "int"}) {
    const std::string t = type;
    // The first overflows; with 64 bits it does not, and hashes are masked, shifted, or a remainder.
    const std::string source = "kernel void k(global const float* a, global float* c, " + t + R"( m) {
  )" + t + R"( i = get_global_id(0) * 4;
  c[get_global_id(0)] = a[i * m];
  c[get_global_id(0)] += a[((ulong)i * (ulong)m) & 255];
  c[get_global_id(0)] += a[(i * m * 2654435761u) >> 24];
  c[get_global_id(0)] += a[(uint)(i * m * 2654435761u) % 255u];
  c[get_global_id(0)] += a[((uint)i * 2654435761u ^ (uint)m) % (uint)(m >> 22)];
}
)";
    uint64_t expected = 0;
    for (uint64_t i = 0; i < 64; ++i)
      expected += i * 4 * 1073741825 > UINT32_MAX;
    const auto found = told_by_line(
        {.source = source, .target = GetParam(), .arguments = {"a=f32[256]:iota", "c=f32[64]", "m=1073741825"}});
    // Which line the product is of, the optimiser says: it may be the one where i is made.
    Counts sum;
    for (const auto& [line, counts] : found) {
      EXPECT_LE(line, 3) << t;
      for (const auto& [rule, times] : counts)
        sum[rule] += times;
    }
    EXPECT_EQ(sum, (Counts{{"address-overflow", expected}})) << t;
  }
}

// Each product of A and B that is too large; sums start with 0.
TEST(Numerics, FindsMatricesThatOverflow) {
  std::vector<float> a, b;
  for (int n = 0; n < 64; ++n)
    a.push_back(n % 3 ? 1e20f : 1), b.push_back(n % 5 ? 2 : 1e20f);
  uint64_t expected = 0;
  for (size_t lane = 0; lane < 64; ++lane) // of 16 blocks of 4 x 4
    for (size_t row = 0; row < 4; ++row)
      expected += std::isinf(a[lane / 4 * 4 + row] * b[lane]);
  for (const char* target : {"gfx908", "gfx90a"})
    EXPECT_EQ(
        told({.source =
                  "typedef float float4_ __attribute__((ext_vector_type(4)));\nkernel void k(global const float* a, "
                  "global const float* b, global float4_* c) {\n  int i = get_global_id(0);\n  c[i] = "
                  "__builtin_amdgcn_mfma_f32_4x4x1f32(a[i], b[i], (float4_)(0), 0, 0, 0);\n}\n",
              .target = target,
              .buffers = {{"a.raw", bytes_of(a)}, {"b.raw", bytes_of(b)}},
              .arguments = {"a=@a.raw:f32", "b=@b.raw:f32", "c=f32[256]"}}),
        (Counts{{"float-infinity", expected}}))
        << target;
}

INSTANTIATE_TEST_SUITE_P(Targets, NumericsPrograms, testing::ValuesIn(targets),
                         [](const auto& info) { return info.param; });

} // namespace crosslane::test
