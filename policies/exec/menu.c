/* The menu of a program that learns: see menu.h. The order of the numbers is
 * docs/reference/program-policy.md's.
 */
#include "menu.h"

#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SLOTS 1024u
#define MOST_CELLS 1024u

enum { OF_JOB = 5, OF_CELL = 5, OF_NOW = OF_CELL + 1, OF_TYPE = 2, OF_CLUSTER = 5, LEVELS = 5 };

/* --- what the program asks for --- */

/* What is not given is `other`, what is no number NAN. */
static double read_real(const cJSON *asked, const char *name, double other) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(asked, name);
    return !item ? other : cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* What is not given is 0, what is no such number EASIM_NONE. */
static uint32_t read_slots(const cJSON *asked, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(asked, name);
    return item ? answer_index(item, MOST_SLOTS + 1) : 0;
}

static bool read_flag(const cJSON *asked, const char *name) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(asked, name));
}

/* [[gpu_type, k], ..]. False: something else. */
static bool read_cells(struct menu *m, const cJSON *list, const struct easim_view *view) {
    int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    m->cells =
        count > 0 && (uint32_t)count <= MOST_CELLS ? calloc((size_t)count, sizeof *m->cells) : NULL;
    for (const cJSON *pair = m->cells ? list->child : NULL; pair; pair = pair->next) {
        struct menu_cell *cell = &m->cells[m->cell_count++];
        cell->gpu_type = answer_index(cJSON_GetArrayItem(pair, 0), view->gpu_type_count);
        cell->k = answer_index(cJSON_GetArrayItem(pair, 1), EASIM_NONE);
        if (cell->gpu_type == EASIM_NONE || cell->k == EASIM_NONE || cell->k == 0)
            return false;
    }
    return m->cells;
}

static uint32_t find_cell(const struct menu *m, const struct easim_config *config) {
    uint32_t cell = 0;
    while (cell < m->cell_count &&
           (m->cells[cell].gpu_type != config->gpu_type || m->cells[cell].k != config->k))
        cell++;
    return cell < m->cell_count ? cell : EASIM_NONE;
}

int menu_begin(struct menu *m, const cJSON *asked, const struct easim_view *view) {
    m->slots = read_slots(asked, "slots");
    m->running_slots = read_slots(asked, "running");
    m->preempt = read_flag(asked, "preempt");
    m->resize = read_flag(asked, "resize");
    m->level_count = read_flag(asked, "limit") ? LEVELS : 0;
    m->choose = read_real(asked, "choose", 1);
    m->cost_per_j = read_real(asked, "cost_per_j", 0);
    m->cost_per_s = read_real(asked, "cost_per_s", 0);
    if (!read_cells(m, cJSON_GetObjectItemCaseSensitive(asked, "cells"), view) || m->slots == 0 ||
        m->slots == EASIM_NONE || m->running_slots == EASIM_NONE ||
        !isfinite(m->choose + m->cost_per_j + m->cost_per_s))
        return -1;
    uint32_t of_running = m->preempt + (m->resize ? m->cell_count : 0) + m->level_count;
    m->item_count = m->slots * m->cell_count + m->running_slots * of_running;
    uint32_t cells_of_running = (m->resize ? m->cell_count : 0) + m->level_count;
    m->value_count = m->slots * (OF_JOB + OF_CELL * m->cell_count) +
                     m->running_slots * (OF_JOB + OF_NOW + OF_CELL * cells_of_running) +
                     OF_TYPE * view->gpu_type_count + OF_CLUSTER;
    m->items = calloc(m->item_count, sizeof *m->items);
    m->cell_of = calloc(view->config_count + 1, sizeof *m->cell_of);
    m->running = calloc(m->running_slots + 1, sizeof *m->running);
    if (!m->items || !m->cell_of || !m->running)
        return -1;
    for (uint32_t c = 0; c < view->config_count; c++)
        m->cell_of[c] = find_cell(m, easim_view_config(view, c));
    return 0;
}

void menu_finish(struct menu *m) {
    free(m->cells);
    free(m->items);
    free(m->cell_of);
    free(m->running);
    *m = (struct menu){0};
}

/* --- the observation --- */

static float clip(double value) {
    return (float)(value > 1 ? 1 : value > -1 ? value : -1); /* not a number: -1 */
}

