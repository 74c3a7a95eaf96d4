// The commands of examples/README.md, which are right: nothing is found in them, and no result depends on what
// registers, LDS and scratch begin with.
#include "check/checks.h"
#include "launch/launch.h"
#include "lint/format/format.h"
#include "tests/expected.h"
#include "toolchain/temporary_folder.h"
#include <filesystem>
#include <fstream>
#include <sstream>

namespace crosslane::test {

namespace {

// "launch" lines, in words; no word of them is quoted.
std::vector<std::vector<std::string>> launches() {
  std::vector<std::vector<std::string>> all;
  std::ifstream in(std::filesystem::path(CROSSLANE_EXAMPLES_FOLDER) / "README.md");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string program, verb;
    if (!(words >> program >> verb) || program != "crosslane" || verb != "launch")
      continue;
    all.emplace_back();
    for (std::string word; words >> word;)
      all.back().push_back(word);
  }
  return all;
}

launch::Job job_of(const std::vector<std::string>& words) {
  launch::Job job;
  job.folder = CROSSLANE_EXAMPLES_FOLDER;
  for (size_t n = 0; n < words.size(); ++n) {
    const std::string& word = words[n];
    const auto value = [&] { return words.at(++n); };
    if (word == "--kernel")
      job.kernel = value();
    else if (word == "--target")
      job.compile.target = value();
    else if (word == "--grid")
      job.grid = value_of(launch::parse_sizes(value(), "grid"));
    else if (word == "--block")
      job.block = value_of(launch::parse_sizes(value(), "block"));
    else if (word == "--groups")
      job.groups = value_of(launch::parse_sizes(value(), "groups"));
    else if (word == "--expect")
      job.expect.push_back(value());
    else if (word == "--rtol")
      job.rtol = std::stod(value());
    else if (word == "--atol")
      job.atol = std::stod(value());
    else if (word == "--lds")
      job.lds = uint32_t(std::stoul(value()));
    else if (word.starts_with("--clang="))
      job.compile.options.push_back(word.substr(8));
    else if (word == "--print" || word == "--profile" || word == "--by" || word == "--gpu" || word == "--html" ||
             word == "--out")
      value(); // shows more of the same run
    else if (word.starts_with("--"))
      continue;
    else if (job.file.empty())
      job.file = word;
    else
      job.arguments.push_back(word);
  }
  return job;
}

std::string text_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

launch::Result run(const launch::Job& job, const std::string& command) {
  auto result = launch::launch(job, {});
  if (!result) {
    ADD_FAILURE() << command << ": " << llvm::toString(result.takeError());
    return {};
  }
  EXPECT_EQ(result->end, launch::End::complete) << command << ": " << result->why;
  for (const auto& comparison : result->comparisons)
    EXPECT_EQ(comparison.different, 0u) << command << ": " << comparison.text;
  return std::move(*result);
}

} // namespace

TEST(Examples, HaveNothingUndefined) {
  const auto commands = launches();
  ASSERT_GT(commands.size(), 20u);
  auto folder = toolchain::TemporaryFolder::create();
  ASSERT_TRUE(bool(folder));
  for (const auto& words : commands) {
    launch::Job job = job_of(words);
    if (job.file.ends_with(".toml"))
      continue;
    const auto code = value_of(toolchain::load_code(job.folder + "/" + job.file, job.compile)); // compiled once
    const std::string name = std::to_string(&words - commands.data()) + ".co";
    ASSERT_EQ(error_of(folder->write(name, code->bytes())), "");
    job.file = folder->path(name);
    job.compile.options.clear();
    for (const uint32_t poison : {0u, 1u, 2u}) {
      job.check = poison ? "" : "init", job.poison = poison;
      const launch::Result result = run(job, text_of(words));
      if (result.judged)
        EXPECT_EQ(lint::text_of(lint::Results{.judged = {&*result.judged, 1}}, {}), "") << text_of(words);
    }
  }
}

} // namespace crosslane::test
