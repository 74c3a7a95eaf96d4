// MIMG with samplers. Expectations are the formulas of the OpenCL C specification (6.13.14, "Addressing and filter
// modes") in long double, on images of plain arrays, and tables by hand for what OpenCL does not have.
#include "tests/engine/image_fixture.h"
#include <cmath>
#include <map>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

std::string sampled(const std::string& operation, int registers, int coordinates, const std::string& modifiers) {
  return "image_" + operation + " " + vregs(data, registers) + ", " + vregs(address, coordinates) +
         ", s[4:11], s[12:15] " + modifiers;
}

enum Mode { repeat = 0, mirrored_repeat = 1, clamp_to_edge = 2, clamp_to_border = 6 };

// One axis as the specification has it: two texels and the weight of the second; -1 is the border.
struct Axis {
  long texel[2];
  long double weight;
};
Axis axis_of(long double s, long n, Mode mode, bool linear, bool normalized) {
  long double u = normalized ? s * n : s;
  if (mode == repeat) {
    u = (s - floorl(s)) * n;
    if (!linear) {
      const long i = long(floorl(u));
      return {{i > n - 1 ? i - n : i, 0}, 0};
    }
    long i0 = long(floorl(u - 0.5L)), i1 = i0 + 1;
    const long double a = (u - 0.5L) - floorl(u - 0.5L);
    if (i0 < 0)
      i0 = n + i0;
    if (i1 > n - 1)
      i1 = i1 - n;
    return {{i0, i1}, a};
  }
  if (mode == mirrored_repeat) {
    long double s1 = 2.0L * rintl(0.5L * s);
    s1 = fabsl(s - s1);
    u = s1 * n;
    if (!linear)
      return {{std::min(long(floorl(u)), n - 1), 0}, 0};
    const long i0 = long(floorl(u - 0.5L));
    return {{std::max(i0, 0L), std::min(i0 + 1, n - 1)}, (u - 0.5L) - floorl(u - 0.5L)};
  }
  const auto clamped = [&](long i) {
    if (mode == clamp_to_edge)
      return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
    return i < 0 || i > n - 1 ? -1 : i;
  };
  if (!linear)
    return {{clamped(long(floorl(u))), 0}, 0};
  const long i0 = long(floorl(u - 0.5L));
  return {{clamped(i0), clamped(i0 + 1)}, (u - 0.5L) - floorl(u - 0.5L)};
}

// Of one-component float images.
struct Picture {
  long width, height, depth, pitch;
  const float* texels;
  float at(long x, long y, long z) const { return x < 0 || y < 0 || z < 0 ? 0 : texels[(z * height + y) * pitch + x]; }
  long double read(const Axis& x, const Axis& y, const Axis& z) const {
    long double sum = 0;
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
          const long double weight =
              (i ? x.weight : 1 - x.weight) * (j ? y.weight : 1 - y.weight) * (k ? z.weight : 1 - z.weight);
          if (weight != 0)
            sum += weight * at(x.texel[i], y.texel[j], z.texel[k]);
        }
    return sum;
  }
};

// 0 to 1 in 32-bit floats.
void fill(Texels& texels, size_t count) {
  std::mt19937 noise(3);
  for (size_t i = 0; i < count; ++i) {
    const float f = float(noise() % 4096) / 4095;
    std::memcpy(texels.data + 4 * i, &f, 4);
  }
}

} // namespace

