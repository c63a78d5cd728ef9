#include "CMicrohttpd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*each_header)(void *, int, const char *, size_t, const char *, size_t);

static struct {
  chttp_daemon *(*start_daemon)(unsigned, uint16_t, void *, void *, void *, void *, ...);
  void (*stop_daemon)(chttp_daemon *);
  int (*quiesce_daemon)(chttp_daemon *);
  int (*run)(chttp_daemon *);
  int (*get_timeout)(chttp_daemon *, unsigned long long *);
  const void *(*get_daemon_info)(chttp_daemon *, int, ...);
  const void *(*get_connection_info)(chttp_connection *, int, ...);
  int (*get_connection_values_n)(chttp_connection *, int, each_header, void *);
  void (*suspend_connection)(chttp_connection *);
  void (*resume_connection)(chttp_connection *);
  chttp_response *(*create_response_from_buffer)(size_t, void *, int);
  chttp_response *(*create_response_from_callback)(uint64_t, size_t, void *, void *, void (*)(void *));
  int (*add_response_header)(chttp_response *, const char *, const char *);
  int (*add_response_footer)(chttp_response *, const char *, const char *);
  int (*set_response_options)(chttp_response *, int, ...);
  int (*queue_response)(chttp_connection *, unsigned, chttp_response *);
  void (*destroy_response)(chttp_response *);
} lib; // written once in `open_library`, only read afterwards

// The numbers of microhttpd.h.
enum { USE_ERROR_LOG = 1, USE_EPOLL = 512, USE_ITC = 1024, ALLOW_SUSPEND_RESUME = 8192 };
enum { INFO_DESCRIPTOR_OF_CONNECTION = 6, INFO_EPOLL_OF_DAEMON = 3, HEADERS = 1, MUST_COPY = 2, WITHOUT_CHUNKS = 1, STARTED = 0 };
enum {
  OPTION_END = 0, OPTION_MEMORY = 1, OPTION_CONNECTIONS = 2, OPTION_TIMEOUT = 3, OPTION_COMPLETED = 4, OPTION_PER_ADDRESS = 5, OPTION_TARGET = 7,
  OPTION_LISTENER = 12, OPTION_LOGGER = 13, OPTION_UNESCAPE = 16, OPTION_CONNECTION = 27, OPTION_SIGPIPE = 33
};

#ifdef __APPLE__
static const char *const file_names[] = {"/opt/homebrew/lib/libmicrohttpd.12.dylib", "/usr/local/lib/libmicrohttpd.12.dylib"};
#else
static const char *const file_names[] = {"libmicrohttpd.so.12"};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

