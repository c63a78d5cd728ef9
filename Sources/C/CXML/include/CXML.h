// libxml2, opened on first use instead of linked: a program whose services answer in JSON does not pay for loading it. Its functions are
// declared here, as they have been since libxml2 2.6, so that nothing has to be installed to build this.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A reader of one document, node by node. It loads nothing from outside: no entity, no document type, no address.
typedef struct cxml_reader cxml_reader;

typedef enum { CXML_FAILED = -1, CXML_END = 0, CXML_NODE = 1 } cxml_step;

/// The kinds of nodes that have a meaning here; the others are comments, instructions and the like.
typedef enum { CXML_ELEMENT = 1, CXML_TEXT = 3, CXML_CDATA = 4, CXML_ENTITY = 5, CXML_SPACE = 14, CXML_END_OF_ELEMENT = 15 } cxml_kind;

/// Opens libxml2, once for the process. Returns NULL when it is open, else the reason why not. Nothing below may be called before this has
/// returned NULL.
const char *_Nullable cxml_open(void);

/// Reads a document in memory, which has to stay there. Returns NULL without memory.
cxml_reader *_Nullable cxml_begin(const char *bytes, int count);
void cxml_end(cxml_reader *reader);

/// Passes to the next node.
cxml_step cxml_next(cxml_reader *reader);
int cxml_node_kind(cxml_reader *reader);
/// True for an element that is written without an end of its own.
bool cxml_is_empty(cxml_reader *reader);
/// The name with its prefix, as it is written; the text of a node. Both are valid until the next node.
const char *_Nullable cxml_name(cxml_reader *reader);
const char *_Nullable cxml_text(cxml_reader *reader);
/// Passes to the next attribute of an element; false after the last one. Its name and text are those of the reader then.
bool cxml_next_attribute(cxml_reader *reader);

/// The first error, with a line break at its end, and the line on which it is; an empty text without an error.
const char *cxml_error(const cxml_reader *reader);
int cxml_error_line(const cxml_reader *reader);

#pragma clang assume_nonnull end
