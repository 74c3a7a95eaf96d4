// What goes between processes.
#include "testing/outcome.h"
#include "tests/expected.h"

namespace crosslane::testing {
namespace {

using test::error_of;
using test::value_of;

TEST(Outcome, ComesBackAsItWas) {
  const Outcome sent{.end = End::failed,
                     .complaints = {{"k.cl:3:7", "memory fault\n  at 0x10"}, {"", "b"}},
                     .notes = {"n"},
                     .output = "printed\n"};
  const Outcome got = value_of(outcome_of(bytes_of(sent)));
  EXPECT_EQ(got.end, End::failed);
  ASSERT_EQ(got.complaints.size(), 2u);
  EXPECT_EQ(text_of(got.complaints[0]), "k.cl:3:7: error: memory fault\n  at 0x10");
  EXPECT_EQ(text_of(got.complaints[1]), "b");
  EXPECT_EQ(got.notes, sent.notes);
  EXPECT_EQ(got.output, sent.output);
}

// A kernel that took over its process may send anything.
TEST(Outcome, RefusesWhatIsNone) {
  for (const char* bytes : {"", "{", "[]", "{\"end\":5}", "{\"end\":-1,\"complaints\":[],\"notes\":[],\"output\":\"\"}",
                            "{\"end\":9,\"complaints\":[],\"notes\":[],\"output\":\"\"}",
                            "{\"end\":\"passed\",\"complaints\":[],\"notes\":[],\"output\":\"\"}",
                            "{\"end\":0,\"complaints\":[[1,2]],\"notes\":[],\"output\":\"\"}",
                            "{\"end\":0,\"complaints\":[],\"notes\":3,\"output\":\"\"}"})
    EXPECT_NE(error_of(outcome_of(bytes)), "") << bytes;
}

} // namespace
} // namespace crosslane::testing
