/* Runs that must be related to each other: changes of names, order, scale, processes and policy,
   and what they may not change. */
#include "../support/reference.h"
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(metamorphic, .init = temp_dir_enter, .fini = temp_dir_leave);

static const char *const policies[] = {"fcfs",    "easy",  "pollux",      "zeus",  "themis",
                                       "chronos", "hades", "aurachronos", "charon"};
#define POLICIES (sizeof policies / sizeof *policies)

#define STUDY \
    "name: n\n" \
    "seed: 2385\n" \
    "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n" \
    "policy: {name: fcfs}\n" \
    "cluster:\n" \
    "  power_cap_w: 5200\n" REFERENCE_TYPES \
    "  nodes: [{count: 2, gpu: a100, gpus: 4, base_w: 7.5}, {gpu: h100, gpus: 8, cpu_w_per_busy_gpu: 3}]\n" \
    "horizon: 4h\n"
#define ARRIVALS \
    "workload: {kind: poisson, rate_per_s: 0.01, sizes: {law: lognormal, mean: 1h, cv: 1.5}, "

static void run_study(struct trial *t, const struct trial_options *options, const char *rest) {
    trial_run(t, options, STUDY ARRIVALS "%s}\n", rest);
    trial_must_succeed(t);
    cr_assert(t->job_count > 50, "%zu jobs", t->job_count);
}

Test(metamorphic, same_seed_same_run) {
    for (size_t p = 0; p < POLICIES; p++) {
        struct trial_options options = {.policy = policies[p]};
        struct trial first, second;
        run_study(&first, &options, "users: 3, deadlines: {share: 0.3, slack: [1.5, 6]}");
        run_study(&second, &options, "users: 3, deadlines: {share: 0.3, slack: [1.5, 6]}");
        cr_assert_str_eq(first.jobs_csv.text, second.jobs_csv.text, "%s", policies[p]);
        cr_assert_str_eq(first.summary_csv.text, second.summary_csv.text, "%s", policies[p]);
        trial_finish(&first);
        trial_finish(&second);
    }
}

Test(metamorphic, processes) {
    static const uint32_t processes[] = {0, 1, 2, 8};
    struct trial t[4];
    for (int i = 0; i < 4; i++) {
        struct trial_options options = {.policy = "zeus", .processes = processes[i]};
        trial_run(&t[i], &options, STUDY "replications: 5\n" ARRIVALS "users: 3}\n");
        trial_must_succeed(&t[i]);
        cr_assert_eq(t[i].count, 5);
        cr_assert_str_eq(t[i].summary_csv.text, t[0].summary_csv.text, "%u processes",
                         processes[i]);
        cr_assert_str_eq(t[i].jobs_csv.text, t[0].jobs_csv.text, "%u processes", processes[i]);
    }
    for (int i = 0; i < 4; i++)
        trial_finish(&t[i]);
}

static void expect_same_course(const struct trial *a, const struct trial *b,
                               const uint32_t type[2]) {
    cr_assert_eq(a->job_count, b->job_count);
    for (size_t i = 0; i < a->job_count; i++) {
        const struct trial_job *x = &a->jobs[i], *y = &b->jobs[i];
        cr_assert(strcmp(x->id, y->id) == 0 && x->start_ns == y->start_ns &&
                      x->finish_ns == y->finish_ns && x->k == y->k && x->batch == y->batch &&
                      (x->k == 0 || type[x->gpu_type] == y->gpu_type) &&
                      x->energy_j == y->energy_j && x->user == y->user,
                  "job %s", x->id);
    }
}

Test(metamorphic, names_of_users) {
    static const uint32_t same[] = {0, 1};
    for (size_t p = 0; p < POLICIES; p++) {
        struct trial_options options = {.policy = policies[p]};
        struct trial numbered, named;
        run_study(&numbered, &options, "deadlines: {share: 0.3, slack: [1.5, 6]}, users: 3");
        run_study(&named, &options,
                  "deadlines: {share: 0.3, slack: [1.5, 6]}, users: [zoe, adam, \"22\"]");
        expect_same_course(&numbered, &named, same);
        cr_assert_str_eq(numbered.summary_csv.text, named.summary_csv.text);
        trial_finish(&numbered);
        trial_finish(&named);
    }
}

