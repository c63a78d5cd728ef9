#include "CYAML.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// MARK: What libyaml declares

struct mark {
  size_t index, line, column;
};

/// The beginning of `yaml_parser_t`. The whole takes less than 500 bytes.
union parser {
  struct {
    int error;
    const char *problem;
    size_t problem_offset;
    int problem_value;
    struct mark problem_mark;
  };
  char bytes[4096];
};

/// `yaml_event_t`. Scalars, lists and objects begin with their anchor, and so does an alias.
union event {
  struct {
    int type;
    union {
      char *anchor;
      struct {
        char *anchor, *tag;
        unsigned char *value;
        size_t length;
        int is_plain_implicit, is_quoted_implicit, style;
      } scalar;
    };
  };
  char bytes[1024];
};

struct cyaml_reader {
  union parser parser;
  union event event;
};

// MARK: Opening

static struct {
  int (*parser_initialize)(void *);
  void (*parser_delete)(void *);
  void (*parser_set_input_string)(void *, const unsigned char *, size_t);
  int (*parser_parse)(void *, void *);
  void (*event_delete)(void *);
} lib; // written once in `open_library`, only read afterwards

#ifdef __APPLE__
static const char *const file_names[] = {
    "libyaml-0.2.dylib", "/opt/homebrew/lib/libyaml-0.2.dylib", "/usr/local/lib/libyaml-0.2.dylib"};
#else
static const char *const file_names[] = {"libyaml-0.so.2"};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

#define FIND(name)                                                                                                     \
  if (!(*(void **)&lib.name = dlsym(file, "yaml_" #name))) {                                                           \
    problem = "it cannot read documents event by event";                                                               \
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
  FIND(parser_initialize)
  FIND(parser_delete)
  FIND(parser_set_input_string)
  FIND(parser_parse)
  FIND(event_delete)
}

const char *cyaml_open(void) {
  pthread_once(&once, open_library);
  return problem;
}

// MARK: Reading

cyaml_reader *cyaml_begin(const unsigned char *bytes, size_t count) {
  cyaml_reader *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  if (!lib.parser_initialize(&self->parser)) {
    free(self);
    return NULL;
  }
  lib.parser_set_input_string(&self->parser, bytes, count);
  return self;
}

void cyaml_end(cyaml_reader *self) {
  lib.event_delete(&self->event);
  lib.parser_delete(&self->parser);
  free(self);
}

cyaml_event cyaml_next(cyaml_reader *self) {
  lib.event_delete(&self->event);
  if (!lib.parser_parse(&self->parser, &self->event)) return CYAML_FAILED;
  int type = self->event.type;
  return type == CYAML_STREAM_END || (type >= CYAML_DOCUMENT_END && type <= CYAML_OBJECT_END) ? (cyaml_event)type : CYAML_NOTHING;
}

const char *cyaml_anchor(const cyaml_reader *self) { return self->event.anchor; }

const unsigned char *cyaml_text(const cyaml_reader *self, size_t *length, bool *is_plain) {
  *length = self->event.scalar.length;
  // The style of a plain scalar is 1.
  *is_plain = self->event.scalar.style == 1 && !self->event.scalar.tag;
  return self->event.scalar.value;
}

const char *cyaml_error(const cyaml_reader *self) { return self->parser.problem ? self->parser.problem : ""; }
size_t cyaml_error_line(const cyaml_reader *self) { return self->parser.problem_mark.line + 1; }
