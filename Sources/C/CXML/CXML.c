#include "CXML.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// MARK: Opening

static struct {
  void (*InitParser)(void);
  void *(*ReaderForMemory)(const char *, int, const char *, const char *, int);
  void (*FreeTextReader)(void *);
  int (*TextReaderRead)(void *);
  int (*TextReaderNodeType)(void *);
  int (*TextReaderIsEmptyElement)(void *);
  const char *(*TextReaderConstName)(void *);
  const char *(*TextReaderConstValue)(void *);
  int (*TextReaderMoveToNextAttribute)(void *);
  int (*TextReaderMoveToElement)(void *);
  void (*TextReaderSetErrorHandler)(void *, void (*)(void *, const char *, int, void *), void *);
  int (*TextReaderLocatorLineNumber)(void *);
} lib; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char *const file_names[] = {"/usr/lib/libxml2.2.dylib"};
#else
static const char *const file_names[] = {"libxml2.so.2", "libxml2.so.16"};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

#define FIND(name)                                                                                                     \
  if (!(*(void **)&lib.name = dlsym(file, "xml" #name))) {                                                             \
    problem = "it cannot read documents node by node";                                                                 \
    return;                                                                                                            \
  }

static void open_library(void) {
  void *file = NULL;
  for (size_t i = 0; !file && i < sizeof file_names / sizeof *file_names; i++)
    file = dlopen(file_names[i], RTLD_NOW | RTLD_LOCAL);
  if (!file) {
    problem = "it is not installed";
    return;
  }
  FIND(InitParser)
  FIND(ReaderForMemory)
  FIND(FreeTextReader)
  FIND(TextReaderRead)
  FIND(TextReaderNodeType)
  FIND(TextReaderIsEmptyElement)
  FIND(TextReaderConstName)
  FIND(TextReaderConstValue)
  FIND(TextReaderMoveToNextAttribute)
  FIND(TextReaderMoveToElement)
  FIND(TextReaderSetErrorHandler)
  FIND(TextReaderLocatorLineNumber)
  lib.InitParser();
}

const char *cxml_open(void) {
  pthread_once(&once, open_library);
  return problem;
}

// MARK: Reading

struct cxml_reader {
  void *reader;
  int line;
  char error[256];
};

/// XML_PARSE_NONET. Without the other options no entity is put in place of its name, and no document type is loaded.
static const int no_network = 1 << 11;

/// Keeps the first error. Warnings are 1 and 3 here, as in `xmlParserSeverities`. A prefix needs no declaration, because it is kept as it is.
static void note(void *context, const char *text, int severity, void *locator) {
  cxml_reader *self = context;
  if (severity == 1 || severity == 3 || self->error[0] || !text) return;
  if (strncmp(text, "Namespace", 9) == 0) return;
  strncpy(self->error, text, sizeof self->error - 1);
  self->line = locator ? lib.TextReaderLocatorLineNumber(locator) : 0;
}

cxml_reader *cxml_begin(const char *bytes, int count) {
  cxml_reader *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->reader = lib.ReaderForMemory(bytes, count, NULL, NULL, no_network);
  if (!self->reader) {
    free(self);
    return NULL;
  }
  lib.TextReaderSetErrorHandler(self->reader, note, self);
  return self;
}

void cxml_end(cxml_reader *self) {
  lib.FreeTextReader(self->reader);
  free(self);
}

cxml_step cxml_next(cxml_reader *self) {
  int step = lib.TextReaderRead(self->reader);
  if (step == 1) return CXML_NODE;
  // After an error that the library survives, something may be missing.
  return step == 0 && !self->error[0] ? CXML_END : CXML_FAILED;
}

int cxml_node_kind(cxml_reader *self) { return lib.TextReaderNodeType(self->reader); }
bool cxml_is_empty(cxml_reader *self) { return lib.TextReaderIsEmptyElement(self->reader) == 1; }
const char *cxml_name(cxml_reader *self) { return lib.TextReaderConstName(self->reader); }
const char *cxml_text(cxml_reader *self) { return lib.TextReaderConstValue(self->reader); }

bool cxml_next_attribute(cxml_reader *self) {
  if (lib.TextReaderMoveToNextAttribute(self->reader) == 1) return true;
  lib.TextReaderMoveToElement(self->reader);
  return false;
}

const char *cxml_error(const cxml_reader *self) { return self->error; }
int cxml_error_line(const cxml_reader *self) { return self->line; }
