/* Texts of the exec protocol. Numbers are printed with 15 digits where that reads back exactly,
 * else with 17. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {"pending",       "waiting",  "running",
                                          "checkpointing", "finished", "rejected"};
/* By kind; protocol 2 does not tell what has changed of the cluster. */
/* Protocol 2 has one word for the first four. */
static const char *const event_names[] = {"cap",    "price",   "failure", "repair",
                                          "finish", "arrival", "timer",   "service"};
#define EVENT_NAMES (sizeof event_names / sizeof *event_names)

static char *reserve(struct text *t, size_t bytes) {
    if (t->length + bytes + 1 > t->capacity) {
        size_t capacity = 2 * (t->length + bytes + 1);
        char *at = realloc(t->at, capacity);
        if (!at) {
            t->failed = true;
            return NULL;
        }
        t->at = at;
        t->capacity = capacity;
    }
    return t->at + t->length;
}

static void add_bytes(struct text *t, const char *more, size_t length) {
    char *to = reserve(t, length);
    if (!to)
        return;
    memcpy(to, more, length);
    to[length] = '\0';
    t->length += length;
}

void text_add(struct text *t, const char *more) {
    add_bytes(t, more, strlen(more));
}

void text_vprintf(struct text *t, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *to = length < 0 ? NULL : reserve(t, (size_t)length);
    if (!to) {
        t->failed = true;
        return;
    }
    vsnprintf(to, (size_t)length + 1, format, arguments);
    t->length += (size_t)length;
}

void text_printf(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(t, format, arguments);
    va_end(arguments);
}

void text_string(struct text *t, const char *name, const char *value) {
    text_printf(t, "\"%s\":\"", name);
    for (const char *c = value; *c; c++) {
        if ((unsigned char)*c < 0x20)
            text_printf(t, "\\u%04x", (unsigned char)*c);
        else if (*c == '"' || *c == '\\')
            text_printf(t, "\\%c", *c);
        else
            add_bytes(t, c, 1);
    }
    text_add(t, "\"");
}

void text_number(struct text *t, double value) {
    char buffer[40];
    if (!isfinite(value)) {
        text_add(t, "null");
        return;
    }
    snprintf(buffer, sizeof buffer, "%.15g", value);
    if (strtod(buffer, NULL) != value)
        snprintf(buffer, sizeof buffer, "%.17g", value);
    text_add(t, buffer);
}

void text_real(struct text *t, const char *name, double value) {
    text_printf(t, "\"%s\":", name);
    text_number(t, value);
}

/* By span; null where the configuration is not known. */
static void add_known(struct text *t, const char *name, const double *values,
                      const struct easim_config *config) {
    text_printf(t, ",\"%s\":[", name);
    for (uint32_t span = 0; span < config->span_count; span++) {
        text_add(t, span ? "," : "");
        text_number(t, config->goodput[span] > 0 ? values[span] : NAN);
    }
    text_add(t, "]");
}

static const char *truth(bool value) {
    return value ? "true" : "false";
}

static void add_index(struct text *t, const char *name, uint32_t index) {
    if (index == EASIM_NONE)
        text_printf(t, ",\"%s\":null", name);
    else
        text_printf(t, ",\"%s\":%u", name, index);
}

/* --- hello --- */

/* Where there are more than the two spans of every cluster. */
static void add_by_span(struct text *t, const struct easim_view *view, const char *name,
                        const uint32_t *values) {
    for (uint32_t span = 0; span < view->span_count && view->span_count > 2; span++) {
        if (span == 0)
            text_printf(t, "\"%s\":[", name);
        text_printf(t, "%s%u%s", span ? "," : "", values[span],
                    span + 1 == view->span_count ? "]" : "");
    }
}

static void hello_spans(struct text *t, const struct easim_view *view) {
    for (uint32_t span = 0; span < view->span_count && view->span_count > 2; span++) {
        text_add(t, span ? ",{" : ",\"spans\":[{");
        text_string(t, "name", view->span_names[span]);
        text_printf(t, ",\"nodes\":%u}%s", view->span_nodes[span],
                    span + 1 == view->span_count ? "]" : "");
    }
}

static void hello_gpu_types(struct text *t, const struct easim_view *view) {
    text_add(t, ",\"gpu_types\":[");
    for (uint32_t i = 0; i < view->gpu_type_count; i++) {
        const struct easim_gpu_type *type = easim_view_gpu_type(view, i);
        text_add(t, i ? ",{" : "{");
        text_string(t, "name", type->name);
        text_printf(t, ",\"gpus\":%u,\"node_gpus_max\":%u,", type->gpus, type->node_gpus_max);
        add_by_span(t, view, "span_gpus_max", type->span_gpus_max);
        text_add(t, view->span_count > 2 ? "," : "");
        text_real(t, "idle_w", type->idle_w);
        text_add(t, ",");
        text_real(t, "ctx_w", type->ctx_w);
        text_add(t, ",");
        text_real(t, "tdp_w", type->tdp_w);
        text_add(t, ",");
        text_real(t, "memory_gib", type->memory_gib);
        text_add(t, "}");
    }
    text_add(t, "],\"nodes\":[");
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct easim_node *node = easim_view_node(view, i);
        text_printf(t, "%s{\"gpu_type\":%u,\"gpus\":%u}", i ? "," : "", node->gpu_type, node->gpus);
    }
    text_add(t, "]");
}

