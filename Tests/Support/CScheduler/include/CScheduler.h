// The jobs of Swift's tasks, taken from the shared pool of threads.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

/// Gives every job that would run in the shared pool to `take`, from now on and for the whole process.
void cscheduler_take_jobs(void (*take)(uintptr_t job));

/// Runs a job on this thread, until its task waits or ends.
void cscheduler_run(uintptr_t job);

#pragma clang assume_nonnull end
