// What files of records need that Swift cannot bring: zstd, opened on first use.
#pragma once
#include <stddef.h>

/// Returns the most bytes that so many bytes take when they are compressed; 0 if zstd is not installed.
size_t zstd_bound(size_t count);

/// Compresses bytes into `target`, which has room for `room` bytes. Returns the number of bytes; 0 if that fails.
size_t zstd_compress(void *_Nonnull target, size_t room, const void *_Nonnull bytes, size_t count);
