// Nothing: what a launch costs by itself.
kernel void empty(void) {}
