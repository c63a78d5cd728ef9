// What pages have beside HTML, compiled in: their styles and scripts, and the icon. The pages of `serve` and a page in a file share shared.css.
#pragma once
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A text that is compiled in.
typedef struct { const unsigned char *bytes; size_t count; } PageText;

PageText page_style_of_serve(void);
PageText page_script_of_serve(void);
PageText page_style_of_file(void);
PageText page_script_of_file(void);
PageText page_icon(void);

#pragma clang assume_nonnull end
