// A kernel with printf: its format strings travel in the metadata.
__global char buffer[4096];
__global char* __printf_alloc(unsigned size) { return buffer; }
int printf(__constant const char* format, ...);
__kernel void prints(int value) { printf("value %d\n", value); }
