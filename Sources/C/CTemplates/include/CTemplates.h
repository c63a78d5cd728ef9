#pragma once
#include <stdbool.h>
#include <stddef.h>

/// A file of a template for a new source, compiled in, so that the binary can be moved.
typedef struct { const char *path; const unsigned char *bytes; size_t count; bool is_program; } TemplateFile;

/// The files of a template.
typedef struct { const TemplateFile *files; size_t count; } SourceTemplate;

/// A source in Swift.
SourceTemplate package_template(void);

/// A source that is a program.
SourceTemplate program_template(void);
