/* The compact form of the exec protocol: see steps.h. The order of the numbers is
 * docs/reference/program-policy.md's. */
#include "steps.h"

#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS    4096u
#define MOST_CONFIGS 65536u

enum { GLOBALS = 15, OF_MENU = 3, OF_TYPE = 4, OF_HOUR = 3, OF_JOB = 12 };

struct action {
    uint32_t slot, config; /* slot EASIM_NONE: wait; of a menu the number of the action, and 0 */
};

static uint32_t read_count(const cJSON *asked, const char *name, uint32_t most) {
    uint32_t count = answer_index(cJSON_GetObjectItemCaseSensitive(asked, name), most + 1);
    return count == EASIM_NONE ? 0 : count;
}

/* The bytes of a frame; 0: asked for something else. */
static size_t read_form(struct steps *s, const cJSON *asked, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const cJSON *wake = cJSON_GetObjectItemCaseSensitive(asked, "wake_s");
    const cJSON *menu = cJSON_GetObjectItemCaseSensitive(asked, "menu");
    s->wake_s = cJSON_IsNumber(wake) ? wake->valuedouble : 0;
    if (menu) {
        s->problem =
            "sent steps.menu: expected {\"slots\": 1..1024, \"cells\": [[GPU type, GPUs], ..], ..}";
        if (menu_begin(&s->menu, menu, view) < 0 || !(s->wake_s >= 0))
            return 0;
        return (GLOBALS + OF_MENU) * sizeof *s->frame + s->menu.value_count * sizeof(float) +
               s->menu.item_count + 1;
    }
    s->jobs = read_count(asked, "jobs", MOST_JOBS);
    s->configs = read_count(asked, "configs", MOST_CONFIGS);
    s->problem = "sent steps: expected {\"jobs\": 1..4096, \"configs\": 1..65536, \"wake_s\": 0..}";
    if (s->jobs == 0 || s->configs == 0 || !(s->wake_s >= 0))
        return 0;
    size_t values = GLOBALS + (size_t)OF_TYPE * view->gpu_type_count +
                    (size_t)OF_HOUR * forecast_of(pass)->hour_count + (size_t)OF_JOB * s->jobs;
    return values * sizeof *s->frame + (size_t)s->jobs * s->configs + 1;
}

int steps_begin(struct steps *s, const cJSON *asked, const struct easim_pass *pass) {
    s->bytes = read_form(s, asked, pass);
    if (s->bytes == 0)
        return -1;
    s->frame = malloc(s->bytes);
    s->problem = "cannot be asked: out of memory";
    return s->frame ? 0 : -1;
}

/* 0 stands for what is not given. */
static double given(double value) {
    return isfinite(value) ? value : 0;
}

/* Jobs that have finished after their deadline, by the events of this decision. */
static uint32_t count_late(const struct easim_view *view) {
    uint32_t late = 0;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        const struct easim_job *job =
            event->kind == EASIM_EVENT_FINISH ? easim_view_job(view, event->job) : NULL;
        late += job && job->state == EASIM_JOB_FINISHED && job->deadline_s < view->now_s;
    }
    return late;
}

static bool is_overdue(const struct easim_view *view, uint32_t job) {
    return easim_view_job(view, job)->deadline_s <= view->now_s;
}

/* At the end: unfinished jobs whose deadline is over. */
static uint32_t count_overdue(const struct easim_view *view) {
    uint32_t late = 0;
    for (uint32_t job = view->first_waiting; job != EASIM_NONE;
         job = easim_view_job(view, job)->next_waiting)
        late += is_overdue(view, job);
    for (uint32_t i = 0; i < view->running_count; i++)
        late += is_overdue(view, easim_view_running(view, i)->job);
    for (uint32_t i = 0; i < view->checkpointing_count; i++)
        late += is_overdue(view, easim_view_checkpointing(view, i)->job);
    return late;
}

static double *add_globals(const struct steps *s, const struct easim_view *view, double *to) {
    const double values[GLOBALS] = {0, /* 1 at the end of the run */
                                    view->now_s,
                                    0, /* energy_j since the last decision */
                                    view->power_w,
                                    given(view->power_cap_w),
                                    given(view->price_per_mwh),
                                    given(view->carbon_g_per_kwh),
                                    view->free_gpus,
                                    view->waiting_count,
                                    view->running_count,
                                    view->checkpointing_count,
                                    s->decisions,
                                    0,  /* answer to the last action of this decision */
                                    0,  /* late jobs since the last decision */
                                    0}; /* most configurations of a job in a slot */
    memcpy(to, values, sizeof values);
    return to + GLOBALS;
}

static double *add_cluster(const struct easim_pass *pass, double *to) {
    const struct easim_view *view = pass->view;
    const struct easim_forecast *forecast = forecast_of(pass);
    for (uint32_t i = 0; i < view->gpu_type_count; i++) {
        const struct easim_gpu_type *type = easim_view_gpu_type(view, i);
        *to++ = type->free;
        *to++ = type->node_free_max;
        *to++ = type->failed;
        *to++ = type->asleep;
    }
    for (uint32_t i = 0; i < forecast->hour_count; i++) {
        const struct easim_forecast_hour *hour = easim_forecast_at(forecast, 0, i);
        *to++ = given(hour->power_cap_w);
        *to++ = given(hour->price_per_mwh);
        *to++ = given(hour->carbon_g_per_kwh);
    }
    return to;
}

