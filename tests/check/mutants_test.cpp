// Kernels of examples/ without one of their initialisations: a result that then depends on what was there before
// (--poison of two seeds) is one that --check init tells of.
#include "check/checks.h"
#include "isa/classify.h"
#include "isa/decode.h"
#include "isa/op.h"
#include "launch/launch.h"
#include "tests/expected.h"
#include "toolchain/compile.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace crosslane::test {

namespace {

struct Program {
  const char* file;
  const char* kernel;
  const char* grid;
  const char* block;
  std::vector<std::string> arguments;
  std::string out;
  int found, differ; // mutants, at least
};

const Program programs[] = {
    {"mandelbrot.cl",
     "mandelbrot",
     "64,8",
     "16,8",
     {"iterations=u32[8,64]", "width=64", "height=8", "x0=-2.0", "y0=-1.25", "step=0.078", "limit=9"},
     "iterations",
     2,
     2},
    {"matmul_tiled.cl",
     "matmul_tiled",
     "16,16",
     "16,16",
     {"a=f32[16,16]:1", "b=f32[16,16]:2", "c=f32[16,16]", "n=16"},
     "c",
     5,
     3},
    {"reduce_tree.cl",
     "",
     "256",
     "256",
     {"in=f32[256]:1", "partial=f32[1]", "n=256", "scratch=lds:1024"},
     "partial",
     2,
     1},
    {"bitonic_sort.cl", "bitonic_local", "256", "", {"keys=u32[512]:iota:512:-1"}, "keys", 2, 0},
    {"prefix_sum.cl",
     "scan_groups",
     "256",
     "",
     {"in=u32[256]:1", "out=u32[256]", "totals=u32[1]", "n=256"},
     "out",
     4,
     3},
};

bool initialises(const isa::Instruction& in) {
  using enum isa::Op;
  const bool constant = isa::is_inline_constant(in.src[0]) || in.src[0] == isa::code::literal;
  switch (in.op) {
  case v_mov_b32:
  case s_movk_i32: return true;
  case s_mov_b32:
  case s_mov_b64: return constant && in.dst < isa::code::exec;
  case ds_write_b32:
  case ds_write_b64:
  case ds_write2_b32: return true;
  default: return false;
  }
}

class Mutants {
public:
  explicit Mutants(const Program& p) : p_(p) {
    folder_ = std::filesystem::temp_directory_path() / ("mutants-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    object_ = value_of(toolchain::load_code((std::filesystem::path(CROSSLANE_EXAMPLES_FOLDER) / p.file).string(),
                                            {.target = "gfx900"}));
  }
  ~Mutants() { std::filesystem::remove_all(folder_); }

  // Offsets in the file, and sizes.
  std::vector<std::pair<size_t, int>> places() const {
    std::vector<std::pair<size_t, int>> all;
    for (const auto& f : object_->functions()) {
      if (!f.kernel || (*p_.kernel && f.name != p_.kernel))
        continue;
      auto code = object_->bytes_at(f.begin, f.end - f.begin);
      while (!code.empty()) {
        isa::Instruction in;
        const int size = isa::decode(isa::Target::gfx900, code, in);
        if (!size)
          break;
        if (initialises(in))
          all.emplace_back(size_t(code.data() - object_->bytes().data()), size);
        code = code.subspan(size_t(size));
      }
    }
    return all;
  }
  // Without what is there; size 0: as it is.
  void write(size_t at, int size) const {
    std::vector<uint8_t> bytes(object_->bytes().begin(), object_->bytes().end());
    constexpr uint32_t nop = 0xbf800000;
    for (int n = 0; n < size; n += 4)
      std::memcpy(&bytes[at + size_t(n)], &nop, 4);
    std::ofstream(file(), std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), ssize_t(bytes.size()));
  }

  // How it ends, and what is in its buffer then.
  std::string outcome(uint32_t poison) const {
    launch::Job job = this->job();
    job.poison = poison, job.out = {p_.out + "=" + (folder_ / "out.bin").string()};
    std::filesystem::remove(folder_ / "out.bin");
    const launch::Result result = value_of(launch::launch(job, {}));
    std::ifstream in(folder_ / "out.bin", std::ios::binary);
    return std::to_string(int(result.end)) + std::string(std::istreambuf_iterator<char>(in), {});
  }
  size_t findings(const char* checks) const {
    launch::Job job = this->job();
    job.check = checks;
    return value_of(launch::launch(job, {})).judged->findings.size();
  }

private:
  const Program& p_;
  std::filesystem::path folder_;
  std::unique_ptr<codeobject::CodeObject> object_;
  std::string file() const { return folder_ / "k.co"; }
  launch::Job job() const {
    launch::Job job;
    job.file = file(), job.kernel = p_.kernel, job.arguments = p_.arguments, job.timeout = 3;
    job.grid = value_of(launch::parse_sizes(p_.grid, "grid"));
    if (*p_.block)
      job.block = value_of(launch::parse_sizes(p_.block, "block"));
    return job;
  }
};

} // namespace

class MutantsOf : public testing::TestWithParam<Program> {};
TEST_P(MutantsOf, AreFoundAndDifferWhenPoisoned) {
  const Mutants mutants(GetParam());
  mutants.write(0, 0);
  EXPECT_EQ(mutants.findings("init-stores"), 0u);
  EXPECT_EQ(mutants.outcome(1), mutants.outcome(2));
  EXPECT_EQ(mutants.outcome(1), mutants.outcome(0));
  int found = 0, differ = 0;
  for (const auto& [at, size] : mutants.places()) {
    mutants.write(at, size);
    const bool tells = mutants.findings("init-stores") != 0, differs = mutants.outcome(1) != mutants.outcome(2);
    found += tells, differ += differs;
    EXPECT_TRUE(tells || !differs) << "at byte " << at << " of the file";
  }
  EXPECT_GE(found, GetParam().found);
  EXPECT_GE(differ, GetParam().differ);
  RecordProperty("found", found);
  RecordProperty("differ", differ);
}
INSTANTIATE_TEST_SUITE_P(Examples, MutantsOf, testing::ValuesIn(programs), [](const auto& p) {
  return std::string(p.param.file).substr(0, std::string(p.param.file).find('.'));
});

} // namespace crosslane::test
