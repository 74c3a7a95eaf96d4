// The line that tells how far a run is.
#include "profile/progress.h"
#include <gtest/gtest.h>

namespace crosslane::profile {
namespace {

TEST(ProfileProgress, Text) {
  ProgressState state;
  state.kernel = "_Z4axpyIfEvT_PKS0_PS0_i";
  state.groups_done = 1200, state.groups = 4096;
  state.kernels_done = 1;
  state.instructions = 24'060'000;
  state.seconds = 12.7, state.busy_seconds = 0.2;
  EXPECT_EQ(describe(state),
            "crosslane: axpy<float>: 1200 of 4096 workgroups, 1 kernel done, 120.3 M wave-instr/s, 12 s");
  state.kernel.clear();
  state.kernels_done = 1'234'567;
  state.seconds = 754;
  EXPECT_EQ(describe(state), "crosslane: 1.2 M kernels done, 120.3 M wave-instr/s, 12:34 min");
}

struct Screen {
  std::mutex mutex;
  std::condition_variable changed;
  std::string text;
  void show(std::string_view more) {
    const std::lock_guard lock(mutex);
    text += more;
    changed.notify_all();
  }
  bool wait_for(const std::string& part) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(10), [&] { return text.find(part) != std::string::npos; });
  }
};

TEST(ProfileProgress, ShowsWhatRunsAndErasesIt) {
  Screen screen;
  {
    Progress progress([&](std::string_view text) { screen.show(text); }, Progress::Time(1), Progress::Time(1));
    engine::Progress* const first = progress.begin("first", 10);
    first->workgroups = 3;
    EXPECT_TRUE(screen.wait_for("\r\x1b[Kcrosslane: first: 3 of 10 workgroups, "));
    progress.end(first);
    engine::Progress* const second = progress.begin("second", 7);
    EXPECT_TRUE(screen.wait_for("second: 0 of 7 workgroups, 1 kernel done, "));
    progress.end(second);
  }
  EXPECT_TRUE(screen.text.ends_with("\r\x1b[K")) << screen.text;
}

TEST(ProfileProgress, ShortRunsAreQuiet) {
  Screen screen;
  {
    Progress progress([&](std::string_view text) { screen.show(text); }, Progress::Time(3'600'000));
    progress.end(progress.begin("k", 1));
  }
  EXPECT_EQ(screen.text, "");
}

} // namespace
} // namespace crosslane::profile
