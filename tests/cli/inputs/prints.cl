// printf() with each kind of argument, from some work-items, and far too often.
kernel void prints(global const int* in) {
  const int i = get_global_id(0);
  if (i == 0)
    printf("%5d|%-5d|%05d|%x|%.3f|%e|%c|%5s|%s|%ld|%v4d|%v2hd|%%|a:b\n", in[0], 42, 42, 255, 3.14159f, 12345.678f, 'z', "ab",
           "four", -5L, (int4)(1, -2, 3, -4), (short2)(7, -8));
}
kernel void rows(global const int* in) {
  const int i = get_global_id(0);
  if (i % 50 == 0)
    printf("item %d has %d\n", i, in[i]);
}
kernel void many(int n) {
  for (int k = 0; k < n; ++k)
    printf("%d\n", k);
}
