/* The heap of ends against a plain array searched from end to end. */
#include "base/rng.h"
#include "policy/list/shrink.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define JOBS  200
#define STEPS 4000

struct found {
    bool jobs[JOBS];
};

static void note(uint32_t job, void *context) {
    struct found *found = context;
    cr_assert(!found->jobs[job], "job %u twice", job);
    found->jobs[job] = true;
}

/* ends[job]: -1 if it is not in the heap. */
static void compare(const struct ends *heap, const int64_t ends[static JOBS], int64_t until_ns) {
    struct found found = {0};
    int64_t first_ns = INT64_MAX;
    ends_visit(heap, until_ns, note, &found);
    for (uint32_t j = 0; j < JOBS; j++) {
        cr_assert_eq(found.jobs[j], ends[j] >= 0 && ends[j] <= until_ns, "job %u", j);
        first_ns = ends[j] >= 0 && ends[j] < first_ns ? ends[j] : first_ns;
    }
    cr_assert_eq(ends_first_ns(heap), first_ns);
}

Test(ends, like_a_plain_list) {
    gsl_rng *rng = rng_create(2385, 0, "ends");
    uint32_t places[JOBS] = {0};
    int64_t ends[JOBS];
    struct ends heap = {.places = places};
    memset(ends, 0xff, sizeof ends); /* -1 */
    compare(&heap, ends, INT64_MAX);
    for (int step = 0; step < STEPS; step++) {
        uint32_t job = (uint32_t)gsl_rng_uniform_int(rng, JOBS);
        if (ends[job] >= 0) {
            ends_remove(&heap, job);
            ends[job] = -1;
        } else {
            ends[job] = (int64_t)gsl_rng_uniform_int(rng, step % 2 ? 10 : 1000000);
            ends_add(&heap, job, ends[job]);
        }
        cr_assert_eq(places[job] > 0, ends[job] >= 0);
        compare(&heap, ends, (int64_t)gsl_rng_uniform_int(rng, 1000000) - 1);
    }
    ends_finish(&heap);
    gsl_rng_free(rng);
}
