// For F_OFD_SETLK.
#define _GNU_SOURCE
#include "CSQLite.h"

#include <fcntl.h>
#include <unistd.h>

void csqlite_prepare(bool counts_memory) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts_memory ? 1 : 0); }

void csqlite_close_untouched(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
  sqlite3_close_v2(connection);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  // A null pointer would bind NULL, which is not an empty text.
  return sqlite3_bind_text(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

bool csqlite_lock(int file, int64_t place, bool is_taking) {
  struct flock lock = {.l_type = is_taking ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
  // The lock is one of the open file, not of the process: two stores in one process wait for each other too.
#ifdef F_OFD_SETLK
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
#else
  return fcntl(file, F_SETLK, &lock) == 0;
#endif
}

bool csqlite_is_locked(int file, int64_t place) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
#ifdef F_OFD_GETLK
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
#else
  return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
#endif
}

void csqlite_harden(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
}

char *csqlite_message(const char *text) { return sqlite3_mprintf("%s", text); }