/* Jobs of three users, every fourth with a deadline, all times multiplied by `scale`. */
static void write_jobs(char *out, size_t size, int count, double scale) {
    int used = snprintf(out, size, "job_id,submit_s,user,model,work_samples,deadline_s\n");
    for (int i = 0; i < count; i++) {
        double submit_s = i * 83 + i * i % 97;
        used +=
            snprintf(out + used, size - (size_t)used, "j%d,%.17g,u%d,%s,%d,", i, scale * submit_s,
                     i * i % 7 % 3, reference_models[i % REFERENCE_MODELS].name,
                     50000 + i * 7919 % 65536 * 15);
        if (i % 4 == 1)
            used += snprintf(out + used, size - (size_t)used, "%.17g",
                             scale * (submit_s + 300 + i * 311 % 900));
        used += snprintf(out + used, size - (size_t)used, "\n");
    }
    cr_assert((size_t)used < size);
}

/* The order of GPU types and of nodes of different types breaks ties only, and two types that
   differ in speed and power have none. Sizes are in GPU time of the first type, so the jobs come
   from a file here. */
Test(metamorphic, order_of_types) {
    static const uint32_t swapped[] = {1, 0};
    char jobs[8192];
    write_jobs(jobs, sizeof jobs, 80, 1);
    for (size_t p = 0; p < POLICIES; p++) {
        struct trial_options options = {.policy = policies[p], .jobs = jobs};
        struct trial given, turned;
        trial_run(&given, &options, STUDY TRIAL_JOBS);
        trial_run(
            &turned, &options,
            "name: n\n"
            "horizon: 4h\n"
            "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
            "policy: {name: fcfs}\n"
            "cluster:\n"
            "  power_cap_w: 5200\n"
            "  gpu_types:\n"
            "    - {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}\n"
            "    - {name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}\n"
            "  nodes: [{gpu: h100, gpus: 8, cpu_w_per_busy_gpu: 3}, {count: 2, gpu: a100, gpus: 4, base_w: 7.5}]\n" TRIAL_JOBS);
        trial_must_succeed(&given);
        trial_must_succeed(&turned);
        cr_assert(given.summaries->jobs_finished > 20);
        expect_same_course(&given, &turned, swapped);
        cr_assert_float_eq(given.summaries->energy_kwh, turned.summaries->energy_kwh, 1e-12);
        trial_finish(&given);
        trial_finish(&turned);
    }
}

Test(metamorphic, policy_leaves_the_workload) {
    struct trial t[POLICIES];
    for (size_t p = 0; p < POLICIES; p++) {
        struct trial_options options = {.policy = policies[p]};
        run_study(&t[p], &options, "users: 3, deadlines: {share: 0.3, slack: [1.5, 6]}");
        cr_assert_eq(t[p].job_count, t[0].job_count);
        for (size_t i = 0; i < t[0].job_count; i++) {
            const struct trial_job *x = &t[0].jobs[i], *y = &t[p].jobs[i];
            cr_assert(strcmp(x->id, y->id) == 0 && x->submit_ns == y->submit_ns &&
                          x->work == y->work && x->deadline_ns == y->deadline_ns &&
                          x->user == y->user,
                      "job %s under %s", x->id, policies[p]);
        }
        cr_assert_eq(t[p].summaries->work_submitted_gpu_h, t[0].summaries->work_submitted_gpu_h);
    }
    cr_assert_str_neq(t[2].jobs_csv.text, t[3].jobs_csv.text); /* but what becomes of it differs */
    for (size_t p = 0; p < POLICIES; p++)
        trial_finish(&t[p]);
}

/* The reference models as a file, every time in it multiplied by `scale`. */
static void write_models(char *out, size_t size, double scale) {
    size_t used = (size_t)snprintf(out, size, "models:\n");
    for (int i = 0; i < REFERENCE_MODELS; i++) {
        const struct reference_model *m = &reference_models[i];
        used += (size_t)snprintf(
            out + used, size - used,
            "  - {name: %s, m0: %g, phi: %g, start_s: %.17g, mem0_gib: %g, mem1_gib: %g, batches: [%d, %d, %d], gpus: {",
            m->name, m->m0, m->phi, m->start_s * scale, m->mem0_gib, m->mem1_gib,
            (int)m->batches[0], (int)m->batches[2], (int)m->batches[4]);
        for (int h = 0; h < 2; h++) {
            const struct reference_gpu *g = &m->gpus[h];
            used += (size_t)snprintf(
                out + used, size - used,
                "%s: {a_s: %.17g, c_s: %.17g, gamma: %g, alpha_s: %.17g, p0_w: %g, pmax_w: %g, evidence: assumed, source: typed in}%s",
                reference_types[h].name, g->a_s * scale, g->c_s * scale, g->gamma,
                g->alpha_s * scale, g->p0_w, g->pmax_w, h ? "}}\n" : ", ");
        }
    }
    cr_assert(used < size);
}

