// Calls in calls, some of them several times, all of which are inlined; one has its code in several places.
inline int square(int v) { return v * v; }

inline int polynomial(int v, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (v & 1 << i)
      sum += square(sum + i);
    else
      sum ^= square(v) + 3 * square(i);
  }
  return sum;
}

static int choose(int a, int b) { return a > b ? polynomial(a, 5) : square(b) - polynomial(b, 3); }

kernel void inlined(global int* out, global const int* in) {
  size_t i = __builtin_amdgcn_workitem_id_x();
  out[i] = choose(in[i], in[i + 64]) + square(in[i]);
  if (in[i] > 7)
    out[i + 64] = choose(in[i + 1], 3);
}
