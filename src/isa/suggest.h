// Owns guessing what a mistyped name was meant to be, of whatever kind: instructions, targets, cards, verbs, options.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace crosslane::isa {

// The first of the candidates that take fewest letters to change, insert or remove, if these are no more than clang
// allows (a third of the name and one); else empty. Case does not count.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

// "; did you mean launch?", or what is said if nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates,
                         std::string_view otherwise = "");

} // namespace crosslane::isa