static float *add_job(const struct easim_view *view, const struct easim_job *job, float *to) {
    double best_s = job->time_best_s;
    double slack_s = job->deadline_s - view->now_s - best_s;
    to[0] = 1;
    to[1] = clip(log(best_s / 3600) / 5);
    to[2] = clip(log1p(easim_job_age_s(view, job) / best_s) / 3);
    to[3] = clip(slack_s / (5 * best_s));
    to[4] = clip(job->preemptions / 3.0);
    return to + OF_JOB;
}

static void add_cell(const struct easim_view *view, const struct easim_job *job,
                     const struct easim_choice *choice, bool fits, float *to) {
    uint32_t free_gpus = easim_view_gpu_type(view, choice->gpu_type)->free;
    double edp_js = job->edp_best_js, best_s = job->time_best_s;
    to[0] = fits;
    to[1] = clip(log(choice->time_s / best_s) / 4);
    to[2] = clip(log(choice->edp_js / edp_js) / 4);
    to[3] = clip(log(choice->energy_j * best_s / edp_js) / 4);
    to[4] = free_gpus > 0 ? clip(choice->k / (double)free_gpus) : 1;
}

/* The best choice of a cell: any that fits goes before all that do not. */
struct best {
    double objective;
    bool fits;
    struct easim_choice choice;
};

static void offer(const struct menu *m, const struct easim_choice *choice, bool fits,
                  struct best *best) {
    double objective = easim_choice_edp(choice, m->choose, false);
    if (fits < best->fits || (fits == best->fits && !(objective < best->objective)))
        return;
    *best = (struct best){objective, fits, *choice};
}

/* The best of each cell, for a waiting job. */
static void find_starts(const struct menu *m, const struct easim_pass *pass,
                        const struct easim_job *job, struct best *best) {
    const struct easim_view *view = pass->view;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        uint32_t cell = m->cell_of[c];
        if (cell == EASIM_NONE)
            continue;
        int span = view->fit_is_exact ? m->cells[cell].span : easim_fits(pass, job, c);
        bool fits = span >= 0 && config->goodput[span] > 0;
        if (!fits && (best[cell].fits || !(config->goodput[config->empty_span] > 0)))
            continue;
        struct easim_choice choice =
            easim_predict(view, job, c, fits ? (uint32_t)span : config->empty_span);
        offer(m, &choice, fits, &best[cell]);
    }
}

/* The best of each cell, for a running job that moves; not what it has. */
static void find_resizes(const struct menu *m, const struct easim_pass *pass,
                         const struct easim_job *job, struct best *best) {
    const struct easim_view *view = pass->view;
    uint32_t asked = EASIM_NONE;
    int span = EASIM_NOFIT;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        uint32_t cell = m->cell_of[c];
        if (cell == EASIM_NONE || c == job->config)
            continue;
        if (cell != asked || !(span >= 0 && config->goodput[span] > 0)) {
            asked = cell;
            span = pass->host->try_config(pass->plan, job->index, c, NULL);
        }
        bool fits = span >= 0 && config->goodput[span] > 0;
        if (!fits && (best[cell].fits || !(config->goodput[config->empty_span] > 0)))
            continue;
        struct easim_choice choice =
            easim_predict_resized(view, job, c, fits ? (uint32_t)span : config->empty_span);
        offer(m, &choice, fits, &best[cell]);
    }
}

/* Writes the cells of a job, and its items where they are possible. */
static float *add_cells(const struct menu *m, const struct easim_view *view,
                        const struct easim_job *job, const struct best *best,
                        struct menu_item *items, float *to) {
    for (uint32_t cell = 0; cell < m->cell_count; cell++, to += OF_CELL) {
        if (!(best[cell].objective < INFINITY))
            continue;
        add_cell(view, job, &best[cell].choice, best[cell].fits, to);
        if (best[cell].fits)
            items[cell] = (struct menu_item){job->index, best[cell].choice.config};
    }
    return to;
}

/* The configurations that differ from the job's only in their limit, highest limit first, as five
   levels: items of those that it may move to. */
