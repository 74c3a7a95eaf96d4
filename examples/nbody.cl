// One step of gravity among n bodies (xyz, w = mass), all pairs, bodies staged through LDS one workgroup at a time.
#define GROUP 256

// v_rsq_f32 is within 1 ulp; the library's rsqrt would be a long exact sequence.
static float inverse_root(float x) {
#ifdef __AMDGCN__
  return __builtin_amdgcn_rsqf(x);
#else
  return rsqrt(x);
#endif
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody(global const float4* bodies, global float4* velocities, global float4* moved, uint n, float dt) {
  local float4 near[GROUP];
  uint i = get_global_id(0), lid = get_local_id(0);
  float4 me = i < n ? bodies[i] : (float4)(0);
  float3 force = (float3)(0);
  for (uint first = 0; first < n; first += GROUP) {
    near[lid] = first + lid < n ? bodies[first + lid] : (float4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < GROUP; ++k) {
      float3 d = near[k].xyz - me.xyz;
      float inverse = inverse_root(fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, 0.01f))));
      float scale = near[k].w * inverse * inverse * inverse;
      force.x = fma(d.x, scale, force.x);
      force.y = fma(d.y, scale, force.y);
      force.z = fma(d.z, scale, force.z);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i >= n) return;
  float4 v = velocities[i];
  v.xyz += dt * force;
  velocities[i] = v;
  me.xyz += dt * v.xyz;
  moved[i] = me;
}
