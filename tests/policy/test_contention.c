/* Jobs that share uplinks and storage (semantics 35), worked out by hand: times, energies and what
   was lost by waiting. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "engine/contention.h"
#include "engine/observer.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(contention, .init = temp_dir_enter, .fini = temp_dir_leave);

/* An iteration of 10 samples a GPU takes 0.3 + 0.02 x 10 + 0.5 = 1 s on several GPUs, 0.5 s on one.
   A GPU draws 100 + 300 x 0.02 x 10 = 160 W at the whole rate of several, 100 + 60 q at a share q.
   It sends 100 MB/s to others, and k GPUs read 50 k MB/s. */
#define FORMS \
    "a_s: 0.3, c_s: 0.02, gamma: 1, alpha_s: 0.5, p0_w: 100, pmax_w: 400, evidence: assumed, source: by hand"
static const char models[] =
    "models:\n"
    "  - {name: m, efficiency: none, batches: [10], sync_bytes: 100MB, gpus: {g: {" FORMS "}}}\n"
    "  - {name: r, efficiency: none, batches: [10], sync_bytes: 0, bytes_per_sample: 5MB, gpus: {g: {" FORMS
    "}}}\n"
    "  - {name: both, efficiency: none, batches: [10], sync_bytes: 100MB, storage_bytes_per_sample: 5MB,\n"
    "     bytes_per_sample: 1, gpus: {g: {" FORMS "}}}\n"
    "  - {name: quiet, efficiency: none, batches: [10], sync_bytes: 0, gpus: {g: {" FORMS "}}}\n";

#define HEAD "job_id,submit_s,model,gpus,work_samples,duration_s\n"

struct outcome {
    const char *id;
    double start_s, finish_s, energy_j, network_s, storage_s; /* NAN: no such column */
};

struct shared_case {
    const char *name, *nodes, *rest, *jobs;
    struct outcome outcomes[5];
};

static void expect_cell(const struct trial *trial, const char *job, const char *column,
                        double expected) {
    if (isnan(expected))
        cr_expect(!strstr(trial->jobs_csv.text, column), "column %s", column);
    else
        cr_expect_float_eq(trial_cell(trial, job, column), expected, 1e-9 * (1 + expected),
                           "%s of job %s: %.12g, not %.12g", column, job,
                           trial_cell(trial, job, column), expected);
}

static void run_case(const struct shared_case *c) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = c->jobs, .models = models},
              "name: n\n"
              "horizon: drain\n"
              "models: models.yaml\n"
              "policy: {name: fcfs}\n"
              "workload: {kind: trace, file: jobs.csv}\n"
              "cluster:\n"
              "  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}]\n"
              "  nodes: [{%s}]\n"
              "%s",
              c->nodes, c->rest);
    cr_assert_eq(t.status, 0, "%s: %s", c->name, t.failure);
    for (const struct outcome *o = c->outcomes; o->id; o++) {
        expect_cell(&t, o->id, "start_s", o->start_s);
        expect_cell(&t, o->id, "finish_s", o->finish_s);
        expect_cell(&t, o->id, "energy_j", o->energy_j);
        expect_cell(&t, o->id, "network_slowed_s", o->network_s);
        expect_cell(&t, o->id, "storage_slowed_s", o->storage_s);
    }
    trial_finish(&t);
}

/* --- uplinks --- */

/* a has 8 GPUs below the uplink of the first leaf and 4 below that of the second; each carries 8 x
   100 / 4 = 200 MB/s, so x = 200 / 8 = 25 of the 100 MB/s that a could use: iterations take 4 s. b
   is in one node and loads nothing. */
Test(contention, two_leaves_of_different_fill) {
    run_case(&(struct shared_case){
        "two leaves",
        "count: 4, gpu: g, gpus: 4",
        "  network:\n"
        "    tiers: [{name: leaf, nodes: 2}, {name: spine, nodes: 4, oversubscription: 4}]\n"
        "    link: 100MB/s\n"
        "    contention: true\n",
        HEAD "a,0,m,12,12000,\nb,0,m,4,4000,\n",
        {{"a", 0, 400, 12 * 115.0 * 400, 300, NAN}, {"b", 0, 100, 4 * 160.0 * 100, 0, NAN}}});
}

/* Fillers keep one GPU of each node of 3 free, one after the other on the first: so j1, j2 and j3
   each have one GPU there and one elsewhere. The uplink of the first node carries 3 x 120 / 3 = 120
   MB/s: 100 for one job, 60 for each of two, 40 for each of three. Shares 1 (100 s), 0.6, 0.4 and
   back; 20 samples/s at share 1. */
#define FILLERS \
    "f1,0,,1,,100\nf2,0,,1,,200\nf3,0,,1,,300\n" \
    "g1,0,,2,,1000\ng2,0,,2,,1000\ng3,0,,2,,1000\n"
