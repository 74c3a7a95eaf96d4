// Owns what the tests of estimates share: assembly text as a kernel "k" with its estimate on a card.
#pragma once
#include "tests/engine/assembler.h"
#include "timing/estimate.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace crosslane::timing {

class Estimated {
public:
  Estimated(const std::string& text, const gpu::Machine& on, EstimateOptions options = {}) : machine(on) {
    const bool unified = isa::info(on.target).generation == isa::Generation::gfx90a;
    auto read = codeobject::CodeObject::read(
        test::assemble_code_object(".text\n.p2align 8\n.globl k\n.type k,@function\nk:\n" + text +
                                       "\n.section .rodata,\"a\"\n.p2align 6\n.amdhsa_kernel k\n"
                                       "  .amdhsa_next_free_vgpr 24\n  .amdhsa_next_free_sgpr 40\n" +
                                       (unified ? "  .amdhsa_accum_offset 24\n" : "") + ".end_amdhsa_kernel\n",
                                   on.target),
        "test.co");
    if (!read)
      throw std::runtime_error(llvm::toString(read.takeError()));
    object = std::move(*read);
    auto loaded = analysis::load_image(*object);
    if (!loaded)
      throw std::runtime_error(llvm::toString(loaded.takeError()));
    image = std::move(*loaded);
    analysed = std::make_unique<AnalysedObject>(*object, *image);
    options_ = options;
    again({});
  }
  // With what a run counted, by number of the row.
  const KernelEstimate& again(const std::map<size_t, double>& executions) {
    counts.clear();
    for (const auto& [row, times] : executions)
      counts[e.rows.at(row).pc].executions = times;
    e = estimate(*analysed, object->kernels().front(), machine, options_, counts);
    return e;
  }

  std::unique_ptr<codeobject::CodeObject> object;
  std::unique_ptr<analysis::CodeImage> image;
  std::unique_ptr<AnalysedObject> analysed;
  const gpu::Machine& machine;
  Counts counts;
  KernelEstimate e;

private:
  EstimateOptions options_;
};

// `n` times the same line.
inline std::string times(int n, const std::string& line) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += line + "\n";
  return text;
}

} // namespace crosslane::timing
