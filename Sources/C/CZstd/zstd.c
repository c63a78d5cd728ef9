#include "CZstd.h"

#include <dlfcn.h>
#include <pthread.h>

// The functions as `zstd.h` has declared them since version 1.0.
static struct {
  size_t (*bound)(size_t);
  size_t (*compress)(void *, size_t, const void *, size_t, int);
  unsigned (*is_error)(size_t);
} zstd; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char *const file_names[] = {"/opt/homebrew/lib/libzstd.1.dylib", "/usr/local/lib/libzstd.1.dylib"};
#else
static const char *const file_names[] = {"libzstd.so.1"};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
  void *library = NULL;
  for (size_t i = 0; library == NULL && i < sizeof file_names / sizeof *file_names; i++)
    library = dlopen(file_names[i], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  zstd.is_error = (typeof(zstd.is_error))dlsym(library, "ZSTD_isError");
  zstd.compress = (typeof(zstd.compress))dlsym(library, "ZSTD_compress");
  if (zstd.is_error != NULL && zstd.compress != NULL) zstd.bound = (typeof(zstd.bound))dlsym(library, "ZSTD_compressBound");
}

size_t zstd_bound(size_t count) {
  pthread_once(&once, open_library);
  return zstd.bound == NULL ? 0 : zstd.bound(count);
}

size_t zstd_compress(void *target, size_t room, const void *bytes, size_t count) {
  if (zstd_bound(count) == 0) return 0;
  size_t written = zstd.compress(target, room, bytes, count, 1);
  return zstd.is_error(written) ? 0 : written;
}
