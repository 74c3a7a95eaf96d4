// A kernel's unit test: what it computes, that it goes nowhere else, and what it takes on a card.
//
//   c++ -std=c++20 checked.cpp $(pkg-config --cflags --libs crosslane) -o checked && ./checked
#include <crosslane/crosslane.hpp>
#include <cstdio>
#include <numeric>

constexpr const char* source = R"(
kernel void scale(global float* data, float factor, uint n) {
  uint i = get_global_id(0);
  if (i <= n) // one too many
    data[i] *= factor;
})";

int main() {
  try {
    const crosslane::Context context;
    const crosslane::Module module = context.load_source(source, "scale.cl");
    std::vector<float> data(1000);
    std::iota(data.begin(), data.end(), 0.0f);

    auto launch = module.kernel("scale").launch();
    launch.grid(1024).arguments(context.out(data, "data"), 2.0f, 999u);
    launch.configure("time = true");
    const crosslane::Result result = launch.run();
    std::printf("data[999] = %g\n%.*s", data[999], static_cast<int>(result.document("timing.txt").find('\n')) + 1,
                result.document("timing.txt").data());

    launch.argument(2, 1000u).configure("check = 'memory'");
    const crosslane::Result checked = launch.try_run();
    std::printf("\n%llu findings\n%s", static_cast<unsigned long long>(checked.stats().findings),
                checked.document("findings.txt").data());
  } catch (const crosslane::Error& error) {
    std::fprintf(stderr, "checked: %s: %s\n", crosslane_status_name(error.status()), error.what());
    return 1;
  }
}
