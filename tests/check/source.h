// Helpers of the check tests: a kernel in OpenCL C, launched.
#pragma once
#include "launch/launch.h"
#include "tests/expected.h"
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace crosslane::test {

struct SourceKernel {
  std::string source, target, options, check;
  std::map<std::string, std::vector<uint8_t>> buffers; // raw files; arguments name them: "a=@a.raw:f32"
  std::vector<std::string> arguments;
  int items = 64; // of which 64 are a workgroup
};

template <class T> inline std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  const auto* p = reinterpret_cast<const uint8_t*>(values.data());
  return {p, p + values.size() * sizeof(T)};
}

inline launch::Result launched(const SourceKernel& k) {
  const auto folder = std::filesystem::temp_directory_path() / ("source-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  launch::Job job;
  job.file = folder / "k.cl", job.check = k.check, job.arguments = k.arguments;
  job.compile.target = k.target;
  if (!k.options.empty())
    job.compile.options.push_back(k.options);
  std::ofstream(job.file) << k.source;
  for (const auto& [name, bytes] : k.buffers)
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  for (std::string& a : job.arguments)
    if (const size_t at = a.find("=@"); at != std::string::npos)
      a.insert(at + 2, folder.string() + "/");
  job.grid = value_of(launch::parse_sizes(std::to_string(k.items), "grid"));
  job.block = value_of(launch::parse_sizes("64", "block"));
  launch::Result result = value_of(launch::launch(job, {}));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(result.end, launch::End::complete) << result.why;
  EXPECT_TRUE(result.judged);
  return result;
}

} // namespace crosslane::test
