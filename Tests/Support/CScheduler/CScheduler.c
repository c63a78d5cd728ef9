#include "CScheduler.h"

typedef __attribute__((swiftcall)) void (*Enqueue)(void *job);

// Parts of the runtime library of Swift's tasks. The hook is there so that a program can replace the pool.
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, Enqueue original);
extern __attribute__((swiftcall)) void swift_job_run(void *job, void *_Nullable identity, uintptr_t implementation);

static void (*taker)(uintptr_t job);

static __attribute__((swiftcall)) void hand_over(void *job, Enqueue original) { taker((uintptr_t)job); }

void cscheduler_take_jobs(void (*take)(uintptr_t job)) {
  taker = take;
  swift_task_enqueueGlobal_hook = hand_over;
}

// An executor without an identity is the shared pool, for which the job was made.
void cscheduler_run(uintptr_t job) { swift_job_run((void *)job, (void *)0, 0); }
