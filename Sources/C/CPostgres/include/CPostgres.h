// libpq, opened on first use instead of linked: a program whose store is a file does not pay for loading it. Its
// functions are declared here, as they have been since PostgreSQL 14, so that nothing has to be installed to build this.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct pg_conn cpg_connection;
typedef struct pg_result cpg_result;
typedef struct pg_cancel cpg_cancel;

/// Opens libpq, once for the process. Returns NULL when it is open, else the reason why
/// not. Nothing below may be called before this has returned NULL.
const char *_Nullable cpg_open(void);

// MARK: Connecting

typedef enum { CPG_FAILED = 0, CPG_WANTS_TO_READ = 1, CPG_WANTS_TO_WRITE = 2, CPG_CONNECTED = 3 } cpg_progress;

/// Begins to connect; both arrays end in NULL. It blocks while it looks up a host's address. The server's notices are not printed.
cpg_connection *_Nullable cpg_connect(
    const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values);
cpg_progress cpg_connect_further(cpg_connection *connection);
void cpg_finish(cpg_connection *connection);
int cpg_socket(const cpg_connection *connection);
bool cpg_is_connected(const cpg_connection *connection);
/// The last error, with a line break at its end.
const char *cpg_error(const cpg_connection *connection);

// MARK: Asking

/// Makes the connection never wait, and send many statements at once. Returns false if the connection is broken.
bool cpg_prepare(cpg_connection *connection);
/// Sends a statement whose results come back as text. A format is 1 for a value in the binary form of its type, else 0.
bool cpg_send(
    cpg_connection *connection, const char *statement, int count, const unsigned *types, const char *_Nullable const *_Nonnull values,
    const int *lengths, const int *formats);
/// Ends the statements that are sent together.
bool cpg_sync(cpg_connection *connection);
/// Returns 0 when all is sent, 1 when the socket has to be written to again, -1 when it cannot be.
int cpg_flush(cpg_connection *connection);
bool cpg_consume(cpg_connection *connection);
bool cpg_is_busy(cpg_connection *connection);
cpg_result *_Nullable cpg_next_result(cpg_connection *connection);

/// Asks the server to stop what it does for this connection. It is made while no other
/// thread uses the connection; any thread may send it, which blocks.
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
/// Returns how many rows a statement changed, as text; empty for a statement that changes none.
const char *cpg_changes(cpg_result *result);
/// Returns PostgreSQL's five-letter code of the error; NULL for an error of libpq itself.
const char *_Nullable cpg_error_code(const cpg_result *result);
const char *cpg_error_text(const cpg_result *result);

#pragma clang assume_nonnull end