static void add_job(const struct easim_view *view, const struct easim_job *job, double *to) {
    const double values[OF_JOB] = {
        job->index,
        job->first_config,
        job->config_count,
        easim_job_age_s(view, job),
        job->remaining,
        job->setup_s,
        isfinite(job->deadline_s),
        isfinite(job->deadline_s) ? job->deadline_s - view->now_s : 0,
        job->time_best_s,
        job->edp_best_js,
        job->preemptions,
        job->sla,
    };
    memcpy(to, values, sizeof values);
}

/* 1 for each configuration that fits now. */
static void add_mask(const struct easim_view *view, const struct easim_job *job, uint32_t room,
                     unsigned char *mask) {
    uint32_t count = job->config_count < room ? job->config_count : room;
    for (uint32_t i = 0; i < count && view->free_gpus > 0; i++)
        mask[i] =
            easim_fit(view, easim_view_config(view, job->first_config + i)) != (int)EASIM_NOFIT;
}

static void show_menu(struct steps *s, const struct easim_pass *pass) {
    double *to = add_globals(s, pass->view, s->frame);
    float *values = (float *)(to + OF_MENU);
    menu_show(&s->menu, pass, values, (unsigned char *)(values + s->menu.value_count));
    to[0] = s->menu.left_j;
    to[1] = s->menu.left_s;
    to[2] = s->menu.unfinished;
}

static void show_queue(struct steps *s, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    double *to = add_cluster(pass, add_globals(s, view, s->frame)), most = 0;
    unsigned char *mask = (unsigned char *)(to + (size_t)OF_JOB * s->jobs);
    uint32_t next = view->first_waiting;
    memset(mask, 0, (size_t)s->jobs * s->configs);
    mask[(size_t)s->jobs * s->configs] = 1; /* to wait is always possible */
    for (uint32_t slot = 0; slot < s->jobs; slot++, to += OF_JOB, mask += s->configs) {
        const struct easim_job *job = next == EASIM_NONE ? NULL : easim_view_job(view, next);
        memset(to, 0, OF_JOB * sizeof *to);
        to[0] = -1;
        if (!job)
            continue;
        add_job(view, job, to);
        add_mask(view, job, s->configs, mask);
        most = fmax(most, job->config_count);
        next = job->next_waiting;
    }
    s->frame[GLOBALS - 1] = most;
}

/* Fills in the frame; the energy, the answer and late jobs are the caller's. */
static void show(struct steps *s, const struct easim_pass *pass) {
    if (s->menu.items)
        show_menu(s, pass);
    else
        show_queue(s, pass);
}

/* The number of the waiting job in that place of the queue, or EASIM_NONE. */
static uint32_t job_in(const struct easim_view *view, uint32_t slot) {
    uint32_t job = view->first_waiting;
    while (slot-- > 0 && job != EASIM_NONE)
        job = easim_view_job(view, job)->next_waiting;
    return job;
}

static int act(const struct steps *s, const struct easim_pass *pass, const struct action *action) {
    if (s->menu.items)
        return menu_act(&s->menu, pass, action->slot);
    uint32_t index = action->slot < s->jobs ? job_in(pass->view, action->slot) : EASIM_NONE;
    const struct easim_job *job = index == EASIM_NONE ? NULL : easim_view_job(pass->view, index);
    if (!job || action->config >= job->config_count)
        return EASIM_INVAL;
    return pass->host->plan_start(pass->plan, index, job->first_config + action->config);
}

int steps_decide(struct steps *s, const struct easim_pass *pass, struct process *process,
                 double timeout_s) {
    const struct easim_view *view = pass->view;
    struct action action;
    double energy_j = view->energy_j;
    uint32_t late = count_late(view);
    int answer = 0;
    s->problem = NULL;
    s->decisions++;
    menu_note(&s->menu, view);
    for (;;) {
        show(s, pass);
        s->frame[2] = energy_j;
        s->frame[12] = answer;
        s->frame[13] = late;
        if (process_trade(process, s->frame, s->bytes, &action, sizeof action, timeout_s) < 0)
            return -1;
        if (action.slot == EASIM_NONE)
            break;
        answer = act(s, pass, &action);
        energy_j = 0;
        late = 0;
    }
    bool is_last = s->menu.items && menu_wait(&s->menu, pass);
    if (s->wake_s > 0) {
        if (!s->adds_wakes) /* the last wait may have ended before its time */
            pass->host->plan_wake_clear(pass->plan);
        if (!is_last)
            pass->host->plan_wake_at(pass->plan, view->now_s + s->wake_s);
    }
    return 0;
}

void steps_end(struct steps *s, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (s->menu.items) {
        memset(s->frame, 0, s->bytes);
        add_globals(s, view, s->frame)[OF_MENU - 1] = s->menu.unfinished;
    } else {
        show_queue(s, pass);
    }
    s->frame[0] = 1;
    s->frame[2] = view->energy_j;
    s->frame[13] = count_overdue(view);
}

void steps_finish(struct steps *s) {
    free(s->frame);
    menu_finish(&s->menu);
    *s = (struct steps){0};
}