/* A policy and its parameters that are times, or GPU times. */
struct scaled_policy {
    const char *name;
    const char *durations[4];
    double defaults[4];
};

static void run_scaled(struct trial *t, const struct scaled_policy *policy, double scale) {
    char models[8192], jobs[8192], params[256] = "";
    size_t used = 0;
    write_models(models, sizeof models, scale);
    write_jobs(jobs, sizeof jobs, 60, scale);
    for (int i = 0; i < 4 && policy->durations[i]; i++)
        used += (size_t)snprintf(params + used, sizeof params - used, "%s%s: %.17g", i ? ", " : "",
                                 policy->durations[i], policy->defaults[i] * scale);
    struct trial_options options = {.models = models, .jobs = jobs};
    trial_run(t, &options,
              "name: n\n"
              "horizon: drain\n"
              "models: models.yaml\n"
              "policy: {name: %s, params: {%s%s}}\n"
              "cluster:\n"
              "  power_cap_w: 5200\n" REFERENCE_TYPES
              "  nodes: [{count: 2, gpu: a100, gpus: 4}, {gpu: h100, gpus: 8}]\n" TRIAL_JOBS,
              policy->name, params,
              strcmp(policy->name, "easy") == 0 ? ""
              : used                            ? ", resize: true"
                                                : "resize: true");
    trial_must_succeed(t);
}

/* Everything twice as fast, jobs as large as before and arriving twice as fast: the same decisions
   in half the time with half the energy, but for the rounding to whole nanoseconds. */
Test(metamorphic, twice_as_fast) {
    static const struct scaled_policy scaled[] = {
        {"fcfs", {"resize_interval_s"}, {300}},
        {"easy", {NULL}, {0}},
        {"pollux", {"tau", "resize_interval_s"}, {3600, 300}},
        {"zeus", {"tau", "resize_interval_s"}, {3600, 300}},
        {"themis", {"u0", "half_life_s", "resize_interval_s"}, {3600, 5000, 300}},
        {"chronos", {"tau", "resize_interval_s"}, {3600, 300}},
        {"hades", {"u0", "resize_interval_s"}, {3600, 300}},
        {"aurachronos",
         {"tau", "deadline_margin_s", "preempt_slack_s", "resize_interval_s"},
         {3600, 20, 600, 300}},
        {"charon", {"tau", "resize_interval_s"}, {3600, 300}}};
    for (size_t p = 0; p < sizeof scaled / sizeof *scaled; p++) {
        struct trial slow, fast;
        run_scaled(&slow, &scaled[p], 1);
        run_scaled(&fast, &scaled[p], 0.5);
        cr_assert_eq(slow.job_count, 60);
        for (size_t i = 0; i < slow.job_count; i++) {
            const struct trial_job *s = &slow.jobs[i], *f = &fast.jobs[i];
            cr_assert(s->k == f->k && s->batch == f->batch && s->gpu_type == f->gpu_type &&
                          s->resizes == f->resizes && s->preemptions == f->preemptions,
                      "%s: %s", scaled[p].name, s->id);
            cr_assert(llabs(s->start_ns - 2 * f->start_ns) < 1000 &&
                          llabs(s->finish_ns - 2 * f->finish_ns) < 1000,
                      "%s: %s", scaled[p].name, s->id);
            cr_assert(fabs(s->energy_j - 2 * f->energy_j) < 1e-9 * s->energy_j, "%s: %s",
                      scaled[p].name, s->id);
        }
        cr_assert_float_eq(slow.summaries->energy_kwh, 2 * fast.summaries->energy_kwh, 1e-7);
        cr_assert(p == 1 || slow.summaries->resizes > 0, "%s resizes nothing", scaled[p].name);
        cr_assert(p != 7 || slow.summaries->preemptions > 0, "aurachronos displaces nothing");
        trial_finish(&slow);
        trial_finish(&fast);
    }
}
