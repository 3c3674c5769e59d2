/* The index of list policies against the plain pass (plugins/plain.c: all keys, one sort, one visit
   each): the same decisions, byte for byte, in random scenarios. EASIM_SCENARIOS says how many
   instead of 300. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

TestSuite(index, .init = temp_dir_enter, .fini = temp_dir_leave, .timeout = 100000);

#define TEXT_BYTES 65536
#define USERS      40

struct draw {
    gsl_rng *rng;
    char jobs[TEXT_BYTES], head[8192], plain[512], indexed[512];
    const char *policy;
    const char *nodes; /* what else is true of all nodes */
    double shares;     /* of the rigid jobs that ask for part of a GPU */
    int users;         /* 4 of them have names in the scenario */
};

static double uniform(struct draw *d, double from, double to) {
    return from + (to - from) * gsl_rng_uniform(d->rng);
}

static double log_uniform(struct draw *d, double from, double to) {
    return exp(uniform(d, log(from), log(to)));
}

static int pick(struct draw *d, int count) {
    return (int)gsl_rng_uniform_int(d->rng, (unsigned long)count);
}

static bool chance(struct draw *d, double share) {
    return gsl_rng_uniform(d->rng) < share;
}

/* One row:
   job_id,submit_s,user,model,work_samples,duration_s,gpus,batch,gpu_type,deadline_s,gpu_share.
   Whole times make equal ones, and half of the sizes come from a choice of three. */
static int draw_job(struct draw *d, char *out, size_t size, int number, double submit_s,
                    double scale) {
    static const char *const models[] = {"vit-base-fp32", "albert-v2-bf16", "resnet50-fp32"};
    static const double sizes[] = {0.5, 1, 3};
    double size_s = scale * (chance(d, 0.5) ? sizes[pick(d, 3)] : log_uniform(d, 0.1, 10));
    char deadline[32] = "", gpus[16] = "", work[64], share[16] = "";
    bool rigid = chance(d, 0.3), shares = rigid && chance(d, d->shares);
    if (chance(d, 0.4))
        snprintf(deadline, sizeof deadline, "%.3f", submit_s + size_s * uniform(d, 0.5, 6));
    if (rigid || chance(d, 0.3))
        snprintf(gpus, sizeof gpus, "%d", shares ? 1 : 1 << pick(d, 3));
    if (shares)
        snprintf(share, sizeof share, "%.3f", chance(d, 0.5) ? 0.25 : (1 + pick(d, 999)) / 1000.0);
    if (rigid)
        snprintf(work, sizeof work, ",,%.3f", size_s + 0.001);
    else
        snprintf(work, sizeof work, "%s,%.0f,", models[pick(d, 3)], 1 + 500 * size_s);
    return snprintf(out, size, "j%d,%.3f,u%d,%s,%s,%s,%s,%s,%s\n", number, submit_s,
                    pick(d, d->users), work, gpus, "", chance(d, 0.2) ? "a100" : "", deadline,
                    share);
}

static void draw_jobs(struct draw *d) {
    int count = 20 + pick(d, 120);
    d->shares = chance(d, 0.5) ? 0.7 : 0;
    d->users = chance(d, 0.5) ? 4 : USERS;
    double submit_s = 0, scale = log_uniform(d, 1, 1e5), gap_s = scale * log_uniform(d, 0.01, 1);
    int used = snprintf(
        d->jobs, TEXT_BYTES,
        "job_id,submit_s,user,model,work_samples,duration_s,gpus,batch,gpu_type,deadline_s,gpu_share\n");
    for (int i = 0; i < count; i++) {
        if (chance(d, 0.7))
            submit_s += chance(d, 0.5) ? ceil(gap_s) : uniform(d, 0, 2 * gap_s);
        used += draw_job(d, d->jobs + used, TEXT_BYTES - (size_t)used, i, submit_s, scale);
        cr_assert(used < TEXT_BYTES);
    }
}

static void draw_head(struct draw *d, int number) {
    char cap[64] = "";
    if (chance(d, 0.3))
        snprintf(cap, sizeof cap, "  power_cap_w: %.1f\n", uniform(d, 3000, 9000));
    snprintf(
        d->head, sizeof d->head,
        "name: index\n"
        "horizon: drain\n"
        "seed: %d\n"
        "models: models.yaml\n"
        "engine: {coalesce: %s, equal_time: %s}\n"
        "users: [{name: u0, weight: 1}, {name: u1, weight: %.3f}, {name: u2, weight: 2}, {name: u3, weight: 1}]\n"
        "cluster:\n"
        "%s  gpu_types:\n"
        "    - {name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}\n"
        "    - {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}\n"
        "  nodes: [{count: %d, gpu: a100, gpus: 4%s}, {count: %d, gpu: h100, gpus: %d%s}]\n"
        "workload: {kind: trace, file: jobs.csv}\n",
        number + 1, chance(d, 0.7) ? "true" : "false",
        chance(d, 0.5) ? "finishes_first" : "arrivals_first", uniform(d, 0.1, 5), cap,
        1 + pick(d, 4), d->nodes, 1 + pick(d, 3), 1 + pick(d, 8), d->nodes);
}

