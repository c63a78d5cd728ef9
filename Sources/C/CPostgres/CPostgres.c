#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>

// MARK: Opening

static struct {
  cpg_connection *(*connectStartParams)(const char *const *, const char *const *, int);
  int (*connectPoll)(cpg_connection *);
  void (*finish)(cpg_connection *);
  int (*socket)(const cpg_connection *);
  int (*status)(const cpg_connection *);
  char *(*errorMessage)(const cpg_connection *);
  int (*setnonblocking)(cpg_connection *, int);
  int (*enterPipelineMode)(cpg_connection *);
  void *(*setNoticeReceiver)(cpg_connection *, void (*)(void *, const cpg_result *), void *);
  int (*sendQueryParams)(
      cpg_connection *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);
  int (*pipelineSync)(cpg_connection *);
  int (*flush)(cpg_connection *);
  int (*consumeInput)(cpg_connection *);
  int (*isBusy)(cpg_connection *);
  cpg_result *(*getResult)(cpg_connection *);
  cpg_cancel *(*getCancel)(cpg_connection *);
  int (*cancel)(cpg_cancel *, char *, int);
  void (*freeCancel)(cpg_cancel *);
  int (*resultStatus)(const cpg_result *);
  void (*clear)(cpg_result *);
  int (*ntuples)(const cpg_result *);
  int (*getisnull)(const cpg_result *, int, int);
  char *(*getvalue)(const cpg_result *, int, int);
  int (*getlength)(const cpg_result *, int, int);
  char *(*cmdTuples)(cpg_result *);
  char *(*resultErrorField)(const cpg_result *, int);
  char *(*resultErrorMessage)(const cpg_result *);
} lib; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char *const file_names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const file_names[] = {"libpq.so.5"};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

#define FIND(name)                                                                                                     \
  if (!(*(void **)&lib.name = dlsym(file, "PQ" #name))) {                                                              \
    problem = "it is older than PostgreSQL 14";                                                                        \
    return;                                                                                                            \
  }

static void open_library(void) {
  void *file = NULL;
  for (size_t i = 0; !file && i < sizeof file_names / sizeof *file_names; i++) file = dlopen(file_names[i], RTLD_NOW);
  if (!file) {
    problem = "it is not installed";
    return;
  }
  FIND(connectStartParams) FIND(connectPoll) FIND(finish) FIND(socket) FIND(status) FIND(errorMessage)
  FIND(setnonblocking) FIND(enterPipelineMode) FIND(setNoticeReceiver) FIND(sendQueryParams) FIND(pipelineSync) FIND(flush)
  FIND(consumeInput) FIND(isBusy) FIND(getResult) FIND(getCancel) FIND(cancel) FIND(freeCancel) FIND(resultStatus)
  FIND(clear) FIND(ntuples) FIND(getisnull) FIND(getvalue) FIND(getlength) FIND(cmdTuples) FIND(resultErrorField)
  FIND(resultErrorMessage)
}

const char *cpg_open(void) {
  pthread_once(&once, open_library);
  return problem;
}

// MARK: Connecting

// Notices are for people, and libpq would print them as they come.
static void drop_notice(void *context, const cpg_result *notice) { (void)context, (void)notice; }

cpg_connection *cpg_connect(const char *const *keywords, const char *const *values) {
  cpg_connection *connection = lib.connectStartParams(keywords, values, 1);
  if (connection) lib.setNoticeReceiver(connection, drop_notice, NULL);
  return connection;
}

cpg_progress cpg_connect_further(cpg_connection *connection) { return (cpg_progress)lib.connectPoll(connection); }
void cpg_finish(cpg_connection *connection) { lib.finish(connection); }
int cpg_socket(const cpg_connection *connection) { return lib.socket(connection); }
bool cpg_is_connected(const cpg_connection *connection) { return lib.status(connection) == 0; }
const char *cpg_error(const cpg_connection *connection) { return lib.errorMessage(connection); }

// MARK: Asking

bool cpg_prepare(cpg_connection *connection) {
  return lib.setnonblocking(connection, 1) == 0 && lib.enterPipelineMode(connection) == 1;
}

bool cpg_send(
    cpg_connection *connection, const char *statement, int count, const unsigned *types, const char *const *values,
    const int *lengths, const int *formats) {
  return lib.sendQueryParams(connection, statement, count, types, values, lengths, formats, 0) == 1;
}

bool cpg_sync(cpg_connection *connection) { return lib.pipelineSync(connection) == 1; }
int cpg_flush(cpg_connection *connection) { return lib.flush(connection); }
bool cpg_consume(cpg_connection *connection) { return lib.consumeInput(connection) == 1; }
bool cpg_is_busy(cpg_connection *connection) { return lib.isBusy(connection) == 1; }
cpg_result *cpg_next_result(cpg_connection *connection) { return lib.getResult(connection); }

cpg_cancel *cpg_cancel_new(cpg_connection *connection) { return lib.getCancel(connection); }

void cpg_cancel_send(cpg_cancel *cancel) {
  char reason[256];
  (void)lib.cancel(cancel, reason, sizeof reason);
}

void cpg_cancel_free(cpg_cancel *cancel) { lib.freeCancel(cancel); }

// MARK: Results

cpg_kind cpg_result_kind(const cpg_result *result) {
  // ExecStatusType: these numbers are part of libpq's binary interface.
  switch (lib.resultStatus(result)) {
  case 0: // an empty statement
  case 1: return CPG_DONE;
  case 2: return CPG_ROWS;
  case 10: return CPG_END_OF_SYNC;
  case 11: return CPG_SKIPPED;
  default: return CPG_ERROR;
  }
}

void cpg_result_free(cpg_result *result) { lib.clear(result); }
int cpg_row_count(const cpg_result *result) { return lib.ntuples(result); }
bool cpg_is_null(const cpg_result *result, int row, int column) { return lib.getisnull(result, row, column) == 1; }
const char *cpg_value(const cpg_result *result, int row, int column) { return lib.getvalue(result, row, column); }
int cpg_length(const cpg_result *result, int row, int column) { return lib.getlength(result, row, column); }
const char *cpg_changes(cpg_result *result) { return lib.cmdTuples(result); }
const char *cpg_error_code(const cpg_result *result) { return lib.resultErrorField(result, 'C'); }

const char *cpg_error_text(const cpg_result *result) {
  const char *text = lib.resultErrorField(result, 'M');
  return text ? text : lib.resultErrorMessage(result);
}
