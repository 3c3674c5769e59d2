/* Where time went: see recorded.h. */
#include "output/recorded/recorded.h"

#include "base/units.h"
#include "io/csv.h"
#include "metrics/job_record.h"

#include <stdlib.h>

static void comma_ns(struct str *out, int64_t time_ns) {
    str_add_char(out, ',');
    str_add_ns(out, time_ns);
}

static void begin_row(const struct recorded_run *run, struct str *out) {
    csv_add_text(out, run->folder->policies.at[run->part->policy].name);
    csv_comma_int(out, run->part->replication);
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

#define PART(part) comma_ns(out, line->blame->part_ns[part])
/* clang-format off */
#define BLAME_COLUMNS(X) \
    X(job_id, csv_comma_text(out, line->spec->id)) \
    X(user, csv_comma_text(out, line->run->workload.users.at[line->spec->user].name)) \
    X(model, csv_comma_text(out, workload_model_name(&line->run->workload, line->spec))) \
    X(status, csv_comma_text(out, job_record_status_name(line->job->state))) \
    X(submit_s, comma_ns(out, line->spec->submit_ns)) \
    X(time_s, comma_ns(out, time_ns(line))) \
    X(queued_s, PART(BLAME_QUEUED)) \
    X(capped_s, PART(BLAME_CAPPED)) \
    X(setup_s, PART(BLAME_SETUP)) \
    X(run_s, PART(BLAME_RUN)) \
    X(slowed_s, PART(BLAME_SLOWED)) \
    X(lost_s, PART(BLAME_LOST)) \
    X(resized_s, PART(BLAME_RESIZED)) \
    X(preempted_s, PART(BLAME_PREEMPTED)) \
    X(failed_s, PART(BLAME_FAILED)) \
    X(behind, csv_comma_text(out, line->first ? job_id(line->run, line->first->behind) : NULL)) \
    X(slowed_j, csv_comma_real(out, line->blame->slowed_j)) \
    X(critical, csv_comma_int(out, line->is_critical)) \
    X(miss_cause, csv_comma_text(out, miss_cause_names[line->cause])) \
    X(late_s, csv_comma_real(out, line->late_s)) \
    X(measured, csv_comma_int(out, recorded_run_measures(line->run, line->number)))
/* clang-format on */

#define HEADER(name, cell) "," #name
#define CELL(name, cell)   cell;

void blame_csv_header(struct str *out) {
    str_add(out, "policy,replication" BLAME_COLUMNS(HEADER) "\n");
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
        begin_row(run, out);
        BLAME_COLUMNS(CELL)
        str_add_char(out, '\n');
    }
    free(is_critical);
}

/* ---- critical_path.csv ---- */

void critical_path_csv_header(struct str *out) {
    str_add(out, "policy,replication,link,job_id,start_s,end_s,gap_s\n");
}

void critical_path_csv_rows(const struct blame_page *page, struct str *out) {
    for (size_t i = 0; i < page->path->links.count; i++) {
        const struct critical_link *link = &page->path->links.at[i];
        begin_row(page->run, out);
        csv_comma_int(out, (int64_t)i + 1);
        csv_comma_text(out, job_id(page->run, link->job));
        comma_ns(out, link->start_ns);
        comma_ns(out, link->end_ns);
        comma_ns(out, link->gap_ns);
        str_add_char(out, '\n');
    }
}

/* ---- node_blame.csv ---- */

void node_blame_csv_header(struct str *out) {
    str_add(out,
            "policy,replication,node,gpu_type,gpus,failures,down_gpu_h,stopped_jobs,lost_gpu_h,"
            "lost_kwh,slowed_j\n");
}

void node_blame_csv_rows(const struct blame_page *page, struct str *out) {
    const struct cluster *cluster = &page->run->folder->cluster;
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct node_blame *b = &page->nodes[n];
        if (b->down_gpu_ps == 0 && b->failures == 0 && b->slowed_j == 0)
            continue;
        begin_row(page->run, out);
        csv_comma_int(out, n);
        csv_comma_text(out, cluster->gpu_types[cluster->nodes[n].gpu_type].name);
        csv_comma_int(out, cluster->nodes[n].gpus);
        csv_comma_int(out, b->failures);
        csv_comma_real(out, power_gpu_s(b->down_gpu_ps) / S_PER_H);
        csv_comma_int(out, b->stopped_jobs);
        csv_comma_real(out, power_gpu_s(b->lost_gpu_ps) / S_PER_H);
        csv_comma_real(out, power_j(b->lost_energy) / J_PER_KWH);
        csv_comma_real(out, b->slowed_j);
        str_add_char(out, '\n');
    }
}
