// A library for LD_PRELOAD: it makes the n-th call of one kind fail, and moves the clock. For Scripts/test-failing-calls and Scripts/chaos.
//
// FAILING_CALLS names a file of 4096 bytes, which the process and the script map together. It holds numbers of 64 bits:
//
//   0  the kind whose calls fail, as in `enum kind`; 0 for no kind
//   1  the number of the call that fails, counted from 1
//   2  the errno; 0 makes a short read or write, of half of the bytes
//   3  1 if all later calls fail too
//   4  how many seconds the clock is ahead
//   5, 6  the addresses between which a caller of malloc in the command itself counts; it may have SQLite linked in
//   7  1 if calls are counted and fail; the script may set it at any time
//   8  how many calls failed
//   9  the file descriptor of the last call that failed, or -1
//   10 to 25  the addresses of its callers, less the address of the command, if the command has frame pointers
//   32 + kind  how many calls of the kind were counted

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, OPEN, READ, PREAD, WRITE, PWRITE, FSYNC, RENAME, UNLINK, MKDIR, FTRUNCATE, STAT, MMAP, LOCK, SOCKET, CONNECT, ACCEPT, SEND, RECV, POLL, DESCRIPTOR, MALLOC };
enum place { WHICH, NUMBER, ERRNO, LATER, CLOCK, LOW, HIGH, ARMED, FAILED, WHERE, CALLERS, COUNTS = 32 };

// Written once, before main, and only read afterwards.
static _Atomic int64_t *shared;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("FAILING_CALLS");
  if (!name) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
  syscall(SYS_close, file);
  if (mapped != MAP_FAILED) shared = mapped;
}

#define REAL(name) static typeof(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

static void note_callers(void) {
  void *callers[18];
  // For a person who looks for the cause; it takes memory, which the n-th malloc may not.
  int count = getenv("FAILING_CALLERS") ? backtrace(callers, 18) : 0;
  for (int i = 2; i < count; i++) shared[CALLERS + i - 2] = (int64_t)(intptr_t)callers[i];
}

/// Counts a call. Returns 0 if it happens as usual, 1 if it has to fail (errno is set), and -1 if it has to be short.
static int verdict(enum kind kind, int file) {
  if (!shared || !shared[ARMED]) return 0;
  int64_t number = ++shared[COUNTS + kind];
  if (shared[WHICH] != kind || (shared[LATER] ? number < shared[NUMBER] : number != shared[NUMBER])) return 0;
  shared[WHERE] = file;
  if (!shared[FAILED]++ && kind != MALLOC) note_callers();
  if (!shared[ERRNO]) return -1;
  errno = (int)shared[ERRNO];
  return 1;
}

/// True for a file, a device and a connection. The reads and writes of events and pipes between threads do not fail on a real machine.
static bool counts(int file) {
  struct stat about;
  struct sockaddr address;
  socklen_t length = sizeof address;
  if (file >= 0 && file <= 2) return true;
  if (!shared || syscall(SYS_fstat, file, &about)) return false;
  if (S_ISSOCK(about.st_mode)) return getsockname(file, &address, &length) == 0 && address.sa_family != AF_UNIX;
  return S_ISREG(about.st_mode) || S_ISCHR(about.st_mode);
}

#define FAIL(kind, file, result) do { if (verdict(kind, file) > 0) return result; } while (0)

// MARK: Files

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

// libdispatch, which Swift's tasks run on, ends the process if it cannot read /proc.
#define FAIL_OPEN(path, result) if (strncmp(path, "/proc/", 6)) FAIL(OPEN, -1, result)

