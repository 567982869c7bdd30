// Runs `clickhouse local` out of a shared library: launch LIBRARY ARGUMENTS…
// The library of the npm package chdb exports the entry point of the program, which opens real ports. Called from Node, or in a
// session of the package's own, it cannot: there it is a library in somebody else's process.
#include <dlfcn.h>
#include <stdio.h>

typedef void *(*Run)(int, char **);
typedef const char *(*Complaint)(void *);

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
