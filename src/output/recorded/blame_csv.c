/* Where time went: see recorded.h. */
#include "output/recorded/recorded.h"

#include "base/units.h"
#include "metrics/job_record.h"
#include "output/columns.h"

#include <stdlib.h>

void recorded_begin_row(const struct recorded_run *run, struct str *out) {
    run_columns_begin(run->folder->policies.at[run->part->policy].name, run->part->replication,
                      out);
}

static const char *job_id(const struct recorded_run *run, uint32_t job) {
    return job == EASIM_NONE ? NULL : run->workload.jobs.at[job].id;
}

/* ---- blame.csv ---- */

struct line {
    const struct recorded_run *run;
    uint32_t number;
    const struct job_spec *spec;
    const struct recorded_job *job;
    const struct job_blame *blame;
    const struct holding *first; /* NULL: never started */
    bool is_critical;
    enum miss_cause cause;
    double late_s;
};

static int64_t time_ns(const struct line *line) {
    int64_t sum_ns = 0;
    for (int p = 0; p < BLAME_PARTS; p++)
        sum_ns += line->blame->part_ns[p];
    return sum_ns;
}

/* Under an enforced cap it is not known. */
static int64_t capped_ns(const struct line *line) {
    return recorded_folder_enforces(line->run->folder) ? TIME_NONE_NS
                                                       : line->blame->part_ns[BLAME_CAPPED];
}

/* clang-format off */
#define BLAME_COLUMNS(X) \
    X(job_id, text, "", NEITHER, line->spec->id) \
    X(user, text, "", NEITHER, line->run->workload.users.at[line->spec->user].name) \
    X(model, text, "", NEITHER, workload_model_name(&line->run->workload, line->spec)) \
    X(status, text, "", NEITHER, job_record_status_name(line->job->state)) \
    X(submit_s, seconds, "s", NEITHER, line->spec->submit_ns) \
    X(time_s, seconds, "s", NEITHER, time_ns(line)) \
    X(queued_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_QUEUED]) \
    X(capped_s, seconds, "s", NEITHER, capped_ns(line)) \
    X(setup_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_SETUP]) \
    X(run_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_RUN]) \
    X(slowed_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_SLOWED]) \
    X(lost_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_LOST]) \
    X(resized_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_RESIZED]) \
    X(preempted_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_PREEMPTED]) \
    X(failed_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_FAILED]) \
    X(behind, text, "", NEITHER, line->first ? job_id(line->run, line->first->behind) : NULL) \
    X(slowed_j, real, "J", NEITHER, line->blame->slowed_j) \
    X(critical, flag, "", NEITHER, line->is_critical) \
    X(miss_cause, text, "", NEITHER, miss_cause_names[line->cause]) \
    X(late_s, real, "s", NEITHER, line->late_s) \
    X(measured, flag, "", NEITHER, recorded_run_measures(line->run, line->number))
/* Where a power cap is enforced. */
#define BLAME_COLUMNS_LIMITS(X) \
    X(throttled_s, seconds, "s", NEITHER, line->blame->part_ns[BLAME_THROTTLED])
/* clang-format on */

void blame_csv_header(const struct recorded_folder *folder, struct str *out) {
    str_add(out, RUN_HEADER(BLAME_COLUMNS));
    str_add(out, recorded_folder_enforces(folder) ? BLAME_COLUMNS_LIMITS(COLUMN_NAME) "\n" : "\n");
}

void blame_csv_rows(const struct blame_page *page, struct str *out) {
    const struct recorded_run *run = page->run;
    bool *is_critical = mem_zalloc(run->workload.jobs.count, sizeof *is_critical);
    for (size_t i = 0; i < page->path->links.count; i++)
        is_critical[page->path->links.at[i].job] = true;
    for (uint32_t j = 0; j < run->workload.jobs.count; j++) {
        struct line row = {.run = run,
                           .number = j,
                           .spec = &run->workload.jobs.at[j],
                           .job = &run->jobs[j],
                           .blame = &page->blame->jobs[j],
                           .first = blame_first_holding(page->blame, j),
                           .is_critical = is_critical[j]};
        if (row.job->state == EASIM_JOB_PENDING)
            continue;
        row.cause = miss_cause_find(run, page->blame, j, &row.late_s);
        const struct line *line = &row;
        recorded_begin_row(run, out);
        BLAME_COLUMNS(COLUMN_CELL)
        if (recorded_folder_enforces(run->folder))
            BLAME_COLUMNS_LIMITS(COLUMN_CELL)
        str_add_char(out, '\n');
    }
    free(is_critical);
}

/* ---- critical_path.csv ---- */

/* clang-format off */
#define CRITICAL_PATH_COLUMNS(X) \
    X(link, int, "", NEITHER, (int64_t)i + 1) \
    X(job_id, text, "", NEITHER, job_id(page->run, link->job)) \
    X(start_s, seconds, "s", NEITHER, link->start_ns) \
    X(end_s, seconds, "s", NEITHER, link->end_ns) \
    X(gap_s, seconds, "s", NEITHER, link->gap_ns)
/* clang-format on */

const char critical_path_csv_header[] = RUN_HEADER(CRITICAL_PATH_COLUMNS) "\n";

void critical_path_csv_rows(const struct blame_page *page, struct str *out) {
    for (size_t i = 0; i < page->path->links.count; i++) {
        const struct critical_link *link = &page->path->links.at[i];
        RUN_ROW(recorded_begin_row(page->run, out), CRITICAL_PATH_COLUMNS);
    }
}

/* ---- node_blame.csv ---- */

/* clang-format off */
#define NODE_BLAME_COLUMNS(X) \
    X(node, int, "", NEITHER, n) \
    X(gpu_type, text, "", NEITHER, cluster->gpu_types[cluster->nodes[n].gpu_type].name) \
    X(gpus, int, "GPUs", NEITHER, cluster->nodes[n].gpus) \
    X(failures, int, "", NEITHER, b->failures) \
    X(down_gpu_h, real, "GPU h", NEITHER, power_gpu_s(b->down_gpu_ps) / S_PER_H) \
    X(stopped_jobs, int, "", NEITHER, b->stopped_jobs) \
    X(lost_gpu_h, real, "GPU h", NEITHER, power_gpu_s(b->lost_gpu_ps) / S_PER_H) \
    X(lost_kwh, real, "kWh", NEITHER, power_j(b->lost_energy) / J_PER_KWH) \
    X(slowed_j, real, "J", NEITHER, b->slowed_j)
/* clang-format on */

const char node_blame_csv_header[] = RUN_HEADER(NODE_BLAME_COLUMNS) "\n";

void node_blame_csv_rows(const struct blame_page *page, struct str *out) {
    const struct cluster *cluster = &page->run->folder->cluster;
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct node_blame *b = &page->nodes[n];
        if (b->down_gpu_ps == 0 && b->failures == 0 && b->slowed_j == 0)
            continue;
        RUN_ROW(recorded_begin_row(page->run, out), NODE_BLAME_COLUMNS);
    }
}
