// The jobs of Swift's tasks, taken from the shared pool of threads.
#pragma once

#pragma clang assume_nonnull begin

/// Gives every job that would run in the shared pool to `take`, from now on and for the whole process.
void cscheduler_take_jobs(void (*take)(void *job));

/// Runs a job on this thread, until its task waits or ends.
void cscheduler_run(void *job);

#pragma clang assume_nonnull end
