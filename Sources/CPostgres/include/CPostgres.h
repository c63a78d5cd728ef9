// libpq, opened on first use instead of linked: a program that keeps its store in a file does not pay for loading it.
// Its functions are declared here, as they have been since PostgreSQL 14, so that nothing has to be installed to build this.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct pg_conn cpg_connection;
typedef struct pg_result cpg_result;
typedef struct pg_cancel cpg_cancel;

/// Opens libpq, once for the process. Returns NULL when it is open, else why it is not.
/// Nothing below may be called before this has returned NULL.
const char *_Nullable cpg_open(void);

// MARK: Connecting

typedef enum { CPG_FAILED = 0, CPG_WANTS_TO_READ = 1, CPG_WANTS_TO_WRITE = 2, CPG_CONNECTED = 3 } cpg_progress;

/// Begins to connect; both arrays end in NULL. It may look up a host's address, and blocks while it does. What the server notices is not printed.
cpg_connection *_Nullable cpg_connect(
    const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values);
cpg_progress cpg_connect_further(cpg_connection *connection);
void cpg_finish(cpg_connection *connection);
int cpg_socket(const cpg_connection *connection);
bool cpg_is_connected(const cpg_connection *connection);
/// What went wrong last, with a line break at its end.
const char *cpg_error(const cpg_connection *connection);

// MARK: Asking

/// Never waits from now on, and sends many statements at once. False where the connection is no good.
bool cpg_prepare(cpg_connection *connection);
/// Gives text back for what it asks; `formats` says 1 where a value is in the binary form of its type.
bool cpg_send(
    cpg_connection *connection, const char *statement, int count, const unsigned *types, const char *_Nullable const *_Nonnull values,
    const int *lengths, const int *formats);
/// Ends the statements that are sent together.
bool cpg_sync(cpg_connection *connection);
/// 0 when all is sent, 1 when the socket has to be written to again, -1 when it cannot be.
int cpg_flush(cpg_connection *connection);
bool cpg_consume(cpg_connection *connection);
bool cpg_is_busy(cpg_connection *connection);
cpg_result *_Nullable cpg_next_result(cpg_connection *connection);

/// Asks the server to stop what it does for this connection: made while nobody else uses that, sent from any thread. It blocks.
cpg_cancel *_Nullable cpg_cancel_new(cpg_connection *connection);
void cpg_cancel_send(cpg_cancel *cancel);
void cpg_cancel_free(cpg_cancel *cancel);

// MARK: Results

typedef enum { CPG_DONE, CPG_ROWS, CPG_END_OF_SYNC, CPG_SKIPPED, CPG_ERROR } cpg_kind;

cpg_kind cpg_result_kind(const cpg_result *result);
void cpg_result_free(cpg_result *result);
int cpg_row_count(const cpg_result *result);
bool cpg_is_null(const cpg_result *result, int row, int column);
const char *cpg_value(const cpg_result *result, int row, int column);
int cpg_length(const cpg_result *result, int row, int column);
/// How many rows a statement changed, as text; empty where it changes none.
const char *cpg_changes(cpg_result *result);
/// The five letters that tell which error it is; NULL where libpq made it up.
const char *_Nullable cpg_error_code(const cpg_result *result);
const char *cpg_error_text(const cpg_result *result);

#pragma clang assume_nonnull end
