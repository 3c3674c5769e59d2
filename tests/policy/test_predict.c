/* The formulas of easim/predict.h and the accessors of the view against predict.csv, which
   predict.py has made, bit for bit: compiled policies go on computing what they did. */
#include "easim/forecast.h"
#include "easim/services.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the inputs of a row fill in, all else 0: one of each thing, in arrays of three jobs. */
struct world {
    struct easim_view view;
    struct easim_gpu_type type;
    struct easim_config config;
    struct easim_user user;
    struct easim_job job;
    struct easim_event event;
    struct easim_choice choice;
    uint32_t index, stride, site, site_stride, span, at_once, marginal;
    int64_t answer, end_ns;
    double exponent;
};

enum kind { REAL, WHOLE32, WHOLE64, FLAG };
#define INPUT(place, kind) \
    { #place, kind, offsetof(struct world, place) }
#define SPANS(place, kind) \
    INPUT(place[0], kind), INPUT(place[1], kind), INPUT(place[2], kind), INPUT(place[3], kind)
static const struct {
    const char *name;
    enum kind kind;
    size_t offset;
} inputs[] = {
    INPUT(view.now_s, REAL),
    INPUT(view.now_ns, WHOLE64),
    INPUT(view.usage_half_life_s, REAL),
    INPUT(view.span_count, WHOLE32),
    INPUT(view.fit_is_exact, FLAG),
    INPUT(type.ctx_w, REAL),
    INPUT(type.idle_w, REAL),
    INPUT(type.gpus, WHOLE32),
    INPUT(type.free, WHOLE32),
    INPUT(type.node_gpus_max, WHOLE32),
    INPUT(type.node_free_max, WHOLE32),
    INPUT(type.shared_free_max_milli, WHOLE32),
    SPANS(type.span_gpus_max, WHOLE32),
    SPANS(type.span_free_max, WHOLE32),
    INPUT(config.k, WHOLE32),
    INPUT(config.milli, WHOLE32),
    SPANS(config.goodput, REAL),
    SPANS(config.power_w, REAL),
    INPUT(user.gpu_s, REAL),
    INPUT(user.as_of_s, REAL),
    INPUT(user.allocated_gpus, WHOLE32),
    INPUT(user.shared_milli, WHOLE64),
    INPUT(job.state, WHOLE32),
    INPUT(job.here, FLAG),
    INPUT(job.config, WHOLE32),
    INPUT(job.span, WHOLE32),
    INPUT(job.submit_s, REAL),
    INPUT(job.remaining, REAL),
    INPUT(job.setup_s, REAL),
    INPUT(job.start_s, REAL),
    INPUT(job.restart_s, REAL),
    INPUT(job.checkpoint_s, REAL),
    INPUT(job.checkpoint_interval_s, REAL),
    INPUT(job.saved_at_s, REAL),
    INPUT(job.rate_s, REAL),
    INPUT(job.unsaved_work, REAL),
    INPUT(job.goodput_now, REAL),
    INPUT(job.power_now_w, REAL),
    INPUT(job.held_gpu_s, REAL),
    INPUT(job.kept_s, REAL),
    INPUT(job.kept_gpu_s, REAL),
    INPUT(event.job, WHOLE32),
    INPUT(choice.time_s, REAL),
    INPUT(choice.energy_j, REAL),
    INPUT(choice.gpus, REAL),
    INPUT(choice.idle_w, REAL),
    INPUT(index, WHOLE32),
    INPUT(stride, WHOLE32),
    INPUT(site, WHOLE32),
    INPUT(site_stride, WHOLE32),
    INPUT(span, WHOLE32),
    INPUT(at_once, WHOLE32),
    INPUT(marginal, WHOLE32),
    INPUT(answer, WHOLE64),
    INPUT(end_ns, WHOLE64),
    INPUT(exponent, REAL),
};

static void fill_in(struct world *world, const char *name, size_t length, const char *text) {
    size_t i = 0;
    while (i < sizeof inputs / sizeof *inputs &&
           (strlen(inputs[i].name) != length || memcmp(inputs[i].name, name, length) != 0))
        i++;
    cr_assert(i < sizeof inputs / sizeof *inputs, "no input %.*s", (int)length, name);
    void *at = (char *)world + inputs[i].offset;
    const enum kind kind = inputs[i].kind;
    if (kind == REAL)
        *(double *)at = strtod(text, NULL);
    else if (kind == WHOLE32)
        *(uint32_t *)at = (uint32_t)strtoull(text, NULL, 10);
    else if (kind == WHOLE64)
        *(int64_t *)at = strtoll(text, NULL, 10);
    else
        *(bool *)at = strtoull(text, NULL, 10);
}

/* --- functions --- */

/* Of what predict.csv names by a member of the choice. */
static double member(const struct easim_choice *choice, const char *name) {
    return strcmp(name, "time_s") == 0     ? choice->time_s
           : strcmp(name, "energy_j") == 0 ? choice->energy_j
           : strcmp(name, "edp_js") == 0   ? choice->edp_js
           : strcmp(name, "setup_s") == 0  ? choice->setup_s
           : strcmp(name, "gpus") == 0     ? choice->gpus
           : strcmp(name, "power_w") == 0  ? choice->power_w
           : strcmp(name, "ctx_w") == 0    ? choice->ctx_w
           : strcmp(name, "idle_w") == 0   ? choice->idle_w
                                           : NAN;
}

static int answer_try(struct easim_plan *plan, uint32_t job, uint32_t config, double *power_w) {
    (void)job, (void)config, (void)power_w;
    return (int)((const struct world *)(const void *)plan)->answer;
}

static double fits(struct world *w) {
    static const struct easim_host host = {.struct_size = sizeof host, .try_config = answer_try};
    const struct easim_pass pass = {
        .view = &w->view, .host = &host, .plan = (struct easim_plan *)(void *)w};
    return easim_fits(&pass, &w->job, 0);
}

/* Three jobs, of which the one of `index` is the row's. */
static void show_jobs(struct world *w, struct easim_job jobs[3]) {
    memset(jobs, 0, 3 * sizeof *jobs);
    if (w->index < 3)
        jobs[w->index] = w->job;
    w->view.job_count = 3;
    w->view.job_stride = sizeof *jobs;
    w->view.jobs = jobs;
    w->view.event_count = 1;
}

static double view_job(struct world *w) {
    struct easim_job jobs[3];
    show_jobs(w, jobs);
    const struct easim_job *found = easim_view_job(&w->view, w->index);
    return found && found == &jobs[w->index];
}

static double has_event(struct world *w) {
    struct easim_job jobs[3];
    show_jobs(w, jobs);
    return easim_view_has_event_of(&w->view, w->index);
}

static double job_memory(struct world *w) {
    struct easim_job jobs[3];
    char memory[3 * 176];
    show_jobs(w, jobs);
    const struct easim_pass pass = {
        .view = &w->view, .job_memory = memory, .job_memory_stride = w->stride};
    const char *at = easim_job_memory(&pass, w->index);
    return at ? (double)(at - memory) : -1;
}

/* Where an element is in its array, which begins at the world: nothing is read. */
#define ACCESSOR(name, array) \
    static double at_##name(struct world *w) { \
        w->view.array##s = (const char *)w; \
        w->view.name##_stride = w->stride; \
        return (double)((const char *)easim_view_##name(&w->view, w->index) - (const char *)w); \
    }
#define runnings       running
#define checkpointings checkpointing
ACCESSOR(gpu_type, gpu_type)
ACCESSOR(node, node)
ACCESSOR(user, user)
ACCESSOR(config, config)
ACCESSOR(running, running)
ACCESSOR(checkpointing, checkpointing)
ACCESSOR(event, event)

static double at_forecast(struct world *w) {
    const struct easim_forecast forecast = {
        .hour_stride = w->stride, .site_stride = w->site_stride, .hours = w};
    return (double)((const char *)easim_forecast_at(&forecast, w->site, w->index) -
                    (const char *)w);
}

#define OF_SERVICES(name) \
    static double at_##name(struct world *w) { \
        const struct easim_services services = {.name##s = w, .name##_stride = w->stride}; \
        return (double)((const char *)easim_##name##_at(&services, w->index) - (const char *)w); \
    }
OF_SERVICES(service)
OF_SERVICES(replica_config)
OF_SERVICES(replica)

#define ONE(name, expression) \
    static double of_##name(struct world *w) { \
        return (double)(expression); \
    }
ONE(user_usage_s, easim_user_usage_s(&w->view, 0))
ONE(job_age_s, easim_job_age_s(&w->view, &w->job))
ONE(job_computing_s, easim_job_computing_s(&w->view, &w->job))
ONE(job_rate_computing_s, easim_job_rate_computing_s(&w->view, &w->job))
ONE(job_remaining, easim_job_remaining(&w->view, &w->job))
ONE(job_lost_s, easim_job_lost_s(&w->view, &w->job, w->at_once))
ONE(job_lost_work, easim_job_lost_work(&w->view, &w->job))
ONE(job_writes_s, easim_job_writes_s(&w->view, &w->job))
ONE(predicted_end_ns, easim_predicted_end_ns(&w->view, w->end_ns))
ONE(config_gpus, easim_config_gpus(&w->config))
ONE(job_held_gpu_s, easim_job_held_gpu_s(&w->view, &w->job))
ONE(job_kept_s, easim_job_kept_s(&w->view, &w->job))
ONE(job_kept_gpu_s, easim_job_kept_gpu_s(&w->view, &w->job))
ONE(room, easim_room(&w->view, 0, w->config.k, w->config.milli))
ONE(fit, easim_fit(&w->view, &w->config))
ONE(fit_later, easim_fit_later(&w->view, &w->config))
ONE(choice_edp, easim_choice_edp(&w->choice, w->exponent, w->marginal))

#define PREDICTED(name, expression) \
    static struct easim_choice choice_of_##name(struct world *w) { \
        return expression; \
    }