TEST(ImageSample, FiltersAndAddressesAsOpenCL) {
  const struct {
    const char* name;
    uint32_t type;
    int dims;
    bool array;
  } kinds[] = {{"1D", 8, 1, false},
               {"2D", 9, 2, false},
               {"3D", 10, 3, false},
               {"1D array", 12, 1, true},
               {"2D array", 13, 2, true}};
  const long width = 20, height = 6, depth = 7, pitch = 64;
  Texels texels(size_t(pitch * height * depth * 4));
  fill(texels, size_t(pitch * height * depth));
  const auto* floats = reinterpret_cast<const float*>(texels.data);
  for (const auto& kind : kinds)
    for (const Target target : {Target::gfx600, Target::gfx701, Target::gfx803, Target::gfx900, Target::gfx908})
      for (const Mode mode : {repeat, mirrored_repeat, clamp_to_edge, clamp_to_border})
        for (const bool linear : {false, true})
          for (const bool normalized : {true, false}) {
            if (!normalized && mode < clamp_to_edge)
              continue;
            const int coordinates = kind.dims + kind.array;
            const auto inst = assemble(
                target, sampled("sample_lz", 1, coordinates, std::string("dmask:1") + (kind.array ? " da" : "")));
            TestWave w;
            w.set_exec(0xffffffff0ff0f00f);
            const bool flat = kind.dims == 1;
            Tsharp{.base = texels.at(),
                   .type = kind.type,
                   .dfmt = 4,
                   .nfmt = 7,
                   .width = uint32_t(width),
                   .height = flat ? 1u : uint32_t(height),
                   .depth = uint32_t(depth),
                   .pitch = uint32_t(pitch),
                   .first = kind.array ? 1u : 0,
                   .last = kind.array ? 6u : 0}
                .put(w, target);
            Ssharp{.clamp_x = mode,
                   .clamp_y = mode,
                   .clamp_z = mode,
                   .mag = linear,
                   .min = linear,
                   .unnormalized = !normalized}
                .put(w);
            auto want = w.registers();
            std::mt19937 noise(kind.type + linear);
            const Picture picture{width, flat ? 1 : height, depth, pitch, floats};
            std::vector<float> results(64);
            for (int l = 0; l < 64; ++l) {
              const long sizes[3] = {width, height, depth};
              float c[4];
              Axis axes[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
              for (int d = 0; d < kind.dims; ++d) {
                // Far enough from where texels meet that rounding does not move a point to its neighbour.
                const long texel = long(noise() % 60) - 25;
                const float inside = 0.01f + 0.98f * float(noise() % 1024) / 1023;
                c[d] = normalized ? (float(texel) + inside) / float(sizes[d]) : float(texel) + inside;
                axes[d] = axis_of(c[d], sizes[d], mode, linear, normalized);
              }
              if (kind.array) {
                const int slice = int(noise() % 10) - 2;
                c[kind.dims] = float(slice) + 0.3f;
                axes[2] = {{std::clamp(slice, 0, 5) + 1, 0}, 0};
              }
              for (int i = 0; i < coordinates; ++i)
                want[size_t(address + i) * 64 + size_t(l)] = w.v(address + i, l) = bits(c[i]);
              results[size_t(l)] = float(picture.read(axes[0], axes[1], axes[2]));
            }
            ASSERT_TRUE(w.run(*host_levels().back(), inst));
            ASSERT_EQ(w.fault().kind, machine::FaultKind::none) << w.fault().detail;
            // Half of 1/256 of a texel on each axis, and texels differ by 1 at most.
            const float tolerance = linear ? float(kind.dims) / 512 + 1e-5f : 0;
            for (int l = 0; l < 64; ++l) {
              uint32_t& slot = want[size_t(data) * 64 + size_t(l)];
              if (w.active(l)) {
                EXPECT_NEAR(as_float(w.v(data, l)), results[size_t(l)], tolerance)
                    << kind.name << " " << isa::info(target).name << " mode " << mode << " linear " << linear
                    << " normalized " << normalized << " lane " << l;
                slot = w.v(data, l);
              }
            }
            ASSERT_EQ(w.registers(), want);
          }
}

// Every address mode on four texels 10, 20, 40, 80, the border being 1000.
TEST(ImageSample, AddressModes) {
  Texels texels(256);
  const float row[4] = {10, 20, 40, 80};
  std::memcpy(texels.data, row, 16);
  const float x[] = {-4.5f, -1.5f, -0.5f, 0.5f, 3.5f, 4.5f, 5.5f, 9.5f};
  const struct {
    const char* name;
    uint32_t clamp;
    float want[8];
  } points[] = {
      {"wrap", 0, {80, 40, 80, 10, 80, 10, 20, 20}},
      {"mirror", 1, {80, 20, 10, 10, 80, 80, 40, 20}},
      {"edge", 2, {10, 10, 10, 10, 80, 80, 80, 80}},
      {"mirror once, edge", 3, {80, 20, 10, 10, 80, 80, 80, 80}},
      {"half border", 4, {10, 10, 10, 10, 80, 80, 80, 80}},
      {"mirror once, half border", 5, {80, 20, 10, 10, 80, 80, 80, 80}},
      {"border", 6, {1, 1, 1, 10, 80, 1, 1, 1}},
      {"mirror once, border", 7, {1, 20, 10, 10, 80, 1, 1, 1}},
  };
  // Linear at x: between texel centres; half of the border beyond the edge.
  const float lx[] = {-0.25f, 0.0f, 1.0f, 4.0f, 4.25f, 5.0f, -1.0f, 3.75f};
  const struct {
    const char* name;
    uint32_t clamp;
    float want[8];
  } lines[] = {
      {"wrap", 0, {62.5f, 45, 15, 45, 27.5f, 15, 60, 62.5f}},
      {"mirror", 1, {10, 10, 15, 80, 80, 60, 15, 80}},
      {"edge", 2, {10, 10, 15, 80, 80, 80, 10, 80}},
      {"mirror once, edge", 3, {10, 10, 15, 80, 80, 80, 15, 80}},
      {"half border", 4, {5.5f, 5.5f, 15, 40.5f, 40.5f, 40.5f, 5.5f, 60.25f}},
      {"border", 6, {3.25f, 5.5f, 15, 40.5f, 20.75f, 1, 1, 60.25f}},
      {"mirror once, border", 7, {10, 10, 15, 40.5f, 20.75f, 1, 15, 60.25f}},
  };
  for (const auto* level : host_levels()) {
    const auto run = [&](uint32_t clamp, bool linear, const float* at, int lane) {
      TestWave w;
      w.set_exec(uint64_t(1) << lane);
      Tsharp{.base = texels.at(), .type = 8, .dfmt = 4, .nfmt = 7, .width = 4, .pitch = 64}.put(w, Target::gfx900);
      Ssharp{.clamp_x = clamp, .mag = linear, .min = linear, .border = 2, .unnormalized = true}.put(w);
      w.v(address, lane) = bits(at[lane]);
      EXPECT_TRUE(w.run(*level, assemble(Target::gfx900, sampled("sample_lz", 1, 1, "dmask:1"))));
      EXPECT_EQ(w.fault().detail, "");
      return as_float(w.v(data, lane));
    };
    for (const auto& mode : points)
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(run(mode.clamp, false, x, i), mode.want[i]) << mode.name << " at " << x[i];
    for (const auto& mode : lines)
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(run(mode.clamp, true, lx, i), mode.want[i]) << mode.name << " linear at " << lx[i];
  }
}

// Coordinates count 1/256 of a texel, rounded or cut off; so do weights.
TEST(ImageSample, FixedPoint) {
  Texels texels(256);
  const float row[4] = {0, 256, 0, 0};
  std::memcpy(texels.data, row, 16);
  const auto on = [&](Target target, float x, bool linear, bool truncates) {
    TestWave w;
    w.set_exec(1);
    Tsharp{.base = texels.at(), .type = 8, .dfmt = 4, .nfmt = 7, .width = 4, .pitch = 64}.put(w, target);
    Ssharp{.mag = linear, .min = linear, .unnormalized = true, .truncates = truncates}.put(w);
    w.v(address, 0) = bits(x);
    EXPECT_TRUE(w.run(*host_levels().front(), assemble(target, sampled("sample", 1, 1, "dmask:1"))));
    EXPECT_EQ(w.fault().detail, "");
    return as_float(w.v(data, 0));
  };
  const auto run = [&](float x, bool linear, bool truncates) { return on(Target::gfx900, x, linear, truncates); };
  EXPECT_EQ(on(Target::gfx90a, 0.5f + 3 / 256.0f, true, false), 3);
  EXPECT_EQ(run(0.5f + 3 / 256.0f, true, false), 3);
  EXPECT_EQ(run(0.5f + 3.4f / 256, true, false), 3);
  EXPECT_EQ(run(0.5f + 3.6f / 256, true, false), 4);
  EXPECT_EQ(run(0.5f + 3.6f / 256, true, true), 3);
  EXPECT_EQ(run(0.999f, false, false), 256); // 255.7 of 256
  EXPECT_EQ(run(0.999f, false, true), 0);
  EXPECT_EQ(run(NAN, false, false), 0);
  EXPECT_EQ(run(INFINITY, false, false), 0); // the last one
  EXPECT_EQ(run(-INFINITY, true, false), 0);
}

// All suffixes: what comes before the coordinates is passed over or heeded.
TEST(ImageSample, Suffixes) {
  Texels texels(64 * 8 * 4);
  fill(texels, 64 * 8);
  const auto* floats = reinterpret_cast<const float*>(texels.data);
  const int x = 7, y = 2;
  const float reference = 0.5f;
  struct Form {
    std::string name;
    bool gather, compare, offset;
    std::vector<uint32_t> registers; // from v20 on, where results do not reach
  };
  std::vector<Form> forms;
  std::vector<std::string> lines;
  for (const isa::Row& row : isa::rows()) {
    const std::string name(row.mnemonic);
    if ((!name.starts_with("image_sample") && !name.starts_with("image_gather4")) || name == "image_gather4h")
      continue;
    const auto has = [&](const std::string& suffix) {
      return (name + "_").find("_" + suffix + "_") != std::string::npos;
    };
    Form f{name, name.starts_with("image_gather4"), has("c"), has("o"), {}};
    if (f.offset)
      f.registers.push_back(0xc0 | 62 | 3 << 8); // -2, 3
    if (has("b"))
      f.registers.push_back(bits(1.5f));
    if (f.compare)
      f.registers.push_back(bits(reference));
    if (has("d") || has("cd"))
      f.registers.insert(f.registers.end(), {bits(0.1f), bits(0.2f), bits(0.3f), bits(0.4f)});
    for (const int c : {x, y})
      f.registers.push_back(bits(float(c) + (f.gather ? 0.9f : 0.5f)));
    if (has("l") || has("cl"))
      f.registers.push_back(bits(0.0f));
    lines.push_back(name + " " + vregs(data, f.gather ? 4 : 1) + ", " + vregs(20, int(f.registers.size())) +
                    ", s[4:11], s[12:15] dmask:1");
    forms.push_back(f);
  }
  EXPECT_EQ(forms.size(), 64u);
  for (const Target target : {Target::gfx600, Target::gfx803, Target::gfx900, Target::gfx906}) {
    const auto instructions = assemble(target, lines);
    for (size_t n = 0; n < forms.size(); ++n) {
      const Form& f = forms[n];
      TestWave w;
      w.set_exec(1);
      Tsharp{.base = texels.at(), .dfmt = 4, .nfmt = 7, .width = 20, .height = 8, .pitch = 64}.put(w, target);
      Ssharp{.compare = 1, .unnormalized = true}.put(w);
      for (size_t i = 0; i < f.registers.size(); ++i)
        w.v(20 + int(i), 0) = f.registers[i];
      ASSERT_TRUE(w.run(*host_levels().back(), instructions[n])) << f.name;
      ASSERT_EQ(w.fault().detail, "") << f.name;
      const auto value = [&](int px, int py) {
        const float texel = floats[(py + (f.offset ? 3 : 0)) * 64 + px - (f.offset ? 2 : 0)];
        return f.compare ? (reference < texel ? 1.0f : 0.0f) : texel;
      };
      if (!f.gather) {
        EXPECT_EQ(as_float(w.v(data, 0)), value(x, y)) << f.name;
        continue;
      }
      EXPECT_EQ(as_float(w.v(data, 0)), value(x, y + 1)) << f.name;
      EXPECT_EQ(as_float(w.v(data + 1, 0)), value(x + 1, y + 1)) << f.name;
      EXPECT_EQ(as_float(w.v(data + 2, 0)), value(x + 1, y)) << f.name;
      EXPECT_EQ(as_float(w.v(data + 3, 0)), value(x, y)) << f.name;
    }
  }
}

// A comparison is made per texel, then filtered.
TEST(ImageSample, ComparisonsAreFiltered) {
  Texels texels(256);
  const float row[2] = {0.25f, 0.75f};
  std::memcpy(texels.data, row, 8);
  const float expected[8] = {0, 0.25f, 0, 0.25f, 0.75f, 1, 0.75f, 1}; // reference 0.5 between them, at a weight of 1/4
  for (uint32_t compare = 0; compare < 8; ++compare) {
    TestWave w;
    w.set_exec(1);
    Tsharp{.base = texels.at(), .type = 8, .dfmt = 4, .nfmt = 7, .width = 2, .pitch = 64}.put(w, Target::gfx900);
    Ssharp{.mag = 1, .min = 1, .compare = compare, .unnormalized = true}.put(w);
    w.v(address, 0) = bits(0.5f), w.v(address + 1, 0) = bits(0.75f);
    ASSERT_TRUE(w.run(*host_levels().back(), assemble(Target::gfx900, sampled("sample_c_lz", 1, 2, "dmask:1"))));
    EXPECT_EQ(as_float(w.v(data, 0)), expected[compare]) << compare;
  }
}

TEST(ImageSample, FormatsSelectorsAndBorders) {
  using V = std::vector<uint32_t>;
  Texels texels(256);
  const auto sample = [&](Tsharp t, Ssharp s, std::vector<uint8_t> bytes, float x,
                          const std::string& modifiers = "dmask:15") {
    std::copy(bytes.begin(), bytes.end(), texels.data);
    TestWave w;
    w.set_exec(1);
    t.base = texels.at(), t.type = 8, t.width = 2, t.pitch = 64;
    t.put(w, Target::gfx900);
    s.unnormalized = true;
    s.put(w);
    w.v(address, 0) = bits(x);
    EXPECT_TRUE(w.run(*host_levels().back(), assemble(Target::gfx900, sampled("sample_lz", 4, 1, modifiers))));
    EXPECT_EQ(w.fault().detail, "");
    return V{w.v(8, 0), w.v(9, 0), w.v(10, 0), w.v(11, 0)};
  };
  const std::vector<uint8_t> two = {0, 255, 51, 255, 255, 255, 153, 0}; // 8_8_8_8
  const Ssharp linear{.mag = 1, .min = 1};
  EXPECT_EQ(sample({.nfmt = 0}, linear, two, 1.0f), (V{bits(0.5f), bits(1), bits(0.4f), bits(0.5f)}));
  EXPECT_EQ(sample({.nfmt = 0, .select = 6 | 5 << 3 | 0 << 6 | 1 << 9}, linear, two, 0.5f),
            (V{bits(0.2f), bits(1), 0, bits(1)}));
  EXPECT_EQ(sample({.nfmt = 4}, linear, two, 1.2f), (V{255, 255, 153, 0})); // integers are not filtered
  EXPECT_EQ(sample({.nfmt = 5}, {}, two, 0.2f), (V{0, ~0u, 51, ~0u}));
  EXPECT_EQ(sample({.dfmt = 3, .nfmt = 1}, linear, {127, 0x81, 0x81, 127}, 0.5f), (V{bits(1), bits(-1), 0, 0}));
  EXPECT_EQ(sample({.dfmt = 5, .nfmt = 7, .select = 4 | 5 << 3 | 0 << 6 | 1 << 9}, linear,
                   {0, 0x3c, 0, 0x40, 0, 0x42, 0, 0x44}, 0.75f),
            (V{bits(1.5f), bits(2.5f), 0, bits(1)})); // halves 1, 2 and 3, 4
  // sRGB is made linear before it is filtered; alpha is linear.
  const V srgb = sample({.nfmt = 9}, linear, {0, 0, 0, 0, 255, 188, 0, 255}, 1.0f);
  EXPECT_EQ(srgb[0], bits(0.5f));
  EXPECT_NEAR(as_float(srgb[1]), 0.2515, 1e-4);
  EXPECT_EQ(srgb[3], bits(0.5f));
  // Borders take the selectors, too.
  const uint32_t bgra = 6 | 5 << 3 | 4 << 6 | 7 << 9;
  EXPECT_EQ(sample({.nfmt = 0}, {.clamp_x = 6, .border = 0}, two, -1), (V{0, 0, 0, 0}));
  EXPECT_EQ(sample({.nfmt = 0, .select = bgra}, {.clamp_x = 6, .border = 1}, two, 2.5f), (V{0, 0, 0, bits(1)}));
  EXPECT_EQ(sample({.nfmt = 0}, {.clamp_x = 6, .border = 2}, two, -1), (V{bits(1), bits(1), bits(1), bits(1)}));
  EXPECT_EQ(sample({.nfmt = 4}, {.clamp_x = 6, .border = 2}, two, -1), (V{1, 1, 1, 1}));
  EXPECT_EQ(sample({.nfmt = 0, .select = 4 | 0 << 3 | 0 << 6 | 1 << 9}, {.clamp_x = 6, .border = 0}, two, -1),
            (V{0, 0, 0, bits(1)}));
  EXPECT_EQ(sample({.dfmt = 0}, {}, two, 0), (V{0, 0, 0, 0})); // unbound
}

// Halves in results and addresses, and the status of TFE.
TEST(ImageSample, HalvesAndStatus) {
  Texels texels(64 * 4 * 4);
  for (int i = 0; i < 4; ++i)
    texels.data[(64 + 3) * 4 + i] = uint8_t(51 * i);
  for (const auto* level : host_levels()) {
    TestWave w;
    w.set_exec(1);
    Tsharp{.base = texels.at(), .nfmt = 0, .width = 4, .height = 2, .pitch = 64}.put(w, Target::gfx900);
    Ssharp{.unnormalized = true}.put(w);
    const auto half = [](float f) { return uint32_t(std::bit_cast<uint16_t>(_Float16(f))); };
    w.v(2, 0) = half(3.5f) | half(1.5f) << 16;
    ASSERT_TRUE(
        w.run(*level, assemble(Target::gfx900, "image_sample_lz v[8:10], v2, s[4:11], s[12:15] dmask:15 a16 tfe d16")));
    EXPECT_EQ(w.v(8, 0), half(0) | half(0.2f) << 16);
    EXPECT_EQ(w.v(9, 0), half(0.4f) | half(0.6f) << 16);
    EXPECT_EQ(w.v(10, 0), 0u);
    // Derivatives of a16: a dword for each screen axis; the reference stays whole.
    w.v(2, 0) = bits(0.1f), w.v(3, 0) = w.v(4, 0) = half(9), w.v(5, 0) = half(3.5f) | half(1.5f) << 16;
    Ssharp{.compare = 7, .unnormalized = true}.put(w);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "image_sample_c_d v8, v[2:5], s[4:11], s[12:15] dmask:1 a16")));
    EXPECT_EQ(w.v(8, 0), bits(1));
    // gfx8 has a register for each half.
    Tsharp{.base = texels.at(), .nfmt = 0, .width = 4, .height = 2, .pitch = 64}.put(w, Target::gfx803);
    Ssharp{}.put(w);
    w.v(2, 0) = bits(3.5f), w.v(3, 0) = bits(1.5f);
    ASSERT_TRUE(
        w.run(*level, assemble(Target::gfx803, "image_sample v[8:11], v[2:3], s[4:11], s[12:15] dmask:15 unorm d16")));
    for (int c = 0; c < 4; ++c)
      EXPECT_EQ(w.v(8 + c, 0), half(0.2f * float(c))) << c;
  }
}

