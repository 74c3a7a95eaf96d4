// Folders of files: whole or not at all, over nothing that is there.
#include "files/folder.h"
#include "tests/files/folder.h"
#include <sys/stat.h>

namespace crosslane::files {
namespace {

using test::InFolder;
namespace fs = std::filesystem;

using WriteFolder = InFolder;
using Files = std::vector<std::pair<std::string, std::string>>;

std::string error_of(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST_F(WriteFolder, HasItsFilesAndNothingElseIsLeft) {
  EXPECT_EQ(error_of(write_folder(path("out/"), Files{{"a.txt", "1"}, {"in/b.txt", "2"}})), "");
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
  EXPECT_EQ(text("out/a.txt"), "1");
  EXPECT_EQ(text("out/in/b.txt"), "2");
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(uint32_t(fs::status(path("out")).permissions()), 0777u & ~mask);
}

TEST_F(WriteFolder, TakesTheNameOfAnEmptyFolder) {
  fs::create_directory(path("out"));
  EXPECT_EQ(error_of(write_folder(path("out"), Files{{"a", "1"}})), "");
  EXPECT_EQ(text("out/a"), "1");
}

TEST_F(WriteFolder, ReplacesNothing) {
  put("file", "mine");
  fs::create_directory(path("full"));
  put("full/mine", "mine");
  const std::string file = path("file"), full = path("full"), nowhere = path("none/out");
  EXPECT_EQ(error_of(check_new_folder(file)), file + ": is there already, and no folder: name a new one");
  EXPECT_EQ(error_of(check_new_folder(full)),
            full + ": is there already, and not empty: name a new folder, or remove it");
  EXPECT_EQ(error_of(check_new_folder(nowhere)), nowhere + ": No such file or directory");
  for (const std::string& name : {file, full, nowhere})
    EXPECT_NE(error_of(write_folder(name, Files{{"a", "1"}})), "");
  EXPECT_EQ(names(), (std::vector<std::string>{"file", "full"}));
  EXPECT_EQ(text("file"), "mine");
  EXPECT_EQ(text("full/mine"), "mine");
}

TEST_F(WriteFolder, LeavesNothingOfHalfAFolder) {
  EXPECT_NE(error_of(write_folder(path("out"), Files{{"a", "1"}, {"a/b", "2"}})), ""); // a is no folder
  EXPECT_TRUE(names().empty());
}

} // namespace
} // namespace crosslane::files
