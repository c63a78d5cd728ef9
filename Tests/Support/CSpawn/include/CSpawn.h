#pragma once
#include <stdbool.h>
#include <sys/types.h>

/// Starts a program that has `count` descriptors and no others: descriptor n is a copy of `descriptors[n]`.
///
/// With `terminal` it leads a session of its own, which that terminal controls. It starts in `folder`, or
/// here for NULL. Signals are as a person's shell leaves them. Returns its process id, or -1 and `errno`.
pid_t cspawn(
    char *_Nullable const *_Nonnull words, char *_Nullable const *_Nonnull environment, const char *_Nullable folder, const char *_Nullable terminal,
    const int *_Nonnull descriptors, int count);

/// Returns the path of the file that this code was loaded from; the caller frees it.
char *_Nullable cspawn_image(void);
