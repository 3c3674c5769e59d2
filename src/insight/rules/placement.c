/* Rules of placement: free GPUs that jobs cannot take, or may not take. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"
#include "metrics/job_record.h"

#include <stdlib.h>

/* ---- FRAG ---- */

/* The view of the first job in the queue: free GPUs of types that it can use, the largest block
   that one job could get, and the least that it needs. Thousandths. */
struct head_view {
    uint64_t free_milli, block_milli, need_milli;
};

static struct head_view look_for_head(const struct queue_replay *replay, uint32_t group) {
    const struct queue_group *g = &replay->groups.at[group];
    const struct easim_config *configs = replay->run->workload.table.configs.at;
    struct head_view view = {.need_milli = UINT64_MAX};
    uint64_t types = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct easim_config *c = &configs[replay->choices.at[g->first + i].config];
        const struct room_free *room = &replay->free[c->gpu_type];
        uint64_t need = c->milli > 0 ? c->milli : (uint64_t)c->k * WHOLE_GPU_MILLI;
        bool across = c->goodput[EASIM_ACROSS_NODES] > 0 && c->milli == 0;
        uint64_t block = (uint64_t)(across ? room->gpus : room->of_node) * WHOLE_GPU_MILLI;
        if (c->milli > 0 && room->of_share > block)
            block = room->of_share;
        view.need_milli = need < view.need_milli ? need : view.need_milli;
        view.block_milli = block > view.block_milli ? block : view.block_milli;
        if (!(types >> c->gpu_type & 1)) {
            types |= UINT64_C(1) << c->gpu_type;
            view.free_milli += c->milli > 0 ? room_free_milli(&replay->instants.room, c->gpu_type)
                                            : (uint64_t)room->gpus * WHOLE_GPU_MILLI;
        }
    }
    return view;
}

struct frag {
    double time_s, stranded_gpu_s;
    struct head_view worst; /* of the longest interval */
    struct top_list intervals;
    int64_t first_ns, last_ns;
};

static void look_at_interval(const struct rule_run *rule_run, const struct queue_replay *replay,
                             struct frag *frag) {
    double s = rule_run_overlap_s(rule_run, replay->from_ns, replay->to_ns);
    uint32_t head = queue_replay_head(replay);
    if (s <= 0 || head == EASIM_NONE)
        return;
    uint32_t group = queue_replay_group(replay, head);
    if (queue_replay_fit(replay, group).gpus)
        return;
    struct head_view view = look_for_head(replay, group);
    if (view.free_milli < view.need_milli)
        return;
    if (frag->intervals.count == 0 || s > frag->intervals.at[0].weight)
        frag->worst = view;
    top_list_add(&frag->intervals, (struct top_entry){s, head, replay->from_ns, replay->to_ns});
    frag->first_ns = frag->time_s > 0 ? frag->first_ns : replay->from_ns;
    frag->last_ns = replay->to_ns;
    frag->time_s += s;
    frag->stranded_gpu_s += s * (double)view.free_milli / WHOLE_GPU_MILLI;
}

static void report_frag(const struct rule_run *rule_run, const struct frag *frag,
                        struct insights *insights) {
    struct insight *insight =
        insights_add(insights, units_s(frag->first_ns), units_s(frag->last_ns));
    double share = frag->time_s / (rule_run->to_s - rule_run->from_s);
    insight_find(insight,
                 "in %.1f %% of the time enough GPUs were free for the head of the queue, but not "
                 "in one piece: %.4g GPU h stranded",
                 100 * share, frag->stranded_gpu_s / S_PER_H);
    SHOW(insight, frag, .time_share = share, .time = frag->time_s,
         .stranded = frag->stranded_gpu_s / S_PER_H,
         .largest_free_block = (double)frag->worst.block_milli / WHOLE_GPU_MILLI,
         .request = (double)frag->worst.need_milli / WHOLE_GPU_MILLI);
    for (size_t i = 0; i < frag->intervals.count; i++)
        job_evidence_add(insight, &frag->intervals.at[i],
                         "head of the queue, nothing free fits it");
    insight->evidence_count = frag->intervals.total;
    insight->recommendation = "let jobs take fewer GPUs";
    if (!proposal_smaller_k(insight))
        proposal_none(insight,
                      "the scenario has no list of numbers of GPUs that could be made smaller");
    insight_weigh(insight, frag->stranded_gpu_s, rule_run->gpu_s);
}

