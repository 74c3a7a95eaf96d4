// What must not be overwritten by the way, by every name that it has.
#include "files/collisions.h"
#include "tests/files/folder.h"
#include <fcntl.h>
#include <unistd.h>

namespace crosslane::files {
namespace {

using test::message;
namespace fs = std::filesystem;

class Collisions : public test::InFolder {
protected:
  std::string refused(const std::string& input, const std::string& output) const {
    const Use inputs[] = {{input, "the kernel"}}, outputs[] = {{output, "--out c"}};
    return message(refuse_collisions(inputs, outputs));
  }
  std::string both(const std::string& one, const std::string& other) const {
    const Use outputs[] = {{one, "--json"}, {other, "--csv"}};
    return message(refuse_collisions({}, outputs));
  }
};

TEST_F(Collisions, OutputsOverInputs) {
  put("a", "x");
  put("b", "x");
  fs::create_symlink("a", path("link"));
  fs::create_hard_link(path("a"), path("hard"));
  fs::create_directory(path("sub"));
  fs::create_directory_symlink(folder, path("sub/up"));
  EXPECT_EQ(refused(path("a"), path("b")), "");
  EXPECT_EQ(refused(path("a"), path("c")), "");
  const std::string why = "--out c would overwrite the kernel, " + path("a") + ": give it another name";
  for (const char* name : {"a", "./a", "sub/../a", "link", "hard", "sub/up/a"})
    EXPECT_EQ(refused(path("a"), path(name)), why) << name;
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  EXPECT_EQ(refused(path("a"), "a"), why);
  fs::current_path(before);
}

TEST_F(Collisions, OutputsIntoOneFile) {
  fs::create_directory_symlink(folder, path("up"));
  fs::create_symlink("new", path("link"));
  EXPECT_EQ(both(path("new"), path("other")), "");
  for (const char* name : {"new", "./new", "up/new", "link"})
    EXPECT_EQ(both(path("new"), path(name)),
              "--json and --csv would both be written to " + path(name) + ": give each a name of its own");
  EXPECT_EQ(both("-", "/dev/stdout"),
            "--json and --csv would both be written to /dev/stdout: give each a name of its own");
  EXPECT_EQ(both("/dev/null", "/dev/null"), "");
  EXPECT_EQ(both(path("no/a"), path("no/a")), ""); // who writes it says what is wrong
}

TEST_F(Collisions, OutputsWhereStandardOutputGoes) {
  put("log", "x");
  const int log = open(path("log").c_str(), O_WRONLY | O_APPEND), standard = dup(STDOUT_FILENO);
  dup2(log, STDOUT_FILENO);
  const std::string same = refused("/dev/null", path("log")), itself = refused("/dev/null", "-");
  dup2(standard, STDOUT_FILENO);
  close(standard);
  close(log);
  EXPECT_EQ(same, "--out c would be written to " + path("log") +
                      ", where standard output goes already: give it another name, or '-' for standard output");
  EXPECT_EQ(itself, "");
}

TEST_F(Collisions, StandardOutput) {
  const Use to_it[] = {{path("a"), ""}, {"-", ""}}, by_name[] = {{"/dev/stdout", ""}}, elsewhere[] = {{path("a"), ""}};
  EXPECT_TRUE(uses_standard_output(to_it));
  EXPECT_TRUE(uses_standard_output(by_name));
  EXPECT_FALSE(uses_standard_output(elsewhere));
}

} // namespace
} // namespace crosslane::files
