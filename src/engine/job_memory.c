/* Memory of jobs: see job_memory.h. Invariant: the memory of a job that is not submitted is zero,
   and in a checked run what lies behind that of each job. */
#include "engine/job_memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GIB 4u /* of all jobs together */

int job_memory_init(struct sim *sim, struct error *reterr) {
    const struct easim_policy *policy = sim->module->policy;
    const size_t step = alignof(max_align_t), size = policy->job_memory_size,
                 jobs = sim->workload->jobs.count;
    if (size == 0)
        return 0;
    sim->job_memory_stride = (size + step - 1) / step * step + (sim->options.check ? step : 0);
    if (sim->job_memory_stride * jobs > (size_t)MOST_GIB << 30)
        return error_set(reterr, ERROR_RUN,
                         "policy %s: job_memory_size is %zu bytes, of %zu jobs together %.3g GiB: "
                         "expected at most %u GiB",
                         policy->name, size, jobs, (double)size * (double)jobs * 0x1p-30, MOST_GIB);
    sim->job_memory = mem_zalloc(jobs, sim->job_memory_stride);
    return 0;
}

void job_memory_finish(struct sim *sim) {
    free(sim->job_memory);
}

void job_memory_zero(struct sim *sim, uint32_t job) {
    if (sim->job_memory)
        memset(sim->job_memory + job * sim->job_memory_stride, 0, sim->job_memory_stride);
}

bool job_memory_is_whole(const struct sim *sim, uint32_t job) {
    size_t size = sim->module->policy->job_memory_size;
    bool is_zero = true;
    for (size_t i = size; sim->job_memory && i < sim->job_memory_stride; i++)
        is_zero = is_zero && sim->job_memory[job * sim->job_memory_stride + i] == 0;
    return is_zero;
}
