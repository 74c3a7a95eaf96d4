// malloc and free on the device: lists built by every lane in one kernel, walked by another, freed by a third.
#include "tests/programs/hip/hip_check.h"

struct Node {
  int value;
  Node* next;
};

__global__ void build(Node** heads, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k < length; ++k) {
    Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
    if (!node)
      break;
    node->value = i * 100 + k;
    node->next = head;
    head = node;
  }
  heads[i] = head;
}

__global__ void walk(Node* const* heads, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (const Node* node = heads[i]; node; node = node->next)
    sum = sum * 3 + node->value;
  sums[i] = sum;
}

__global__ void release(Node** heads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (Node* node = heads[i]; node;) {
    Node* const next = node->next;
    free(node);
    node = next;
  }
  heads[i] = nullptr;
}

int main() {
  const int lists = 2 * 96, length = 3;
  Device<Node*> heads(lists);
  Device<int> sums(lists);
  for (int round = 0; round < 2; ++round) {
    build<<<2, 96>>>(heads, length);
    walk<<<2, 96>>>(heads, sums);
    const std::vector<Node*> addresses = heads.read();
    const std::vector<int> result = sums.read();
    for (int i = 0; i < lists; ++i) {
      int expected = 0;
      for (int k = length - 1; k >= 0; --k)
        expected = expected * 3 + i * 100 + k;
      REQUIRE(addresses[i] && result[i] == expected, "list %d at %p sums to %d, not %d", i, (void*)addresses[i],
              result[i], expected);
      for (int j = 0; j < i; ++j)
        REQUIRE(addresses[i] != addresses[j], "lists %d and %d share a node", i, j);
    }
    release<<<2, 96>>>(heads);
    HIP(hipDeviceSynchronize());
  }
  printf("%d nodes made and freed twice\n", lists * length);
  return pass();
}
