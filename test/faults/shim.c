// Stands before the C library's syncs (LD_PRELOAD): fails them while the file SHIM_FAIL exists, delays them by SHIM_DELAY_MS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int pass(const char *name, int fd) {
  const char *fail = getenv("SHIM_FAIL");
  if (fail != NULL && access(fail, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  const char *delay = getenv("SHIM_DELAY_MS");
  if (delay != NULL) usleep(1000 * atoi(delay));
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}

int fdatasync(int fd) { return pass("fdatasync", fd); }
int fsync(int fd) { return pass("fsync", fd); }
