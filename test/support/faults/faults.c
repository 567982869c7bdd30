/*
 * Counts what a process changes under a folder, and at a chosen change ends the process or lets the disk be full, or waits at
 * each change for somebody to look at the folder. Loaded by LD_PRELOAD: it sees the writes of Node.js, of DuckDB and of SQLite
 * alike. For tests only; never part of the package.
 *
 * MIRRORLAKE_FAULT_ROOT  the folder, an absolute path without links
 * MIRRORLAKE_FAULT       count | step | kill:N | tear:N | full:N | once:N (N from 1)
 * MIRRORLAKE_FAULT_LOG   file that gets a letter for each change at the end of the process: s where it takes space, else c
 *
 * A process that makes the folder /mirrorlake-fault/<fault> chooses another fault, and counts from there; none: "off".
 *
 * step: descriptor 3 gets a byte before each change (c), and in the middle of each write (t); a byte in answer lets it go on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536
#define CHANGES 65536
#define CHANNEL 3
#define CHOICE "/mirrorlake-fault/"
#define FICLONE 0x40049409UL

enum mode { COUNT, STEP, KILL, TEAR, FULL, ONCE };
/* What a change has to do: nothing special, fail, happen by half and end, happen by half and wait. */
enum fate { HAPPENS, FAILS, DIES_HALFWAY, WAITS_HALFWAY };

static enum mode mode = COUNT;
static long chosen = 0;
static char root[PATH_MAX];
static size_t root_length = 0;
static atomic_long changes = 0;
static _Atomic unsigned char tracked[FILES];
static char kinds[CHANGES + 1];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define NEXT(name) \
  static __typeof__(&name) next = NULL; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void choose(const char *fault) {
  mode = strcmp(fault, "step") == 0 ? STEP : COUNT;
  chosen = 0;
  atomic_store(&changes, 0);
  memset(kinds, 0, sizeof kinds);
  static const struct { const char *name; enum mode mode; } MODES[] = {
    {"kill:", KILL}, {"tear:", TEAR}, {"full:", FULL}, {"once:", ONCE}};
  for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
    if (strncmp(fault, MODES[i].name, 5) != 0) continue;
    mode = MODES[i].mode;
    chosen = atol(fault + 5);
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("MIRRORLAKE_FAULT_ROOT");
  const char *fault = getenv("MIRRORLAKE_FAULT");
  if (folder == NULL || fault == NULL) return;
  choose(fault);
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("MIRRORLAKE_FAULT_LOG");
  if (root_length == 0 || path == NULL) return;
  FILE *log = fopen(path, "w");
  if (log == NULL) return;
  fputs(kinds, log);
  fclose(log);
}

static int is_under_root(const char *path) {
  return root_length > 0 && path != NULL && strncmp(path, root, root_length) == 0 &&
         (path[root_length] == '/' || path[root_length] == 0);
}

static int is_tracked(int fd) {
  return fd >= 0 && fd < FILES && atomic_load(&tracked[fd]);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  pause();
}

/* Waits until somebody has looked at the folder: a kill now would leave it as it is. */
static void let_look(char moment) {
  struct pollfd answer = {.fd = CHANNEL, .events = POLLIN};
  pthread_mutex_lock(&turn);
  if (syscall(SYS_write, CHANNEL, &moment, 1) != 1) die();
  while (poll(&answer, 1, -1) != 1) {}
  if (syscall(SYS_read, CHANNEL, &moment, 1) != 1) die();
  pthread_mutex_unlock(&turn);
}

static enum fate change(int takes_space, int can_tear) {
  long number = atomic_fetch_add(&changes, 1) + 1;
  if (number <= CHANGES) kinds[number - 1] = takes_space ? 's' : 'c';
  if (mode == STEP) {
    let_look('c');
    return can_tear ? WAITS_HALFWAY : HAPPENS;
  }
  if (mode == KILL && number == chosen) die();
  if (mode == TEAR && number == chosen) {
    if (can_tear) return DIES_HALFWAY;
    die();
  }
  if (!takes_space) return HAPPENS;
  if ((mode == FULL && number >= chosen) || (mode == ONCE && number == chosen)) {
    errno = ENOSPC;
    return FAILS;
  }
  return HAPPENS;
}

