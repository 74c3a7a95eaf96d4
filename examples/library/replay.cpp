// Dispatches of a program run again: what there is, whether each still leaves what it left, and what checks and the
// cycle model say of it.
//
//   crosslane run --capture captured -- ./program
//   c++ -std=c++20 replay.cpp $(pkg-config --cflags --libs crosslane) -o replay && ./replay captured
#include <crosslane/crosslane.hpp>
#include <cstdio>

int main(int count, char** words) {
  if (count != 2)
    return std::fprintf(stderr, "usage: replay FOLDER, which 'crosslane run --capture FOLDER' wrote\n"), 2;
  try {
    const crosslane::Context context;
    const crosslane::Capture capture = context.capture(words[1]);
    bool same = true;
    for (size_t i = 0; i < capture.size(); ++i) {
      const crosslane_dispatch_info dispatch = capture[i];
      std::printf("dispatch %llu: %s, %llu workgroups, %s\n", static_cast<unsigned long long>(dispatch.number),
                  dispatch.kernel, static_cast<unsigned long long>(dispatch.workgroups), dispatch.ended);
      auto launch = capture.replay(dispatch.number);
      if (dispatch.comparable)
        launch.expect_captured();
      launch.configure("check = 'memory'\ntime = true\ntimeout = 60");
      const crosslane::Result result = launch.try_run();
      same = same && result.status() == CROSSLANE_OK;
      std::printf("%s%llu findings\n", dispatch.comparable ? result.document("comparisons.txt").data() : "",
                  static_cast<unsigned long long>(result.stats().findings));
      if (result.status() == CROSSLANE_OK && !result.fault()) {
        const std::string_view timing = result.document("timing.txt");
        std::printf("%.*s\n", static_cast<int>(timing.find('\n')), timing.data());
      }
    }
    return same ? 0 : 1;
  } catch (const crosslane::Error& error) {
    return std::fprintf(stderr, "%s: %s\n", crosslane_status_name(error.status()), error.what()), 2;
  }
}
