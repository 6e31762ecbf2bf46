// Stands before the C library's calls on files under NTH_ROOT (LD_PRELOAD). The NTH_CALL-th of them fails with the number NTH_ERROR,
// or, where NTH_WHILE names a file, each from then on that needs space, for as long as that file exists. NTH_TALLY is written with how many there were.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long calls;
static long nth;
static int error;
static const char *root, *until, *tally;

__attribute__((constructor)) static void begin(void) {
  root = getenv("NTH_ROOT");
  until = getenv("NTH_WHILE");
  tally = getenv("NTH_TALLY");
  nth = atol(getenv("NTH_CALL") ? getenv("NTH_CALL") : "0");
  error = atoi(getenv("NTH_ERROR") ? getenv("NTH_ERROR") : "5");
}

__attribute__((destructor)) static void end(void) {
  FILE *file = tally ? fopen(tally, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld", atomic_load(&calls));
  fclose(file);
}

static int fails(const char *path, int needs_space) {
  if (root == NULL || strncmp(path, root, strlen(root)) != 0) return 0;
  if (until != NULL && !needs_space) return 0;
  long call = atomic_fetch_add(&calls, 1) + 1;
  if (nth == 0 || (until == NULL ? call != nth : call < nth || access(until, F_OK) != 0)) return 0;
  errno = error;
  return 1;
}

static int fails_at(int fd, int needs_space) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int kept = errno;
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length < 0) return 0;
  path[length] = 0;
  return fails(path, needs_space);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  return fails_at(fd, 1) ? -1 : REAL(pwrite64)(fd, bytes, count, at);
}
ssize_t write(int fd, const void *bytes, size_t count) { return fails_at(fd, 1) ? -1 : REAL(write)(fd, bytes, count); }
ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) {
  return fails_at(fd, 0) ? -1 : REAL(pread64)(fd, bytes, count, at);
}
int ftruncate64(int fd, off64_t length) { return fails_at(fd, 1) ? -1 : REAL(ftruncate64)(fd, length); }
int fdatasync(int fd) { return fails_at(fd, 0) ? -1 : REAL(fdatasync)(fd); }
int fsync(int fd) { return fails_at(fd, 0) ? -1 : REAL(fsync)(fd); }
int unlink(const char *path) { return fails(path, 0) ? -1 : REAL(unlink)(path); }
int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(path, flags & O_CREAT && access(path, F_OK) != 0) ? -1 : REAL(open64)(path, flags, mode);
}
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(path, flags & O_CREAT && access(path, F_OK) != 0) ? -1 : REAL(open)(path, flags, mode);
}