Test(contention, two_then_three_jobs_on_an_uplink) {
    run_case(&(struct shared_case){
        "uplink",
        "count: 4, gpu: g, gpus: 3",
        "  network: {tiers: [{name: spine, nodes: 4, oversubscription: 3}], link: 120MB/s, "
        "contention: true}\n",
        HEAD FILLERS "j1,100,m,2,4000,\nj2,200,m,2,2600,\nj3,300,m,2,2400,\n",
        {{"j1", 100, 400, 100 * 320 + 100 * 272 + 100 * 248, 100, NAN},
         {"j2", 200, 450, 100 * 272 + 100 * 248 + 50 * 272, 120, NAN},
         {"j3", 300, 500, 100 * 248 + 50 * 272 + 50 * 320, 80, NAN},
         {"g1", 0, 1000, 2 * 400.0 * 1000, 0, NAN}}});
}

/* The same with a link of 60 MB/s and o = 1.5: a GPU uses 60 at most, so two jobs have what they
   could use, and each of three has 40, 2/3 of it. */
Test(contention, link_of_a_gpu_is_the_most) {
    run_case(&(struct shared_case){
        "slow link",
        "count: 4, gpu: g, gpus: 3",
        "  network: {tiers: [{name: spine, nodes: 4, oversubscription: 1.5}], link: 60MB/s, "
        "contention: true}\n",
        HEAD FILLERS "j1,100,m,2,5000,\nj2,200,m,2,4000,\nj3,300,m,2,1000,\n",
        {{"j1", 100, 375, 200 * 320 + 75 * 280, 25, NAN},
         {"j2", 200, 425, 150 * 320 + 75 * 280, 25, NAN},
         {"j3", 300, 375, 75 * 280, 25, NAN}}});
}

/* --- storage --- */

/* As on the uplink: 120 MB/s, of which each job could use 100. */
Test(contention, two_then_three_jobs_on_storage) {
    run_case(&(struct shared_case){
        "storage",
        "gpu: g, gpus: 16",
        "storage: {bandwidth: 120MB/s}\n",
        HEAD "j1,100,r,2,4000,\nj2,200,r,2,2600,\nj3,300,r,2,2400,\nq,0,quiet,2,4000,\n",
        {{"j1", 100, 400, 100 * 320 + 100 * 272 + 100 * 248, NAN, 100},
         {"j2", 200, 450, 100 * 272 + 100 * 248 + 50 * 272, NAN, 120},
         {"j3", 300, 500, 100 * 248 + 50 * 272 + 50 * 320, NAN, 80},
         {"q", 0, 200, 320 * 200, NAN, 0}}});
}

/* A cluster that says nothing of storage holds nobody back. */
Test(contention, no_storage) {
    run_case(&(struct shared_case){"no storage",
                                   "gpu: g, gpus: 16",
                                   "",
                                   HEAD "j1,100,r,2,4000,\n",
                                   {{"j1", 100, 300, 200 * 320, NAN, NAN}}});
}

/* One GPU reads 5 MB x 20 samples/s = 100 MB/s, eight read 400: of 300 the small job has 100, and
   the large one what is left, half of what it could use. Alone it has 300 of 400. */
Test(contention, small_reader_has_all_it_needs) {
    run_case(
        &(struct shared_case){"small and large",
                              "gpu: g, gpus: 16",
                              "storage: {bandwidth: 300MB/s}\n",
                              HEAD "s,0,r,1,2000,\nl,0,r,8,10000,\n",
                              {{"s", 0, 100, 220 * 100, NAN, 0},
                               {"l", 0, 200, 8 * 130.0 * 100 + 8 * 145.0 * 100, NAN, 50 + 25}}});
}

/* --- both --- */

/* Two jobs on the uplink of the first node have 0.6 of their rate each, and could then read 60
   MB/s; of 90 each has 45, a share of 0.45. Alone a job has the uplink, and 90 of the 100 MB/s. */
Test(contention, storage_of_what_the_network_leaves) {
    run_case(&(struct shared_case){
        "both",
        "count: 4, gpu: g, gpus: 3",
        "  network: {tiers: [{name: spine, nodes: 4, oversubscription: 3}], link: 120MB/s, "
        "contention: true}\n"
        "storage: {bandwidth: 90MB/s}\n",
        HEAD FILLERS "j1,100,both,2,2700,\nj2,200,both,2,2700,\n",
        {{"j1", 100, 300, 100 * 308 + 100 * 254, 40, 25},
         {"j2", 200, 400, 100 * 254 + 100 * 308, 40, 25}}});
}

/* The jobs whose share is to become another one (contention.h): each once, in ascending order. */
static void look_at_changed(void *context, const struct sim *sim) {
    uint32_t *most = context;
    const struct contention *c = sim->contention;
    for (size_t i = 1; i < c->changed.count; i++)
        cr_expect_lt(c->changed.at[i - 1], c->changed.at[i], "at %g s", sim->view.v->now_s);
    *most = c->changed.count > *most ? (uint32_t)c->changed.count : *most;
}

