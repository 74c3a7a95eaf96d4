// Assembling, loading and launching, and the macros of every generation.
#include "tests/engine/kernel_fixture.h"
#include "jit/jit.h"
#include <cstdlib>
#include <stdexcept>

namespace crosslane::test {

namespace {

const char* const macros = R"(
.amdhsa_code_object_version 5
.macro add_u32 dst, a, b
.if .amdgcn.gfx_generation_number >= 9
  v_add_co_u32 \dst, vcc, \a, \b
.else
  v_add_u32 \dst, vcc, \a, \b
.endif
.endm
.macro addc_u32 dst, a, b
.if .amdgcn.gfx_generation_number >= 9
  v_addc_co_u32 \dst, vcc, \a, \b, vcc
.else
  v_addc_u32 \dst, vcc, \a, \b, vcc
.endif
.endm
.macro address lo, sbase, voff
  v_mov_b32 v[\lo+1], s[\sbase+1]
  add_u32 v[\lo], s[\sbase], \voff
  addc_u32 v[\lo+1], 0, v[\lo+1]
.endm
)";

const char* const usual = R"(
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1
  .amdhsa_system_vgpr_workitem_id 2
)";

} // namespace

Kernel::Kernel(isa::Target target, const std::string& body, const std::string& directives, bool bare) {
  const std::string text = std::string(macros) + ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + body +
                           "\n.size k, .-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n" +
                           (directives.find("next_free_vgpr") == directives.npos
                                ? "  .amdhsa_next_free_vgpr 64\n  .amdhsa_next_free_sgpr 96\n"
                                : "") +
                           (bare ? "" : usual) + directives + "\n.end_amdhsa_kernel\n";
  auto object = codeobject::CodeObject::read(assemble_code_object(text, target), "test.co");
  if (!object)
    throw std::runtime_error(llvm::toString(object.takeError()));
  object_ = std::move(*object);
  const uint64_t alignment = object_->image_alignment(),
                 size = (object_->image_size() + alignment - 1) / alignment * alignment;
  image_.reset(static_cast<uint8_t*>(std::aligned_alloc(alignment, size)));
  if (auto error = object_->load({image_.get(), object_->image_size()}))
    throw std::runtime_error(llvm::toString(std::move(error)));
  const uint64_t base = reinterpret_cast<uint64_t>(image_.get());
  code_ = std::make_unique<engine::Code>(target, base, object_->image_size());
  const codeobject::Kernel* kernel = object_->find_kernel("k");
  if (!kernel)
    throw std::runtime_error("no kernel k");
  entry_ = base + kernel->entry - object_->image_begin();
  descriptor_ = image_.get() + (kernel->descriptor_address - object_->image_begin());
}

uint64_t Kernel::symbol(const std::string& name) const {
  const codeobject::Symbol* s = object_->find_symbol(name);
  if (!s)
    throw std::runtime_error("no symbol " + name);
  return reinterpret_cast<uint64_t>(image_.get()) + s->address - object_->image_begin();
}

engine::Outcome Kernel::run(const Shape& shape, const std::vector<uint64_t>& arguments, const engine::Options& options,
                            uint32_t lds, uint32_t scratch) const {
  engine::Options as_asked = options;
  as_asked.compiler = jit::compiler(); // CROSSLANE_JIT=always
  return interpret(shape, arguments, as_asked, lds, scratch);
}

engine::Outcome Kernel::interpret(const Shape& shape, const std::vector<uint64_t>& arguments,
                                  const engine::Options& options, uint32_t lds, uint32_t scratch) const {
  std::vector<uint64_t> kernarg(arguments);
  kernarg.resize(arguments.size() + 8);
  engine::AqlPacket packet;
  for (int d = 0; d < 3; ++d) {
    packet.grid_size[d] = shape.grid[d];
    packet.workgroup_size[d] = uint16_t(shape.group[d]);
  }
  packet.setup = 3;
  packet.group_segment_size = lds;
  packet.private_segment_size = scratch;
  packet.kernel_object = reinterpret_cast<uint64_t>(descriptor_);
  packet.kernarg_address = reinterpret_cast<uint64_t>(kernarg.data());
  return engine::run_part(*code_, packet, "k", options, part);
}

} // namespace crosslane::test