static float *add_levels(const struct easim_pass *pass, const struct easim_job *job, bool may,
                         struct menu_item *items, float *to) {
    const struct easim_view *view = pass->view;
    const struct easim_config *now = easim_view_config(view, job->config);
    uint32_t count = 0, *alike = pass->host->scratch(pass->plan, job->config_count * sizeof *alike);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        if (config->gpu_type == now->gpu_type && config->k == now->k && config->batch == now->batch)
            alike[count++] = c;
    }
    for (uint32_t level = 0; level < LEVELS && count > 0; level++) {
        uint32_t c = alike[(uint32_t)lround(level * (count - 1) / (LEVELS - 1.0))];
        bool fits = may && c != job->config;
        struct easim_choice choice = c == job->config
                                         ? easim_predict_running(view, job)
                                         : easim_predict_resized(view, job, c, job->span);
        add_cell(view, job, &choice, fits, to + level * OF_CELL);
        if (fits)
            items[level] = (struct menu_item){job->index, c};
    }
    return to + LEVELS * OF_CELL;
}

static struct best *clear(const struct menu *m, struct best *best) {
    for (uint32_t cell = 0; cell < m->cell_count; cell++)
        best[cell] = (struct best){.objective = INFINITY};
    return best;
}

static float *add_waiting(const struct menu *m, const struct easim_pass *pass, struct best *best,
                          float *to) {
    const struct easim_view *view = pass->view;
    uint32_t next = view->first_waiting;
    for (uint32_t slot = 0; slot < m->slots; slot++) {
        const struct easim_job *job = next == EASIM_NONE ? NULL : easim_view_job(view, next);
        if (!job)
            return to + (m->slots - slot) * (OF_JOB + OF_CELL * m->cell_count);
        find_starts(m, pass, job, clear(m, best));
        to = add_cells(m, view, job, best, m->items + slot * m->cell_count, add_job(view, job, to));
        next = job->next_waiting;
    }
    return to;
}

/* The running jobs of the slots, in order of submission. */
static uint32_t find_running(const struct menu *m, const struct easim_view *view) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->running_count; i++) {
        uint32_t job = easim_view_running(view, i)->job;
        uint32_t at = count < m->running_slots ? count++ : count;
        while (at > 0 && m->running[at - 1] > job) {
            if (at < m->running_slots)
                m->running[at] = m->running[at - 1];
            at--;
        }
        if (at < m->running_slots)
            m->running[at] = job;
    }
    return count;
}

/* An action on a running job waits for a later instant than that of its start, so that the actions
   of a decision come to an end. */
static float *add_running(const struct menu *m, const struct easim_pass *pass, struct best *best,
                          float *to) {
    const struct easim_view *view = pass->view;
    uint32_t count = m->running_slots > 0 ? find_running(m, view) : 0;
    struct menu_item *preempts = m->items + m->slots * m->cell_count;
    struct menu_item *resizes = preempts + (m->preempt ? m->running_slots : 0);
    struct menu_item *limits = resizes + (m->resize ? m->running_slots * m->cell_count : 0);
    for (uint32_t slot = 0; slot < count; slot++) {
        const struct easim_job *job = easim_view_job(view, m->running[slot]);
        bool may = job->start_s < view->now_s, moves = may && job->config_count > 1;
        struct easim_choice now = easim_predict_running(view, job);
        to = add_job(view, job, to);
        add_cell(view, job, &now, may, to);
        to[4] = clip(now.k / (double)(now.k + easim_view_gpu_type(view, now.gpu_type)->free));
        to[OF_CELL] = clip((m->cell_of[job->config] + 1.0) / m->cell_count);
        to += OF_NOW;
        if (m->preempt && may && job->preemptible)
            preempts[slot] = (struct menu_item){job->index, job->config};
        if (m->resize) {
            clear(m, best);
            if (moves)
                find_resizes(m, pass, job, best);
            to = add_cells(m, view, job, best, resizes + slot * m->cell_count, to);
        }
        if (m->level_count > 0)
            to = add_levels(pass, job, moves, limits + slot * LEVELS, to);
    }
    return to;
}

