// Kernel descriptors, field by field, against the directives into which llvm-objdump turns them.
#include "tests/codeobject/tools.h"
#include <functional>
#include <map>

namespace crosslane::codeobject::test {
namespace {

using Field = std::function<uint64_t(const Kernel&)>;
#define FIELD(EXPRESSION)                                                                                              \
  [](const Kernel& kernel) -> uint64_t {                                                                               \
    const auto& d = kernel.descriptor;                                                                                 \
    (void)d;                                                                                                           \
    return EXPRESSION;                                                                                                 \
  }

const std::map<std::string, Field>& fields() {
  static const std::map<std::string, Field> table = {
      {"group_segment_fixed_size", FIELD(d.group_segment_fixed_size)},
      {"private_segment_fixed_size", FIELD(d.private_segment_fixed_size)},
      {"kernarg_size", FIELD(d.kernarg_size)},
      {"float_round_mode_32", FIELD(d.float_round_mode_32())},
      {"float_round_mode_16_64", FIELD(d.float_round_mode_16_64())},
      {"float_denorm_mode_32", FIELD(d.float_denorm_mode_32())},
      {"float_denorm_mode_16_64", FIELD(d.float_denorm_mode_16_64())},
      {"dx10_clamp", FIELD(d.enable_dx10_clamp())},
      {"ieee_mode", FIELD(d.enable_ieee_mode())},
      {"fp16_overflow", FIELD(d.fp16_ovfl())},
      {"tg_split", FIELD(d.tg_split())},
      {"accum_offset", FIELD(d.accum_offset())},
      {"workgroup_processor_mode", FIELD(d.wgp_mode())},
      {"memory_ordered", FIELD(d.mem_ordered())},
      {"forward_progress", FIELD(d.forward_progress())},
      {"wavefront_size32", FIELD(d.enable_wavefront_size32())},
      {"shared_vgpr_count", FIELD(d.compute_pgm_rsrc3 & 0xf)},
      {"system_sgpr_private_segment_wavefront_offset", FIELD(d.enable_private_segment())},
      {"system_sgpr_workgroup_id_x", FIELD(d.enable_sgpr_workgroup_id_x())},
      {"system_sgpr_workgroup_id_y", FIELD(d.enable_sgpr_workgroup_id_y())},
      {"system_sgpr_workgroup_id_z", FIELD(d.enable_sgpr_workgroup_id_z())},
      {"system_sgpr_workgroup_info", FIELD(d.enable_sgpr_workgroup_info())},
      {"system_vgpr_workitem_id", FIELD(d.enable_vgpr_workitem_id())},
      {"exception_fp_ieee_invalid_op", FIELD(d.exception_fp_ieee_invalid_op())},
      {"exception_fp_denorm_src", FIELD(d.exception_fp_denorm_src())},
      {"exception_fp_ieee_div_zero", FIELD(d.exception_fp_ieee_div_zero())},
      {"exception_fp_ieee_overflow", FIELD(d.exception_fp_ieee_overflow())},
      {"exception_fp_ieee_underflow", FIELD(d.exception_fp_ieee_underflow())},
      {"exception_fp_ieee_inexact", FIELD(d.exception_fp_ieee_inexact())},
      {"exception_int_div_zero", FIELD(d.exception_int_div_zero())},
      {"user_sgpr_private_segment_buffer", FIELD(d.enable_sgpr_private_segment_buffer())},
      {"user_sgpr_dispatch_ptr", FIELD(d.enable_sgpr_dispatch_ptr())},
      {"user_sgpr_queue_ptr", FIELD(d.enable_sgpr_queue_ptr())},
      {"user_sgpr_kernarg_segment_ptr", FIELD(d.enable_sgpr_kernarg_segment_ptr())},
      {"user_sgpr_dispatch_id", FIELD(d.enable_sgpr_dispatch_id())},
      {"user_sgpr_flat_scratch_init", FIELD(d.enable_sgpr_flat_scratch_init())},
      {"user_sgpr_private_segment_size", FIELD(d.enable_sgpr_private_segment_size())},
      {"user_sgpr_kernarg_preload_length", FIELD(d.kernarg_preload_length())},
      {"user_sgpr_kernarg_preload_offset", FIELD(d.kernarg_preload_offset())},
      {"uses_dynamic_stack", FIELD(d.uses_dynamic_stack())},
      // objdump names what the granules reserve; ours is the count after rounding up to what the hardware gives
      {"next_free_vgpr", FIELD(kernel.allocated_vgpr_count)},
      {"next_free_sgpr", FIELD((d.granulated_wavefront_sgpr_count() + 1) * 8)},
  };
  return table;
}

void compare(const std::string& name) {
  SCOPED_TRACE(name);
  auto object = read_input(name);
  const Kernel* kernel = nullptr;
  size_t kernels = 0, directives = 0;
  for (const std::string& line : lines_of(run(std::string(OBJDUMP) + " -D --section=.rodata " + input_path(name)))) {
    auto word = words_of(line);
    if (word.size() != 2 || !word[0].starts_with(".amdhsa_"))
      continue;
    if (word[0] == ".amdhsa_kernel") {
      kernel = object->find_kernel(word[1]);
      ASSERT_TRUE(kernel) << word[1];
      ++kernels;
      continue;
    }
    std::string directive = word[0].substr(8);
    if (directive.starts_with("reserve_"))
      continue; // objdump cannot know them and prints 0
    auto field = fields().find(directive);
    ASSERT_NE(field, fields().end()) << "objdump prints " << line << ", which nothing here reads";
    EXPECT_EQ(field->second(*kernel), std::stoull(word[1])) << kernel->name << ": " << line;
    ++directives;
  }
  EXPECT_EQ(kernels, object->kernels().size());
  EXPECT_GT(directives, kernels * 30);
}

TEST(Descriptor, EveryFieldAsObjdumpPrintsIt) {
  for (const std::string& name : all_inputs())
    // objdump needs .symtab to find descriptors, and of gfx10 refuses what clang writes (SGPR count not zero).
    if (name != "globals-stripped.co" && name != "arguments-gfx1030.co")
      compare(name);
}

TEST(Descriptor, KernelsWithoutMetadata) {
  auto bare = read_input("bare.co");
  ASSERT_EQ(bare->kernels().size(), 2u);
  const Kernel* first = bare->find_kernel("first");
  ASSERT_TRUE(first);
  EXPECT_EQ(first, bare->find_kernel("first.kd"));
  EXPECT_FALSE(first->has_metadata);
  EXPECT_TRUE(first->arguments.empty());
  EXPECT_EQ(first->entry, bare->find_symbol("first")->address);
  EXPECT_EQ(first->descriptor_address, bare->find_symbol("first.kd")->address);
  EXPECT_EQ(first->code_size, 8u);
  EXPECT_EQ(first->group_segment_fixed_size, 1024u);
  EXPECT_EQ(first->private_segment_fixed_size, 96u);
  EXPECT_EQ(first->kernarg_segment_size, 48u);
  EXPECT_EQ(first->wavefront_size, 64u);
  EXPECT_EQ(first->vgpr_count, 40u); // 37 asked for, granule 4
  EXPECT_EQ(first->sgpr_count, 64u); // 50 + vcc 2 + xnack 2 + flat_scratch 2, granule 16
  EXPECT_TRUE(first->uses_dynamic_stack);
  EXPECT_EQ(first->descriptor.user_sgpr_count(), 4u + 2 + 2 + 2 + 2 + 2 + 1);
  EXPECT_EQ(bare->find_kernel("absent"), nullptr);
}

TEST(Descriptor, CompiledKernelsAreJoined) {
  auto object = read_input("arguments-gfx906-v5.co");
  ASSERT_EQ(object->kernels().size(), 2u);
  for (const Kernel& kernel : object->kernels()) {
    EXPECT_TRUE(kernel.has_metadata);
    EXPECT_EQ(kernel.entry, object->find_symbol(kernel.name)->address);
    EXPECT_EQ(kernel.code_size, object->find_symbol(kernel.name)->size);
    EXPECT_GE(kernel.allocated_vgpr_count, kernel.vgpr_count);
    EXPECT_GE(kernel.allocated_sgpr_count, kernel.sgpr_count);
    EXPECT_EQ(&kernel, object->find_kernel(kernel.symbol));
  }
}

} // namespace
} // namespace crosslane::codeobject::test
