// The options of a profile.
#include "cli/profile_options.h"

namespace crosslane::cli {

void add_profile_options(CLI::App& app, profile::Texts& texts) {
  // As other tools take it.
  const auto file = [](std::string name) { return name == "-" ? std::string("/dev/stdout") : name; };
  app.add_option("--profile", texts.views,
                 "what kernels do: branches, divergence, memory, lds, or all of it; a list with commas")
      ->type_name("VIEWS");
  app.add_option("--launch", texts.launches, "profile: only these launches of each kernel, from 0: 0, 2..5, 2..")
      ->type_name("N..M");
  app.add_option("--sample", texts.sample,
                 "profile: only this part of the workgroups, 1% or 0.01; :SEED chooses others")
      ->type_name("PART[:SEED]");
  app.add_option("--by", texts.by,
                 "profile: what the lines of the printed table stand for: line, instruction or kernel")
      ->type_name("WHAT");
  app.add_option("--json", texts.json,
                 "profile: write all of it (docs/profile-format.md); without --profile: of all views")
      ->type_name("FILE")
      ->transform(file);
  app.add_option("--csv", texts.csv, "profile: write its counters as rocprofv3's counter_collection.csv")
      ->type_name("FILE")
      ->transform(file);
  app.add_option("--html", texts.html, "profile: write a page to look at it in a browser, in one file")
      ->type_name("FILE")
      ->transform(file);
  app.add_flag("--per-wave", texts.per_wave, "profile: branches of each wavefront too, in the JSON");
  app.add_option("--trace-wave", texts.trace,
                 "record one wave step by step for --html and --json: its workgroup, as number or x,y,z, and its "
                 "number; of the "
                 "first launch that has it")
      ->type_name("WG:WAVE");
}

} // namespace crosslane::cli
