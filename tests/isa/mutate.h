// Turns texts of valid instructions into texts that are valid, nearly valid or wrong: operands exchanged, of another
// kind or width, left out; suffixes and modifiers added, removed or changed; numbers out of range.
#pragma once
#include <random>
#include <string>
#include <vector>

namespace crosslane::tests {

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random_(seed) {}
  std::string operator()(const std::string& text);

private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  template <size_t N> const char* pick(const char* const (&pool)[N]) { return pool[below(N)]; }
  void mutate(std::string& mnemonic, std::vector<std::string>& operands, std::vector<std::string>& modifiers);
  std::string with_number(const std::string&);

  std::mt19937_64 random_;
};

} // namespace crosslane::tests