void find_frag(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    const struct frag_thresholds *t = thresholds;
    struct queue_replay replay;
    struct frag frag = {0};
    queue_replay_init(&replay, rule_run, NULL);
    while (queue_replay_next(&replay))
        look_at_interval(rule_run, &replay, &frag);
    queue_replay_finish(&replay);
    if (frag.time_s > t->least_share * (rule_run->to_s - rule_run->from_s))
        report_frag(rule_run, &frag, insights);
}

/* ---- HOL ---- */

/* Jobs of a group that have not started yet, least work first. */
struct shelf {
    ARRAY_OF(uint32_t) heap;
};

struct hol {
    const struct rule_run *rule_run;
    ARRAY_OF(struct shelf) shelves; /* by group */
    double wait_s, free_gpu_s, deadlines;
    double jobs;
    struct top_list blocked;
    int64_t first_ns, last_ns;
};

static bool is_before(const struct hol *hol, uint32_t a, uint32_t b) {
    const struct job_spec *jobs = hol->rule_run->run->workload.jobs.at;
    return jobs[a].predicted_work < jobs[b].predicted_work ||
           (jobs[a].predicted_work == jobs[b].predicted_work && a < b);
}

static void swap_jobs(uint32_t *a, uint32_t *b) {
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static void shelf_push(const struct hol *hol, struct shelf *shelf, uint32_t job) {
    array_push(&shelf->heap, job);
    uint32_t *heap = shelf->heap.at;
    for (size_t i = shelf->heap.count - 1; i > 0 && is_before(hol, heap[i], heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap_jobs(&heap[i], &heap[(i - 1) / 2]);
}

static void shelf_pop(const struct hol *hol, struct shelf *shelf) {
    uint32_t *heap = shelf->heap.at;
    size_t count = --shelf->heap.count;
    heap[0] = heap[count];
    for (size_t i = 0, least;; i = least) {
        least = i;
        for (size_t c = 2 * i + 1; c <= 2 * i + 2 && c < count; c++)
            least = is_before(hol, heap[c], heap[least]) ? c : least;
        if (least == i)
            return;
        swap_jobs(&heap[i], &heap[least]);
    }
}

static void take_in(struct hol *hol, const struct queue_replay *replay) {
    while (hol->shelves.count < replay->groups.count)
        (void)array_add(&hol->shelves);
    for (size_t i = 0; i < replay->came.count; i++) {
        uint32_t job = replay->came.at[i];
        if (hol->rule_run->run->workload.jobs.at[job].submit_ns == replay->from_ns &&
            hol->rule_run->run->jobs[job].start_ns != replay->from_ns)
            shelf_push(hol, &hol->shelves.at[queue_replay_group(replay, job)], job);
    }
}

static int64_t start_or_end_ns(const struct hol *hol, uint32_t job) {
    int64_t start_ns = hol->rule_run->run->jobs[job].start_ns;
    return start_ns < 0 ? hol->rule_run->to_ns : start_ns;
}

/* A job that could have run in front of the head from now on. */
static void note_blocked(struct hol *hol, const struct queue_replay *replay, uint32_t job,
                         double time_s) {
    const struct job_spec *spec = &hol->rule_run->run->workload.jobs.at[job];
    const struct recorded_job *recorded = &hol->rule_run->run->jobs[job];
    double wait_s = units_s(start_or_end_ns(hol, job) - replay->from_ns);
    double end_s = units_s(replay->from_ns) + time_s;
    bool missed = spec->deadline_ns != TIME_NONE_NS &&
                  (recorded->finish_ns < 0 || recorded->finish_ns > spec->deadline_ns) &&
                  deadline_is_due(spec->deadline_ns, hol->rule_run->folder->scenario.horizon_ns);
    hol->first_ns = hol->jobs > 0 ? hol->first_ns : replay->from_ns;
    hol->last_ns =
        start_or_end_ns(hol, job) > hol->last_ns ? start_or_end_ns(hol, job) : hol->last_ns;
    hol->jobs++;
    hol->wait_s += wait_s;
    hol->deadlines += missed && end_s <= units_s(spec->deadline_ns);
    top_list_add(&hol->blocked,
                 (struct top_entry){wait_s, job, replay->from_ns, start_or_end_ns(hol, job)});
}

/* Looks at jobs of one group that would end before the first job in the queue starts. */
static void look_at_group(struct hol *hol, const struct queue_replay *replay, uint32_t group,
                          double patience_s) {
    struct shelf *shelf = &hol->shelves.at[group];
    const struct workload *workload = &hol->rule_run->run->workload;
    struct queue_fit fit = queue_replay_fit(replay, group);
    while (fit.power && shelf->heap.count > 0) {
        uint32_t job = shelf->heap.at[0];
        const struct job_spec *spec = &workload->jobs.at[job];
        bool waits = idset_has(&replay->waiting, job) && start_or_end_ns(hol, job) >= replay->to_ns;
        double time_s =
            workload_costs(workload, spec)->start_s + spec->predicted_work / fit.goodput;
        if (waits && time_s > patience_s)
            break;
        shelf_pop(hol, shelf);
        if (waits && recorded_run_measures(hol->rule_run->run, job))
            note_blocked(hol, replay, job, time_s);
    }
}

static double free_gpus(const struct queue_replay *replay) {
    double gpus = 0;
    for (uint32_t h = 0; h < replay->run->folder->cluster.gpu_type_count; h++)
        gpus += (double)room_free_milli(&replay->instants.room, h) / WHOLE_GPU_MILLI;
    return gpus;
}

static void look_behind_head(struct hol *hol, const struct queue_replay *replay) {
    uint32_t head = queue_replay_head(replay);
    if (head == EASIM_NONE || replay->waiting_count < 2 ||
        queue_replay_fit(replay, queue_replay_group(replay, head)).gpus)
        return;
    double patience_s = units_s(start_or_end_ns(hol, head) - replay->from_ns);
    for (size_t i = 0; i < replay->active.count; i++)
        look_at_group(hol, replay, replay->active.at[i], patience_s);
    if (hol->last_ns > replay->from_ns) /* one of them still waits */
        hol->free_gpu_s +=
            free_gpus(replay) * rule_run_overlap_s(hol->rule_run, replay->from_ns, replay->to_ns);
}

static void report_hol(const struct rule_run *rule_run, const struct hol *hol,
                       struct insights *insights) {
    struct insight *insight = insights_add(insights, units_s(hol->first_ns), units_s(hol->last_ns));
    insight_find(
        insight,
        "%.0f of %.0f jobs would have fitted and ended before the head of the queue started; they "
        "waited %.4g s more",
        hol->jobs, rule_run->jobs, hol->wait_s);
    SHOW(insight, hol, .jobs = hol->jobs, .wait = hol->wait_s,
         .deadlines_missed_by_it = hol->deadlines, .blocked = hol->free_gpu_s / S_PER_H);
    for (size_t i = 0; i < hol->blocked.count; i++)
        job_evidence_add(insight, &hol->blocked.at[i],
                         "could have run before the head of the queue");
    insight->evidence_count = hol->blocked.total;
    insight->recommendation = "let jobs that fit pass the head of the queue";
    (void)proposal_param(insight, "strict", "false");
    proposal_policies(insight, EASIM_READS_RUN_TIMES, 0);
    insight_weigh(insight, hol->free_gpu_s, rule_run->gpu_s);
}

/* A list policy that is not strict goes on after a job that does not fit. */
static bool head_blocks(const struct rule_run *rule_run) {
    const struct policy_param *strict = policy_facts_param(&rule_run->facts, "strict");
    return !strict || strcmp(strict->value, "true") == 0;
}

void find_hol(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    const struct hol_thresholds *t = thresholds;
    struct queue_replay replay;
    struct hol hol = {.rule_run = rule_run};
    if (!head_blocks(rule_run) || recorded_folder_enforces(rule_run->folder))
        return; /* an enforced cap, too, may keep jobs behind the head from starting */
    queue_replay_init(&replay, rule_run,
                      policy_facts_can(&rule_run->facts, "POWER_CAP") ? &rule_run->power : NULL);
    while (queue_replay_next(&replay)) {
        take_in(&hol, &replay);
        look_behind_head(&hol, &replay);
    }
    queue_replay_finish(&replay);
    if (hol.jobs >= (double)t->least_jobs)
        report_hol(rule_run, &hol, insights);
    for (size_t i = 0; i < hol.shelves.count; i++)
        free(hol.shelves.at[i].heap.at);
    free(hol.shelves.at);
}
