// SQLite, and what Swift cannot call by itself: variadic functions, and constants that are casts.
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Configures SQLite, once for the process and before anything else. It counts its memory only if asked to, because that costs a lock at every
/// allocation.
void csqlite_prepare(bool counts_memory);

/// Closes a connection without writing the -wal file back, even if it is the last one.
void csqlite_close_untouched(sqlite3 *connection);

/// Binds bytes that stay in place until the statement is reset.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *_Nullable bytes, int count);

/// Locks or unlocks one byte of an open file, against all others who opened it themselves. Returns false, with errno, if another has it.
bool csqlite_lock(int file, int64_t place, bool is_taking);

/// Returns true when another open file has locked a byte of the file.
bool csqlite_is_locked(int file, int64_t place);

/// A table that is written in Swift, and a place in it. SQLite owns their beginnings.
typedef struct {
  sqlite3_vtab base;
  void *_Nullable table;
} csqlite_table;

typedef struct {
  sqlite3_vtab_cursor base;
  void *_Nullable cursor;
} csqlite_cursor;

/// Makes a connection refuse what statements of a person do not need: texts in double quotes, writing the schema, extensions.
void csqlite_harden(sqlite3 *connection);

/// Returns a copy of a message that SQLite frees.
char *_Nullable csqlite_message(const char *text);

#pragma clang assume_nonnull end
