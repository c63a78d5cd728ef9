// SQLite, and what Swift cannot call by itself: variadic functions, and constants that are casts.
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Once for the process, before anything else: counts no memory, which costs a lock at every allocation.
void csqlite_prepare(void);

/// Leaves the -wal file alone when the connection closes, whether or not it is the last one.
void csqlite_close_untouched(sqlite3 *connection);

/// Bytes that stay where they are until the statement is reset.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *_Nullable bytes, int count);

/// Locks one byte of an open file against all who opened it themselves, or unlocks it; false, with errno, when another has it.
bool csqlite_lock(int file, int64_t place, bool is_taking);

#pragma clang assume_nonnull end