#define FIND(name)                                                                                                     \
  if (!(*(void **)&lib.name = dlsym(file, "MHD_" #name))) {                                                            \
    problem = "it is older than 0.9.71";                                                                               \
    return;                                                                                                            \
  }

static void open_library(void) {
  void *file = NULL;
  for (size_t i = 0; !file && i < sizeof file_names / sizeof *file_names; i++) file = dlopen(file_names[i], RTLD_NOW | RTLD_LOCAL);
  if (!file) {
    problem = "it is not installed";
    return;
  }
  FIND(start_daemon) FIND(stop_daemon) FIND(quiesce_daemon) FIND(run) FIND(get_timeout) FIND(get_daemon_info)
  FIND(get_connection_info) FIND(get_connection_values_n) FIND(suspend_connection) FIND(resume_connection)
  FIND(create_response_from_buffer) FIND(create_response_from_callback) FIND(add_response_header)
  FIND(add_response_footer) FIND(set_response_options) FIND(queue_response)
  FIND(destroy_response)
}

const char *chttp_open(void) {
  pthread_once(&once, open_library);
  return problem;
}

// MARK: Serving

static void *target_came(void *handlers, const char *target, chttp_connection *connection) {
  void *request = ((chttp_handlers *)handlers)->began(((chttp_handlers *)handlers)->context, connection, target);
  // The parameters were taken with the target. The library would keep them too, and close the connection if it has no room for so many.
  char *query = strchr(target, '?');
  if (query) query[1] = 0;
  return request;
}

static int request_came(
    void *context, chttp_connection *connection, const char *path, const char *method, const char *version, const char *bytes,
    size_t *count, void **request) {
  (void)path;
  const chttp_handlers *handlers = context;
  if (!*request) return 0;
  bool goes_on = handlers->came(handlers->context, *request, connection, method, version, bytes, *count);
  *count = 0;
  return goes_on;
}

static void request_ended(void *context, chttp_connection *connection, void **request, int why) {
  (void)why;
  const chttp_handlers *handlers = context;
  if (*request) handlers->ended(handlers->context, *request, connection);
  *request = NULL;
}

static void connection_changed(void *context, chttp_connection *connection, void **own, int change) {
  (void)own;
  const chttp_handlers *handlers = context;
  const int *descriptor = lib.get_connection_info(connection, INFO_DESCRIPTOR_OF_CONNECTION);
  if (descriptor) handlers->connection(handlers->context, connection, *descriptor, change == STARTED);
}

// The target is read as it was sent: decoding it here would make one of `%2F` and `/`.
static size_t leave_as_it_is(void *context, chttp_connection *connection, char *text) {
  (void)context, (void)connection;
  size_t count = 0;
  while (text[count]) count++;
  return count;
}

static void said(void *context, const char *format, va_list values) {
  char text[512];
  vsnprintf(text, sizeof text, format, values);
  const chttp_handlers *handlers = context;
  handlers->said(handlers->context, text);
}

chttp_daemon *chttp_start(
    int listener, const chttp_handlers *handlers, unsigned connections, unsigned per_address, unsigned idle_seconds, size_t memory) {
  void *own = (void *)handlers;
  return lib.start_daemon(
      USE_EPOLL | ALLOW_SUSPEND_RESUME | USE_ITC | USE_ERROR_LOG, 0, NULL, NULL, (void *)request_came, own, //
      OPTION_LOGGER, said, own, OPTION_LISTENER, listener, OPTION_CONNECTIONS, connections, OPTION_PER_ADDRESS, per_address, OPTION_TIMEOUT, idle_seconds,
      OPTION_MEMORY, memory, OPTION_SIGPIPE, 1, OPTION_UNESCAPE, leave_as_it_is, own, OPTION_TARGET, target_came,
      own, OPTION_COMPLETED, request_ended, own, OPTION_CONNECTION, connection_changed, own, OPTION_END);
}

void chttp_run(chttp_daemon *daemon) { lib.run(daemon); }
int chttp_descriptor(chttp_daemon *daemon) { return *(const int *)lib.get_daemon_info(daemon, INFO_EPOLL_OF_DAEMON); }

int64_t chttp_timeout(chttp_daemon *daemon) {
  unsigned long long milliseconds = 0;
  return lib.get_timeout(daemon, &milliseconds) ? (int64_t)milliseconds : -1;
}

int chttp_quiesce(chttp_daemon *daemon) { return lib.quiesce_daemon(daemon); }
void chttp_stop(chttp_daemon *daemon) { lib.stop_daemon(daemon); }
void chttp_suspend(chttp_connection *connection) { lib.suspend_connection(connection); }
void chttp_resume(chttp_connection *connection) { lib.resume_connection(connection); }

typedef struct {
  void *context;
  void (*take)(void *, const char *, size_t, const char *, size_t);
} header_taker;

static int take_header(void *taker, int kind, const char *name, size_t name_count, const char *value, size_t value_count) {
  (void)kind;
  const header_taker *own = taker;
  own->take(own->context, name, name_count, value, value_count);
  return 1;
}

void chttp_headers(
    chttp_connection *connection, void *context,
    void (*take)(void *context, const char *name, size_t name_count, const char *value, size_t value_count)) {
  header_taker taker = {context, take};
  lib.get_connection_values_n(connection, HEADERS, take_header, &taker);
}

static bool queue(
    chttp_connection *connection, unsigned status, const chttp_header *headers, size_t header_count, chttp_response *reply) {
  if (!reply) return false;
  for (size_t i = 0; i < header_count; i++) lib.add_response_header(reply, headers[i].name, headers[i].value);
  int is_queued = lib.queue_response(connection, status, reply);
  lib.destroy_response(reply);
  return is_queued;
}

bool chttp_reply(
    chttp_connection *connection, unsigned status, const chttp_header *headers, size_t header_count, const void *bytes,
    size_t count) {
  return queue(connection, status, headers, header_count, lib.create_response_from_buffer(count, (void *)bytes, MUST_COPY));
}

typedef struct {
  chttp_response *reply;
  void *source;
  ssize_t (*read)(void *, chttp_response *, char *, size_t);
  void (*release)(void *);
} stream;

static ssize_t read_stream(void *own, uint64_t position, char *buffer, size_t room) {
  (void)position;
  stream *of = own;
  return of->read(of->source, of->reply, buffer, room);
}

static void release_stream(void *own) {
  stream *of = own;
  of->release(of->source);
  free(of);
}

bool chttp_stream(
    chttp_connection *connection, unsigned status, const chttp_header *headers, size_t header_count, bool has_body, void *source,
    ssize_t (*read)(void *source, chttp_response *reply, char *buffer, size_t room), void (*release)(void *source)) {
  stream *own = malloc(sizeof *own);
  if (own) *own = (stream){NULL, source, read, release};
  chttp_response *reply = own ? lib.create_response_from_callback(UINT64_MAX, 32768, (void *)read_stream, own, release_stream) : NULL;
  if (reply) own->reply = reply;
  if (!reply) {
    release(source);
    free(own);
  }
  // In chunks the library would end the missing body too, and the next reply would seem to begin with that end.
  if (reply && !has_body) lib.set_response_options(reply, WITHOUT_CHUNKS, OPTION_END);
  return queue(connection, status, headers, header_count, reply);
}

void chttp_trailer(chttp_response *reply, const char *name, const char *value) { lib.add_response_footer(reply, name, value); }