static void hello_configs(struct text *t, const struct easim_view *view) {
    text_add(t, ",\"configs\":[");
    for (uint32_t i = 0; i < view->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        text_printf(t, "%s{\"k\":%u,", i ? "," : "", c->k);
        text_real(t, "batch", c->batch);
        if (c->milli > 0)
            text_printf(t, ",\"milli\":%u", c->milli);
        text_printf(t, ",\"gpu_type\":%u,\"empty_span\":%u,\"extrapolated\":%s", c->gpu_type,
                    c->empty_span, truth(c->extrapolated));
        add_known(t, "goodput", c->goodput, c);
        add_known(t, "power_w", c->power_w, c);
        text_add(t, ",");
        text_real(t, "power_limit_w", c->power_limit_w);
        text_add(t, "}");
    }
    text_add(t, "]");
}

void message_hello(struct text *t, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    text_printf(t, "{\"type\":\"hello\",\"message\":0,\"protocol\":%d,\"abi\":[%u,%u]",
                EXEC_PROTOCOL, EASIM_ABI_MAJOR, EASIM_ABI_MINOR);
    hello_spans(t, view);
    hello_gpu_types(t, view);
    text_add(t, ",\"users\":[");
    for (uint32_t i = 0; i < view->user_count; i++) {
        const struct easim_user *user = easim_view_user(view, i);
        text_add(t, i ? ",{" : "{");
        text_string(t, "name", user->name);
        text_add(t, ",");
        text_real(t, "weight", user->weight);
        text_add(t, "}");
    }
    text_printf(t, "],\"forecast_hours\":%u", forecast_of(pass)->hour_count);
    hello_configs(t, view);
}

void message_finish(struct text *t, uint32_t number, const struct easim_view *view) {
    text_printf(t, "{\"type\":\"finish\",\"message\":%u,", number);
    text_real(t, "now_s", view->now_s);
    text_add(t, ",");
    text_real(t, "energy_j", view->energy_j);
    text_add(t, "}\n");
}

/* --- decide --- */

void message_decide(struct text *t, uint32_t number, const struct easim_view *view) {
    text_printf(t, "{\"type\":\"decide\",\"message\":%u,\"now_ns\":%lld,", number,
                (long long)view->now_ns);
    text_real(t, "now_s", view->now_s);
    text_add(t, ",");
    text_real(t, "power_w", view->power_w);
    text_add(t, ",");
    text_real(t, "power_cap_w", view->power_cap_w);
    text_add(t, ",");
    text_real(t, "price_per_mwh", view->price_per_mwh);
    text_add(t, ",");
    text_real(t, "carbon_g_per_kwh", view->carbon_g_per_kwh);
    text_add(t, ",");
    text_real(t, "energy_j", view->energy_j);
    text_printf(t, ",\"free_gpus\":%u", view->free_gpus);
}

void message_gpu_type(struct text *t, const struct easim_view *view, uint32_t gpu_type,
                      bool shares) {
    const struct easim_gpu_type *type = easim_view_gpu_type(view, gpu_type);
    text_printf(t, "{\"free\":%u,\"node_free_max\":%u,\"failed\":%u,\"asleep\":%u%s", type->free,
                type->node_free_max, type->failed, type->asleep, view->span_count > 2 ? "," : "");
    add_by_span(t, view, "span_free_max", type->span_free_max);
    if (shares)
        text_printf(t, ",\"shared\":%u,\"shared_free_milli\":%llu,\"shared_free_max_milli\":%u",
                    type->shared, (unsigned long long)type->shared_free_milli,
                    type->shared_free_max_milli);
    text_add(t, "}");
}

void message_forecast(struct text *t, const struct easim_forecast_hour *hour) {
    text_add(t, "{");
    text_real(t, "from_s", hour->from_s);
    text_add(t, ",");
    text_real(t, "power_cap_w", hour->power_cap_w);
    text_add(t, ",");
    text_real(t, "price_per_mwh", hour->price_per_mwh);
    text_add(t, ",");
    text_real(t, "carbon_g_per_kwh", hour->carbon_g_per_kwh);
    text_add(t, "}");
}

void message_event(struct text *t, const struct easim_event *event, uint32_t protocol) {
    bool of_cluster = event->kind <= EASIM_EVENT_REPAIR;
    text_printf(t, "{\"kind\":\"%s\"",
                of_cluster && protocol < 3  ? "cluster"
                : event->kind < EVENT_NAMES ? event_names[event->kind]
                                            : "other");
    add_index(t, "job", event->job);
    if (protocol >= 3)
        add_index(t, "node", event->node);
    text_add(t, "}");
}

