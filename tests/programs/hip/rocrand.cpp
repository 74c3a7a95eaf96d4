// rocRAND's host interface: the Philox sequence against the published generator (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", known-answer vectors of Random123), and distributions against their moments.
#include <rocrand/rocrand.h>

#include <cmath>

#include "tests/programs/hip/hip_check.h"

#define RAND(call) REQUIRE((call) == ROCRAND_STATUS_SUCCESS, "%s", #call)

static void philox(unsigned long long index, unsigned long long key, unsigned out[4]) {
  unsigned c[4] = {unsigned(index), unsigned(index >> 32), 0, 0}, k[2] = {unsigned(key), unsigned(key >> 32)};
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
    const unsigned next[4] = {unsigned(b >> 32) ^ c[1] ^ k[0], unsigned(b), unsigned(a >> 32) ^ c[3] ^ k[1],
                              unsigned(a)};
    memcpy(c, next, sizeof c);
    k[0] += 0x9e3779b9, k[1] += 0xbb67ae85;
  }
  memcpy(out, c, sizeof c);
}

struct Moments {
  double mean = 0, variance = 0;
};
template <class T> static Moments moments(const std::vector<T>& values) {
  Moments m;
  for (const T& value : values)
    m.mean += value;
  m.mean /= values.size();
  for (const T& value : values)
    m.variance += (value - m.mean) * (value - m.mean);
  m.variance /= values.size();
  return m;
}

// Five standard errors of the mean and of the variance; `kurtosis` is the fourth standardised moment.
static void check(const char* what, Moments got, double mean, double variance, double kurtosis, size_t count) {
  printf("%s: mean %.5f, variance %.5f\n", what, got.mean, got.variance);
  REQUIRE(std::fabs(got.mean - mean) < 5 * std::sqrt(variance / count), "%s: mean is to be %g", what, mean);
  REQUIRE(std::fabs(got.variance - variance) < 5 * variance * std::sqrt((kurtosis - 1) / count),
          "%s: variance is to be %g", what, variance);
}

int main() {
  unsigned known[4];
  philox(0, 0, known);
  REQUIRE(known[0] == 0x6627e8d5 && known[1] == 0xe169c58d && known[2] == 0xbc57ac4c && known[3] == 0x9b00dbd8,
          "the published vector");

  const size_t count = 60000;
  rocrand_generator generator;
  RAND(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
  const unsigned long long seed = 0x1234567887654321ull;
  RAND(rocrand_set_seed(generator, seed));
  Device<unsigned> integers(count);
  RAND(rocrand_generate(generator, integers, count));
  const std::vector<unsigned> sequence = integers.read();
  for (size_t i = 0; i < count; i += 4) {
    philox(i / 4, seed, known);
    for (size_t k = 0; k < 4; ++k)
      REQUIRE(sequence[i + k] == known[k], "number %zu is %08x, not %08x", i + k, sequence[i + k], known[k]);
  }
  printf("%zu numbers of Philox4x32-10 as published\n", count);

  Device<float> floats(count);
  RAND(rocrand_generate_uniform(generator, floats, count));
  check("uniform", moments(floats.read()), 0.5, 1 / 12.0, 1.8, count);
  RAND(rocrand_generate_normal(generator, floats, count, 2.0f, 3.0f));
  check("normal", moments(floats.read()), 2, 9, 3, count);
  RAND(rocrand_generate_log_normal(generator, floats, count, 0.0f, 0.5f));
  const double e = std::exp(0.25);
  check("log-normal", moments(floats.read()), std::exp(0.125), (e - 1) * e,
        std::pow(e, 4) + 2 * std::pow(e, 3) + 3 * e * e - 3, count);
  Device<double> doubles(count);
  RAND(rocrand_generate_uniform_double(generator, doubles, count));
  check("uniform double", moments(doubles.read()), 0.5, 1 / 12.0, 1.8, count);
  RAND(rocrand_generate_poisson(generator, integers, count, 6.5));
  check("Poisson", moments(integers.read()), 6.5, 6.5, 3 + 1 / 6.5, count);
  RAND(rocrand_destroy_generator(generator));
  return pass();
}
