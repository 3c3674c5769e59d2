/* A host that notes what a policy asks of it and answers as told. */
#ifndef EASIM_TESTS_MOCK_NOTING_HOST_H
#define EASIM_TESTS_MOCK_NOTING_HOST_H

#include <easim/policy.h>
#include <stdio.h>
#include <string.h>

static struct {
    char calls[1000];
    const int *answers; /* NULL: all are accepted */
    int call_count;
    char failure[1000];
} host_notes;

static int note_call(const char *text) {
    snprintf(host_notes.calls + strlen(host_notes.calls),
             sizeof host_notes.calls - strlen(host_notes.calls), "%s; ", text);
    return host_notes.answers ? host_notes.answers[host_notes.call_count++] : (int)EASIM_OK;
}

static int note_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    char text[100];
    (void)plan;
    snprintf(text, sizeof text, "start %u %u", job, config);
    return note_call(text);
}

static int note_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    char text[100];
    (void)plan;
    snprintf(text, sizeof text, "resize %u %u", job, config);
    return note_call(text);
}

static int note_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    char text[100];
    (void)plan;
    snprintf(text, sizeof text, "preempt %u %s", job, at_once ? "at once" : "with a checkpoint");
    return note_call(text);
}

static int note_wake(struct easim_plan *plan, double time_s) {
    char text[100];
    (void)plan;
    snprintf(text, sizeof text, "wake %g", time_s);
    return note_call(text);
}

static void note_failure(struct easim_plan *plan, const char *message) {
    (void)plan;
    snprintf(host_notes.failure, sizeof host_notes.failure, "%s", message);
}

static const struct easim_host noting_host = {.struct_size = sizeof noting_host,
                                              .plan_start = note_start,
                                              .plan_resize = note_resize,
                                              .plan_preempt = note_preempt,
                                              .plan_wake_at = note_wake,
                                              .fail = note_failure};

#endif