static void add_cluster(const struct easim_view *view, float *to) {
    for (uint32_t i = 0; i < view->gpu_type_count; i++) {
        const struct easim_gpu_type *type = easim_view_gpu_type(view, i);
        *to++ = clip(type->free / (double)type->gpus);
        *to++ = clip(type->node_free_max / (double)type->node_gpus_max);
    }
    to[0] = clip(log1p(view->waiting_count) / 4);
    to[1] = clip(log1p(view->running_count) / 4);
    to[2] = isfinite(view->power_cap_w) ? clip(view->power_w / view->power_cap_w) : 0;
    to[3] = isfinite(view->price_per_mwh) ? clip(view->price_per_mwh / 500) : 0;
    to[4] = isfinite(view->carbon_g_per_kwh) ? clip(view->carbon_g_per_kwh / 1000) : 0;
}

/* The least that a job would cost on the empty cluster. */
static double least_cost(const struct menu *m, const struct easim_view *view,
                         const struct easim_job *job) {
    double least = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        struct easim_choice choice =
            easim_predict(view, job, c, easim_view_config(view, c)->empty_span);
        least = fmin(least, m->cost_per_j * choice.energy_j + m->cost_per_s * choice.time_s);
    }
    return isfinite(least) ? least : 0;
}

/* What is still to come of the running jobs, as predicted; and of the others, if nothing runs. */
static void add_up(struct menu *m, const struct easim_view *view) {
    bool is_idle = view->running_count == 0 && view->checkpointing_count == 0;
    m->left_j = m->left_s = m->unfinished = 0;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        struct easim_choice now = easim_predict_running(view, job);
        m->left_j += now.energy_j;
        m->left_s += now.time_s;
    }
    for (uint32_t job = view->first_waiting; is_idle && job != EASIM_NONE;
         job = easim_view_job(view, job)->next_waiting)
        m->unfinished += least_cost(m, view, easim_view_job(view, job));
}

void menu_show(struct menu *m, const struct easim_pass *pass, float *values, unsigned char *mask) {
    const struct easim_view *view = pass->view;
    struct best *best = pass->host->scratch(pass->plan, m->cell_count * sizeof *best);
    memset(values, 0, m->value_count * sizeof *values);
    for (uint32_t i = 0; i < m->item_count; i++)
        m->items[i] = (struct menu_item){EASIM_NONE, EASIM_NONE};
    for (uint32_t cell = 0; cell < m->cell_count; cell++)
        m->cells[cell].span = easim_room(view, m->cells[cell].gpu_type, m->cells[cell].k, 0);
    add_running(m, pass, best, add_waiting(m, pass, best, values));
    add_cluster(view, values + m->value_count - OF_CLUSTER - OF_TYPE * view->gpu_type_count);
    for (uint32_t i = 0; i < m->item_count; i++)
        mask[i] = m->items[i].job != EASIM_NONE;
    mask[m->item_count] = 1; /* to wait is always possible */
    add_up(m, view);
}

/* --- actions --- */

int menu_act(const struct menu *m, const struct easim_pass *pass, uint32_t action) {
    uint32_t preempts = m->slots * m->cell_count;
    uint32_t resizes = preempts + (m->preempt ? m->running_slots : 0);
    if (action >= m->item_count || m->items[action].job == EASIM_NONE)
        return EASIM_INVAL;
    struct menu_item item = m->items[action];
    if (action < preempts)
        return pass->host->plan_start(pass->plan, item.job, item.config);
    if (action < resizes)
        return pass->host->plan_preempt(pass->plan, item.job, false);
    return pass->host->plan_resize(pass->plan, item.job, item.config);
}

void menu_note(struct menu *m, const struct easim_view *view) {
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        if (event->kind == EASIM_EVENT_ARRIVAL && event->job >= m->arrived)
            m->arrived = event->job + 1;
    }
}

/* Series of price, carbon intensity or power cap go on: they may be what the program waits for. */
bool menu_wait(struct menu *m, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    bool goes_on = view->running_count > 0 || view->checkpointing_count > 0 ||
                   m->arrived < view->job_count || isfinite(view->price_per_mwh) ||
                   isfinite(view->carbon_g_per_kwh) || isfinite(view->power_cap_w);
    bool may_start = false;
    for (uint32_t i = 0; i < m->slots * m->cell_count; i++)
        may_start = may_start || m->items[i].job != EASIM_NONE;
    m->unfinished = may_start ? m->unfinished : 0;
    while (!goes_on && may_start && view->first_waiting != EASIM_NONE)
        if (pass->host->plan_reject(pass->plan, view->first_waiting, "left waiting for ever") !=
            EASIM_OK)
            return false;
    return !goes_on && may_start;
}