static void halfway(enum fate fate) {
  if (fate == DIES_HALFWAY) die();
  let_look('t');
}

static int opened(int fd, const char *path, int flags) {
  if (fd >= 0 && fd < FILES) atomic_store(&tracked[fd], is_under_root(path) && (flags & O_ACCMODE) != O_RDONLY);
  return fd;
}

/* Opening changes something if it makes the file or empties it. */
static int open_fails(const char *path, int flags) {
  if (!is_under_root(path) || !(flags & (O_CREAT | O_TRUNC))) return 0;
  int is_new = access(path, F_OK) != 0;
  if (!is_new && !(flags & O_TRUNC)) return 0;
  return change(is_new, 0) == FAILS;
}

#define MODE_OF_CALL(flags) \
  mode_t permissions = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    permissions = va_arg(rest, mode_t); \
    va_end(rest); \
  }

#define DEFINE_OPEN(name) \
  int name(const char *path, int flags, ...) { \
    MODE_OF_CALL(flags) \
    NEXT(name); \
    if (open_fails(path, flags)) return -1; \
    return opened(next(path, flags, permissions), path, flags); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    MODE_OF_CALL(flags) \
    NEXT(name); \
    if (open_fails(path, flags)) return -1; \
    return opened(next(folder, path, flags, permissions), path, flags); \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

int close(int fd) {
  NEXT(close);
  if (fd >= 0 && fd < FILES) atomic_store(&tracked[fd], 0);
  return next(fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  NEXT(write);
  enum fate fate = is_tracked(fd) ? change(1, 1) : HAPPENS;
  if (fate == FAILS) return -1;
  if (fate == HAPPENS) return next(fd, bytes, count);
  ssize_t first = next(fd, bytes, count / 2);
  halfway(fate);
  if (first != (ssize_t)(count / 2)) return first;
  ssize_t second = next(fd, (const char *)bytes + count / 2, count - count / 2);
  return second < 0 ? first : first + second;
}

#define DEFINE_PWRITE(name, offset_type) \
  ssize_t name(int fd, const void *bytes, size_t count, offset_type at) { \
    NEXT(name); \
    enum fate fate = is_tracked(fd) ? change(1, 1) : HAPPENS; \
    if (fate == FAILS) return -1; \
    if (fate == HAPPENS) return next(fd, bytes, count, at); \
    ssize_t first = next(fd, bytes, count / 2, at); \
    halfway(fate); \
    if (first != (ssize_t)(count / 2)) return first; \
    ssize_t second = next(fd, (const char *)bytes + count / 2, count - count / 2, at + (offset_type)(count / 2)); \
    return second < 0 ? first : first + second; \
  }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
  NEXT(writev);
  enum fate fate = is_tracked(fd) ? change(1, 1) : HAPPENS;
  if (fate == FAILS) return -1;
  if (fate == HAPPENS) return next(fd, parts, count);
  ssize_t first = next(fd, parts, 1);
  halfway(fate);
  if (first != (ssize_t)parts[0].iov_len || count == 1) return first;
  ssize_t second = next(fd, parts + 1, count - 1);
  return second < 0 ? first : first + second;
}

#define DEFINE_PWRITEV(name, offset_type) \
  ssize_t name(int fd, const struct iovec *parts, int count, offset_type at) { \
    NEXT(name); \
    enum fate fate = is_tracked(fd) ? change(1, 1) : HAPPENS; \
    if (fate == FAILS) return -1; \
    if (fate == HAPPENS) return next(fd, parts, count, at); \
    ssize_t first = next(fd, parts, 1, at); \
    halfway(fate); \
    if (first != (ssize_t)parts[0].iov_len || count == 1) return first; \
    ssize_t second = next(fd, parts + 1, count - 1, at + (offset_type)first); \
    return second < 0 ? first : first + second; \
  }
DEFINE_PWRITEV(pwritev, off_t)
DEFINE_PWRITEV(pwritev64, off64_t)

#define DEFINE_TRUNCATE(name, offset_type) \
  int name(int fd, offset_type length) { \
    NEXT(name); \
    struct stat before; \
    /* A file that gets shorter takes no space; DuckDB ends the process where that fails. */ \
    int grows = is_tracked(fd) && fstat(fd, &before) == 0 && length > before.st_size; \
    if (is_tracked(fd) && change(grows, 0) == FAILS) return -1; \
    return next(fd, length); \
  }
DEFINE_TRUNCATE(ftruncate, off_t)
DEFINE_TRUNCATE(ftruncate64, off64_t)

#define DEFINE_ALLOCATE(name, offset_type) \
  int name(int fd, offset_type at, offset_type length) { \
    NEXT(name); \
    if (is_tracked(fd) && change(1, 0) == FAILS) return ENOSPC; \
    return next(fd, at, length); \
  }
DEFINE_ALLOCATE(posix_fallocate, off_t)
DEFINE_ALLOCATE(posix_fallocate64, off64_t)

int fallocate(int fd, int how, off_t at, off_t length) {
  NEXT(fallocate);
  if (is_tracked(fd) && change(1, 0) == FAILS) return -1;
  return next(fd, how, at, length);
}

int fsync(int fd) {
  NEXT(fsync);
  if (is_tracked(fd) && change(1, 0) == FAILS) return -1;
  return next(fd);
}

int fdatasync(int fd) {
  NEXT(fdatasync);
  if (is_tracked(fd) && change(1, 0) == FAILS) return -1;
  return next(fd);
}

ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t count, unsigned int flags) {
  NEXT(copy_file_range);
  if (is_tracked(to) && change(1, 0) == FAILS) return -1;
  return next(from, in, to, out, count, flags);
}

