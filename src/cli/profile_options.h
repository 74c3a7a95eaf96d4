// Owns the options of a profile, which `crosslane launch`, `crosslane run` and `crosslane env` have in common.
#pragma once
#include "profile/options.h"
#include <CLI/CLI.hpp>
#include <functional>

namespace crosslane::cli {

// How an option is added whose value belongs to this member of the profile's texts.
using AddText =
    std::function<CLI::Option*(CLI::App&, const char* name, std::string profile::Texts::*, const char* what)>;
using AddFlag = std::function<void(CLI::App&, const char* name, bool profile::Texts::*, const char* what)>;

void add_profile_options(CLI::App& app, const AddText& text, const AddFlag& flag);
void add_profile_options(CLI::App& app, profile::Texts& texts);

// Puts what belongs to profiles, checks and the modelled time below headings of their own. Once all options are there.
void group_options(CLI::App& app);

} // namespace crosslane::cli
