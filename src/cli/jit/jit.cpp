// crosslane jit: kernels as the JIT compiles them.
#include "analysis/code_image.h"
#include "cli/code_options.h"
#include "cli/jit/kernel_report.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "codeobject/first_instruction.h"
#include "files/error.h"
#include "findings/text.h"
#include "launch/shape.h"
#include "launch/signature.h"
#include "toolchain/compile.h"

namespace crosslane::cli {

namespace {

struct JitOptions {
  std::string file, only, block;
  toolchain::CompileOptions compile;
  bool ir = false, assembly = false, json = false;
};

bool given(const uint32_t (&size)[3]) { return size[0] != 0; }

// The shape that a launch would have, and who says so.
llvm::Error find_workgroup(const JitOptions& options, const codeobject::Kernel& kernel, JitKernel& into) {
  launch::Job job;
  job.groups = {{1, 1, 1}, 1};
  if (!options.block.empty()) {
    auto block = launch::parse_sizes(options.block, "--block");
    if (!block)
      return block.takeError();
    job.block = *block;
  }
  auto shape = launch::make_shape(job, kernel);
  if (!shape)
    return shape.takeError();
  into.workgroup = std::to_array(shape->block);
  into.workgroup_from = job.block.dims                      ? "--block"
                        : given(kernel.reqd_workgroup_size) ? "the kernel requires them"
                        : given(kernel.workgroup_size_hint) ? "its source hints at them"
                                                            : "assumed, as a launch does; --block says others";
  return llvm::Error::success();
}

// What a launch of the kernel would ask for.
llvm::Expected<engine::CompileQuery> query_of(const JitKernel& k, const engine::Code& code, uint64_t bias) {
  engine::AqlPacket packet;
  for (int d = 0; d < 3; ++d)
    packet.workgroup_size[d] = uint16_t(k.workgroup[size_t(d)]), packet.grid_size[d] = k.workgroup[size_t(d)];
  engine::Options as_launch;
  as_launch.register_faults = true;
  std::string why;
  const auto query = engine::compile_query(code, packet, k.kernel.descriptor,
                                           codeobject::first_instruction(k.kernel) + bias, as_launch, why);
  return why.empty() ? llvm::Expected<engine::CompileQuery>(query) : fail("{}: {}", k.kernel.name, why);
}

llvm::Expected<Exit> run(const JitOptions& options) {
  if (options.file.empty())
    return fail("jit needs a file");
  auto object = toolchain::load_code(options.file, options.compile);
  if (!object)
    return object.takeError();
  auto image = analysis::load_image(**object);
  if (!image)
    return image.takeError();
  const engine::Code code((*image)->code.target, (*object)->image_begin() + (*image)->bias, (*object)->image_size());
  std::vector<JitKernel> kernels;
  if (!options.only.empty()) {
    auto kernel = launch::choose_kernel(**object, options.only);
    if (!kernel)
      return kernel.takeError();
    kernels.push_back({**object, **kernel, {}, {}, {}});
  } else {
    for (const auto& kernel : (*object)->kernels())
      kernels.push_back({**object, kernel, {}, {}, {}});
  }
  if (kernels.empty())
    return fail("{}: has no kernels", (*object)->name());
  for (JitKernel& k : kernels)
    if (auto error = find_workgroup(options, k.kernel, k))
      return std::move(error);
  bool all_compiled = true;
  nlohmann::ordered_json json = {
      {"file", (*object)->name()}, {"target", (*object)->target_id()}, {"kernels", nlohmann::json::array()}};
  if (!options.json)
    print(findings::plain_lines(fmt::format("; {}: code object v{} for {}\n", (*object)->name(), (*object)->version(),
                                            (*object)->target_id())));
  for (JitKernel& k : kernels) {
    auto query = query_of(k, code, (*image)->bias);
    if (!query)
      return query.takeError();
    k.examined = jit::examine(code, *query, options.ir, options.assembly);
    all_compiled &= k.compiled();
    if (options.json)
      json["kernels"].push_back(jit_json(k));
    else if (!print_report("\n" + findings::plain_lines(jit_text(k))))
      return Exit::bad;
    k.examined.reset();
  }
  if (options.json)
    print(json.dump(2) + "\n");
  return all_compiled ? Exit::ok : Exit::wrong;
}

} // namespace

Run add_jit(CLI::App& app) {
  auto options = std::make_shared<JitOptions>();
  add_code_options(app, options->file, options->compile);
  app.add_option("--kernel", options->only,
                 "this kernel alone: its symbol, or its name in the source, as 'ns::f<3, float>'")
      ->type_name("NAME");
  app.add_option("--block", options->block, "work-items of a workgroup (default: what the kernel requires, or 256)")
      ->type_name("X[,Y[,Z]]");
  app.add_flag("--ir", options->ir, "the LLVM IR too, as code is generated from it");
  app.add_flag("--asm", options->assembly, "the host's code too, and how many of its instructions each GCN one became");
  app.add_flag("--json", options->json, "as JSON");
  app.footer(
      "Compiles each kernel as CROSSLANE_JIT=always would, and runs none. Beside an instruction: the class of each\n"
      "register that it wrote (uniform, lane*4, vector; masks full, empty, uniform, rows), the guards that it needs,\n"
      "where they are asked, checkpoints. See docs/jit.md.\n\n"
      "Exit status: 0 all are compiled, 1 a kernel is not, 2 bad usage or input.\n\n"
      "Examples: crosslane jit examples/if_else.s --kernel if_else\n"
      "          crosslane jit examples/matmul_tiled.cl --block 16,16 --asm\n"
      "          crosslane jit examples/mandelbrot.cl --target gfx906 --ir");
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
