// Stands before the C library's syncs (LD_PRELOAD): fails them while the file SHIM_FAIL exists, delays them by SHIM_DELAY_MS.
// While the directory SHIM_GATE exists, each waits until it can take away the file "pass" in it: one pass lets one sync through. A sync that
// waits has a link "waiting-…" in the directory, to the file that it syncs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_pass(const char *gate, int fd) {
  char pass[PATH_MAX], waiting[PATH_MAX], name[64], file[PATH_MAX];
  snprintf(pass, sizeof pass, "%s/pass", gate);
  snprintf(waiting, sizeof waiting, "%s/waiting-%d", gate, fd);
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, file, sizeof file - 1);
  file[length < 0 ? 0 : length] = 0;
  int linked = symlink(file, waiting) == 0;
  while (access(gate, F_OK) == 0 && unlink(pass) != 0) usleep(1000);
  if (linked) unlink(waiting);
}

static int shimmed(const char *name, int fd) {
  const char *fail = getenv("SHIM_FAIL");
  if (fail != NULL && access(fail, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  const char *delay = getenv("SHIM_DELAY_MS");
  if (delay != NULL) usleep(1000 * atoi(delay));
  const char *gate = getenv("SHIM_GATE");
  if (gate != NULL) wait_for_pass(gate, fd);
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}

int fdatasync(int fd) { return shimmed("fdatasync", fd); }
int fsync(int fd) { return shimmed("fsync", fd); }