/* The two of storage_of_what_the_network_leaves change on the uplink and in storage at once. */
Test(contention, changed_jobs_are_told_once) {
    uint32_t most = 0;
    const struct observer watch = {.context = &most, .instant = look_at_changed};
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = HEAD FILLERS "j1,100,both,2,2700,\nj2,200,both,2,2700,\n",
                                .models = models,
                                .watch = &watch},
        "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n" TRIAL_JOBS
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{count: 4, "
        "gpu: g, gpus: 3}], network: {tiers: [{name: spine, nodes: 4, oversubscription: 3}], link: "
        "120MB/s, contention: true}}\nstorage: {bandwidth: 90MB/s}\n");
    trial_must_succeed(&t);
    cr_expect_eq(most, 2);
    trial_finish(&t);
}

/* --- what has no effect --- */

#define FORMS_ONLY "efficiency: none, batches: [10], gpus: {g: {" FORMS "}}"
#define CONTENDED  "  network: {tiers: [{name: leaf, nodes: 4}], link: 1GB/s, contention: true}\n"

Test(contention, warnings) {
    static const struct {
        const char *model, *nodes, *rest, *jobs, *warning;
    } cases[] = {
        {"storage_bytes_per_sample: 1MB, ", "gpu: g, gpus: 2", "storage: {bandwidth: 1GB/s}\n",
         "a,0,m,1,10,\n", NULL},
        {"", "gpu: g, gpus: 2", "storage: {bandwidth: 1GB/s}\n", "a,0,m,1,10,\n",
         "storage: of no effect, no model of the workload's jobs states bytes_per_sample"},
        {"bytes_per_sample: 1MB, ", "gpu: g, gpus: 2", "storage: {bandwidth: 1GB/s}\n",
         "a,0,m,1,10,\nb,0,,1,,10\n",
         "storage: of no effect on rigid jobs, because their reads are not known"},
        {"storage_bytes_per_sample: 1MB, ", "gpu: g, gpus: 2", "", "a,0,m,1,10,\n",
         "models.m.storage_bytes_per_sample: of no effect without storage"},
        {"bytes_per_sample: 1MB, ", "gpu: g, gpus: 2", "", "a,0,m,1,10,\n", NULL},
        {"sync_bytes: 1MB, ", "gpu: g, gpus: 2", "", "a,0,m,1,10,\n",
         "models.m.sync_bytes: of no effect without cluster.network.contention"},
        {"sync_bytes: 1MB, ", "count: 2, gpu: g, gpus: 2", CONTENDED, "a,0,m,4,10,\nb,0,,1,,10\n",
         "cluster.network.contention: of no effect on rigid jobs, because their traffic is not known"},
        {"", "count: 2, gpu: g, gpus: 2", CONTENDED, "a,0,m,1,10,\n",
         NULL}, /* one GPU sends none */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        char file[512], jobs[128];
        (void)snprintf(file, sizeof file, "models: [{name: m, %s" FORMS_ONLY "}]\n",
                       cases[i].model);
        (void)snprintf(jobs, sizeof jobs, HEAD "%s", cases[i].jobs);
        trial_run(&t, &(struct trial_options){.jobs = jobs, .models = file},
                  "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n"
                  "workload: {kind: trace, file: jobs.csv}\n"
                  "cluster:\n"
                  "  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}]\n"
                  "  nodes: [{%s}]\n%s",
                  cases[i].nodes, cases[i].rest);
        trial_must_succeed(&t);
        const char *found = NULL;
        for (size_t w = 0; w < t.study.warnings.count; w++)
            if (strstr(t.study.warnings.at[w], "storage") ||
                strstr(t.study.warnings.at[w], "sync") ||
                strstr(t.study.warnings.at[w], "contention"))
                found = t.study.warnings.at[w];
        cr_expect((found != NULL) == (cases[i].warning != NULL), "case %zu: %s", i,
                  found ? found : "no warning");
        if (found && cases[i].warning)
            cr_expect_str_eq(found, cases[i].warning);
        trial_finish(&t);
    }
}

/* Read from storage, and moved in GPU memory for the roof of easim attribute: two figures. */
Test(contention, bytes_of_two_meanings) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = HEAD "a,0,m,1,10,\n",
            .models = "models: [{name: m, flops_per_sample: 1e9, bytes_per_sample: 1e6, " FORMS_ONLY
                      "}]\n"},
        "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "workload: {kind: trace, file: jobs.csv}\nstorage: {bandwidth: 1GB/s}\n"
        "cluster:\n"
        "  gpu_types: [{name: g, idle_w: 50, tdp_w: 400, peak_flops: 1e14, memory_bytes_s: 1e12}]\n"
        "  nodes: [{gpu: g, gpus: 1}]\n");
    trial_must_succeed(&t);
    cr_assert_eq(t.study.warnings.count, 1u);
    cr_expect_str_eq(
        t.study.warnings.at[0],
        "models.m.bytes_per_sample: is both what a sample reads from storage and what it moves in "
        "GPU memory; storage_bytes_per_sample sets the first one alone");
    trial_finish(&t);
}