/* Parameters of the policy without the closing brace. */
static int draw_params(struct draw *d, char *out, size_t size) {
    double tau = chance(d, 0.2) ? 1e-3 : log_uniform(d, 1, 1e6), u0 = log_uniform(d, 1, 1e6);
    char slack[32], half_life[32] = "";
    snprintf(slack, sizeof slack, chance(d, 0.6) ? "%.2f" : "off", uniform(d, 1, 5));
    if (chance(d, 0.5))
        snprintf(half_life, sizeof half_life, ", half_life_s: %.1f", log_uniform(d, 1, 1e5));
    const char *p = d->policy;
    if (strcmp(p, "pollux") == 0)
        return snprintf(out, size, "{tau: %.17g", tau);
    if (strcmp(p, "themis") == 0)
        return snprintf(out, size, "{u0: %.17g%s", u0, half_life);
    if (strcmp(p, "chronos") == 0)
        return snprintf(out, size, "{tau: %.17g, order: %s", tau,
                        chance(d, 0.5) ? "deadline" : "slack");
    if (strcmp(p, "zeus") == 0)
        return snprintf(out, size, "{tau: %.17g, edp_slack: %s, power_basis: %s", tau, slack,
                        chance(d, 0.5) ? "gross" : "marginal");
    if (strcmp(p, "hades") == 0)
        return snprintf(out, size, "{u0: %.17g, edp_slack: %s, score: %s%s", u0, slack,
                        chance(d, 0.5) ? "sqrt" : "slide", half_life);
    if (strcmp(p, "aurachronos") == 0)
        return snprintf(out, size,
                        "{tau: %.17g, edp_slack: %s, urgent_objective: %s, preempt_slack_s: %.1f",
                        tau, slack, chance(d, 0.5) ? "edp" : "time", log_uniform(d, 1, 1e5));
    if (strcmp(p, "lean") == 0) /* growth is not of the pass, and displacing is the host's */
        return snprintf(
            out, size,
            "{slack: %s, busy_jobs: %d, deadlines: %s, limits: %s, displace: off, preempt_slack_s: 0, resize: false",
            slack, 1 + pick(d, 12), chance(d, 0.5) ? "true" : "false",
            chance(d, 0.3) ? "live" : "off");
    if (strcmp(p, "charon") == 0)
        return snprintf(out, size, "{tau: %.17g, edp_slack: %s, base: %s", tau, slack,
                        chance(d, 0.5) ? "zeus" : "pollux");
    if (strcmp(p, "fcfs") == 0)
        return snprintf(out, size, "{");
    if (strcmp(p, "lined") == 0) /* without usage */
        half_life[0] = '\0';
    return snprintf(out, size, "{bits: %d, tau: %.17g%s", pick(d, 4096), tau, half_life);
}

static void draw_policy(struct draw *d) {
    static const char *const policies[] = {"fcfs",   "pollux", "themis",      "chronos",
                                           "zeus",   "hades",  "aurachronos", "charon",
                                           "unruly", "meek",   "lean",        "lined"};
    char params[256];
    d->policy = policies[pick(d, sizeof policies / sizeof *policies)];
    int length = draw_params(d, params, sizeof params);
    const char *comma = params[length - 1] == '{' ? "" : ", ",
               *strict = chance(d, 0.3) ? "true" : "false";
    bool may = strcmp(d->policy, "zeus") == 0 || strcmp(d->policy, "charon") == 0;
    if (may && chance(d, 0.5))
        snprintf(params + length, sizeof params - (size_t)length, ", power_limits: true");
    snprintf(d->indexed, sizeof d->indexed, "policy: {name: %s, params: %s%sstrict: %s}}\n",
             d->policy, params, comma, strict);
    snprintf(d->plain, sizeof d->plain, "policy: {name: plain_%s, params: %s%splain_strict: %s}}\n",
             d->policy, params, comma, strict);
}

static const char *read_models(void) {
    static char models[65536];
    char path[4096];
    snprintf(path, sizeof path, "%s/configs/models/eas-sim.yaml", getenv("EASIM_SOURCE"));
    FILE *file = fopen(path, "r");
    cr_assert(file);
    models[fread(models, 1, sizeof models - 1, file)] = '\0';
    fclose(file);
    /* On every GPU type, levels of which two are alike but for the limit (a tie). */
    static const char levels[] =
        "        power_limits: {levels: [\n"
        "          {power_limit_w: 150, time_ratio: 1.7, power_ratio: 0.5, energy_ratio: 0.85, configurations: 1},\n"
        "          {power_limit_w: 300, time_ratio: 1.2, power_ratio: 0.6, energy_ratio: 0.72, configurations: 1},\n"
        "          {power_limit_w: 350, time_ratio: 1.2, power_ratio: 0.6, energy_ratio: 0.72, configurations: 1}]}\n";
    static const char before[] = "        evidence:";
    for (char *at = models; (at = strstr(at, before)) != NULL;
         at += strlen(levels) + strlen(before)) {
        cr_assert(strlen(models) + strlen(levels) < sizeof models);
        memmove(at + strlen(levels), at, strlen(at) + 1);
        memcpy(at, levels, strlen(levels));
    }
    return models;
}

