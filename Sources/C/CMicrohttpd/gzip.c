#include "CMicrohttpd.h"

#include <dlfcn.h>
#include <pthread.h>

// The stream of zlib.h, which has been laid out like this since 1995.
typedef struct {
  const unsigned char *next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state, *zalloc, *zfree, *opaque;
  int data_type;
  unsigned long adler, reserved;
} z_stream;

enum { FINISH = 4, STREAM_END = 1, DEFLATED = 8, GZIP_WINDOW = 15 + 16, USUAL_MEMORY = 8, FASTEST = 1 };

static struct {
  int (*init)(z_stream *, int, int, int, int, int, const char *, int);
  int (*deflate)(z_stream *, int);
  int (*end)(z_stream *);
} zlib; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char file_name[] = "/usr/lib/libz.1.dylib";
#else
static const char file_name[] = "libz.so.1";
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
  void *library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&zlib.deflate = dlsym(library, "deflate");
  *(void **)&zlib.end = dlsym(library, "deflateEnd");
  if (zlib.deflate && zlib.end) *(void **)&zlib.init = dlsym(library, "deflateInit2_");
}

size_t chttp_gzip(void *target, size_t room, const void *bytes, size_t count) {
  pthread_once(&once, open_library);
  if (!zlib.init) return 0;
  z_stream stream = {.next_in = bytes, .avail_in = (unsigned)count, .next_out = target, .avail_out = (unsigned)room};
  if (zlib.init(&stream, FASTEST, DEFLATED, GZIP_WINDOW, USUAL_MEMORY, 0, "1", sizeof stream) != 0) return 0;
  int result = zlib.deflate(&stream, FINISH);
  zlib.end(&stream);
  return result == STREAM_END ? (size_t)stream.total_out : 0;
}
