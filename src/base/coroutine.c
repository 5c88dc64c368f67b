/* The calling thread's coroutine; see coroutine.h. */
#include "coroutine.h"

_Thread_local quern_coroutine *quern_coroutine_self;