int open(const char *path, int flags, ...) { MODE REAL(open); FAIL_OPEN(path, -1); return real(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE REAL(open64); FAIL_OPEN(path, -1); return real(path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE REAL(openat); FAIL_OPEN(path, -1); return real(at, path, flags, mode); }
FILE *fopen(const char *path, const char *mode) { REAL(fopen); FAIL_OPEN(path, NULL); return real(path, mode); }

#define TRANSFER(kind, name, arguments, ...)                                                                           \
  ssize_t name arguments {                                                                                             \
    REAL(name);                                                                                                        \
    int is = counts(file) ? verdict(kind, file) : 0;                                                                   \
    if (is > 0) return -1;                                                                                             \
    if (is < 0 && size > 1) size /= 2;                                                                                 \
    return real(__VA_ARGS__);                                                                                          \
  }

TRANSFER(READ, read, (int file, void *bytes, size_t size), file, bytes, size)
TRANSFER(PREAD, pread, (int file, void *bytes, size_t size, off_t at), file, bytes, size, at)
TRANSFER(PREAD, pread64, (int file, void *bytes, size_t size, off64_t at), file, bytes, size, at)
TRANSFER(WRITE, write, (int file, const void *bytes, size_t size), file, bytes, size)
TRANSFER(PWRITE, pwrite, (int file, const void *bytes, size_t size, off_t at), file, bytes, size, at)
TRANSFER(PWRITE, pwrite64, (int file, const void *bytes, size_t size, off64_t at), file, bytes, size, at)
TRANSFER(SEND, send, (int file, const void *bytes, size_t size, int flags), file, bytes, size, flags)
TRANSFER(RECV, recv, (int file, void *bytes, size_t size, int flags), file, bytes, size, flags)
TRANSFER(SEND, sendto, (int file, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t length), file, bytes, size, flags, to, length)
TRANSFER(RECV, recvfrom, (int file, void *bytes, size_t size, int flags, struct sockaddr *from, socklen_t *length), file, bytes, size, flags, from, length)
ssize_t writev(int file, const struct iovec *parts, int count) { REAL(writev); FAIL(WRITE, file, -1); return real(file, parts, count); }
ssize_t readv(int file, const struct iovec *parts, int count) { REAL(readv); FAIL(READ, file, -1); return real(file, parts, count); }
ssize_t sendmsg(int file, const struct msghdr *message, int flags) { REAL(sendmsg); FAIL(SEND, file, -1); return real(file, message, flags); }
ssize_t recvmsg(int file, struct msghdr *message, int flags) { REAL(recvmsg); FAIL(RECV, file, -1); return real(file, message, flags); }

int fsync(int file) { REAL(fsync); FAIL(FSYNC, file, -1); return real(file); }
int fdatasync(int file) { REAL(fdatasync); FAIL(FSYNC, file, -1); return real(file); }
int rename(const char *from, const char *to) { REAL(rename); FAIL(RENAME, -1, -1); return real(from, to); }
int link(const char *from, const char *to) { REAL(link); FAIL(RENAME, -1, -1); return real(from, to); }
int unlink(const char *path) { REAL(unlink); FAIL(UNLINK, -1, -1); return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); FAIL(MKDIR, -1, -1); return real(path, mode); }
int ftruncate(int file, off_t size) { REAL(ftruncate); FAIL(FTRUNCATE, file, -1); return real(file, size); }
int ftruncate64(int file, off64_t size) { REAL(ftruncate64); FAIL(FTRUNCATE, file, -1); return real(file, size); }
int stat(const char *restrict path, struct stat *restrict about) { REAL(stat); FAIL(STAT, -1, -1); return real(path, about); }
int stat64(const char *restrict path, struct stat64 *restrict about) { REAL(stat64); FAIL(STAT, -1, -1); return real(path, about); }
int lstat(const char *restrict path, struct stat *restrict about) { REAL(lstat); FAIL(STAT, -1, -1); return real(path, about); }
int lstat64(const char *restrict path, struct stat64 *restrict about) { REAL(lstat64); FAIL(STAT, -1, -1); return real(path, about); }
int fstat(int file, struct stat *about) { REAL(fstat); FAIL(STAT, file, -1); return real(file, about); }
int fstat64(int file, struct stat64 *about) { REAL(fstat64); FAIL(STAT, file, -1); return real(file, about); }

// Memory without a file is what malloc takes; Swift ends without it.
void *mmap(void *at, size_t size, int access, int flags, int file, off_t from) { REAL(mmap); if (file >= 0) FAIL(MMAP, file, MAP_FAILED); return real(at, size, access, flags, file, from); }
void *mmap64(void *at, size_t size, int access, int flags, int file, off64_t from) { REAL(mmap64); if (file >= 0) FAIL(MMAP, file, MAP_FAILED); return real(at, size, access, flags, file, from); }

// Giving a lock back never fails on a real machine.
#define CONTROL(name)                                                                                                  \
  int name(int file, int command, ...) {                                                                               \
    va_list list;                                                                                                      \
    va_start(list, command);                                                                                           \
    void *argument = va_arg(list, void *);                                                                             \
    va_end(list);                                                                                                      \
    REAL(name);                                                                                                        \
    if ((command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) &&                                       \
        ((struct flock *)argument)->l_type != F_UNLCK) FAIL(LOCK, file, -1);                                           \
    return real(file, command, argument);                                                                              \
  }
CONTROL(fcntl)
CONTROL(fcntl64)
int flock(int file, int what) { REAL(flock); FAIL(LOCK, file, -1); return real(file, what); }

// MARK: The network, events and threads

int socket(int domain, int type, int protocol) { REAL(socket); FAIL(SOCKET, -1, -1); return real(domain, type, protocol); }
int socketpair(int domain, int type, int protocol, int both[2]) { REAL(socketpair); FAIL(DESCRIPTOR, -1, -1); return real(domain, type, protocol, both); }
int connect(int file, const struct sockaddr *to, socklen_t length) { REAL(connect); FAIL(CONNECT, file, -1); return real(file, to, length); }
int accept(int file, struct sockaddr *from, socklen_t *length) { REAL(accept); FAIL(ACCEPT, file, -1); return real(file, from, length); }
int accept4(int file, struct sockaddr *from, socklen_t *length, int flags) { REAL(accept4); FAIL(ACCEPT, file, -1); return real(file, from, length, flags); }
int poll(struct pollfd *files, nfds_t count, int time) { REAL(poll); FAIL(POLL, -1, -1); return real(files, count, time); }
int epoll_wait(int file, struct epoll_event *events, int count, int time) { REAL(epoll_wait); FAIL(POLL, file, -1); return real(file, events, count, time); }
// libdispatch also ends the process if it gets no epoll_create1 and no eventfd. They never fail here.
int pipe(int both[2]) { REAL(pipe); FAIL(DESCRIPTOR, -1, -1); return real(both); }
int pipe2(int both[2], int flags) { REAL(pipe2); FAIL(DESCRIPTOR, -1, -1); return real(both, flags); }
int dup2(int from, int to) { REAL(dup2); FAIL(DESCRIPTOR, from, -1); return real(from, to); }

// MARK: The clock

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  int result = real(clock, now);
  if (!result && shared && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shared[CLOCK];
  return result;
}
time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return place ? *place = now.tv_sec : now.tv_sec;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(now, zone);
  if (!result && shared) now->tv_sec += shared[CLOCK];
  return result;
}

// MARK: Memory

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

/// True for a caller in a C library that has to live without memory. Swift ends without it.
static bool is_library(void *caller) {
  static struct { _Atomic(void *) caller; _Atomic bool is; } seen[1024];
  uintptr_t place = ((uintptr_t)caller >> 2) % 1024;
  if ((int64_t)(intptr_t)caller >= shared[LOW] && (int64_t)(intptr_t)caller < shared[HIGH]) return true;
  if (seen[place].caller == caller) return seen[place].is;
  Dl_info about;
  bool is = dladdr(caller, &about) && about.dli_fname && (strstr(about.dli_fname, "libsqlite3") || strstr(about.dli_fname, "libcurl") || strstr(about.dli_fname, "libxml2") || strstr(about.dli_fname, "libmicrohttpd"));
  seen[place].caller = NULL;
  seen[place].is = is;
  seen[place].caller = caller;
  return is;
}

static bool is_short_of_memory(void *caller) { return shared && shared[ARMED] && is_library(caller) && verdict(MALLOC, -1) > 0; }

void *malloc(size_t size) { return is_short_of_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_short_of_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return is_short_of_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size); }
