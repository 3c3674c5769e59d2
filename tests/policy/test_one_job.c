/* One malleable job alone: time, energy and energy-delay product against the formulas of semantics
   3 and 4, written down once more in support/reference.c. */
#include "../support/reference.h"
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(one_job, .init = temp_dir_enter, .fini = temp_dir_leave);

#define SUBMIT_NS 2385000000LL
#define TOLERANCE 1e-9

static void expect_near(double found, double expected, const char *what,
                        const struct reference_model *m, int mask, const char *policy) {
    cr_assert(fabs(found - expected) <= TOLERANCE * fabs(expected),
              "%s of %s on types %d under %s: %.17g, not %.17g", what, m->name, mask, policy, found,
              expected);
}

/* A cluster with the types of mask, 8 GPUs each; the job is alone, so it gets the best of all
 * configurations. */
static void run_alone(const struct reference_model *m, int mask, double work, bool by_edp) {
    char jobs[256];
    const char *policy = by_edp ? "zeus" : "pollux";
    snprintf(jobs, sizeof jobs, "job_id,submit_s,user,model,work_samples\nj,2.385,u,%s,%.17g\n",
             m->name, work);
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = jobs},
              "name: alone\n"
              "horizon: drain\n"
              "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
              "cluster:\n" REFERENCE_TYPES "  nodes: [%s%s%s]\npolicy: {name: %s}\n" TRIAL_JOBS,
              mask & 1 ? "{gpu: a100, gpus: 8}" : "", mask == 3 ? ", " : "",
              mask & 2 ? "{gpu: h100, gpus: 8}" : "", policy);
    trial_must_succeed(&t);
    struct reference_run best = reference_best(m, mask, work, by_edp);
    const struct trial_job *job = trial_find(&t, "j");
    cr_assert_eq(job->start_ns, SUBMIT_NS);
    cr_assert(job->k == best.k && job->batch == best.batch && (int)job->gpu_type == best.type,
              "%s on types %d under %s: %u x type %u, batch %g", m->name, mask, policy, job->k,
              job->gpu_type, job->batch);
    /* semantics 10.1: finish = start + ceil(T*1e9 - 0.001) ns */
    cr_assert_eq(job->finish_ns, SUBMIT_NS + (int64_t)ceil(best.time_s * 1e9 - 0.001),
                 "%s: finish %lld", m->name, (long long)job->finish_ns);
    expect_near(job->energy_j, best.energy_j, "energy", m, mask, policy);
    expect_near(trial_cell(&t, "j", "energy_j"), best.energy_j, "energy_j", m, mask, policy);
    expect_near(trial_cell(&t, "j", "jct_s"), best.time_s, "jct_s", m, mask, policy);
    expect_near(trial_cell(&t, "j", "exec_s"), best.time_s, "exec_s", m, mask, policy);
    expect_near(trial_cell(&t, "j", "edp_js"), best.edp_js, "edp_js", m, mask, policy);
    expect_near(trial_cell(&t, "j", "gpu_s"), (double)best.k * best.time_s, "gpu_s", m, mask,
                policy);
    cr_assert_eq(trial_cell(&t, "j", "wait_s"), 0);
    cr_assert_eq(trial_cell(&t, "j", "k"), (double)best.k);
    cr_assert_eq(trial_cell(&t, "j", "b"), best.batch);
    const struct summary *s = t.summaries;
    expect_near(s->edp_mean_js, best.edp_js, "edp_mean_js", m, mask, policy);
    expect_near(s->energy_job_kwh, best.energy_j / 3.6e6, "energy_job_kwh", m, mask, policy);
    expect_near(s->energy_setup_kwh,
                (double)best.k * reference_types[best.type].ctx_w * best.setup_s / 3.6e6,
                "energy_setup_kwh", m, mask, policy);
    trial_finish(&t);
}

Test(one_job, time_energy_edp) {
    static const double works[] = {2385.125, 1234567.89, 3.1e8};
    for (int m = 0; m < REFERENCE_MODELS; m++)
        for (int mask = 1; mask <= 3; mask++)
            for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
                run_alone(&reference_models[m], mask, works[w], false);
                run_alone(&reference_models[m], mask, works[w], true);
            }
}

/* A fixed request leaves no choice: every k and batch of a model, also spread over nodes of 3 GPUs
   (k = 4 and 8; the models have the same synchronization there) and with the batch so large that
   eff < 1 (8 x 2048 > m0); also a part of a sample on each GPU, as large models split one. */
Test(one_job, fixed_requests) {
    static const struct {
        int model, type;
        int64_t k;
        double batch;
        uint32_t nodes;
    } cases[] = {{0, 0, 1, 8, 1},   {0, 1, 2, 128, 1}, {1, 0, 4, 77, 2},    {2, 0, 3, 5, 1},
                 {3, 1, 8, 512, 3}, {1, 1, 8, 713, 3}, {0, 0, 7, 640, 3},   {2, 1, 9, 190, 3},
                 {3, 0, 9, 700, 3}, {2, 1, 9, 4, 3},   {1, 0, 8, 0.125, 3}, {2, 0, 3, 2.0 / 3, 1}};
    const double work = 98765.4321;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct reference_model *m = &reference_models[cases[i].model];
        const char *type = reference_types[cases[i].type].name;
        char jobs[256];
        snprintf(
            jobs, sizeof jobs,
            "job_id,submit_s,model,work_samples,gpus,batch,gpu_type\nj,0,%s,%.17g,%d,%.17g,%s\n",
            m->name, work, (int)cases[i].k, cases[i].batch, type);
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = jobs},
                  "name: fixed\n"
                  "horizon: drain\n"
                  "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
                  "cluster:\n" REFERENCE_TYPES
                  "  nodes: [{count: 3, gpu: a100, gpus: 3}, {count: 3, gpu: h100, gpus: 3}]\n"
                  "policy: {name: pollux}\n" TRIAL_JOBS);
        trial_must_succeed(&t);
        struct reference_run run =
            reference_run(m, cases[i].type, cases[i].k, cases[i].batch, work);
        const struct trial_job *job = trial_find(&t, "j");
        cr_assert_eq(job->nodes, cases[i].nodes, "case %zu: %u nodes", i, job->nodes);
        cr_assert_eq(job->finish_ns, (int64_t)ceil(run.time_s * 1e9 - 0.001), "case %zu", i);
        cr_assert_eq(trial_cell(&t, "j", "b"), cases[i].batch, "case %zu", i);
        expect_near(job->energy_j, run.energy_j, "energy", m, 1 << cases[i].type, "pollux");
        trial_finish(&t);
    }
}