PREDICTED(predict, easim_predict(&w->view, &w->job, 0, w->span))
PREDICTED(predict_running, easim_predict_running(&w->view, &w->job))
PREDICTED(predict_resized, easim_predict_resized(&w->view, &w->job, 0, w->span))

#define ROW(name) \
    { "easim_" #name, of_##name, NULL }
#define CHOICE(name) \
    { "easim_" #name, NULL, choice_of_##name }
#define AT(name) \
    { "easim_view_" #name, at_##name, NULL }
static const struct {
    const char *name;
    double (*value)(struct world *w);
    struct easim_choice (*choice)(struct world *w);
} functions[] = {ROW(user_usage_s),
                 ROW(job_age_s),
                 ROW(job_computing_s),
                 ROW(job_rate_computing_s),
                 ROW(job_remaining),
                 ROW(job_lost_s),
                 ROW(job_lost_work),
                 ROW(job_writes_s),
                 ROW(predicted_end_ns),
                 ROW(config_gpus),
                 ROW(job_held_gpu_s),
                 ROW(job_kept_s),
                 ROW(job_kept_gpu_s),
                 ROW(room),
                 ROW(fit),
                 ROW(fit_later),
                 ROW(choice_edp),
                 CHOICE(predict),
                 CHOICE(predict_running),
                 CHOICE(predict_resized),
                 AT(gpu_type),
                 AT(node),
                 AT(user),
                 AT(config),
                 AT(running),
                 AT(checkpointing),
                 AT(event),
                 {"easim_forecast_at", at_forecast, NULL},
                 {"easim_service_at", at_service, NULL},
                 {"easim_replica_config_at", at_replica_config, NULL},
                 {"easim_replica_at", at_replica, NULL},
                 {"easim_fits", fits, NULL},
                 {"easim_view_job", view_job, NULL},
                 {"easim_view_has_event_of", has_event, NULL},
                 {"easim_job_memory", job_memory, NULL}};
#define FUNCTIONS (sizeof functions / sizeof *functions)

/* The value of the row's function, and that this one has been asked. */
static double compute(const char *name, struct world *w, uint32_t *asked) {
    size_t length = strcspn(name, "."), i = 0;
    while (i < FUNCTIONS &&
           (strlen(functions[i].name) != length || memcmp(functions[i].name, name, length) != 0))
        i++;
    cr_assert(i < FUNCTIONS, "no function %s", name);
    asked[i]++;
    if (functions[i].value)
        return functions[i].value(w);
    const struct easim_choice choice = functions[i].choice(w);
    cr_expect(choice.config == 0 && choice.k == w->config.k);
    return member(&choice, name + length + 1);
}

static void point(struct world *w) {
    w->view.gpu_types = &w->type;
    w->view.configs = &w->config;
    w->view.users = &w->user;
    w->view.events = &w->event;
    w->view.event_stride = sizeof w->event;
}

static void check_row(char *line, size_t number, uint32_t *asked) {
    struct world world = {0};
    char *in = strchr(line, ',') + 1, *expected = strchr(in, ',') + 1;
    in[-1] = expected[-1] = '\0';
    for (char *at = in; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, "=");
        fill_in(&world, at, length, at + length + 1);
        at += strcspn(at, " ");
    }
    point(&world);
    double wanted = strtod(expected, NULL), value = compute(line, &world, asked);
    cr_expect(memcmp(&wanted, &value, sizeof value) == 0, "line %zu, %s: %.17g, not %.17g", number,
              line, value, wanted);
}

Test(predict, frozen_values) {
    char path[400], line[4000];
    uint32_t asked[FUNCTIONS] = {0};
    snprintf(path, sizeof path, "%s/tests/policy/predict.csv", getenv("EASIM_SOURCE"));
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file), "%s cannot be read", path);
    size_t number = 1;
    while (fgets(line, sizeof line, file))
        check_row(line, ++number, asked);
    fclose(file);
    cr_expect_eq(number, 2001);
    for (size_t i = 0; i < FUNCTIONS; i++)
        cr_expect_gt(asked[i], 0, "%s is in no row", functions[i].name);
}
