#include "CCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// MARK: Opening

#define FUNCTIONS(X)                                                                                                   \
  X(global_init) X(easy_init) X(easy_reset) X(easy_cleanup) X(easy_setopt) X(easy_getinfo) X(easy_strerror)            \
  X(slist_append) X(slist_free_all) X(multi_init) X(multi_cleanup) X(multi_setopt) X(multi_add_handle)                 \
  X(multi_remove_handle) X(multi_perform) X(multi_poll) X(multi_wakeup) X(multi_info_read)

#define MEMBER(name) typeof(curl_##name) *name;
static struct { FUNCTIONS(MEMBER) } lib; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char *const file_names[] = {"/usr/lib/libcurl.4.dylib"};
#else
static const char *const file_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

// zlib, which libcurl brings along. Its stream, as `zlib.h` has declared it since 1995.
typedef struct {
  const void *next_in;
  unsigned avail_in;
  unsigned long total_in;
  void *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state, *allocate, *release, *opaque;
  int data_type;
  unsigned long check, reserved;
} zlib_stream;

static struct {
  int (*init)(zlib_stream *, int, const char *, int);
  int (*run)(zlib_stream *, int);
  int (*end)(zlib_stream *);
  int (*next)(zlib_stream *, int);
} zlib; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char *const zlib_name = "/usr/lib/libz.1.dylib";
#else
static const char *const zlib_name = "libz.so.1";
#endif

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static bool is_settled; // false until the library was opened, or cannot be; both under `opening`
static const char *problem;
static atomic_bool is_exiting;
static pthread_rwlock_t work = PTHREAD_RWLOCK_INITIALIZER;

/// Keeps every worker out of libcurl from now on, and waits at most a tenth of a second for one that is inside.
static void stop_work(void) {
  atomic_store(&is_exiting, true);
  for (int tries = 0; tries < 100; tries++) {
    if (pthread_rwlock_trywrlock(&work) == 0) return;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static void open_library(void) {
  void *library = NULL;
  problem = NULL;
  is_settled = true;
  for (size_t i = 0; library == NULL && i < sizeof file_names / sizeof *file_names; i++)
    library = dlopen(file_names[i], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    // libcurl may be installed: if files cannot be opened at all, that is the reason.
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    problem = file < 0 ? "libcurl cannot be opened: too many files are open" : "libcurl is not installed";
    is_settled = file >= 0;
    if (file >= 0) close(file);
    return;
  }
#define RESOLVE(name)                                                                                                  \
  lib.name = (typeof(lib.name))dlsym(library, "curl_" #name);                                                          \
  if (lib.name == NULL) problem = "the installed libcurl is older than 7.68";
  FUNCTIONS(RESOLVE)
  if (problem != NULL) return;
  if (lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    problem = "libcurl could not be started";
    return;
  }
  void *unpacking = dlopen(zlib_name, RTLD_NOW | RTLD_LOCAL);
  if (unpacking != NULL) {
    zlib.init = (typeof(zlib.init))dlsym(unpacking, "inflateInit2_");
    zlib.run = (typeof(zlib.run))dlsym(unpacking, "inflate");
    zlib.end = (typeof(zlib.end))dlsym(unpacking, "inflateEnd");
    zlib.next = (typeof(zlib.next))dlsym(unpacking, "inflateReset2");
  }
  // Registered after the TLS library's own function, so that it runs before that.
  atexit(stop_work);
}

const char *ccurl_open(void) {
  pthread_mutex_lock(&opening);
  if (!is_settled) open_library();
  const char *found = problem;
  pthread_mutex_unlock(&opening);
  return found;
}

// MARK: The worker's thread

struct start {
  void (*run)(void *);
  void *context;
};

static void *run_thread(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  start.run(start.context);
  return NULL;
}

bool ccurl_start_thread(void (*run)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return false;
  *start = (struct start){run, context};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_thread, start) != 0) {
    free(start);
    return false;
  }
  pthread_detach(thread);
  return true;
}

static void *pass_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/// True when a limit is low enough to be reached. Trying costs a third of a millisecond, which few processes need.
static bool threads_are_few(void) {
#ifdef __linux__
  const long few = 4096;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < (rlim_t)few) return true;
  char text[16] = "max"; // the file's text without a limit
  int file = open("/sys/fs/cgroup/pids.max", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (read(file, text, sizeof text - 1) <= 0) text[0] = 'm';
  close(file);
  return text[0] != 'm' && atol(text) < few;
#else
  return false;
#endif
}

bool ccurl_can_start_threads(int count) {
  if (!threads_are_few()) return true;
  // No thread ends before all have begun, so that they exist at the same time.
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t threads[16];
  int started = 0;
  pthread_mutex_lock(&gate);
  while (started < count && started < 16 && pthread_create(&threads[started], NULL, pass_gate, &gate) == 0) started++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return started == count;
}

void ccurl_begin_work(void) {
  while (atomic_load(&is_exiting)) pause();
  pthread_rwlock_rdlock(&work);
}

void ccurl_end_work(void) { pthread_rwlock_unlock(&work); }

// MARK: One transfer

CURL *ccurl_easy_new(void) { return lib.easy_init(); }
void ccurl_easy_reset(CURL *easy) { lib.easy_reset(easy); }
void ccurl_easy_free(CURL *easy) { lib.easy_cleanup(easy); }
const char *ccurl_text(CURLcode code) { return lib.easy_strerror(code); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) { return lib.easy_setopt(easy, option, value); }

CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
  return lib.easy_setopt(easy, option, list);
}

CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = lib.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  // A NULL would mean "ask a read function".
  return code != CURLE_OK ? code : lib.easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes == NULL ? "" : bytes);
}

CURLcode ccurl_set_receivers(CURL *easy, ccurl_receiver head, ccurl_receiver body, void *context) {
  CURLcode codes[] = {
      lib.easy_setopt(easy, CURLOPT_HEADERFUNCTION, head),
      lib.easy_setopt(easy, CURLOPT_HEADERDATA, context),
      lib.easy_setopt(easy, CURLOPT_WRITEFUNCTION, body),
      lib.easy_setopt(easy, CURLOPT_WRITEDATA, context),
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i] != CURLE_OK) return codes[i];
  return CURLE_OK;
}

void ccurl_set_gate(CURL *easy, ccurl_gate gate, void *context) {
  // By number: the oldest headers that this builds with lack the names CURLOPT_PREREQFUNCTION and CURLOPT_PREREQDATA.
  lib.easy_setopt(easy, (CURLoption)(CURLOPTTYPE_FUNCTIONPOINT + 312), gate);
  lib.easy_setopt(easy, (CURLoption)(CURLOPTTYPE_OBJECTPOINT + 313), context);
}

long ccurl_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return lib.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t ccurl_size(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return lib.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

struct curl_slist *ccurl_list_adding(struct curl_slist *list, const char *text) { return lib.slist_append(list, text); }
void ccurl_list_free(struct curl_slist *list) { lib.slist_free_all(list); }

// MARK: Unpacking

bool ccurl_can_inflate(void) {
  return zlib.init != NULL && zlib.run != NULL && zlib.end != NULL && zlib.next != NULL;
}

void *ccurl_inflate_new(void) {
  zlib_stream *stream = ccurl_can_inflate() ? calloc(1, sizeof *stream) : NULL;
  // The largest window; gzip or zlib, depending on the first bytes.
  if (stream == NULL || zlib.init(stream, 15 + 32, "1", sizeof *stream) == 0) return stream;
  free(stream);
  return NULL;
}

void ccurl_inflate_free(void *inflate) {
  zlib.end(inflate);
  free(inflate);
}

bool ccurl_inflate_next(void *inflate) {
  // The largest window, and gzip alone.
  return zlib.next(inflate, 15 + 16) == 0;
}

ccurl_inflate_result ccurl_inflate(void *inflate, const void **in, size_t *in_count, void *out, size_t *out_count) {
  zlib_stream *stream = inflate;
  const unsigned most = 1u << 30;
  unsigned given = *in_count < most ? (unsigned)*in_count : most;
  stream->next_in = *in;
  stream->avail_in = given;
  stream->next_out = out;
  stream->avail_out = *out_count < most ? (unsigned)*out_count : most;
  int code = zlib.run(stream, 0);
  *in_count -= given - stream->avail_in;
  *in = stream->next_in;
  *out_count = stream->avail_out;
  // -5 is Z_BUF_ERROR: there was nothing to do.
  return code == 1 ? CCURL_INFLATE_END : code == 0 || code == -5 ? CCURL_INFLATE_MORE : CCURL_INFLATE_BROKEN;
}

// MARK: Many transfers

CURLM *ccurl_multi_new(void) { return lib.multi_init(); }
void ccurl_multi_free(CURLM *multi) { lib.multi_cleanup(multi); }
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return lib.multi_setopt(multi, option, value);
}
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy) { return lib.multi_add_handle(multi, easy); }
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy) { return lib.multi_remove_handle(multi, easy); }
CURLMcode ccurl_multi_wake(CURLM *multi) { return lib.multi_wakeup(multi); }

CURLMcode ccurl_multi_perform(CURLM *multi) {
  int running;
  return lib.multi_perform(multi, &running);
}

CURLMcode ccurl_multi_wait(CURLM *multi, int milliseconds) {
  return lib.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

CURL *ccurl_multi_next_ended(CURLM *multi, CURLcode *code) {
  int left;
  for (CURLMsg *message; (message = lib.multi_info_read(multi, &left)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
