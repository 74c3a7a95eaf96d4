// Every example on every target against plain C++; some of them compiled differently; one core and all.
#include "codeobject/write.h"
#include "tests/codeobject/copied.h"
#include "tests/kernels/compile.h"
#include "tests/kernels/runner.h"
#include "tests/kernels/workloads.h"
#include <cstring>
#include <gtest/gtest.h>

namespace crosslane::workload {
namespace {

// A name for gtest: letters, digits, underscores.
std::string plain(std::string s) {
  for (char& c : s)
    if (!isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return s;
}

void expect_reference(Workload w, const Settings& settings) {
  w.reference(w);
  auto session = open_crosslane(w, settings);
  if (session->error().empty())
    session->once();
  ASSERT_EQ(session->error(), "") << w.name << " on " << settings.target << " " << settings.flags;
  auto got = session->read();
  for (size_t i = 0; i < w.buffers.size(); ++i) {
    const Buffer& b = w.buffers[i];
    // What a kernel only reads must be as it was.
    const Bytes& expected = b.compare == Compare::none ? b.initial : b.expected;
    if (b.compare == Compare::none && b.name == "totals")
      continue; // an intermediate result
    if (auto difference = compare(b, got[i], expected))
      ADD_FAILURE() << w.name << " on " << settings.target << " " << settings.flags << ": " << *difference;
  }
}

// Parameters are pointers into lists: each test is a process of its own, and would copy the buffers of all of them.
std::vector<const Workload*> each(const std::vector<Workload>& list, bool (*wanted)(const Workload&) = nullptr) {
  std::vector<const Workload*> all;
  for (const Workload& w : list)
    if (!wanted || wanted(w))
      all.push_back(&w);
  return all;
}
const std::vector<Workload>& examples() {
  static const std::vector<Workload> list = all();
  return list;
}

using Case = std::tuple<std::string, const Workload*>; // target, workload

class Kernels : public testing::TestWithParam<Case> {};

TEST_P(Kernels, MatchPlainCpp) {
  Settings settings;
  settings.target = std::get<0>(GetParam());
  expect_reference(*std::get<1>(GetParam()), settings);
}

class OneTarget : public testing::TestWithParam<const Workload*> {};
TEST_P(OneTarget, MatchesPlainCpp) {
  Settings settings;
  settings.target = GetParam()->target;
  expect_reference(*GetParam(), settings);
}
const std::vector<Workload>& of_their_target() {
  static const std::vector<Workload> list = of_one_target();
  return list;
}
INSTANTIATE_TEST_SUITE_P(All, OneTarget, testing::ValuesIn(each(of_their_target())),
                         [](const auto& i) { return plain(i.param->name); });

const auto case_name = [](const auto& i) { return plain(std::get<0>(i.param) + "_" + std::get<1>(i.param)->name); };
INSTANTIATE_TEST_SUITE_P(All, Kernels,
                         testing::Combine(testing::Values("gfx803", "gfx900", "gfx906"),
                                          testing::ValuesIn(each(examples()))),
                         case_name);

// The first two generations: no DPP, memory through buffers and 64-bit addresses in VGPRs (gfx6) or FLAT alone (gfx7).
bool of_every_generation(const Workload& w) { return !w.since_gfx8; }
INSTANTIATE_TEST_SUITE_P(Oldest, Kernels,
                         testing::Combine(testing::Values("gfx600", "gfx701"),
                                          testing::ValuesIn(each(examples(), of_every_generation))),
                         case_name);

// How the source becomes code: no optimisation (everything through scratch, real calls), for size, the older code
// object (whose launch sizes come from the dispatch packet; HIP only, as the OpenCL prelude reads the implicit
// arguments of v5).
class Variants : public testing::TestWithParam<std::tuple<std::string, std::string, const Workload*>> {};

TEST_P(Variants, MatchPlainCpp) {
  Settings settings;
  std::tie(settings.target, settings.flags, std::ignore) = GetParam();
  if (settings.target == "gfx803" && settings.flags == "-O0" && std::get<2>(GetParam())->source == "calls.hip")
    GTEST_SKIP() << "clang-19 -O0 for gfx803 makes called functions load the apertures from address 0xc0 itself";
  expect_reference(*std::get<2>(GetParam()), settings);
}

const std::vector<Workload>& some() {
  static const std::vector<Workload> list = {vector_add(1000),
                                             matmul_tiled(33),
                                             reduce_tree(1000),
                                             prefix_sum(1000),
                                             histogram_local(5000, 3),
                                             mandelbrot(40, 30, 50),
                                             hash(300),
                                             scratch(100),
                                             bytes(200),
                                             f64(200),
                                             maze(500),
                                             ids({24, 10, 6}, {8, 5, 2}, 3),
                                             recursive(100),
                                             indirect(100)};
  return list;
}

const std::vector<Workload>& in_hip() {
  static const std::vector<Workload> list = {packet_sizes({30, 12, 5}, {16, 5, 2}), recursive(100), indirect(100)};
  return list;
}

const auto targets = testing::Values("gfx803", "gfx900", "gfx906");
const auto variant_name = [](const auto& i) {
  return plain(std::get<0>(i.param) + std::get<1>(i.param) + "_" + std::get<2>(i.param)->name);
};
INSTANTIATE_TEST_SUITE_P(All, Variants,
                         testing::Combine(targets, testing::Values("-O0", "-Os"), testing::ValuesIn(each(some()))),
                         variant_name);
INSTANTIATE_TEST_SUITE_P(OlderCodeObject, Variants,
                         testing::Combine(targets, testing::Values("-mcode-object-version=4"),
                                          testing::ValuesIn(each(in_hip()))),
                         variant_name);

// Code that was copied to a segment of its own, from where the kernels start. All of it is copied at the same
// distances, but data is further away: what takes some by s_getpc_b64 is left out.
bool position_independent(const codeobject::CodeObject& object) {
  for (const codeobject::Segment& segment : object.segments())
    for (size_t at = 0; segment.executable && at + 4 <= segment.bytes.size(); at += 4) {
      uint32_t word;
      std::memcpy(&word, &segment.bytes[at], sizeof word);
      const uint32_t sop1 = 0xbe800000, operation = word >> 8 & 0xff;
      if ((word & 0xff800000) == sop1 && operation == (object.processor() < "gfx8" ? 0x1f : 0x1c))
        return false;
    }
  return true;
}

std::vector<uint8_t> copied(const codeobject::CodeObject& object) {
  auto bytes = codeobject::write(object, codeobject::test::copy_of(object).additions);
  if (!bytes)
    throw std::runtime_error(llvm::toString(bytes.takeError()));
  return std::move(*bytes);
}

bool without_tables(const Workload& w) { return of_every_generation(w) && w.source != "calls.hip"; } // of functions

class Copied : public testing::TestWithParam<Case> {};
TEST_P(Copied, MatchPlainCpp) {
  Settings settings;
  settings.target = std::get<0>(GetParam());
  settings.rewrite = copied;
  const Workload& w = *std::get<1>(GetParam());
  std::string error;
  auto object = codeobject::CodeObject::read_file(compile(w.source, settings.target, "", error));
  ASSERT_TRUE(bool(object)) << error;
  ASSERT_TRUE(position_independent(**object)) << w.source << " takes addresses of data by s_getpc_b64";
  expect_reference(w, settings);
}
INSTANTIATE_TEST_SUITE_P(All, Copied,
                         testing::Combine(testing::Values("gfx701", "gfx900", "gfx90a"),
                                          testing::ValuesIn(each(examples(), without_tables))),
                         case_name);

// The same result on one core and on all, many times over: workgroups meet only in atomics.
TEST(Threads, OneCoreAndAllAgree) {
  for (Workload w : {histogram_local(50000, 16), histogram_global(20000), atomics(5000), bitonic_sort(1024), relay(100),
                     reduce_tree(9000)})
    for (unsigned threads : {1u, 2u, 0u}) {
      Settings settings;
      settings.threads = threads;
      expect_reference(w, settings);
    }
}

// A work-item beyond the end of a buffer is found out by name.
TEST(Faults, AnOverrunNamesTheBuffer) {
  Workload w = vector_add(1024);
  w.launches[0].arguments[3] = value(uint32_t(100000));
  w.launches[0].grid[0] = 100096;
  auto session = open_crosslane(w, {});
  ASSERT_EQ(session->error(), "");
  session->once();
  EXPECT_NE(session->error().find("vector_add"), std::string::npos) << session->error();
  EXPECT_NE(session->error().find("'a'"), std::string::npos) << session->error();
}

} // namespace
} // namespace crosslane::workload
