// Owns reading kernels with known answers: sources (.cl, .s) whose comments say how to launch them and what a profile
// must then hold, each number worked out by hand beside it.
//
//   // targets: gfx803 gfx900                (of the file; without it gfx803 gfx900 gfx906)
//   // launch: --kernel stride --grid 256 --block 64 in=u32[4096]:iota out=u32[256] stride=2
//   // expect: load@1 requests=4 lines=32 ideal_lines=16 pattern="stride 8 bytes"
//   // expect: load@1 pattern_share=1        (more of the same site)
//   // expect: store@1
//
// The `launch:` line is what `crosslane launch FILE` takes, arguments in the order of the kernel's; a file may have
// several. What follows it belongs to it. Arguments: u32[N] and other types, zeros or :iota, :V, :a,b,c; lds:BYTES;
// numbers. A buffer of whole pages begins at a page. A site is a kind and its number in the order of the code, counting
// only those that were executed: load, store, atomic (global memory), scratch_load ..., scalar_load ..., lds_load ....
// Of the vector ALU there is valu@1, of divergence and decision sites branch@1. Values have the names of
// docs/profile-format.md. Every site of vector memory and LDS must be named, so that what a compiler adds is seen.
#pragma once
#include "tests/kernels/workload.h"
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace crosslane::test {

using Values = std::map<std::string, std::string>; // by name
using Sites = std::map<std::string, Values>;       // by "load@1"

struct Expectation {
  std::string site; // "load@1"
  Values values;
  int line = 0; // of the source
};

struct ProfileKernel {
  std::string path, launch; // launch: the text of its line
  std::vector<std::string> targets;
  workload::Workload workload; // one launch
  std::vector<Expectation> expectations;
  int line = 0;
};
inline void PrintTo(const ProfileKernel& k, std::ostream* out) { *out << k.path << ":" << k.line; }

// Of one file, or of all in this folder. Throw std::runtime_error with file and line when they cannot read one.
std::vector<ProfileKernel> read_profile_kernels(const std::string& path);
std::vector<ProfileKernel> all_profile_kernels();

// What is not as expected, one a line; empty: all is.
std::string mismatches(const ProfileKernel&, const Sites& actual);

// Names sites in the order that they are given, which must be that of the code: "load" -> "load@1", "load@2".
class SiteNames {
public:
  std::string next(const std::string& kind) { return kind + "@" + std::to_string(++counts_[kind]); }

private:
  std::map<std::string, int> counts_;
};

} // namespace crosslane::test
