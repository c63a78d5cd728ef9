#include "CPowerCut.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// MARK: The log

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *folder;
static cpowercut_step *steps;
static int count, room;

static void note(int kind, const char *path, int64_t offset, int length, const void *bytes) {
  pthread_mutex_lock(&lock);
  if (path != NULL && folder != NULL && strncmp(path, folder, strlen(folder)) == 0) {
    if (count == room) steps = realloc(steps, (size_t)(room = room * 2 + 64) * sizeof *steps);
    unsigned char *copy = bytes == NULL ? NULL : malloc((size_t)length + 1);
    if (copy != NULL) memcpy(copy, bytes, (size_t)length);
    steps[count++] = (cpowercut_step){kind, strdup(path), offset, length, copy};
  }
  pthread_mutex_unlock(&lock);
}

int cpowercut_count(void) { return count; }
cpowercut_step cpowercut_at(int index) { return steps[index]; }

// MARK: A file

typedef struct {
  sqlite3_file base;
  char *path; // NULL for a temporary file
  sqlite3_file *real;
} File;

#define REAL(file) ((File *)(file))->real
#define METHODS(file) REAL(file)->pMethods

static int close_file(sqlite3_file *file) {
  int code = METHODS(file)->xClose(REAL(file));
  free(((File *)file)->path);
  return code;
}
static int read_file(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
  return METHODS(file)->xRead(REAL(file), bytes, length, offset);
}
static int write_file(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
  note(cpowercut_write, ((File *)file)->path, offset, length, bytes);
  return METHODS(file)->xWrite(REAL(file), bytes, length, offset);
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  note(cpowercut_truncate, ((File *)file)->path, size, 0, NULL);
  return METHODS(file)->xTruncate(REAL(file), size);
}
static int sync_file(sqlite3_file *file, int flags) {
  int code = METHODS(file)->xSync(REAL(file), flags);
  if (code == SQLITE_OK) note(cpowercut_sync, ((File *)file)->path, 0, 0, NULL);
  return code;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return METHODS(file)->xFileSize(REAL(file), size); }
static int lock_file(sqlite3_file *file, int level) { return METHODS(file)->xLock(REAL(file), level); }
static int unlock_file(sqlite3_file *file, int level) { return METHODS(file)->xUnlock(REAL(file), level); }
static int check_lock(sqlite3_file *file, int *held) { return METHODS(file)->xCheckReservedLock(REAL(file), held); }
static int control(sqlite3_file *file, int op, void *value) { return METHODS(file)->xFileControl(REAL(file), op, value); }
static int sector_size(sqlite3_file *file) { return METHODS(file)->xSectorSize(REAL(file)); }
static int traits(sqlite3_file *file) { return METHODS(file)->xDeviceCharacteristics(REAL(file)); }
static int map_memory(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  return METHODS(file)->xShmMap(REAL(file), page, size, extends, memory);
}
static int lock_memory(sqlite3_file *file, int offset, int length, int flags) {
  return METHODS(file)->xShmLock(REAL(file), offset, length, flags);
}
static void order_memory(sqlite3_file *file) { METHODS(file)->xShmBarrier(REAL(file)); }
static int unmap_memory(sqlite3_file *file, int deletes) { return METHODS(file)->xShmUnmap(REAL(file), deletes); }

// Version 2: with shared memory for the log, without files that are mapped.
static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = close_file, .xRead = read_file, .xWrite = write_file, .xTruncate = truncate_file,
    .xSync = sync_file, .xFileSize = file_size, .xLock = lock_file, .xUnlock = unlock_file, .xCheckReservedLock = check_lock,
    .xFileControl = control, .xSectorSize = sector_size, .xDeviceCharacteristics = traits, .xShmMap = map_memory,
    .xShmLock = lock_memory, .xShmBarrier = order_memory, .xShmUnmap = unmap_memory,
};

// MARK: The file system

static sqlite3_vfs *real;
static sqlite3_vfs system_of_files;

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  File *own = (File *)file;
  own->real = (sqlite3_file *)(own + 1);
  own->path = path == NULL ? NULL : strdup(path);
  own->base.pMethods = NULL;
  int code = real->xOpen(real, path, own->real, flags, out);
  if (own->real->pMethods != NULL) own->base.pMethods = &methods; else free(own->path);
  return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  int code = real->xDelete(real, path, syncs);
  if (code == SQLITE_OK) note(cpowercut_delete, path, 0, 0, NULL);
  return code;
}

static void put_before(void) {
  real = sqlite3_vfs_find(NULL);
  // The other functions take any file system, since the real one keeps nothing in its own.
  system_of_files = *real;
  system_of_files.zName = "powercut";
  system_of_files.pNext = NULL;
  system_of_files.szOsFile = (int)sizeof(File) + real->szOsFile;
  system_of_files.xOpen = open_file;
  system_of_files.xDelete = delete_file;
  sqlite3_vfs_register(&system_of_files, 1);
}

void cpowercut_begin(const char *of) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, put_before);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++) {
    free((void *)steps[i].path);
    free((void *)steps[i].bytes);
  }
  count = 0;
  free(folder);
  folder = of == NULL ? NULL : strdup(of);
  pthread_mutex_unlock(&lock);
}
