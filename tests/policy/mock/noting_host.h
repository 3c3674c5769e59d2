/* A host that notes what a policy asks of it and answers as told. */
#ifndef EASIM_TESTS_MOCK_NOTING_HOST_H
#define EASIM_TESTS_MOCK_NOTING_HOST_H

#include <easim/policy.h>
#include <math.h>
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

static int note_reject(struct easim_plan *plan, uint32_t job, const char *reason) {
    char text[100];
    (void)plan;
    snprintf(text, sizeof text, "reject %u %s", job, reason ? reason : "");
    return note_call(text);
}

static int note_exchange(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                         size_t part_bytes, uint32_t *ret_part) {
    char text[200] = "exchange";
    (void)plan, (void)part_bytes, (void)ret_part;
    for (uint32_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u:%u:%u%s", parts[i].action,
                 parts[i].job, parts[i].config, parts[i].at_once ? " at once" : "");
    return note_call(text);
}

static void note_count(struct easim_plan *plan, const char *what, const char *name) {
    char text[200];
    (void)plan;
    snprintf(text, sizeof text, "count %s: %s", what, name ? name : "none");
    note_call(text);
}

/* 0, 1/16, 2/16 .. in turn. */
static double note_uniform(struct easim_plan *plan) {
    static int count;
    (void)plan;
    return count++ % 16 / 16.0;
}

/* Answers as told; the power is that of 100 W more for each configuration. */
static int note_try(struct easim_plan *plan, uint32_t job, uint32_t config, double *power_w) {
    char text[100];
    (void)plan;
    snprintf(text, sizeof text, "try %u %u", job, config);
    *power_w = 1000.5 + 100 * config;
    return note_call(text);
}

static int note_try_exchange(struct easim_plan *plan, const struct easim_part *parts,
                             uint32_t count, size_t part_bytes, uint32_t *ret_part,
                             double *power_w) {
    char text[100];
    (void)plan, (void)part_bytes;
    *ret_part = count - 1;
    snprintf(text, sizeof text, "try exchange of %u, first of %u", count, parts[0].job);
    *power_w = 2000.25;
    return note_call(text);
}

static int note_wake_clear(struct easim_plan *plan) {
    (void)plan;
    return note_call("wake clear");
}

/* As many nodes as the number of the job says: 7 with one GPU, 8 with two .. */
static uint32_t note_nodes(struct easim_plan *plan, uint32_t job, struct easim_job_node *ret,
                           uint32_t most) {
    (void)plan;
    for (uint32_t i = 0; i < most && i < job; i++)
        ret[i] = (struct easim_job_node){7 + i, 1 + i};
    return job;
}

static double note_remaining(struct easim_plan *plan, uint32_t job) {
    (void)plan;
    return job == 4 ? NAN : 12.5 + job;
}

static void *note_scratch(struct easim_plan *plan, size_t bytes) {
    static _Alignas(16) char room[1024];
    (void)plan;
    return bytes <= sizeof room ? memset(room, 0, sizeof room) : NULL;
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
                                              .fail = note_failure,
                                              .plan_reject = note_reject,
                                              .plan_exchange = note_exchange,
                                              .count = note_count,
                                              .uniform = note_uniform,
                                              .try_config = note_try,
                                              .try_exchange = note_try_exchange,
                                              .remaining = note_remaining,
                                              .plan_wake_clear = note_wake_clear,
                                              .job_nodes = note_nodes,
                                              .scratch = note_scratch};

#endif
