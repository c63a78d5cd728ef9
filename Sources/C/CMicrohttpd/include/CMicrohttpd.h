// libmicrohttpd and zlib, opened on first use instead of linked: only a program that serves pays for loading them. Their functions
// are declared here, as libmicrohttpd has had them since 0.9.71, so that nothing has to be installed to build this.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

typedef struct MHD_Daemon chttp_daemon;
typedef struct MHD_Connection chttp_connection;
typedef struct MHD_Response chttp_response;

/// Opens libmicrohttpd, once for the process. Returns NULL when it is open, else the reason why not. Nothing below except
/// `chttp_gzip` may be called before this has returned NULL.
const char *_Nullable chttp_open(void);

// MARK: Serving

/// The functions that the library calls while `chttp_run` runs, each with `context` first.
typedef struct {
  void *context;
  /// A connection was opened, or is about to be closed.
  void (*connection)(void *context, chttp_connection *connection, int descriptor, bool is_open);
  /// The first line of a request has come. Returns the request's own pointer, which the other functions get. If the library refuses the
  /// request itself, they do not get it.
  void *_Nonnull (*_Nonnull began)(void *context, chttp_connection *connection, const char *target);
  /// The head of a request has come if `bytes` and `count` are 0 for the first time, then parts of its body, then its end with 0 again.
  /// Returns false if the connection has to be closed.
  bool (*came)(
      void *context, void *request, chttp_connection *connection, const char *method, const char *version,
      const void *_Nullable bytes, size_t count);
  /// The reply was sent, or will never be. The request's pointer is not used again.
  void (*ended)(void *context, void *request, chttp_connection *connection);
  /// The library says something for a person.
  void (*said)(void *context, const char *text);
} chttp_handlers;

/// Serves a listening socket, which the daemon closes. `memory` is the greatest size of a request's head, and `per_address` the number of
/// connections of one client; 0 for any.
chttp_daemon *_Nullable chttp_start(
    int listener, const chttp_handlers *handlers, unsigned connections, unsigned per_address, unsigned idle_seconds, size_t memory);
/// Does what can be done without waiting.
void chttp_run(chttp_daemon *daemon);
/// A descriptor that is readable when `chttp_run` has something to do.
int chttp_descriptor(chttp_daemon *daemon);
/// The number of milliseconds after which `chttp_run` has something to do in any case; -1 for never.
int64_t chttp_timeout(chttp_daemon *daemon);
/// Accepts no more connections. Returns the listening socket, which the caller closes.
int chttp_quiesce(chttp_daemon *daemon);
/// Closes every connection and frees the daemon. No connection may be suspended.
void chttp_stop(chttp_daemon *daemon);

/// Calls `take` with each header of a request.
void chttp_headers(
    chttp_connection *connection, void *context,
    void (*take)(void *context, const char *name, size_t name_count, const char *_Nullable value, size_t value_count));
void chttp_suspend(chttp_connection *connection);
void chttp_resume(chttp_connection *connection);

typedef struct {
  const char *name;
  const char *value;
} chttp_header;

/// Replies with bytes, which are copied. Returns false if the connection has to be closed.
bool chttp_reply(
    chttp_connection *connection, unsigned status, const chttp_header *_Nullable headers, size_t header_count, const void *_Nullable bytes,
    size_t count);

enum { CHTTP_END = -1, CHTTP_BROKEN = -2 };

/// Replies with bytes that `read` gives, until it returns `CHTTP_END`, or `CHTTP_BROKEN` to break the reply off. If it returns 0, the
/// connection has to be suspended before. Before it returns `CHTTP_END` it may add trailers to the response that it gets. `release` gets the
/// pointer in the end. Without `has_body`, for HEAD, the head is sent alone.
bool chttp_stream(
    chttp_connection *connection, unsigned status, const chttp_header *_Nullable headers, size_t header_count, bool has_body,
    void *source, ssize_t (*read)(void *source, chttp_response *reply, char *buffer, size_t room), void (*release)(void *source));
/// Adds a header that is sent after the last chunk.
void chttp_trailer(chttp_response *reply, const char *name, const char *value);

// MARK: Compressing

/// Compresses into `target` as gzip. Returns the number of bytes; 0 if they do not fit, or if zlib is not installed.
size_t chttp_gzip(void *target, size_t room, const void *bytes, size_t count);

#pragma clang assume_nonnull end