TEST(ImageSample, WhatIsNotExecutedSaysWhy) {
  const struct {
    Tsharp t;
    Ssharp s;
    const char *operation, *why;
  } cases[] = {
      {{.tiling = 10}, {}, "sample", "tiled"},
      {{.type = 11}, {}, "sample", "cubes"},
      {{.dfmt = 35}, {}, "sample", "data format"},
      {{.dfmt = 4, .nfmt = 0}, {}, "sample", "samples of this format"},
      {{.base_level = 1, .last_level = 1}, {}, "sample_lz", "levels"},
      {{.last_level = 1}, {.mip_filter = 1}, "sample", "levels"},
      {{.last_level = 1}, {.mip_filter = 2}, "sample_l", "levels"},
      {{}, {.mag = 1}, "sample", "different filters"},
      {{}, {.mag = 3, .aniso = 1}, "sample", "anisotropic"},
      {{}, {.filter_mode = 2}, "sample", "minimum or maximum"},
      {{}, {.degamma = 1}, "sample", "degamma"},
      {{}, {.clamp_x = 6, .border = 3}, "sample", "border colours"},
      {{.type = 10}, {}, "gather4", "two-dimensional"},
  };
  for (const auto& c : cases) {
    Texels texels(1024);
    TestWave w;
    Tsharp t = c.t;
    t.base = texels.at();
    t.put(w, Target::gfx900);
    c.s.put(w);
    for (int l = 0; l < 64; ++l)
      w.v(2, l) = w.v(3, l) = bits(-5), w.v(4, l) = bits(0.75f);
    const bool gather = std::string(c.operation) == "gather4";
    ASSERT_TRUE(
        w.run(*host_levels().back(), assemble(Target::gfx900, sampled(c.operation, gather ? 4 : 1, 3, "dmask:1"))));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::unimplemented) << c.why;
    EXPECT_NE(w.fault().detail.find(c.why), std::string::npos) << w.fault().detail << ", not " << c.why;
  }
  // One level of several, asked for by number: the small filter there, the large one before it.
  Texels texels(256);
  const float row[2] = {0, 1};
  std::memcpy(texels.data, row, 8);
  for (const float lod : {-1.0f, 1.0f}) {
    TestWave w;
    w.set_exec(1);
    Tsharp{.base = texels.at(), .type = 8, .dfmt = 4, .nfmt = 7, .width = 2, .pitch = 64, .last_level = 1}.put(
        w, Target::gfx900);
    Ssharp{.mag = 1, .min = 0, .unnormalized = true}.put(w);
    w.v(2, 0) = bits(0.75f), w.v(3, 0) = bits(lod);
    ASSERT_TRUE(w.run(*host_levels().back(), assemble(Target::gfx900, sampled("sample_l", 1, 2, "dmask:1"))));
    EXPECT_EQ(as_float(w.v(data, 0)), lod < 0 ? 0.25f : 0.0f);
  }
  TestWave w;
  Tsharp{.base = texels.at()}.put(w, Target::gfx900);
  Ssharp{}.put(w);
  isa::Instruction inst = assemble(Target::gfx900, sampled("sample", 1, 2, "dmask:1"));
  inst.addr = 256 + 255;
  ASSERT_TRUE(w.run(*host_levels().back(), inst));
  EXPECT_EQ(w.fault().kind, machine::FaultKind::illegal_instruction);
}
