// Arguments of every kind, static and dynamic LDS, a constant table, two kernels, attributes.
__constant int table[4] = {3, 1, 4, 1};
typedef struct { float x; char c; double d; } record;

__kernel __attribute__((reqd_work_group_size(64, 2, 1)))
void everything(__global float* restrict out, __global const float* in, volatile __global int* flags, int n, double scale,
                record by_value, float4 vector, char small, __constant int* constants, __local float* dynamic,
                __local double2* more) {
  __local float staged[64];
  unsigned x = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * 64 + x;
  staged[x] = in[i] * vector.y + by_value.x;
  __builtin_amdgcn_s_barrier();
  dynamic[x] = staged[63 - x];
  more[x].x = scale;
  if (i < n)
    out[i] = dynamic[x] * table[i & 3] + constants[small] + (float)(more[x].x * by_value.d);
  flags[i] = 1;
}

__attribute__((noinline)) static int deep(int n, volatile __private int* spill) {
  return n < 2 ? n + spill[n] : deep(n - 1, spill) + deep(n - 2, spill);
}

__kernel __attribute__((work_group_size_hint(128, 1, 1), vec_type_hint(float4)))
void recursive(__global int* out) {
  volatile int local_array[40];
  for (int i = 0; i < 40; ++i)
    local_array[i] = i * out[i];
  unsigned z = __builtin_amdgcn_workgroup_id_z(), y = __builtin_amdgcn_workitem_id_y() + __builtin_amdgcn_workitem_id_z();
  out[z] = deep(out[y], local_array);
}
