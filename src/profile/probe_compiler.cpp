// What rewrite/ asks for, and who has it.
#include "profile/probe_compiler.h"
#include "isa/target.h"
#include "toolchain/ir.h"

namespace crosslane::profile {

rewrite::ProbeCompiler probe_compiler(std::vector<std::string> clang) {
  const auto named = [](isa::Target target) { return std::string(isa::info(target).name); };
  return {.ir =
              [named, options = std::move(clang)](const std::string& file, isa::Target target) {
                return toolchain::compile_to_ir(file, {named(target), options});
              },
          .code =
              [named](const std::string& ir, const std::string& symbol, isa::Target target, const std::string& name) {
                return toolchain::compile_function(ir, symbol, named(target), name);
              }};
}

} // namespace crosslane::profile
