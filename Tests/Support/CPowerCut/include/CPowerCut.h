// A file system for SQLite that remembers in which order files were written, so that a test can lose any part of it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// What was done to a file.
enum { cpowercut_write, cpowercut_truncate, cpowercut_sync, cpowercut_delete };

typedef struct {
  int kind;
  /// The path of the file; it lives as long as the log.
  const char *path;
  /// The place of a write, or the size after a truncation.
  int64_t offset;
  int length;
  const unsigned char *_Nullable bytes;
} cpowercut_step;

/// Puts itself before the file system of this process, for every database that is opened later. Nothing changes for them but that what is
/// done to files below the folder is noted. NULL ends the log and frees it.
void cpowercut_begin(const char *_Nullable folder);

/// The number of steps so far, and one of them. No database below the folder may be in use meanwhile.
int cpowercut_count(void);
cpowercut_step cpowercut_at(int index);

#pragma clang assume_nonnull end
