/* Rejections by the policy: see rejection.h. */
#include "engine/rejection.h"

#include "engine/jobs.h"
#include "engine/segments.h"

#include <stdlib.h>

#define MOST_WORDS 100 /* kept; a policy that names jobs in its reasons has one for each */

const char *rejection_words(struct sim *sim, const char *reason) {
    struct str text = {0};
    str_add(&text, "by the policy");
    if (reason && reason[0]) {
        str_add(&text, ": ");
        str_add_visible(&text, reason);
    }
    for (size_t i = 0; i < sim->reject_words.count; i++)
        if (strcmp(sim->reject_words.at[i], text.text) == 0) {
            str_finish(&text);
            return sim->reject_words.at[i];
        }
    if (sim->reject_words.count < MOST_WORDS) {
        array_push(&sim->reject_words, text.text);
        return text.text;
    }
    str_finish(&text);
    return "by the policy, for more reasons than are told apart";
}

void rejection_take(struct sim *sim, uint32_t job, const char *words) {
    jobs_leave_queue(sim, job);
    view_job(&sim->view, job)->state = EASIM_JOB_REJECTED;
    sim->reject_reasons[job] = words;
}

void rejection_carry_out(struct sim *sim, uint32_t job) {
    segments_end(sim, job, CAUSE_REJECTED);
    sim->waiting--;
    jobs_reject(sim, job, sim->reject_reasons[job]);
}

void rejection_finish(struct sim *sim) {
    for (size_t i = 0; i < sim->reject_words.count; i++)
        free(sim->reject_words.at[i]);
    free(sim->reject_words.at);
}
