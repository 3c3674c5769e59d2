/* Reads a recorded folder and writes what it has in memory: rewrite_record DIR NAME prints NAME,
   segments.csv or gpus.csv, which has to be the file byte for byte, or jobs: job_id, state, times,
   energy and so on of every job of every run, for those who compare them with jobs.csv; or nothing.
 */
#include "insight/recorded_run.h"

#include "base/units.h"
#include "output/columns.h"
#include "output/run/run_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_begin(const struct recorded_run *run, struct str *out) {
    csv_add_text(out, run->folder->policies.at[run->part->policy].name);
    csv_comma_int(out, run->part->replication);
}

static void add_gpus(const struct recorded_run *run, const struct recorded_segment *s, bool shared,
                     struct str *out) {
    str_add_char(out, ',');
    for (uint32_t i = 0; i < s->gpus_count; i++) {
        const struct recorded_gpus *gpus = &run->gpus.at[s->gpus + i];
        str_addf(out, "%s%u:", i > 0 ? ";" : "", gpus->node);
        run_columns_gpus(out, gpus->first, gpus->count);
        if (shared)
            str_addf(out, "/%u", gpus->lane);
    }
}

static void add_segment(const struct recorded_run *run, const struct recorded_segment *s,
                        uint32_t number, struct str *out) {
    const struct easim_config *c = recorded_run_config(run, s);
    add_begin(run, out);
    csv_comma_text(out, run->workload.jobs.at[s->job].id);
    csv_comma_int(out, number);
    csv_comma_word(out, segment_kind_names[s->kind]);
    csv_comma_seconds(out, s->start_ns);
    csv_comma_seconds(out, s->end_ns);
    csv_comma_text(out, c ? run->folder->cluster.gpu_types[c->gpu_type].name : NULL);
    csv_comma_count(out, c ? c->k : 0);
    csv_comma_positive(out, c ? c->batch : 0);
    add_gpus(run, s, c && c->milli > 0, out);
    csv_comma_energy(out, s->energy);
    csv_comma_real(out, s->work);
    csv_comma_limit(out, c ? c->power_limit_w : INFINITY);
    csv_comma_real(out, c && c->milli > 0 ? c->milli / 1e3 : NAN);
    str_add_char(out, ',');
    if (run->workload.table.has_phases && !recorded_run_is_replica(run, s->job))
        str_add_int(out, s->phase);
    csv_comma_word(out, segment_cause_names[s->began]);
    csv_comma_word(out, segment_cause_names[s->ended]);
    str_add_char(out, '\n');
}

static void add_segments(const struct recorded_run *run, struct str *out) {
    uint32_t number = 0;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        number = i > 0 && s->job == s[-1].job ? number + 1 : 1;
        add_segment(run, s, number, out);
    }
}

static void add_rests(const struct recorded_run *run, struct str *out) {
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *rest = &run->rests.at[i];
        add_begin(run, out);
        csv_comma_int(out, rest->node);
        str_add_char(out, ',');
        run_columns_gpus(out, rest->first, rest->count);
        csv_comma_word(out, recorded_state_names[rest->state]);
        csv_comma_seconds(out, rest->start_ns);
        csv_comma_seconds(out, rest->end_ns);
        str_add_char(out, '\n');
    }
}

static void add_jobs(const struct recorded_run *run, struct str *out) {
    for (uint32_t j = 0; j < run->part->jobs_submitted; j++) {
        const struct recorded_job *job = &run->jobs[j];
        const struct job_spec *spec = &run->workload.jobs.at[j];
        add_begin(run, out);
        csv_comma_text(out, spec->id);
        csv_comma_text(out, run->workload.users.at[spec->user].name);
        csv_comma_text(out, workload_model_name(&run->workload, spec));
        csv_comma_int(out, job->state);
        csv_comma_seconds(out, spec->submit_ns);
        csv_comma_seconds(out, job->start_ns);
        csv_comma_seconds(out, job->finish_ns);
        csv_comma_seconds(out, job->exec_ns);
        csv_comma_seconds(out, job->lost_ns);
        csv_comma_real(out, power_j(job->energy));
        csv_comma_gpu_ps(out, job->gpu_ps);
        csv_comma_deadline(out, spec->deadline_ns);
        csv_comma_int(out, job->preemptions);
        csv_comma_int(out, job->resizes);
        for (size_t i = 0; i < run->workload.label_names.count; i++)
            csv_comma_text(out, spec->labels ? spec->labels[i] : NULL);
        str_add_char(out, '\n');
    }
}

static int add_run(const struct recorded_folder *folder, const struct recorded_part *part,
                   const char *name, struct str *out, struct error *reterr) {
    struct recorded_run run = {0};
    int r = recorded_run_load(&run, folder, part, reterr);
    if (r == 0 && strcmp(name, "nothing") != 0)
        (strcmp(name, "jobs") == 0       ? add_jobs
         : strcmp(name, "gpus.csv") == 0 ? add_rests
                                         : add_segments)(&run, out);
    recorded_run_finish(&run);
    return r;
}

int main(int argc, char **argv) {
    struct recorded_folder folder = {0};
    struct error error = {0};
    struct str out = {0};
    if (argc < 2)
        return 2;
    const char *name = argc > 2 ? argv[2] : "nothing"; /* is read all the same */
    int r = recorded_folder_open(&folder, argv[1], &error);
    if (strcmp(name, "segments.csv") == 0)
        segments_csv_header(&folder.cluster, &out);
    else if (strcmp(name, "gpus.csv") == 0)
        str_add(&out, gpus_csv_header);
    for (size_t i = 0; i < folder.parts.count && r == 0; i++)
        r = add_run(&folder, &folder.parts.at[i], name, &out, &error);
    if (r < 0)
        fprintf(stderr, "%s\n", error.text);
    else
        fwrite(out.text ? out.text : "", 1, out.length, stdout);
    str_finish(&out);
    recorded_folder_finish(&folder);
    return r < 0 ? 2 : 0;
}
