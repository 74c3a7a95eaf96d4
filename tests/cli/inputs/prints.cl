// Refused with a word of advice.
kernel void prints(global int* out) { printf("%d\n", out[0]); }
