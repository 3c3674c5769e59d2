/* Jobs drawn from the workload section: rates, sizes and deadlines within 99 % intervals of what
   their laws say (fixed seed), independence of the random streams, and logs turned into jobs. */
#include "../support/reference.h"
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/units.h"
#include "workload/stream.h"
#include "workload/trace_file.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(workload, .init = temp_dir_enter, .fini = temp_dir_leave);

#define Z99 2.5758293035489 /* 99.5 % point of the normal law */

/* A loaded scenario with the jobs of one replication. */
struct drawn {
    struct trial trial;
    struct trial_options options;
    struct workload w;
};

static void draw(struct drawn *d, uint32_t replication, const char *horizon, const char *workload,
                 const char *jobs) {
    char yaml[4096];
    struct problems problems = {0};
    *d = (struct drawn){.options = {.jobs = jobs}};
    snprintf(yaml, sizeof yaml,
             "name: n\n"
             "horizon: %s\n"
             "seed: 2385\n"
             "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
             "cluster:\n" REFERENCE_TYPES "  nodes: [{gpu: a100, gpus: 8}, {gpu: h100, gpus: 8}]\n"
             "policy: {name: fcfs}\nworkload: %s\n",
             horizon, workload);
    trial_load(&d->trial, &d->options, yaml);
    trial_must_succeed(&d->trial);
    cr_assert_eq(study_generate(&d->trial.study, replication, &d->w, &problems), 0);
    problems_finish(&problems);
    for (size_t i = 1; i < d->w.jobs.count; i++)
        cr_assert_leq(d->w.jobs.at[i - 1].submit_ns, d->w.jobs.at[i].submit_ns);
}

static void release(struct drawn *d) {
    workload_finish(&d->w);
    trial_finish(&d->trial);
}

#define CONSTANT "sizes: {law: constant, mean: 100}, rigid: {k: 1}"

/* --- arrivals --- */

static double cosine_part(double from_s, double to_s, double peak_s, double period_s) {
    double omega = 2 * M_PI / period_s;
    return (sin(omega * (to_s - peak_s)) - sin(omega * (from_s - peak_s))) / omega;
}

/* The number of arrivals in any interval is a Poisson number: its mean is the integral of the rate,
   here rate * (t + amplitude * cosine part), and its variance is that, too. */
