// rocSPARSE's product of a sparse matrix (CSR) and a vector, against the same sum on the CPU.
#include <rocsparse/rocsparse.h>

#include <cmath>

#include "tests/programs/hip/hip_check.h"

#define SPARSE(call) REQUIRE((call) == rocsparse_status_success, "%s", #call)

int main() {
  const int rows = 1000, columns = 900;
  std::vector<int> offsets(1, 0), indices;
  std::vector<float> values, x(columns), y(rows);
  unsigned seed = 7;
  for (int row = 0; row < rows; ++row) {
    for (int column = row % 13; column < columns; column += 7 + (seed = seed * 1664525u + 1013904223u) % 97) {
      indices.push_back(column);
      values.push_back(float(int(seed >> 8) % 1000) / 64);
    }
    offsets.push_back(int(indices.size()));
  }
  for (int i = 0; i < columns; ++i)
    x[i] = 1.0f / (1 + i % 17);
  for (int i = 0; i < rows; ++i)
    y[i] = i;
  Device<int> device_offsets(offsets), device_indices(indices);
  Device<float> device_values(values), device_x(x), device_y(y);
  const float alpha = 2, beta = -0.5f;

  rocsparse_handle handle;
  rocsparse_mat_descr descriptor;
  rocsparse_mat_info info;
  SPARSE(rocsparse_create_handle(&handle));
  SPARSE(rocsparse_create_mat_descr(&descriptor));
  SPARSE(rocsparse_create_mat_info(&info));
  for (const bool analysed : {false, true}) {
    HIP(hipMemcpy(device_y, y.data(), device_y.bytes(), hipMemcpyHostToDevice));
    if (analysed)
      SPARSE(rocsparse_scsrmv_analysis(handle, rocsparse_operation_none, rows, columns, int(values.size()), descriptor,
                                       device_values, device_offsets, device_indices, info));
    SPARSE(rocsparse_scsrmv(handle, rocsparse_operation_none, rows, columns, int(values.size()), &alpha, descriptor,
                            device_values, device_offsets, device_indices, analysed ? info : nullptr, device_x, &beta,
                            device_y));
    const std::vector<float> result = device_y.read();
    double worst = 0;
    for (int row = 0; row < rows; ++row) {
      double sum = beta * double(y[row]), size = std::fabs(sum);
      for (int k = offsets[row]; k < offsets[row + 1]; ++k) {
        const double term = alpha * double(values[k]) * x[indices[k]];
        sum += term, size += std::fabs(term);
      }
      worst = std::max(worst, std::fabs(result[row] - sum) / (size + 1));
    }
    printf("%zu entries, %s: worst error %.2g\n", values.size(), analysed ? "analysed" : "plain", worst);
    REQUIRE(worst < 1e-6);
  }
  return pass();
}
