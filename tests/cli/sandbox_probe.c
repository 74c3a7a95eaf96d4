/* Preloaded into `crosslane launch --sandbox`: at the process's end, when the sandbox is still there, it tries what a
 * kernel that had taken the process over would try, and says on standard error how that went. In other processes it
 * does nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int in_sandbox(void) {
  char text[4096];
  const int file = open("/proc/self/status", O_RDONLY);
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size < 0)
    return 0;
  text[size] = 0;
  return strstr(text, "Seccomp:\t2") != NULL;
}

static void tell(const char* what, long result) {
  dprintf(2, "probe: %s: %s\n", what, result == -1 ? strerror(errno) : "done");
}

__attribute__((destructor)) static void probe(void) {
  const char* victim = getenv("SANDBOX_VICTIM");
  if (!victim || !in_sandbox())
    return;
  tell("open", open(victim, O_WRONLY | O_TRUNC));
  tell("unlink", unlink(victim));
  tell("socket", socket(AF_INET, SOCK_STREAM, 0));
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  tell("fork", child);
  char* const words[] = {"sh", "-c", "echo escaped", NULL};
  tell("execve", execv("/bin/sh", words));
}
