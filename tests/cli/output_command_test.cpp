// Where the command writes: files that must not be lost, standard output that is full, closed or a document's, and
// readers that have gone.
#include "files/read.h"
#include "files/write.h"
#include "launch/buffers.h"
#include "tests/cli/command.h"
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  const auto bytes = value_of(files::read(path));
  return std::string(bytes.begin(), bytes.end());
}
std::string vadd(const std::string& more) {
  return "launch " + input("vadd.cl") + " --grid 8 a=[8]:iota b=[8]:1 c=[8] n=8 " + more;
}
// As a shell runs it: "$0" is crosslane.
Result shell(const std::string& line) { return run("/bin/sh", {"-c", line, CROSSLANE}); }
size_t files_in(const Folder& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder / ""), fs::directory_iterator()));
}

class OutputCommand : public testing::Test {
protected:
  // A launch or another verb that is refused before it does anything; the file keeps its contents.
  void refused(const std::string& command, const std::string& file, const std::string& message) const {
    const std::string before = text_of(file);
    const Result result = shell("\"$0\" " + command);
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_HAS(result.err, message);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(text_of(file), before) << command;
  }
  Folder folder;
};

TEST_F(OutputCommand, NothingIsWrittenOverWhatIsRead) {
  const std::string kernel = folder / "k.cl", data = folder / "a.npy", job = folder / "job.toml",
                    expected = folder / "e.npy";
  fs::copy_file(input("vadd.cl"), kernel);
  EXPECT_EQ(error_of(launch::write_buffer(data, value_of(launch::make_buffer("f32[8]:iota", {}, "")))), "");
  EXPECT_EQ(error_of(launch::write_buffer(expected, value_of(launch::make_buffer("f32[8]:iota:1", {}, "")))), "");
  EXPECT_EQ(
      error_of(files::write(job, "file = 'k.cl'\ngrid = 8\n[args]\na = '@a.npy'\nb = '[8]:1'\nc = '[8]'\nn = 8\n")),
      "");
  fs::create_symlink("k.cl", folder / "link");
  fs::create_hard_link(data, folder / "hard");
  const std::string launch = "launch " + job + " ";
  refused(launch + "--out c=k.cl", kernel, "--out c would overwrite the kernel's file, " + kernel);
  refused(launch + "--out c=link", kernel, "--out c would overwrite the kernel's file, " + kernel);
  refused(launch + "--out c=a.npy", data, "--out c would overwrite argument 'a', " + data);
  refused(launch + "--out c=hard", data, "--out c would overwrite argument 'a', " + data);
  refused(launch + "--json " + job, job, "--json would overwrite the launch description, " + job);
  refused(launch + "--expect c=e.npy --out c=e.npy", expected,
          "--out c would overwrite what is expected of 'c', " + expected);
  refused(launch + "--trap-handler a.npy --html " + data, data, "--html would overwrite the trap handler, " + data);
  refused(launch + "--out c=new --json " + (folder / "new"), kernel, "--json and --out c would both be written to");
  refused(launch + "--out c=new --out a=new", kernel, "--out c and --out a would both be written to");
  refused(launch + "--json - --csv -", kernel, "--json and --csv would both be written to -");
  EXPECT_FALSE(fs::exists(folder / "new"));
  EXPECT_EQ(shell("\"$0\" " + launch + "--expect c=e.npy --out c=new").status, 0);

  const std::string source = folder / "e.s";
  EXPECT_EQ(error_of(files::write(source, "s_endpgm\n")), "");
  refused("asm " + source + " -o " + source, source, "-o would overwrite the text, " + source);
  refused("asm - -o " + source + " <" + source, source, "-o would overwrite the text");
  fs::copy_file("/bin/true", folder / "program");
  refused("run --json " + (folder / "program") + " -- " + (folder / "program"), folder / "program",
          "--json would overwrite the program, ");
  refused("run --stats --output " + kernel + " --html " + kernel + " -- true", kernel,
          "--html and --output would both");
}

