// Plain instances: they are what the decoder gives, and every form that it gives has one.
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/enum_name.h"
#include "isa/instances.h"
#include "isa/pattern.h"
#include "isa/print.h"
#include "tests/isa/sweep.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace crosslane::isa {
namespace {

using Form = std::pair<Op, std::string_view>;

std::set<Form> forms_of(Target t) {
  std::set<Form> forms;
  for (size_t o = 0; o < rows().size(); ++o)
    for (const Instruction& i : instances(Op(o), t))
      EXPECT_TRUE(forms.insert({i.op, form_name(i)}).second) << row(i.op).mnemonic << " twice " << form_name(i);
  return forms;
}

TEST(Instances, EveryRowOfATargetHasOne) {
  for (const TargetInfo& t : targets())
    for (size_t o = 0; o < rows().size(); ++o)
      EXPECT_EQ(instances(Op(o), t.target).empty(), rows()[o].opcodes.of(t.generation) == absent)
          << rows()[o].mnemonic << " on " << t.name;
}

TEST(Instances, DecodeToThemselves) {
  for (const TargetInfo& t : targets())
    for (size_t o = 0; o < rows().size(); ++o)
      for (const Instruction& i : instances(Op(o), t.target)) {
        const Encoded bytes = encode(i);
        ASSERT_TRUE(bytes) << describe(bytes, i);
        Instruction back;
        ASSERT_EQ(decode(t.target, bytes.bytes(), back), i.size) << print(i) << " on " << t.name;
        EXPECT_EQ(print(back), print(i)) << t.name;
        EXPECT_EQ(form_name(back), form_name(i)) << t.name;
        EXPECT_FALSE(back.reserved) << print(i) << " on " << t.name;
      }
}

TEST(Instances, EveryFormThatDecodesHasOne) {
  for (const Target t : {Target::gfx601, Target::gfx701, Target::gfx803, Target::gfx900, Target::gfx906, Target::gfx908,
                         Target::gfx90a}) {
    const std::set<Form> known = forms_of(t);
    std::map<Form, std::string> missing;
    tests::sweep_encodings(t, 3, 60, [&](std::string_view, unsigned, const tests::Words& w) {
      uint8_t bytes[12];
      std::memcpy(bytes, w.word, sizeof bytes);
      Instruction inst;
      if (decode(t, bytes, inst) && !inst.reserved)
        if (const Form form{inst.op, form_name(inst)}; !known.contains(form))
          missing[form] = print(inst);
    });
    for (const auto& [form, text] : missing)
      ADD_FAILURE() << info(t).name << " " << form.second << ": " << text;
  }
}

TEST(Instances, Graphics) {
  EXPECT_TRUE(is_graphics(Op::exp));
  EXPECT_TRUE(is_graphics(Op::image_get_lod));
  EXPECT_FALSE(is_graphics(Op::image_sample));
  EXPECT_TRUE(is_graphics(Op::v_interp_p1_f32));
  EXPECT_TRUE(is_graphics(Op::v_interp_p2_f16));
  EXPECT_FALSE(is_graphics(Op::image_load));
  EXPECT_FALSE(is_graphics(Op::s_endpgm));
  EXPECT_FALSE(is_graphics(Op::ds_ordered_count));
}

TEST(Pattern, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches("v_add_f32", "v_add_f32"));
  EXPECT_FALSE(matches("v_add", "v_add_f32"));
  EXPECT_TRUE(matches("v_add*", "v_add_f32"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_TRUE(matches("*_f??", "v_add_f32"));
  EXPECT_TRUE(matches("s_*_saveexec_*", "s_and_saveexec_b64"));
  EXPECT_FALSE(matches("s_*_saveexec_", "s_and_saveexec_b64"));
  EXPECT_FALSE(matches("", "x"));
}

TEST(EnumName, TakenFromTheEnumerators) {
  EXPECT_EQ(enum_name(Encoding::SOP1), "SOP1");
  EXPECT_EQ(enum_name(Encoding::EXP), "EXP");
  EXPECT_EQ(enum_name(Encoding(99)), "");
  EXPECT_EQ(enum_name(Timing::export_), "export");
  EXPECT_EQ(enum_name(Type::PkF16), "PkF16");
  EXPECT_EQ(enum_name(Generation::gfx90a), "gfx90a");
}

} // namespace
} // namespace crosslane::isa
