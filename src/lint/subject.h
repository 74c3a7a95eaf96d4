// Owns what is judged: the code of one code object, loaded and analysed, with what its file says of it.
#pragma once
#include "analysis/code_image.h"
#include "analysis/graph.h"
#include "codeobject/code_object.h"
#include "isa/target.h"

namespace crosslane::lint {

// What a target id says of a feature: "gfx906:xnack-".
enum class Feature : uint8_t { off, on, any };

struct Subject {
  const codeobject::CodeObject* object = nullptr;
  std::unique_ptr<analysis::CodeImage> image;
  analysis::Graph graph;
  Feature xnack = Feature::any, sramecc = Feature::any; // off where the target has none

  // Functions begin with nothing outstanding: GCC's callers wait, LLVM's callees do.
  bool callers_wait = false;

  const analysis::Code& code() const { return image->code; }
  isa::Target target() const { return image->code.target; }
  isa::Generation generation() const { return isa::info(target()).generation; }
  // The kernel that starts at this (loaded) address; null: none does.
  const codeobject::Kernel* kernel_at(uint64_t pc) const;
};

// The code object must outlive it.
llvm::Expected<Subject> make_subject(const codeobject::CodeObject&);
// Where it is loaded: `memory` holds its image_begin().
Subject make_subject(const codeobject::CodeObject&, isa::Target, const uint8_t* memory);

} // namespace crosslane::lint
