// Owns the options of a profile, which `crosslane launch`, `crosslane run` and `crosslane env` have in common.
#pragma once
#include "profile/options.h"
#include <CLI/CLI.hpp>

namespace crosslane::cli {

void add_profile_options(CLI::App& app, profile::Texts& texts);

} // namespace crosslane::cli
