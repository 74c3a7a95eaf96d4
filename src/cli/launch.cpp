// crosslane launch: runs one kernel.
#include "cli/launch_options.h"
#include "cli/run_job.h"
#include "cli/verb.h"

namespace crosslane::cli {

namespace {

llvm::Expected<Exit> run(const LaunchOptions& options) {
  auto job = options.job();
  if (!job)
    return job.takeError();
  return run_job(*job);
}

constexpr const char* footer = R"(Arguments, by position or as NAME=...:
  5  -3  1.5  0xff  true      scalar, of the type that the kernel has; i32:5 says it (needed where
                              there is no metadata)
  1,2,3,4  f32x4:1,2,3,4      vector
  hex:0011aabb                bytes of a struct passed by value
  f32[1000]  f32[64,64]:iota  buffer; after the colon: zeros, iota[:START[:STEP]], uninit,
                              random[:SEED[:LOW:HIGH]], one value, or all of them (1,2,3)
  [1000]:random:7             ... with the element type that the kernel has
  @x.npy  @x.raw:f32          buffer from a file
  &a  null                    the buffer of parameter a once more; a null pointer
  lds:1024  f32[256]          dynamic LDS for a local pointer

Types: f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 b1.

Exit status: 0 ok, 1 wrong result (--expect) or findings (--check), 2 bad usage or input, 3 GPU fault, 124 time limit over
(--timeout), 128 + N stopped by signal N.

Examples:
  crosslane launch examples/vector_add.cl --grid 1000 --block 256 f32[1000]:iota f32[1000]:1 f32[1000] 1000 --print c:4 --out c=c.npy
  crosslane launch examples/vector_add.cl --grid 1000 a=@c.npy b=[1000]:-1 c=[1000] n=1000 --expect c=[1000]:iota --rtol 1e-6
  crosslane launch examples/if_else.cl --target gfx906 --grid 256 in=u32[256]:iota out=u32[768] limit=32 n=256 --profile branches
  crosslane launch examples/matmul_tiled.cl --grid 80,80 f32[75,75]:random f32[75,75]:random f32[75,75] 75 --html m.html
  crosslane launch examples/vector_add.cl --grid 1000000 a=[1000000] b=[1000000] c=[1000000] n=1000000 --profile memory --sample 1%
  crosslane launch examples/vector_add.cl --grid 1000 a=[1000]:iota b=[1000]:1 c=[1000] n=1000 --trace-wave 0:0 --html steps.html
  crosslane launch examples/nbody.cl --grid 512 f32[2000]:random f32[2000] f32[2000] 500 0.001 --fidelity --timeout 60
  crosslane launch examples/vector_add.cl --grid 1000 a=[1000] b=[1000] c=[1000] n=1000 --out c=out.npy --sandbox
  crosslane launch examples/vector_add.toml --stats)";

} // namespace

Run add_launch(CLI::App& app) {
  auto options = std::make_shared<LaunchOptions>();
  options->add_to(app);
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