TEST_F(OutputCommand, ReportsOfAnEarlierRunOutliveAMistypedProgram) {
  EXPECT_EQ(error_of(files::write(folder / "r.json", "old")), "");
  EXPECT_EQ(crosslane({"run", "--json", folder / "r.json", "--", folder / "nothing"}).status, 127);
  EXPECT_EQ(text_of(folder / "r.json"), "old");
}

// Files may have 100 KiB; what does not fit into them is not on the disk either. (The trap turns the signal into an
// error.)
TEST_F(OutputCommand, AFullDiskCostsNoFile) {
  const std::string out = folder / "c.raw";
  EXPECT_EQ(error_of(files::write(out, "good")), "");
  const Result result =
      shell("trap '' XFSZ; ulimit -f 200; \"$0\" launch " + input("vadd.cl") +
            " --grid 100000 a=[100000]:iota b=[100000]:1 c=[100000] n=100000 --print c:2 --out c=" + out + " --csv " +
            (folder / "p.csv"));
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "crosslane: " + out + ": File too large\n");
  EXPECT_HAS(result.out, "c = f32[100000]\n  1 2 ...\n"); // and nothing else is lost either
  EXPECT_EQ(text_of(out), "good");
  EXPECT_HAS(text_of(folder / "p.csv"), "SQ_WAVES");
  EXPECT_EQ(files_in(folder), 2u);
}

TEST_F(OutputCommand, StandardOutputBelongsToTheDocument) {
  const std::string log = folder / "log";
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1"}) {
    EXPECT_EQ(error_of(files::write(log, "kept\n")), "");
    const Result result =
        shell("\"$0\" " + vadd("--print c:2 --stats --fidelity --json " + std::string(name)) + " >>" + log);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "");
    const std::string text = text_of(log);
    ASSERT_TRUE(text.starts_with("kept\n")) << text;
    EXPECT_EQ(nlohmann::json::parse(text.substr(5)).contains("fidelity"), true);
    EXPECT_HAS(result.err, "c = f32[8]\n  1 2 ...");
    EXPECT_HAS(result.err, "wave-instructions, ");
    EXPECT_HAS(result.err, "fidelity of vadd");
  }
  // The bytes of a buffer.
  const Result raw = shell("\"$0\" " + vadd("--print c:2 --out c=-"));
  EXPECT_EQ(raw.status, 0);
  EXPECT_EQ(raw.out.size(), 32u);
  EXPECT_EQ(raw.out.substr(4, 4), std::string("\0\0\0\x40", 4)); // 2.0f
  EXPECT_EQ(raw.err, "c = f32[8]\n  1 2 ...\n");
  EXPECT_EQ(shell("\"$0\" asm s_endpgm -o -").out, std::string("\0\0\x81\xbf", 4));
  const Result drawn = shell("\"$0\" permute 'i ^ 1' --svg -");
  EXPECT_TRUE(drawn.out.starts_with("<svg")) << drawn.out.substr(0, 50);
  EXPECT_HAS(drawn.err, "64 lanes of 32 bits");
  // By the name of where it goes: the text would be lost.
  EXPECT_EQ(error_of(files::write(log, "kept\n")), "");
  const Result same = shell("\"$0\" " + vadd("--json " + log) + " >>" + log);
  EXPECT_EQ(same.status, 2);
  EXPECT_HAS(same.err, "where standard output goes already");
  EXPECT_EQ(text_of(log), "kept\n");
}

std::vector<std::string> printing(const std::string& hex) {
  return {"isa",
          "isa v_add_f32",
          "isa --coverage",
          "isa --json",
          "permute 'i ^ 1'",
          "permute 'i ^ 1' --json",
          "asm s_endpgm",
          "asm --hex s_endpgm",
          "asm " + input("twice.s"),
          "disasm " + input("twice.s"),
          "disasm --hex --target gfx900 <" + hex,
          "env",
          "run --list-gpus",
          "--help",
          "--version",
          "launch --help",
          "launch " + input("twice.s") + " --grid 64 x=f32[64] y=f32[64] --print y",
          "launch " + input("twice.s") + " --grid 64 x=f32[64] y=f32[64] --stats",
          "launch " + input("twice.s") + " --grid 64 x=f32[64] y=f32[64] --profile all",
          "launch " + input("twice.s") + " --grid 64 x=f32[64] y=f32[64] --fidelity"};
}