Test(workload, arrival_rates) {
    static const struct {
        const char *workload;
        double rate, amplitude, peak_s, period_s, start_s;
    } cases[] = {
        {"{kind: poisson, rate_per_s: 0.25, " CONSTANT "}", 0.25, 0, 0, 1, 0},
        {"{kind: poisson, rate_per_s: 0.25, start: 2h, " CONSTANT "}", 0.25, 0, 0, 1, 7200},
        {"{kind: diurnal, rate_per_s: 0.25, " CONSTANT "}", 0.25, 0.5, 50400, 86400, 0},
        {"{kind: diurnal, rate_per_s: 0.25, amplitude: 1, peak: 20min, period: 3h, " CONSTANT "}",
         0.25, 1, 1200, 10800, 0},
        /* 16 GPUs, 100 s, 1, 2 or 4 GPUs: load 0.8 is 0.8 * 16 / (100 * 7/3) jobs/s */
        {"{kind: poisson, load: 0.8, sizes: {law: constant, mean: 100}, rigid: {k: [1, 2, 4]}}",
         0.8 * 16 * 3 / 700, 0, 0, 1, 0},
        /* only the 8 H100 */
        {"{kind: poisson, load: 1.5, sizes: {law: constant, mean: 50}, rigid: {k: 2}, h: h100}",
         1.5 * 8 / 100, 0, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawn d;
        size_t job = 0;
        draw(&d, 0, "24h", cases[i].workload, NULL);
        for (double from_s = 0; from_s < 86400; from_s += 7200) {
            double expected = from_s + 7200 <= cases[i].start_s ? 0 : 7200;
            expected += cases[i].amplitude *
                        cosine_part(from_s, from_s + 7200, cases[i].peak_s, cases[i].period_s);
            expected *= cases[i].rate;
            size_t count = 0;
            for (; job < d.w.jobs.count && d.w.jobs.at[job].submit_ns < units_ns(from_s + 7200);
                 job++)
                count++;
            /* 72 intervals: 3.8 sigma each, 99 % for all of them together */
            cr_expect(fabs((double)count - expected) <= 3.8 * sqrt(expected),
                      "case %zu, from %g s: %zu, expected %g", i, from_s, count, expected);
        }
        double total = cases[i].rate * (86400 - cases[i].start_s +
                                        cases[i].amplitude * cosine_part(0, 86400, cases[i].peak_s,
                                                                         cases[i].period_s));
        cr_expect(fabs((double)d.w.jobs.count - total) <= Z99 * sqrt(total),
                  "case %zu: %zu jobs, expected %g", i, d.w.jobs.count, total);
        release(&d);
    }
}

/* Waits between Poisson arrivals are exponential: mean 1/rate, half of them below ln 2 / rate. */
Test(workload, poisson_intervals) {
    struct drawn d;
    draw(&d, 1, "drain", "{kind: poisson, rate_per_s: 0.5, until: {jobs: 20001}, " CONSTANT "}",
         NULL);
    cr_assert_eq(d.w.jobs.count, 20001);
    int below = 0;
    for (size_t i = 1; i < 20001; i++)
        below += units_s(d.w.jobs.at[i].submit_ns - d.w.jobs.at[i - 1].submit_ns) < 2 * M_LN2;
    double mean_s = units_s(d.w.jobs.at[20000].submit_ns - d.w.jobs.at[0].submit_ns) / 20000;
    cr_expect(fabs(mean_s - 2) <= Z99 * 2 / sqrt(20000), "mean %g s", mean_s);
    cr_expect(fabs(below - 10000.0) <= Z99 * sqrt(20000 / 4.0), "%d of 20000 below the median",
              below);
    release(&d);
}

Test(workload, periodic) {
    struct drawn d;
    draw(&d, 0, "1h", "{kind: periodic, period: 6min, start: 2.385s, " CONSTANT "}", NULL);
    cr_assert_eq(d.w.jobs.count, 10);
    for (int i = 0; i < 10; i++)
        cr_expect_eq(d.w.jobs.at[i].submit_ns, 2385000000 + i * 360000000000);
    release(&d);
    draw(&d, 0, "1h", "{kind: periodic, period: 20min, " CONSTANT "}", NULL);
    cr_assert_eq(d.w.jobs.count, 4); /* 0, 20, 40 and, at the horizon itself, 60 */
    release(&d);
    draw(&d, 0, "1h", "{kind: periodic, period: 20min, until: 30min, " CONSTANT "}", NULL);
    cr_assert_eq(d.w.jobs.count, 2);
    release(&d);
}

/* load = work / capacity, every GPU at its best k = 1 goodput: 1 s of reference GPU time is the
   best goodput of an A100 in samples; 8 A100 and 8 H100 work it off together. */
Test(workload, load_of_models) {
    for (int i = 0; i < REFERENCE_MODELS; i++) {
        const struct reference_model *m = &reference_models[i];
        double best[2] = {0, 0};
        char workload[256];
        for (int h = 0; h < 2; h++)
            for (int b = 0; b < REFERENCE_BATCHES && m->batches[b] > 0; b++)
                best[h] = fmax(best[h], reference_run(m, h, 1, m->batches[b], 1).goodput);
        double rate = 0.7 / (2385 * best[0] / (8 * (best[0] + best[1])));
        struct drawn d;
        snprintf(
            workload, sizeof workload,
            "{kind: poisson, load: 0.7, mix: [{model: %s}], sizes: {law: constant, mean: 2385}}",
            m->name);
        draw(&d, 0, "1h", workload, NULL);
        double found = arrivals_rate_per_s(d.trial.study.source.streams.at, &d.w);
        cr_expect_float_eq(found, rate, 1e-12 * rate, "%s: %g, not %g", m->name, found, rate);
        cr_expect_float_eq(d.w.jobs.at[0].work, 2385 * best[0], 1e-9 * 2385 * best[0]);
        cr_expect_eq(d.w.jobs.at[0].reference_gpu_s, 2385);
        release(&d);
    }
}

/* --- sizes, users, deadlines --- */

/* lognormal: ln x is normal with variance v = ln(1 + cv^2) and mean ln(mean) - v/2 */
Test(workload, lognormal_sizes) {
    static const double cvs[] = {0.3, 1.5};
    for (int c = 0; c < 2; c++) {
        char workload[256];
        struct drawn d;
        snprintf(
            workload, sizeof workload,
            "{kind: poisson, rate_per_s: 1, until: {jobs: 20000}, sizes: {law: lognormal, mean: 1h, cv: %g}}",
            cvs[c]);
        draw(&d, 0, "drain", workload, NULL);
        double n = 20000, v = log1p(cvs[c] * cvs[c]), sum = 0, squares = 0, plain = 0;
        for (size_t i = 0; i < 20000; i++) {
            double x = log(d.w.jobs.at[i].reference_gpu_s);
            sum += x;
            squares += x * x;
            plain += d.w.jobs.at[i].reference_gpu_s;
        }
        double variance = (squares - sum * sum / n) / (n - 1);
        cr_expect(fabs(sum / n - (log(3600) - v / 2)) <= Z99 * sqrt(v / n), "cv %g: mean of ln %g",
                  cvs[c], sum / n);
        cr_expect(fabs(variance - v) <= Z99 * v * sqrt(2 / n), "cv %g: variance of ln %g, not %g",
                  cvs[c], variance, v);
        cr_expect(fabs(plain / n - 3600) <= Z99 * 3600 * cvs[c] / sqrt(n), "cv %g: mean %g", cvs[c],
                  plain / n);
        release(&d);
    }
}

Test(workload, exponential_sizes) {
    struct drawn d;
    draw(
        &d, 0, "drain",
        "{kind: periodic, period: 1, until: {jobs: 20000}, sizes: {law: exponential, mean: 100}, rigid: {k: [1, 8]}}",
        NULL);
    double sum = 0, squares = 0;
    int wide = 0;
    for (size_t i = 0; i < 20000; i++) {
        const struct job_spec *job = &d.w.jobs.at[i];
        sum += job->work;
        squares += job->work * job->work;
        wide += job->reference_gpu_s > 4 * job->work;
    }
    cr_expect(fabs(sum / 20000 - 100) <= Z99 * 100 / sqrt(20000), "mean %g", sum / 20000);
    /* E x^2 = 2 * mean^2 with standard deviation sqrt(24 - 4) * mean^2 */
    cr_expect(fabs(squares / 20000 - 20000) <= Z99 * 1e4 * sqrt(20.0 / 20000), "mean square %g",
              squares / 20000);
    cr_expect(fabs(wide - 10000.0) <= Z99 * sqrt(20000 / 4.0), "%d of 20000 with 8 GPUs", wide);
    release(&d);
}

/* The share is binomial; a deadline is submit + T* x U(1.5, 6), T* with the set-up of a first
   start; the place within the bounds is uniform. */
Test(workload, deadlines) {
    struct drawn d;
    draw(
        &d, 0, "drain",
        "{kind: poisson, rate_per_s: 0.01, until: {jobs: 5000}, sizes: {law: lognormal, mean: 1h, cv: 1.5}, deadlines: {share: 0.3, slack: [1.5, 6]}}",
        NULL);
    double places = 0, n = 0;
    for (size_t i = 0; i < 5000; i++) {
        const struct job_spec *job = &d.w.jobs.at[i];
        cr_assert_eq(job->sla, job->deadline_ns != TIME_NONE_NS);
        if (!job->sla)
            continue;
        const struct reference_model *m = reference_models;
        while (strcmp(m->name, d.w.table.models->models[job->model].name) != 0)
            m++;
        double best_s = reference_best(m, 3, job->work, false).time_s;
        double slack = units_s(job->deadline_ns - job->submit_ns) / best_s;
        cr_assert(slack >= 1.5 - 1e-9 && slack <= 6 + 1e-9, "slack %g", slack);
        places += (slack - 1.5) / 4.5;
        n++;
    }
    cr_expect(fabs(n - 1500) <= Z99 * sqrt(5000 * 0.3 * 0.7), "%g of 5000 have a deadline", n);
    cr_expect(fabs(places / n - 0.5) <= Z99 * sqrt(1 / 12.0 / n), "mean place %g", places / n);
    release(&d);
}

/* Equal chances for users and, without weights, for models; weights 3 : 1 otherwise. */
Test(workload, users_and_mix) {
    struct drawn d;
    draw(
        &d, 0, "drain",
        "{kind: periodic, period: 1, until: {jobs: 8000}, sizes: {law: constant, mean: 1h}, users: 4, mix: [{model: resnet50-fp32, weight: 3}, {model: vit-base-fp32}]}",
        NULL);
    int users[4] = {0}, resnet = 0;
    for (size_t i = 0; i < 8000; i++) {
        users[d.w.jobs.at[i].user]++;
        resnet += strcmp(d.w.table.models->models[d.w.jobs.at[i].model].name, "resnet50-fp32") == 0;
    }
    cr_assert_eq(d.w.users.count, 4);
    for (int u = 0; u < 4; u++)
        cr_expect(fabs(users[u] - 2000.0) <= 3.2 * sqrt(8000 * 0.25 * 0.75), "user %d: %d jobs", u,
                  users[u]);
    cr_expect(fabs(resnet - 6000.0) <= Z99 * sqrt(8000 * 0.75 * 0.25), "%d of 8000 are resnet50",
              resnet);
    release(&d);
}

/* --- independence of the streams --- */

struct difference {
    bool submit, model, size, user, deadline, flex;
};

static struct difference compare(const struct workload *a, const struct workload *b) {
    struct difference different = {0};
    cr_assert_eq(a->jobs.count, b->jobs.count);
    for (size_t i = 0; i < a->jobs.count; i++) {
        const struct job_spec *x = &a->jobs.at[i], *y = &b->jobs.at[i];
        different.submit |= x->submit_ns != y->submit_ns;
        different.model |= x->model != y->model;
        different.size |= x->reference_gpu_s != y->reference_gpu_s;
        different.user |= x->user != y->user;
        different.flex |= x->flex != y->flex;
        different.deadline |= (x->deadline_ns == TIME_NONE_NS) != (y->deadline_ns == TIME_NONE_NS);
    }
    return different;
}

/* What changes when one law, the seed's replication, or nothing at all is changed. */
Test(workload, independent_streams) {
#define BASE(arrivals, sizes, users, mix, share) \
    "{kind: poisson, " arrivals ", until: {jobs: 500}, sizes: {" sizes "}, users: " users \
    ", mix: [{model: vit-base-fp32}, {model: resnet50-fp32, weight: " mix \
    "}], deadlines: {share: " share ", slack: [2, 3]}}"
#define FLEX_BASE \
    "{kind: poisson, rate_per_s: 0.01, until: {jobs: 500}, sizes: {law: lognormal, mean: 1h}, users: 8, mix: [{model: vit-base-fp32}, {model: resnet50-fp32, weight: 1}], deadlines: {share: 0.3, slack: [2, 3]}, flex: [{share: 0.5, flex: 0}, {share: 0.5, flex: 0.25}]}"
    static const char base[] =
        BASE("rate_per_s: 0.01", "law: lognormal, mean: 1h", "8", "1", "0.3");
    static const struct {
        const char *workload;
        uint32_t replication;
        struct difference expected; /* submit, model, size, user, deadline, flex */
    } cases[] = {
        {base, 0, {false, false, false, false, false, false}},
        {base, 1, {true, true, true, true, true, false}},
        {BASE("rate_per_s: 0.02", "law: lognormal, mean: 1h", "8", "1", "0.3"),
         0,
         {true, false, false, false, false, false}},
        {BASE("rate_per_s: 0.01", "law: lognormal, mean: 2h", "8", "1", "0.3"),
         0,
         {false, false, true, false, false, false}},
        {BASE("rate_per_s: 0.01", "law: exponential, mean: 1h", "8", "1", "0.3"),
         0,
         {false, false, true, false, false, false}},
        {BASE("rate_per_s: 0.01", "law: lognormal, mean: 1h", "5", "1", "0.3"),
         0,
         {false, false, false, true, false, false}},
        {BASE("rate_per_s: 0.01", "law: lognormal, mean: 1h", "8", "2", "0.3"),
         0,
         {false, true, false, false, false, false}},
        {BASE("rate_per_s: 0.01", "law: lognormal, mean: 1h", "8", "1", "0.5"),
         0,
         {false, false, false, false, true, false}},
        {FLEX_BASE, 0, {.flex = true}},
    };
    struct drawn first, other;
    draw(&first, 0, "drain", base, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draw(&other, cases[i].replication, "drain", cases[i].workload, NULL);
        struct difference found = compare(&first.w, &other.w);
        cr_expect_eq(memcmp(&found, &cases[i].expected, sizeof found), 0,
                     "case %zu: %d %d %d %d %d %d", i, found.submit, found.model, found.size,
                     found.user, found.deadline, found.flex);
        release(&other);
    }
    release(&first);
}

/* Each share of the jobs has its flex, within 99 % intervals; a stream without the key has 0. */
Test(workload, flex_by_shares) {
    static const double shares[] = {0.1, 0.3, 0.6}, flexes[] = {0, 0.1, 0.475};
    struct drawn d, without;
    int jobs[3] = {0};
    draw(&d, 0, "drain",
         "{kind: poisson, rate_per_s: 1, until: {jobs: 8000}, " CONSTANT
         ", flex: [{share: 0.1, flex: 0}, {share: 0.3, flex: 0.1}, {share: 0.6, flex: 0.475}]}",
         NULL);
    draw(&without, 0, "drain", "{kind: poisson, rate_per_s: 1, until: {jobs: 8000}, " CONSTANT "}",
         NULL);
    for (size_t i = 0; i < 8000; i++) {
        int place = 0;
        while (place < 2 && d.w.jobs.at[i].flex != flexes[place])
            place++;
        cr_assert_eq(d.w.jobs.at[i].flex, flexes[place]);
        jobs[place]++;
        cr_assert_eq(without.w.jobs.at[i].flex, 0);
    }
    for (int i = 0; i < 3; i++)
        cr_expect(fabs(jobs[i] - 8000 * shares[i]) <=
                      Z99 * sqrt(8000 * shares[i] * (1 - shares[i])),
                  "flex %g: %d jobs", flexes[i], jobs[i]);
    cr_expect(!workload_same_jobs(&d.w, &without.w));
    release(&d);
    release(&without);
}

/* Rows keep the flex of a log, 0 too; the key is for others, or with overwrite for all. */
Test(workload, flex_of_logs) {
    static const char jobs[] = "job_id,submit_s,duration_s,gpus,flex\n"
                               "a,0,100,1,0.125\nb,1,100,1,\nc,2,100,1,0\n";
    static const struct {
        const char *keys;
        double expected[3];
    } cases[] = {{"", {0.125, 0, 0}},
                 {", flex: [{share: 1, flex: 0.5}]", {0.125, 0.5, 0}},
                 {", flex: [{share: 1, flex: 0.5}], assign: {overwrite: true}", {0.5, 0.5, 0.5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawn d;
        char workload[128];
        snprintf(workload, sizeof workload, "{kind: trace, file: jobs.csv%s}", cases[i].keys);
        draw(&d, 0, "drain", workload, jobs);
        for (size_t j = 0; j < 3; j++)
            cr_expect_eq(d.w.jobs.at[j].flex, cases[i].expected[j], "case %zu, job %zu: %g", i, j,
                         d.w.jobs.at[j].flex);
        release(&d);
    }
}

/* request: {k: uniform}: every job has one of the allowed k, each with equal chance, and nothing
   else has changed: not one other draw, but T* and with it the times of the deadlines. */
Test(workload, requested_k) {
#define LAWS \
    "{kind: poisson, rate_per_s: 0.01, until: {jobs: 8000}, sizes: {law: lognormal, mean: 1h}, users: 8, k: [1, 2, 4, 8], deadlines: {share: 0.3, slack: [2, 3]}"
    static const struct difference none;
    struct drawn free_k, requested;
    int jobs[4] = {0};
    draw(&free_k, 0, "drain", LAWS "}", NULL);
    draw(&requested, 0, "drain", LAWS ", request: {k: uniform}}", NULL);
    struct difference found = compare(&free_k.w, &requested.w);
    cr_expect_eq(memcmp(&found, &none, sizeof found), 0);
    for (size_t i = 0; i < 8000; i++) {
        const struct config_set *set = &requested.w.table.sets.at[requested.w.jobs.at[i].set];
        uint32_t k = requested.w.table.configs.at[set->first].k, place = 0;
        for (uint32_t c = set->first; c < set->first + set->count; c++)
            cr_assert_eq(requested.w.table.configs.at[c].k, k);
        while (place < 3 && 1u << place < k)
            place++;
        jobs[place]++;
        cr_assert_eq(set->count * 4, free_k.w.table.sets.at[free_k.w.jobs.at[i].set].count);
    }
    for (int i = 0; i < 4; i++)
        cr_expect(fabs(jobs[i] - 2000.0) <= 3.2 * sqrt(8000 * 0.25 * 0.75), "%d GPUs: %d jobs",
                  1 << i, jobs[i]);
    release(&free_k);
    release(&requested);
}

/* Two streams in one order of time; equal times in the order of the streams; ids carry the stream's
   name. A change of the second leaves the first as it is. */
Test(workload, several_streams) {
    static const char *const expected[] = {"a-1",  "s2-1", "s2-2", "a-2",
                                           "s2-3", "s2-4", "a-3",  "s2-5"};
    struct drawn d;
    draw(&d, 0, "drain",
         "{streams: [{name: a, kind: periodic, period: 10, until: {jobs: 3}, " CONSTANT
         "}, {kind: periodic, period: 5, until: {jobs: 5}, " CONSTANT "}]}",
         NULL);
    cr_assert_eq(d.w.jobs.count, 8);
    for (int i = 0; i < 8; i++)
        cr_expect_str_eq(d.w.jobs.at[i].id, expected[i], "job %d: %s", i, d.w.jobs.at[i].id);
    release(&d);
    struct drawn one, two;
    draw(&one, 0, "6h", "{kind: poisson, rate_per_s: 0.01, sizes: {law: exponential, mean: 1h}}",
         NULL);
    draw(
        &two, 0, "6h",
        "{streams: [{kind: poisson, rate_per_s: 0.01, sizes: {law: exponential, mean: 1h}}, {kind: diurnal, rate_per_s: 0.05, sizes: {law: exponential, mean: 1h}}]}",
        NULL);
    size_t of_first = 0;
    for (size_t i = 0; i < two.w.jobs.count; i++) {
        const struct job_spec *job = &two.w.jobs.at[i];
        if (strncmp(job->id, "s1-", 3) == 0) {
            cr_assert(job->submit_ns == one.w.jobs.at[of_first].submit_ns &&
                      job->work == one.w.jobs.at[of_first].work);
            of_first++;
        }
    }
    cr_assert(of_first == one.w.jobs.count && two.w.jobs.count > 3 * of_first, "%zu of %zu and %zu",
              of_first, one.w.jobs.count, two.w.jobs.count);
    release(&one);
    release(&two);
}

/* --- recorded jobs --- */

#define HEAD \
    "job_id,submit_s,model,duration_s,work_samples,gpus,batch,gpu_type,user,class,deadline_s,label.queue\n"

/* R = duration_s * G(request): fixed k; its batch or the best one; its GPU type or the first, A100.
 */
Test(workload, work_of_rows) {
    static const char jobs[] = HEAD "samples,0,resnet50-fp32,,12345.5,,,,,,,\n"
                                    "fixed,1,resnet50-fp32,2385,,2,64,h100,,,,\n"
                                    "best,2,vit-base-tf32,100,,4,,,,,,\n"
                                    "both,3,albert-v2-bf16,100,777,4,8,,,,,\n"
                                    "rigid,4,,2.385,,3,,,zoe,sla,,slow\n"
                                    "late,5,,1,,1,,,adam,best_effort,-2.5,fast\n";
    double best = 0;
    for (int b = 0; b < REFERENCE_BATCHES; b++)
        best = fmax(
            best,
            reference_run(&reference_models[1], 0, 4, reference_models[1].batches[b], 1).goodput);
    const double work[] = {
        12345.5,    2385 * reference_run(&reference_models[3], 1, 2, 64, 1).goodput,
        100 * best, 777,
        2.385,      1};
    static const uint32_t configs[] = {4 * 2 * 6, 1, 6 * 2, 2, 2, 2};
    struct drawn d;
    draw(&d, 0, "drain", "{kind: trace, file: jobs.csv}", jobs);
    cr_assert_eq(d.w.jobs.count, 6);
    for (int i = 0; i < 6; i++) {
        const struct job_spec *job = &d.w.jobs.at[i];
        cr_expect_float_eq(job->work, work[i], 1e-12 * work[i], "%s: work %g, not %g", job->id,
                           job->work, work[i]);
        cr_expect_eq(d.w.table.sets.at[job->set].count, configs[i], "%s: %u configurations",
                     job->id, d.w.table.sets.at[job->set].count);
        /* the last two name no model */
        cr_expect_eq(job->kind, i >= 4 ? JOB_KIND_RIGID : JOB_KIND_MALLEABLE, "%s", job->id);
    }
    const struct job_spec *rigid = &d.w.jobs.at[4], *late = &d.w.jobs.at[5];
    cr_expect(rigid->sla && rigid->deadline_ns == TIME_NONE_NS && !late->sla &&
              late->deadline_ns == -2500000000);
    cr_expect_str_eq(d.w.users.at[rigid->user].name, "zoe");
    cr_expect_str_eq(rigid->labels[0], "slow");
    cr_expect_eq(rigid->reference_gpu_s, 2.385 * 3);
    release(&d);
}

/* A log of rigid jobs gets models: the same work whether malleable or not, but only malleable jobs
 * are free to choose. */
Test(workload, assigned_models) {
    char jobs[16384];
    int used = snprintf(jobs, sizeof jobs, "job_id,submit_s,duration_s,gpus\n");
    for (int i = 0; i < 400; i++)
        used += snprintf(jobs + used, sizeof jobs - (size_t)used, "j%d,%d,%d.385,%d\n", i, i,
                         100 + i, 1 << i % 4);
    struct drawn none, half, all;
    draw(&none, 0, "drain",
         "{kind: trace, file: jobs.csv, assign: {models: [{model: resnet50-fp32}]}}", jobs);
    draw(
        &half, 0, "drain",
        "{kind: trace, file: jobs.csv, assign: {models: [{model: resnet50-fp32}], malleable: 0.5}}",
        jobs);
    draw(&all, 0, "drain",
         "{kind: trace, file: jobs.csv, assign: {models: [{model: resnet50-fp32}], malleable: 1}}",
         jobs);
    const struct reference_model *m = &reference_models[3];
    int malleable = 0;
    for (int i = 0; i < 400; i++) {
        double best = 0;
        for (int b = 0; b < REFERENCE_BATCHES; b++)
            best = fmax(best, reference_run(m, 0, 1 << i % 4, m->batches[b], 1).goodput);
        double work = (100 + i + 0.385) * best;
        cr_assert_float_eq(none.w.jobs.at[i].work, work, 1e-9 * work);
        cr_assert(half.w.jobs.at[i].work == none.w.jobs.at[i].work &&
                  all.w.jobs.at[i].work == none.w.jobs.at[i].work);
        cr_assert_eq(none.w.table.sets.at[none.w.jobs.at[i].set].count, 6 * 2);
        cr_assert_eq(all.w.table.sets.at[all.w.jobs.at[i].set].count, 4 * 6 * 2);
        malleable += half.w.table.sets.at[half.w.jobs.at[i].set].count == 4 * 6 * 2;
    }
    cr_expect(fabs(malleable - 200.0) <= Z99 * sqrt(400 / 4.0), "%d of 400 are malleable",
              malleable);
    release(&none);
    release(&half);
    release(&all);
}

/* Written and read again: the same rows, and the same text. Rows are sorted by submit, equal times
 * as they stood.
 */
Test(workload, csv_round_trip) {
    static const char jobs[] =
        "gpus,job_id,label.note,submit_s,duration_s,work_samples,model,user,deadline_s,class,batch,gpu_type,requested_s,flex\n"
        "2,late,\"a, \"\"b\"\"\",7.000000001,2.385,,,u1,99.5,sla,,,3,0.475\n"
        ",early,,0.1,,1e300,m,,,best_effort,64,h100,,0\n"
        "1,same1,x,3,0.1,,,\"comma, user\",-1.25,,0.1,,,\n"
        "1,same2,,3,1e-9,,,,,,,,0,\n";
    static const char *const order[] = {"early", "same1", "same2", "late"};
    struct trace first = {0}, again = {0};
    struct problems problems = {0};
    struct trace_options options = {0};
    struct str written = {0}, rewritten = {0};
    temp_file_write_text("one.csv", jobs);
    cr_assert_eq(trace_file_read("one.csv", &options, &first, &problems), 0, "%s",
                 problems.count ? problems.texts[0] : "");
    trace_file_write(&first, &written);
    temp_file_write_text("two.csv", written.text);
    cr_assert_eq(trace_file_read("two.csv", &options, &again, &problems), 0, "%s",
                 problems.count ? problems.texts[0] : "");
    trace_file_write(&again, &rewritten);
    cr_assert_str_eq(written.text, rewritten.text);
    cr_assert_eq(again.rows.count, 4);
    for (int i = 0; i < 4; i++) {
        const struct trace_row *a = &first.rows.at[i], *b = &again.rows.at[i];
        cr_expect_str_eq(b->id, order[i]);
        cr_expect(a->submit_ns == b->submit_ns && a->gpus == b->gpus && a->batch == b->batch &&
                  a->class == b->class);
        const double reals[][2] = {{a->work_samples, b->work_samples},
                                   {a->duration_s, b->duration_s},
                                   {a->requested_s, b->requested_s},
                                   {a->deadline_s, b->deadline_s},
                                   {a->flex, b->flex}};
        for (int r = 0; r < 5; r++)
            cr_expect((isnan(reals[r][0]) && isnan(reals[r][1])) || reals[r][0] == reals[r][1],
                      "row %d", i);
    }
    cr_expect_eq(again.rows.at[3].submit_ns, 7000000001);
    cr_expect(again.rows.at[0].batch == 64 && again.rows.at[1].batch == 0.1);
    cr_expect(strstr(written.text, ",64.0,h100,"), "%s", written.text);
    cr_expect_eq(again.rows.at[2].duration_s, 1e-9);
    cr_expect(again.rows.at[0].flex == 0 && again.rows.at[3].flex == 0.475);
    cr_expect_str_eq(again.rows.at[3].labels[0], "a, \"b\"");
    cr_expect_str_eq(again.rows.at[1].user, "comma, user");
    cr_expect_null(again.rows.at[0].user);
    str_finish(&written);
    str_finish(&rewritten);
    trace_finish(&first);
    trace_finish(&again);
    problems_finish(&problems);
}