void message_user(struct text *t, const struct easim_view *view, uint32_t user, bool shares) {
    const struct easim_user *u = easim_view_user(view, user);
    text_printf(t, "{\"user\":%u,\"allocated_gpus\":%u,", user, u->allocated_gpus);
    text_real(t, "gpu_s", u->gpu_s);
    text_add(t, ",");
    text_real(t, "as_of_s", u->as_of_s);
    if (shares)
        text_printf(t, ",\"shared_milli\":%llu", (unsigned long long)u->shared_milli);
    text_add(t, "}");
}

void message_arrived(struct text *t, const struct easim_job *job) {
    text_printf(t, "{\"job\":%u,", job->index);
    text_string(t, "id", job->id);
    text_printf(t, ",\"user\":%u", job->user);
    add_index(t, "model", job->model);
    text_printf(t, ",\"submit_ns\":%lld,", (long long)job->submit_ns);
    text_real(t, "submit_s", job->submit_s);
    text_add(t, ",");
    text_real(t, "deadline_s", job->deadline_s);
    text_printf(t, ",\"first_config\":%u,\"config_count\":%u,\"sla\":%s,\"preemptible\":%s,",
                job->first_config, job->config_count, truth(job->sla), truth(job->preemptible));
    text_real(t, "restart_s", job->restart_s);
    text_add(t, ",");
    text_real(t, "checkpoint_s", job->checkpoint_s);
    text_add(t, ",");
    text_real(t, "checkpoint_interval_s", job->checkpoint_interval_s);
    text_add(t, "}");
}

void message_job_over(struct text *t, uint32_t job, uint32_t state) {
    text_printf(t, "{\"job\":%u,\"state\":\"%s\"}", job, state_names[state]);
}

/* What protocol 2 does not say of a job. */
static void add_more_of_job(struct text *t, const struct easim_job *job) {
    text_printf(t, ",\"started_before\":%s", truth(job->started_before));
    if (job->state == EASIM_JOB_CHECKPOINTING) {
        text_printf(t, ",\"config\":%u,\"span\":%u,", job->config, job->span);
        text_real(t, "start_s", job->start_s);
    } else if (job->state == EASIM_JOB_RUNNING) {
        text_add(t, ",");
        text_real(t, "goodput_now", job->goodput_now);
        text_add(t, ",");
        text_real(t, "power_now_w", job->power_now_w);
    }
    if (job->saved_at_s > 0) {
        text_add(t, ",");
        text_real(t, "saved_at_s", job->saved_at_s);
    }
}

static void add_limit(struct text *t, const struct easim_power_job *limit) {
    const double values[] = {limit->wish_w, limit->draw_w, limit->speed, limit->least_w,
                             limit->most_w};
    static const char *const names[] = {"wish_w", "draw_w", "speed", "least_w", "most_w"};
    for (size_t i = 0; i < sizeof names / sizeof *names && limit->most_w > 0; i++) {
        text_add(t, ",");
        text_real(t, names[i], values[i]);
    }
}

void message_job(struct text *t, const struct easim_job *job, bool new_phase, uint32_t protocol,
                 const struct easim_power_job *limit) {
    text_printf(t, "{\"job\":%u,\"state\":\"%s\",", job->index,
                job->state < 6 ? state_names[job->state] : "other");
    text_real(t, "remaining", job->remaining);
    text_add(t, ",");
    text_real(t, "setup_s", job->setup_s);
    text_add(t, ",");
    text_real(t, "time_best_s", job->time_best_s);
    text_add(t, ",");
    text_real(t, "edp_best_js", job->edp_best_js);
    text_printf(t, ",\"best_config\":%u,\"preemptions\":%u,\"resizes\":%u", job->best_config,
                job->preemptions, job->resizes);
    text_add(t, ",");
    text_real(t, "held_gpu_s", job->held_gpu_s);
    text_add(t, ",");
    text_real(t, "kept_s", job->kept_s);
    text_add(t, ",");
    text_real(t, "kept_gpu_s", job->kept_gpu_s);
    if (job->state == EASIM_JOB_RUNNING) {
        text_printf(t, ",\"config\":%u,\"span\":%u,\"predicted_end_ns\":%lld,", job->config,
                    job->span, (long long)job->predicted_end_ns);
        text_real(t, "start_s", job->start_s);
        text_add(t, ",");
        text_real(t, "resized_s", job->resized_s);
    }
    if (limit)
        add_limit(t, limit);
    if (new_phase)
        text_printf(t, ",\"phase\":%u,\"first_config\":%u,\"config_count\":%u", job->phase,
                    job->first_config, job->config_count);
    if (job->rate_s > 0) {
        text_add(t, ",");
        text_real(t, protocol < 3 ? "phase_s" : "rate_s", job->rate_s);
        text_add(t, ",");
        text_real(t, "unsaved_work", job->unsaved_work);
    }
    if (protocol >= 3)
        add_more_of_job(t, job);
    text_add(t, "}");
}
