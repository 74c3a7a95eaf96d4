// Does not compile.
kernel void broken(global int* out) { out[0] = missing; }
