#define _GNU_SOURCE
#include "CSpawn.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

/// Closes all descriptors from `first` on: other tests may have any number of them open.
static void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
  long count = sysconf(_SC_OPEN_MAX);
  for (int i = first; i < (count > 0 && count < 65536 ? count : 65536); i++) close(i);
}

/// Between fork and exec this calls only what a signal handler may call, since other threads were stopped at any point.
static void become(
    char *const *words, char *const *environment, const char *folder, const char *terminal, const int *descriptors, int count) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int signals[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  if (terminal) {
    setsid();
    // The first terminal that the leader of a session opens becomes the session's.
    int opened = open(terminal, O_RDWR);
    if (opened < 0) return;
  }
  // Copied out of the way first: a copy must not replace a descriptor that is still to be copied.
  int copies[8];
  for (int i = 0; i < count; i++) {
    copies[i] = fcntl(descriptors[i], F_DUPFD, 64);
    if (copies[i] < 0) return;
  }
  for (int i = 0; i < count; i++) dup2(copies[i], i);
  close_from(count);
  if (folder && chdir(folder) != 0) return;
  execve(words[0], words, environment);
}

pid_t cspawn(
    char *const *words, char *const *environment, const char *folder, const char *terminal, const int *descriptors, int count) {
  if (count > 8) {
    errno = EINVAL;
    return -1;
  }
  pid_t id = fork();
  if (id == 0) {
    become(words, environment, folder, terminal, descriptors, count);
    _exit(127);
  }
  return id;
}

char *cspawn_image(void) {
  Dl_info image;
  return dladdr((void *)cspawn_image, &image) != 0 && image.dli_fname ? realpath(image.dli_fname, NULL) : NULL;
}
