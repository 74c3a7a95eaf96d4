// A kernel that needs no header.
__attribute__((global)) void nothing(int* out) { *out = 1; }
