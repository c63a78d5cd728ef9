// What files of records need that Swift cannot bring: zstd, opened on first use, and the style and the script of a page, compiled in.
#pragma once
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Returns the most bytes that so many bytes take when they are compressed; 0 if zstd is not installed.
size_t exports_zstd_bound(size_t count);

/// Compresses bytes into `target`, which has room for `room` bytes. Returns the number of bytes; 0 if that fails.
size_t exports_zstd(void *target, size_t room, const void *bytes, size_t count);

/// A text that is compiled in.
typedef struct { const unsigned char *bytes; size_t count; } CompiledText;

CompiledText exports_page_style(void);
CompiledText exports_page_script(void);

#pragma clang assume_nonnull end
