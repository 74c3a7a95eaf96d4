// A program that `crosslane run` starts: asks the system what rocminfo, rocm_agent_enumerator and RCCL ask, a line for each
// answer.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void opened(const char* how, int descriptor) {
  printf("%s: %s\n", how, descriptor >= 0 ? "open" : strerror(errno));
  if (descriptor >= 0)
    close(descriptor);
}

static void first_line(const char* how, FILE* file) {
  char line[200] = "nothing\n";
  printf("%s: %s", how, file && fgets(line, sizeof line, file) ? line : "nothing\n");
}

static void folder(const char* path) {
  DIR* const entries = opendir(path);
  int count = 0;
  for (struct dirent* entry; entries && (entry = readdir(entries));)
    count += entry->d_name[0] != '.';
  printf("%s: %s, %d\n", path, entries ? "open" : strerror(errno), count);
}

extern int mmap_calls __attribute__((weak)); // of mmap_probe.c, where that is linked

static void asked(const char* path) {
  struct stat status;
  printf("%s: stat %d, lstat %d, fstatat %d, access %d\n", path, stat(path, &status), lstat(path, &status),
         fstatat(AT_FDCWD, path, &status, 0), access(path, R_OK));
}

int main(int count, char** words) {
  opened("open", open("/dev/kfd", O_RDWR));
  opened("open64", open64("/dev/kfd", O_RDWR | O_CLOEXEC));
  opened("openat", openat(AT_FDCWD, "/dev/kfd", O_RDWR));
  opened("other", open("/dev/kfd-other", O_RDWR));
  opened("bad address", open((const char*)8, O_RDWR));
  first_line("fopen", fopen("/sys/module/amdgpu/initstate", "r"));
  first_line("fopen other", fopen("/sys/module/amdgpu/initstate-other", "r"));
  FILE* const pipe = popen("lsmod | grep amdgpu", "r");
  first_line("popen", pipe);
  printf("pclose: %d\n", pclose(pipe));
  first_line("popen other", popen("echo other", "r"));
  folder("/sys/class/kfd/kfd/topology/nodes/");
  folder("/sys/class/kfd/kfd/topology/nodes-other");
  folder("/sys/class/kfd/kfd/topology/nodes/1/io_links");
  first_line("name", fopen("/sys/class/kfd/kfd/topology/nodes/1/name", "r"));
  first_line("properties", fopen64("/sys/devices/virtual/kfd/kfd/topology/nodes/1/properties", "re"));
  asked("/sys/class/kfd/kfd/topology/nodes/2");
  asked("/sys/class/kfd/kfd/topology/nodes/3");
  opened("write", open("/sys/class/kfd/kfd/topology/nodes/1/new", O_CREAT | O_WRONLY, 0600));
  if (&mmap_calls) {
    const int before = mmap_calls;
    mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("mmap: %d\n", mmap_calls - before);
  }
  if (count > 1) { // the mode of a new file gets through
    umask(0);
    struct stat status;
    const int file = open(words[1], O_CREAT | O_WRONLY, 0640);
    printf("mode: %o\n", fstat(file, &status) == 0 ? (unsigned)status.st_mode & 0777 : 0);
  }
  return 0;
}
