// The options of a profile.
#include "cli/profile_options.h"
#include "report/view.h"

namespace crosslane::cli {

void add_profile_options(CLI::App& app, const AddText& text, const AddFlag& flag) {
  using profile::Texts;
  text(app, "--profile", &Texts::views,
       ("what kernels do: " + report::view_names() + ", or all of it; a list with commas").c_str())
      ->type_name("VIEWS");
  text(app, "--instrument", &Texts::instrument,
       "profile by probes in the kernels' own code instead, for --html, --json and --by: divergence, blocks, lanes, "
       "time, memory, or of your own: FILE.s, FILE.cl, FILE.hip; see 'crosslane instrument'")
      ->type_name("PROBES");
  text(app, "--at", &Texts::at,
       "--instrument: where a probe of your own goes: entry, exit, block, branch, edge, memory, FILE:LINE")
      ->type_name("PLACES");
  text(app, "--trace-bytes", &Texts::trace_bytes,
       "--instrument memory: room for each wave's addresses; an access takes 64 to 576 bytes (default: 64K)")
      ->type_name("SIZE");
  text(app, "--launch", &Texts::launches, "profile: only these launches of each kernel, from 0: 0, 2..5, 2..")
      ->type_name("N..M");
  text(app, "--sample", &Texts::sample, "profile: only this part of the workgroups, 1% or 0.01; :SEED chooses others")
      ->type_name("PART[:SEED]");
  text(app, "--by", &Texts::by, "profile: what the lines of the printed table stand for: line, instruction or kernel")
      ->type_name("UNIT");
  text(app, "--json", &Texts::json,
       "profile: write all of it (docs/profile-format.md); without --profile: of all views; - is standard output")
      ->type_name("FILE");
  text(app, "--csv", &Texts::csv, "profile: write its counters as rocprofv3's counter_collection.csv")
      ->type_name("FILE");
  text(app, "--html", &Texts::html, "profile: write a page to look at it in a browser, in one file")->type_name("FILE");
  flag(app, "--per-wave", &Texts::per_wave, "profile: branches of each wavefront too, in the JSON");
  text(app, "--trace-wave", &Texts::trace,
       "record one wave step by step for --html and --json: its workgroup, as number or x,y,z, and its number; of the "
       "first launch that has it")
      ->type_name("WG:WAVE");
}

void group_options(CLI::App& app) {
  static const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"Profile",
       {"--profile", "--instrument", "--at", "--trace-bytes", "--launch", "--sample", "--by", "--json", "--csv",
        "--html", "--per-wave", "--trace-wave", "--overhead"}},
      {"Checks",
       {"--check", "--check-kernel", "--check-launch", "--findings", "--suppress", "--max-findings", "--error-exitcode",
        "--poison", "--late"}},
      {"Time on a card", {"--time", "--time-error", "--time-files"}}};
  for (const auto& [group, names] : groups)
    for (const char* name : names)
      if (CLI::Option* option = app.get_option_no_throw(name))
        option->group(group);
}

void add_profile_options(CLI::App& app, profile::Texts& texts) {
  add_profile_options(
      app,
      [&texts](CLI::App& a, const char* name, std::string profile::Texts::* text, const char* what) {
        return a.add_option(name, texts.*text, what);
      },
      [&texts](CLI::App& a, const char* name, bool profile::Texts::* text, const char* what) {
        a.add_flag(name, texts.*text, what);
      });
}

} // namespace crosslane::cli
