// libyaml, opened on first use instead of linked. Its functions and the parts of its structures that are read are declared here, as they
// have been since libyaml 0.1, so that nothing has to be installed to build this.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A reader of one document, event by event.
typedef struct cyaml_reader cyaml_reader;

typedef enum {
  CYAML_FAILED = -1,
  CYAML_NOTHING = 0,
  CYAML_STREAM_END = 2,
  CYAML_DOCUMENT_END = 4,
  CYAML_ALIAS = 5,
  CYAML_SCALAR = 6,
  CYAML_LIST = 7,
  CYAML_LIST_END = 8,
  CYAML_OBJECT = 9,
  CYAML_OBJECT_END = 10
} cyaml_event;

/// Opens libyaml, once for the process. Returns NULL when it is open, else the reason why not. Nothing below may be called before this has
/// returned NULL.
const char *_Nullable cyaml_open(void);

/// Reads a document in memory, which has to stay there. Returns NULL without memory.
cyaml_reader *_Nullable cyaml_begin(const unsigned char *bytes, size_t count);
void cyaml_end(cyaml_reader *reader);

/// Passes to the next event; one without a meaning here is `CYAML_NOTHING`.
cyaml_event cyaml_next(cyaml_reader *reader);
/// The name that the value has, or that an alias repeats; NULL without one. Valid until the next event.
const char *_Nullable cyaml_anchor(const cyaml_reader *reader);
/// The text of a scalar. It is plain if it has neither quotes nor a tag.
const unsigned char *_Nullable cyaml_text(const cyaml_reader *reader, size_t *length, bool *is_plain);

/// The problem of a document that cannot be read, and its line.
const char *cyaml_error(const cyaml_reader *reader);
size_t cyaml_error_line(const cyaml_reader *reader);

#pragma clang assume_nonnull end
