// libcurl, opened on first use instead of linked: a program that sends nothing does not pay for loading it.
// Swift cannot call variadic functions, so each kind of option and information has a function of its own here.
#pragma once

// Deprecated names are used on purpose: every libcurl from 7.68 on understands them.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Opens libcurl, once for the process. Returns NULL when it is open, else the reason why
/// not. Nothing below may be called before this has returned NULL.
const char *_Nullable ccurl_open(void);

/// Runs `run(context)` on a detached thread that gets no signals. Returns false if the system gives no thread. Without
/// signals, writing to a connection that the other side has closed is an error code and does not end the process.
bool ccurl_start_thread(void (*run)(void *context), void *context);

/// True when `count` threads, at most 16, can exist at once. It is tried only if a limit is low.
bool ccurl_can_start_threads(int count);

/// A thread may call libcurl between these two. Once the process has begun to exit, the first
/// never returns: TLS libraries free themselves at exit while other threads still use them.
void ccurl_begin_work(void);
void ccurl_end_work(void);

// MARK: One transfer

CURL *_Nullable ccurl_easy_new(void);
void ccurl_easy_reset(CURL *easy);
void ccurl_easy_free(CURL *easy);
const char *ccurl_text(CURLcode code);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *_Nullable list);
/// Copies `count` bytes as the body of a POST.
CURLcode ccurl_set_body(CURL *easy, const void *_Nullable bytes, size_t count);
/// Receives the body, or the lines of the head.
typedef size_t (*ccurl_receiver)(char *_Nullable bytes, size_t one, size_t count, void *_Nullable context);
CURLcode ccurl_set_receivers(CURL *easy, ccurl_receiver head, ccurl_receiver body, void *context);
/// Decides whether the request may be sent: 0 if it may, 1 to end the transfer. It gets the addresses and ports of both ends too.
typedef int (*ccurl_gate)(
    void *_Nullable context, char *_Nullable far, char *_Nullable near, int far_port, int near_port);
/// Asks `gate` each time before the request is sent. libcurl has this from 7.80 on; an older one never asks.
void ccurl_set_gate(CURL *easy, ccurl_gate gate, void *context);

/// Returns the information, or zero if it is not known.
long ccurl_long(CURL *easy, CURLINFO info);
curl_off_t ccurl_size(CURL *easy, CURLINFO info);

/// Returns the list with a copy of `text` at its end. Without memory it returns NULL, and the list stays as it was.
struct curl_slist *_Nullable ccurl_list_adding(struct curl_slist *_Nullable list, const char *text);
void ccurl_list_free(struct curl_slist *_Nullable list);

// MARK: Unpacking

// libcurl unpacks gzip too, but does not report a missing end, and refuses what comes after the first member.

/// Makes an unpacker for one body in gzip or zlib; NULL if zlib cannot be opened.
void *_Nullable ccurl_inflate_new(void);
void ccurl_inflate_free(void *inflate);
/// True when zlib is open, so that `ccurl_inflate_new` can make one.
bool ccurl_can_inflate(void);

typedef enum { CCURL_INFLATE_MORE, CCURL_INFLATE_END, CCURL_INFLATE_BROKEN } ccurl_inflate_result;

/// Takes bytes from `*in` and writes bytes to `out`; both counts become what is left of
/// each. Call it again until `*in_count` is zero and some room is left in `out`.
ccurl_inflate_result ccurl_inflate(
    void *inflate, const void *_Nonnull *_Nonnull in, size_t *in_count, void *out, size_t *out_count);
/// Makes the unpacker ready for a further member of gzip, after the end of the one before. False if it cannot be.
bool ccurl_inflate_next(void *inflate);

// MARK: Many transfers

CURLM *_Nullable ccurl_multi_new(void);
void ccurl_multi_free(CURLM *multi);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy);
/// Moves every transfer as far as it goes without waiting.
CURLMcode ccurl_multi_perform(CURLM *multi);
/// Waits until a transfer can move, another thread wakes it, or the time is up.
CURLMcode ccurl_multi_wait(CURLM *multi, int milliseconds);
/// Wakes the waiting thread. The only function that any thread may call at any time.
CURLMcode ccurl_multi_wake(CURLM *multi);
/// Returns the next transfer that has ended, and its result; NULL after the last.
CURL *_Nullable ccurl_multi_next_ended(CURLM *multi, CURLcode *code);

#pragma clang assume_nonnull end
