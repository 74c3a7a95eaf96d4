// Owns what the tests of the analysis share: assembly text as a loaded code object with its graph.
#pragma once
#include "analysis/code_image.h"
#include "analysis/graph.h"
#include "tests/engine/assembler.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace crosslane::test {

// `text` is the code; labels of .type @function are functions, and "k" is a kernel.
class Analysed {
public:
  explicit Analysed(const std::string& text, isa::Target target = isa::Target::gfx906) {
    auto object = codeobject::CodeObject::read(
        assemble_code_object(".text\n.p2align 8\n.globl k\n.type k,@function\nk:\n" + text +
                                 "\n.section .rodata,\"a\"\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 64\n"
                                 "  .amdhsa_next_free_sgpr 96\n.end_amdhsa_kernel\n",
                             target),
        "test.co");
    if (!object)
      throw std::runtime_error(llvm::toString(object.takeError()));
    object_ = std::move(*object);
    auto image = analysis::load_image(*object_);
    if (!image)
      throw std::runtime_error(llvm::toString(image.takeError()));
    image_ = std::move(*image);
    graph = analysis::build(image_->code);
  }
  const analysis::Code& code() const { return image_->code; }
  // The block that begins at a label.
  analysis::BlockId at(const std::string& label) const {
    const auto* symbol = object_->find_symbol(label);
    return symbol ? graph.block_at(symbol->address + image_->bias) : analysis::none;
  }
  bool edge(const std::string& from, const std::string& to, analysis::EdgeKind kind) const {
    for (const auto& e : graph.successors(at(from)))
      if (e.to == at(to) && e.kind == kind)
        return true;
    return false;
  }
  analysis::Graph graph;

private:
  std::unique_ptr<codeobject::CodeObject> object_;
  std::unique_ptr<analysis::CodeImage> image_;
};

} // namespace crosslane::test
