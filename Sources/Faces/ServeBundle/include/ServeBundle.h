// What the page of `serve` sends beside HTML, compiled in: its style, its script and its icon.
#pragma once
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file that is compiled in.
typedef struct { const unsigned char *bytes; size_t count; } ServedFile;

ServedFile serve_page_style(void);
ServedFile serve_page_script(void);
ServedFile serve_page_icon(void);

#pragma clang assume_nonnull end