#define DEFINE_SENDFILE(name, offset_type) \
  ssize_t name(int to, int from, offset_type *at, size_t count) { \
    NEXT(name); \
    if (is_tracked(to) && change(1, 0) == FAILS) return -1; \
    return next(to, from, at, count); \
  }
ssize_t sendfile(int, int, off_t *, size_t);
ssize_t sendfile64(int, int, off64_t *, size_t);
DEFINE_SENDFILE(sendfile, off_t)
DEFINE_SENDFILE(sendfile64, off64_t)

int ioctl(int fd, unsigned long request, ...) {
  static int (*next)(int, unsigned long, void *) = NULL;
  if (next == NULL) next = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (request == FICLONE && is_tracked(fd) && change(1, 0) == FAILS) return -1;
  return next(fd, request, argument);
}

#define DEFINE_ONE_PATH(name, takes_space) \
  int name(const char *path) { \
    NEXT(name); \
    if (is_under_root(path) && change(takes_space, 0) == FAILS) return -1; \
    return next(path); \
  }
DEFINE_ONE_PATH(unlink, 0)
DEFINE_ONE_PATH(rmdir, 0)
DEFINE_ONE_PATH(remove, 0)

int unlinkat(int folder, const char *path, int flags) {
  NEXT(unlinkat);
  if (is_under_root(path)) change(0, 0);
  return next(folder, path, flags);
}

int mkdir(const char *path, mode_t permissions) {
  NEXT(mkdir);
  if (root_length > 0 && strncmp(path, CHOICE, strlen(CHOICE)) == 0) {
    choose(path + strlen(CHOICE));
    return 0;
  }
  if (is_under_root(path) && change(1, 0) == FAILS) return -1;
  return next(path, permissions);
}

#define DEFINE_TWO_PATHS(name) \
  int name(const char *from, const char *to) { \
    NEXT(name); \
    if (is_under_root(to) && change(1, 0) == FAILS) return -1; \
    return next(from, to); \
  }
DEFINE_TWO_PATHS(rename)
DEFINE_TWO_PATHS(link)
DEFINE_TWO_PATHS(symlink)
