// Owns what host_test.cpp and the libraries that it calls share: who stands for which runtime, by the name of its file.
#pragma once

struct Stack {
  void* frames[64];
  int count;
};

extern "C" {
void hsa_like(Stack*);                     // libhsa-runtime64-like.so
void hipMalloc(Stack* asked, Stack* once); // libamdhip64-like.so; once: at its first call
void hipMallocHost(Stack* asked);          // by hipModuleLoad
void hipModuleLoad(Stack* asked);
void hipStreamCreate(Stack* asked);
}
