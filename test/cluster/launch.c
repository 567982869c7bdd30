// Runs `clickhouse local` out of a shared library: launch LIBRARY ARGUMENTS…
// The library of the npm package chdb exports the entry point of the program, which opens real ports. Called from Node, or in a
// session of the package's own, it cannot: there it is a library in somebody else's process.
//
// Where a connection is reset while a server greets it, which happens when the other side is killed, cut off or gives up, its thread
// throws. ClickHouse's server logs that. `clickhouse local` aborts, and refuses all connections from then on. So the library, which
// finds these functions here before the system's, sees a reset as an end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

typedef void *(*Run)(int, char **);
typedef const char *(*Complaint)(void *);

int getpeername(int socket, struct sockaddr *address, socklen_t *size) {
  int (*real)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getpeername");
  if (real(socket, address, size) == 0) return 0;
  if (errno != ENOTCONN) return -1;
  struct sockaddr_in nobody = {.sin_family = AF_INET};
  memcpy(address, &nobody, *size < sizeof nobody ? *size : sizeof nobody);
  *size = sizeof nobody;
  return 0;
}

ssize_t recv(int socket, void *bytes, size_t size, int flags) {
  ssize_t (*real)(int, void *, size_t, int) = dlsym(RTLD_NEXT, "recv");
  ssize_t got = real(socket, bytes, size, flags);
  return got < 0 && errno == ECONNRESET ? 0 : got;
}

// What was not sent is not answered either: a reader finds the end.
ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  ssize_t (*real)(int, const void *, size_t, int) = dlsym(RTLD_NEXT, "send");
  ssize_t put = real(socket, bytes, size, flags);
  return put < 0 && (errno == ECONNRESET || errno == EPIPE) ? (ssize_t)size : put;
}

int main(int count, char **arguments) {
  void *library = count < 2 ? NULL : dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", count < 2 ? "usage: launch LIBRARY ARGUMENTS" : dlerror());
    return 2;
  }
  Run run = (Run)dlsym(library, "chdb_query_cmdline");
  Complaint complaint = (Complaint)dlsym(library, "chdb_result_error");
  if (run == NULL || complaint == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  arguments[1] = "clickhouse";
  const char *wrong = complaint(run(count - 1, arguments + 1));
  if (wrong != NULL) fprintf(stderr, "%s\n", wrong);
  return wrong == NULL ? 0 : 1;
}
