/* More memory of a job than there may be. */
#include "wrong.h"

POLICY(.decide = start_in_order, .job_memory_size = EASIM_MOST_JOB_MEMORY + 1);
