// SQLite, and what Swift cannot call by itself: variadic functions, and constants that are casts.
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Configures SQLite, once for the process and before anything else: it counts no memory, which costs a lock at every allocation.
void csqlite_prepare(void);

/// Closes a connection without writing the -wal file back, even if it is the last one.
void csqlite_close_untouched(sqlite3 *connection);

/// Binds bytes that stay in place until the statement is reset.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *_Nullable bytes, int count);

/// Locks or unlocks one byte of an open file, against all others who opened it themselves. Returns false, with errno, if another has it.
bool csqlite_lock(int file, int64_t place, bool is_taking);

#pragma clang assume_nonnull end