/* Number of rows; which scenario it was if they differ. */
static size_t compare(const struct draw *d, const struct trial *plain, const struct trial *indexed,
                      int number) {
    cr_assert_eq(plain->status, indexed->status, "scenario %d, %s: \"%s\" and \"%s\"", number,
                 d->policy, plain->failure, indexed->failure);
    cr_assert_str_eq(plain->failure, indexed->failure, "scenario %d, %s: %s", number, d->policy,
                     indexed->failure);
    if (plain->status < 0)
        return 0;
    const char *a = plain->decisions_csv.text, *b = indexed->decisions_csv.text;
    size_t rows = 0;
    for (; *a == *b && *a; a++, b++)
        rows += *a == '\n';
    cr_assert_eq(*a, *b, "scenario %d, %s: row %zu differs:\n%.200s\nindexed:\n%.200s\n%s%s%s",
                 number, d->policy, rows, a, b, d->head, d->indexed, d->jobs);
    return rows;
}

static int scenario_count(void) {
    const char *text = getenv("EASIM_SCENARIOS");
    return text ? atoi(text) : 300;
}

Test(index, decides_as_the_plain_pass) {
    static struct draw d;
    struct trial_options options = {
        .jobs = d.jobs, .models = read_models(), .decisions = true, .unchecked = true};
    size_t rows = 0;
    int failed = 0, count = scenario_count();
    d.nodes = "";
    for (int i = 0; i < count; i++) {
        struct trial plain, indexed;
        d.rng = rng_create((uint64_t)i, 0, "scenario");
        draw_jobs(&d);
        draw_head(&d, i);
        draw_policy(&d);
        trial_run(&plain, &options, "%s%s", d.head, d.plain);
        trial_run(&indexed, &options, "%s%s", d.head, d.indexed);
        rows += compare(&d, &plain, &indexed, i);
        failed += plain.status < 0;
        trial_finish(&plain);
        trial_finish(&indexed);
        gsl_rng_free(d.rng);
    }
    /* Most scenarios must come to an end: some leave jobs waiting for ever, under a cap or an
     * objective. */
    cr_expect(failed < count / 4, "%d of %d failed", failed, count);
    cr_expect(rows > 40 * (size_t)count, "%zu decisions", rows);
    fprintf(stderr, "%d scenarios, %zu decisions, %d failed runs\n", count, rows, failed);
}

/* Both plan from predicted ends, which noise makes wrong, and nodes fail. */
Test(index, easy_decides_as_a_scan) {
    static struct draw d;
    struct trial_options options = {
        .jobs = d.jobs, .models = read_models(), .decisions = true, .unchecked = true};
    size_t rows = 0;
    int count = scenario_count() / 2;
    d.policy = "easy";
    for (int i = 0; i < count; i++) {
        struct trial plain, booked;
        d.rng = rng_create((uint64_t)i, 0, "easy");
        d.nodes = chance(&d, 0.4) ? ", mtbf: 100d, mttr: 10min" : "";
        draw_jobs(&d);
        draw_head(&d, i);
        const char *noise = chance(&d, 0.5) ? "noise: {speed_sigma: 0.4}\n" : "";
        trial_run(&plain, &options, "%s%spolicy: {name: plain_easy}\n", d.head, noise);
        trial_run(&booked, &options, "%s%spolicy: {name: easy}\n", d.head, noise);
        rows += compare(&d, &plain, &booked, i);
        trial_finish(&plain);
        trial_finish(&booked);
        gsl_rng_free(d.rng);
    }
    cr_expect(rows > 40 * (size_t)count, "%zu decisions", rows);
    fprintf(stderr, "easy: %d scenarios, %zu decisions\n", count, rows);
}

/* NaN where the first decision does not meet it: a factor of a list whose factors grow (at the
   start already, but kept), whom to displace when b comes at 1, the key of b at 2, when c comes and
   b is asked about as the first that a might shrink for, the objective of b once a has given way.
 */
Test(index, nan_at_a_later_look) {
    static const struct {
        const char *params, *text;
    } cases[] = {
        {"what: nan_factor",
         "the user_factor of user default is not a positive, finite number (at t = 0 s)"},
        {"what: nan_displace", "the displace of job a is not a number (at t = 1 s)"},
        {"what: nan_room", "the objective of job b is not a number (at t = 1 s)"},
        {"what: nan_later, resize: true, shrink: true",
         "the value of the key of job b is not a number (at t = 2 s)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const struct trial_options options = {
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,2,10\nb,1,2,20\nc,2,2,30\n",
            .unchecked = true};
        struct trial t;
        trial_run(
            &t, &options,
            "name: n\nhorizon: drain\npolicy: {name: reads_view, params: {%s}}\n" TRIAL_CLUSTER(2)
                TRIAL_JOBS,
            cases[i].params);
        cr_expect_eq(t.status, ERROR_RUN, "%s", cases[i].params);
        cr_expect(strstr(t.failure, cases[i].text), "%s: %s", cases[i].params, t.failure);
        trial_finish(&t);
    }
}
