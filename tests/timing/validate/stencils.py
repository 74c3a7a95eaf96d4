# A Laplacian of seven points in the ways that AMD's lab notes go through: one point a work-item, several in a column in the order in
# which they come (`tiled`), or plane by plane (`ordered`); `streamed` stores past the caches.
POINT = """  if (j == 0 || j >= ny - 1) return;
  f[at] = u[at] * c + (u[at - 1] + u[at + 1]) * x + (u[at - nx] + u[at + nx]) * y + (u[at - plane] + u[at + plane]) * z;"""
TILED = """  double sum[TILE] = {0};
  for (int n = 0; n < TILE; ++n) {
    const double here = u[at + n * nx];
    sum[n] += here * c + (u[at - 1 + n * nx] + u[at + 1 + n * nx]) * x;
    if (n == 0) sum[n] += u[at - nx + n * nx] * y;
    if (n > 0) sum[n - 1] += here * y;
    if (n < TILE - 1) sum[n + 1] += here * y;
    if (n == TILE - 1) sum[n] += u[at + nx + n * nx] * y;
    sum[n] += (u[at - plane + n * nx] + u[at + plane + n * nx]) * z;
  }"""
ORDERED = """  double sum[TILE] = {0};
  for (int n = 0; n < TILE; ++n) sum[n] += u[at - plane + n * nx] * z;
  sum[0] += j > 0 ? u[at - nx] * y : 0;
  for (int n = 0; n < TILE; ++n) {
    sum[n] += u[at - 1 + n * nx] * x;
    const double here = u[at + n * nx];
    sum[n] += here * c;
    sum[n] += u[at + 1 + n * nx] * x;
    if (n > 0) sum[n - 1] += here * y;
    if (n < TILE - 1) sum[n + 1] += here * y;
  }
  sum[TILE - 1] += j < ny - TILE ? u[at + TILE * nx] * y : 0;
  for (int n = 0; n < TILE; ++n) sum[n] += u[at + plane + n * nx] * z;"""


def text(variant, tile):
    body = {"point": POINT, "tiled": TILED, "ordered": ORDERED, "streamed": ORDERED}[variant]
    store = "__builtin_nontemporal_store(sum[n], &f[at + n * nx])" if variant == "streamed" else "f[at + n * nx] = sum[n]"
    if variant != "point":
        body += f"\n  for (int n = 0; n < TILE; ++n)\n    if (j + n > 0 && j + n < ny - 1) {store};"
    bounds = "__launch_bounds__(256) " if variant == "streamed" else ""
    return f"""#include <hip/hip_runtime.h>
#define TILE {tile}
extern "C" {bounds}__global__ void k(double* f, const double* u, int nx, int ny, int nz, double x, double y, double z, double c) {{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = TILE * (threadIdx.y + blockIdx.y * blockDim.y);
  const int l = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || i >= nx - 1 || l == 0 || l >= nz - 1) return;
  const int plane = nx * ny;
  const size_t at = i + nx * j + plane * l;
{body}
}}
"""