TEST_F(OutputCommand, WhatCannotBePrintedIsAnError) {
  EXPECT_EQ(error_of(files::write(folder / "hex", "0xbf810000\n")), "");
  for (const std::string& command : printing(folder / "hex")) {
    const Result full = shell("\"$0\" " + command + " >/dev/full");
    EXPECT_EQ(full.status, 2) << command;
    EXPECT_EQ(full.err, "crosslane: cannot write to standard output: No space left on device\n") << command;
    const Result closed = shell("\"$0\" " + command + " >&-");
    EXPECT_EQ(closed.status, 2) << command;
    EXPECT_EQ(closed.err, "crosslane: cannot write to standard output: Bad file descriptor\n") << command;
    EXPECT_EQ(shell("\"$0\" " + command + " >/dev/null").status, 0) << command;
  }
}

// What never ends, ends.
TEST_F(OutputCommand, APrinterOfEndlessInputStopsAtAFullDisk) {
  const Result result = shell("yes 0xbf810000 | \"$0\" disasm --hex --target gfx900 >/dev/full");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "crosslane: cannot write to standard output: No space left on device\n");
}

TEST_F(OutputCommand, WrongResultsStayWrong) {
  const Result result = shell("\"$0\" " + vadd("--print c --expect c=[8]:5") + " >/dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.err, "wrong result: ");
  EXPECT_HAS(result.err, "cannot write to standard output: No space left on device");
}

// A file that is opened while standard output is closed must not become it.
TEST_F(OutputCommand, NothingIsPrintedIntoFiles) {
  const Result result =
      shell("\"$0\" " + vadd("--print c --out c=" + (folder / "c.raw")) + " >&- 2>" + (folder / "err"));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(text_of(folder / "c.raw").size(), 32u);
  EXPECT_EQ(shell("\"$0\" " + vadd("--out c=" + (folder / "c.raw")) + " >&- 2>&- <&-").status, 0); // prints nothing
  EXPECT_EQ(text_of(folder / "c.raw").size(), 32u);
}

// A reader that goes ends the command quietly, its files already written; also where somebody has it ignore SIGPIPE.
TEST_F(OutputCommand, ReadersMayGo) {
  for (const char* before : {"", "trap '' PIPE; "}) {
    fs::remove(folder / "c.raw");
    const Result result = shell(std::string(before) + "{ \"$0\" launch " + input("vadd.cl") +
                                " --grid 100000 a=[100000]:iota b=[100000]:1 c=[100000] n=100000 --print c --out c=" +
                                (folder / "c.raw") + "; echo $? >" + (folder / "status") + "; } | head -1");
    EXPECT_EQ(result.out, "c = f32[100000]\n");
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(text_of(folder / "status"), std::to_string(128 + SIGPIPE) + "\n");
    EXPECT_EQ(text_of(folder / "c.raw").size(), 400'000u);
  }
}

TEST_F(OutputCommand, EndlessInputIsRefused) {
  EXPECT_HAS(shell("\"$0\" launch " + input("vadd.cl") + " --grid 8 @/dev/zero:f32 [8] [8] 8").err,
             "/dev/zero: is longer than 1073741824 bytes");
  EXPECT_HAS(shell("\"$0\" asm - </dev/zero").err, "<standard input>: is longer than");
  EXPECT_HAS(shell("\"$0\" disasm --hex --target gfx900 </dev/zero").err, "line 1 of standard input is longer than");
  EXPECT_EQ(shell("truncate -s 10T " + (folder / "sparse")).status, 0);
  EXPECT_HAS(shell("\"$0\" disasm " + (folder / "sparse")).err, "this machine memory for");
  EXPECT_HAS(shell("\"$0\" launch " + input("vadd.cl") + " --grid 8 [1000000000000] [8] [8] 8").err,
             "4000000000000 bytes, and this machine has memory for");
}

} // namespace
} // namespace crosslane::cli::test
