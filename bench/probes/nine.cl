// Nine kernels with the branches of those whose instrumentation Wu measured on an AMD GPU ("Efficient Binary
// Instrumentation for GPU Profiling", Scalable Tools Workshop 2022): two layers of a neural network, two steps of
// Gaussian elimination, heat in a plate, look-up in a B+ tree, two steps of k-means, nearest neighbours. Written from
// what the algorithms do.

#define TILE 16

// Weighted inputs, summed over the 16 of a group by halves.
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
layer_forward(global const float* input, global float* weights, global float* partial, int hidden, int halvings) {
  local float node[TILE], product[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1), group = get_group_id(1);
  const int row = group * TILE + y + 1, at = row * (hidden + 1) + x + 1;
  if (x == 0)
    node[y] = input[row];
  barrier(CLK_LOCAL_MEM_FENCE);
  product[y][x] = weights[at] * node[y];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step <= halvings; ++step) {
    const int width = 1 << step;
    if ((y & (width - 1)) == 0)
      product[y][x] += product[y + width / 2][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  weights[at] = product[y][x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x == 0)
    partial[group * hidden + y] = product[x][y];
}

__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
adjust_weights(global const float* delta, global const float* layer, global float* weights, global float* old_weights,
               int hidden) {
  const float rate = 0.3f, momentum = 0.3f;
  const int x = get_local_id(0), y = get_local_id(1), group = get_group_id(1);
  const int row = group * TILE + y + 1, at = row * (hidden + 1) + x + 1;
  const float step = rate * delta[x + 1] * layer[row] + momentum * old_weights[at];
  weights[at] += step;
  old_weights[at] = step;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (y == 0 && group == 0) {
    const float bias = rate * delta[x + 1] + momentum * old_weights[x + 1];
    weights[x + 1] += bias;
    old_weights[x + 1] = bias;
  }
}

// Multipliers of the rows below the pivot t.
kernel void multipliers(global float* m, global const float* a, int size, int t) {
  const int i = get_global_id(0);
  if (i >= size - 1 - t)
    return;
  m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

__attribute__((reqd_work_group_size(4, 4, 1))) kernel void
eliminate(global const float* m, global float* a, global float* b, int size, int t) {
  const int i = get_global_id(0), j = get_global_id(1);
  if (i >= size - 1 - t)
    return;
  const int row = i + t + 1;
  const float factor = m[size * row + t];
  if (factor == 0 || j >= size - t)
    return;
  a[size * row + j + t] -= factor * a[size * t + j + t];
  if (j == 0)
    b[row] -= factor * b[t];
}

// Several steps of time in a tile, whose rim grows by one each time.
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
hotspot(global const float* power, global const float* from, global float* to, int steps, int columns, int rows,
        float capacity, float rx, float ry, float rz) {
  local float now[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
  const int inner = TILE - steps * 2;
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int top = (int)get_group_id(1) * inner - steps, left = (int)get_group_id(0) * inner - steps;
  const int row = top + ty, column = left + tx;
  const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
  if (inside) {
    now[ty][tx] = from[row * columns + column];
    heat[ty][tx] = power[row * columns + column];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int y0 = top < 0 ? -top : 0, y1 = top + TILE > rows ? rows - top - 1 : TILE - 1;
  const int x0 = left < 0 ? -left : 0, x1 = left + TILE > columns ? columns - left - 1 : TILE - 1;
  const int north = max(ty - 1, y0), south = min(ty + 1, y1), west = max(tx - 1, x0), east = min(tx + 1, x1);
  bool mine = false;
  for (int i = 0; i < steps; ++i) {
    mine = false;
    if (tx >= i + 1 && tx <= TILE - 2 - i && ty >= i + 1 && ty <= TILE - 2 - i && tx >= x0 && tx <= x1 && ty >= y0 &&
        ty <= y1) {
      mine = true;
      next[ty][tx] = now[ty][tx] + capacity * (heat[ty][tx] +
                                               (now[south][tx] + now[north][tx] - 2.0f * now[ty][tx]) * ry +
                                               (now[ty][east] + now[ty][west] - 2.0f * now[ty][tx]) * rx +
                                               (80.0f - now[ty][tx]) * rz);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == steps - 1)
      break;
    if (mine && next[ty][tx] != now[ty][tx])
      now[ty][tx] = next[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (mine)
    to[row * columns + column] = next[ty][tx];
}

// A workgroup looks for one key in a tree whose nodes have as many keys as it has work-items, and one more.
// keys[node][257], children[node][256]; of the last level the children are records.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
find_key(global const int* keys, global const int* children, global const int* wanted, global int* found, int height,
         int nodes) {
  local int node, next;
  const int i = get_local_id(0), group = get_group_id(0);
  const int key = wanted[group];
  if (i == 0)
    node = 0, next = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int level = 0; level < height; ++level) {
    if (keys[node * 257 + i] <= key && keys[node * 257 + i + 1] > key) {
      if (children[node * 256 + i] < nodes)
        next = children[node * 256 + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
      node = next;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (keys[node * 257 + i] == key)
    found[group] = children[node * 256 + i];
}

kernel void transpose_features(global const float* in, global float* out, int points, int features) {
  const int point = get_global_id(0);
  if (point < points)
    for (int i = 0; i < features; ++i)
      out[i * points + point] = in[point * features + i];
}

kernel void nearest_center(global const float* in, global const float* centers, global int* member, int points,
                           int clusters, int features) {
  const int point = get_global_id(0);
  if (point >= points)
    return;
  int best = -1;
  float least = FLT_MAX;
  for (int c = 0; c < clusters; ++c) {
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < features; ++i) {
      const float d = in[point + i * points] - centers[c * features + i];
      sum += d * d;
    }
    if (sum < least)
      least = sum, best = c;
  }
  member[point] = best;
}

kernel void distances(global const float2* places, global float* distance, int n, float x, float y) {
  const int i = get_global_id(0);
  if (i < n) {
    const float2 p = places[i];
    distance[i] = sqrt((x - p.x) * (x - p.x) + (y - p.y) * (y - p.y));
  }
}
