/* What the host does with plug-ins that misbehave: refuses and counts, fails the run under
   --strict, names the fault, keeps its own state whole. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include "base/mem.h"
#include "io/files.h"
#include "policy/fault.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(plugins, .init = temp_dir_enter, .fini = temp_dir_leave);

/* 2 GPUs; a takes both until 10.5, b comes at 1 and runs from then. */
#define JOBS "job_id,submit_s,gpus,duration_s\na,0,2,10.5\nb,1,1,2.385\n"

static void run_policy(struct trial *t, const char *policy, bool strict) {
    static struct trial_options options;
    options = (struct trial_options){.jobs = JOBS, .strict = strict};
    trial_run(t, &options,
              "name: n\nhorizon: drain\npolicy: %s\n" TRIAL_CLUSTER(
                  2) "workload: {kind: trace, file: jobs.csv, preemptible: false}\n",
              policy);
}

/* Refused actions leave no trace but their count. `times`: at 0, 1 and 10.5 the policy decides with
   somebody waiting, and at 12.885 with nobody. */
Test(plugins, refusals) {
    static const struct {
        const char *policy;
        enum refusal why;
        uint64_t times;
    } cases[] = {
        {"{name: start_all}", REFUSED_NOFIT, 1}, /* b at 1 */
        {"{name: misuse, params: {kind: no_such_job}}", REFUSED_NO_SUCH_JOB, 3},
        {"{name: misuse, params: {kind: far_job}}", REFUSED_NO_SUCH_JOB, 6},
        {"{name: misuse, params: {kind: config_below}}", REFUSED_CONFIG, 3},
        {"{name: misuse, params: {kind: config_above}}", REFUSED_CONFIG, 3},
        {"{name: misuse, params: {kind: start_twice}}", REFUSED_STATE, 2}, /* after each start */
        {"{name: misuse, params: {kind: preempt_new}}", REFUSED_STATE, 2},
        {"{name: misuse, params: {kind: preempt_waiting}}", REFUSED_STATE, 3},
        {"{name: misuse, params: {kind: wake_now}}", REFUSED_TIME, 3},
        {"{name: misuse, params: {kind: wake_nan}}", REFUSED_TIME, 3},
        {"{name: misuse, params: {kind: wake_late}}", REFUSED_TIME, 3},
        {"{name: misuse, params: {kind: preempt_running}}", REFUSED_NOT_PREEMPTIBLE,
         1}, /* a at 1 */
        {"{name: no_capability}", REFUSED_CAPABILITY,
         9}, /* 4 wake-ups, 4 clears, the preemption at 1 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run_policy(&t, cases[i].policy, false);
        cr_assert_eq(t.status, 0, "%s: %s", cases[i].policy, t.failure);
        cr_expect_eq(trial_find(&t, "a")->finish_ns, 10500000000, "%s", cases[i].policy);
        cr_expect_eq(trial_find(&t, "b")->start_ns, 10500000000, "%s", cases[i].policy);
        cr_expect_eq(trial_find(&t, "b")->finish_ns, 12885000000, "%s", cases[i].policy);
        for (int r = 0; r < REFUSAL_COUNT; r++)
            cr_expect_eq(t.refused[r], r == (int)cases[i].why ? cases[i].times : 0,
                         "%s: \"%s\" %llu times", cases[i].policy, refusal_names[r],
                         (unsigned long long)t.refused[r]);
        cr_expect_eq(t.summaries->refused_actions, (double)cases[i].times);
        trial_finish(&t);
        run_policy(&t, cases[i].policy, true);
        cr_expect_eq(t.status, ERROR_RUN, "%s under strict", cases[i].policy);
        cr_expect(strstr(t.failure, refusal_names[cases[i].why]), "%s: %s", cases[i].policy,
                  t.failure);
        trial_finish(&t);
    }
}

/* easim_view_job in a run in which jobs are pending, wait, run, write checkpoints of 3 s, are over
   and (z, of 9 GPUs) are rejected, with all events of an instant at once and one at a time. The
   plug-in itself fails the run if it sees another job than it should. */
Test(plugins, jobs_that_are_seen) {
    static const char *const coalesce[] = {"true", "false"};
    for (int i = 0; i < 2; i++) {
        struct trial t;
        struct trial_options options = {
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,2,20\nb,0,1,20\nc,1,3,8\nz,2,9,1\n"
                    "d,2,1,20\ne,2,1,13\nf,30,2,5\ng,90,1,5\n",
            .strict = true};
        trial_run(
            &t, &options,
            "name: n\nhorizon: drain\nengine: {coalesce: %s}\npolicy: {name: sees_jobs}\n" TRIAL_CLUSTER(
                3) "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_s: 3}}\n",
            coalesce[i]);
        cr_assert_eq(t.status, 0, "coalesce %s: %s", coalesce[i], t.failure);
        cr_expect(trial_find(&t, "a")->preemptions > 0 && trial_find(&t, "g")->finish_ns > 0);
        cr_expect_eq(t.summaries->jobs_rejected, 1);
        trial_finish(&t);
    }
}

/* Of a run that is not checked the memory of jobs that are over is given back, 512 of them at a
   time where a page has 4096 bytes: not before the policy has been told, one decision an event, of
   1,600 that are due at one instant, of which the first decision has already taken the GPUs. The
   plug-in fails the run if a job of an event is another, or gone. */
Test(plugins, jobs_that_are_over) {
    struct str jobs = {0};
    struct trial t;
    str_add(&jobs, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < 1600; i++)
        str_addf(&jobs, "j%d,%d,%d,%d\n", i, i / 800, i % 7 == 6 ? 2000 : 1, 9 - i / 800);
    str_add(&jobs, "last,20,1600,5\n");
    struct trial_options options = {.jobs = jobs.text, .strict = true, .unchecked = true};
    trial_run(&t, &options,
              "name: n\nhorizon: drain\npolicy: {name: sees_jobs}\n"
              "engine: {coalesce: false, equal_time: arrivals_first}\n" TRIAL_CLUSTER(1600)
                  TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->jobs_rejected, 228); /* 6, 13 .. 1595 */
    /* preempted at 7 with 2 s left, and at 8 with 1 s, and started again at the wake-up or finishes
       that come a second later */
    cr_expect_eq(trial_find(&t, "j0")->finish_ns, 10000000000);
    cr_expect_eq(trial_find(&t, "j1599")->finish_ns, 10000000000);
    cr_expect_eq(trial_find(&t, "j1")->finish_ns, 9000000000);
    cr_expect_eq(trial_find(&t, "last")->finish_ns, 25000000000);
    cr_expect_eq(trial_cell(&t, "j800", "wait_s"), 0);
    str_finish(&jobs);
    trial_finish(&t);
}

#define NOT_A_NUMBER(where, text) \
    { \
        "{name: not_a_number, params: {where: " where "}}", \
            "policy not_a_number: decide failed: " text " (at t = 0 s)" \
    }

/* A failed decision ends the run, says which policy, what and when, and gives back what it had
 * taken. */
Test(plugins, failures) {
    static const struct {
        const char *policy, *text;
    } cases[] = {
        {"{name: give_up}", "policy give_up: decide failed: it gave no reason (at t = 0 s)"},
        {"{name: give_up, params: {how: says_why}}",
         "policy give_up: decide failed: no luck with 2.385 (at t = 0 s)"},
        {"{name: give_up, params: {how: says_twice}}", /* the last reason counts */
         "policy give_up: decide failed: no luck with 2.385 (at t = 0 s)"},
        {"{name: give_up, params: {how: takes_back}}",
         "policy give_up: decide failed: it gave no reason (at t = 0 s)"},
        {"{name: give_up, params: {how: positive}}",
         "policy give_up: decide returned 1: expected 0, or a negative number if it failed (at t = "
         "0 s)"},
        {"{name: give_up, params: {how: positive_init}}",
         "policy give_up: init returned 7: expected 0, or a negative number if it failed (at t = 0 "
         "s)"},
        {"{name: give_up, params: {how: in_red}}", /* nothing that a terminal would obey */
         "policy give_up: decide failed: no \\x1b[31mluck\303\251\\x0a\\xe9 (at t = 0 s)"},
        {"{name: give_up, params: {how: in_init}}",
         "policy give_up: init failed: not this cluster (at t = 0 s)"},
        NOT_A_NUMBER("key", "the value of the key of job a is not a number"),
        NOT_A_NUMBER("ageing", "the ageing_s of the key of job a is not a number"),
        NOT_A_NUMBER("ask_again", "the ask_again_s of the key of job a is not a number"),
        NOT_A_NUMBER("finish_by", "the finish_by_s of the key of job a is not a number"),
        NOT_A_NUMBER("maximum", "the objective_max of the key of job a is not a number"),
        NOT_A_NUMBER("objective", "the objective of job a is not a number"),
        NOT_A_NUMBER("urgent", "the urgent objective of job a is not a number"),
        NOT_A_NUMBER("negative", "the value of the key of job a ages and is negative"),
        NOT_A_NUMBER("negative_ageing", "the ageing_s of the key of job a is negative"),
        NOT_A_NUMBER("factor", "the user_factor of user default is not a positive, finite number"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run_policy(&t, cases[i].policy, false);
        cr_expect_eq(t.status, ERROR_RUN);
        cr_expect_str_eq(t.failure, cases[i].text, "%s", t.failure);
        cr_expect_eq(t.count, 0);
        trial_finish(&t);
    }
}

/* Asked of a running job only: j runs on one of two GPUs, x on the other until 10. */
Test(plugins, nan_resize_least) {
    struct trial t;
    static const struct trial_options options = {
        .jobs =
            "job_id,submit_s,gpus,duration_s,model,work_samples\nx,0,1,10,,\nj,1,,,albert-v2-bf16,1e6\n"};
    trial_run(
        &t, &options,
        "name: n\n"
        "horizon: drain\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "cluster: {gpu_types: [{name: a100, idle_w: 60, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: a100, gpus: 2}]}\n"
        "policy: {name: not_a_number, params: {where: least, resize: true}}\n" TRIAL_JOBS);
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect(
        strstr(t.failure,
               "policy not_a_number: decide failed: the resize_least of job j is not a number"),
        "%s", t.failure);
    trial_finish(&t);
}

/* A timer asked for at a time between two nanoseconds comes at the later one. For each start, in
   Python: n = floor(Fraction(delay) * 10**9 + Fraction(1, 2)), one more where n / 10**9 < delay. */
Test(plugins, wakes_not_before) {
    static const struct {
        const char *delay;
        int64_t start_ns;
    } cases[] = {{"1.4e-9", 2},
                 {"0.3", 300000000},
                 {"0.1", 100000000},
                 {"23.385", 23385000000},
                 {"1.0000000004", 1000000001},
                 {"2.1e8", 210000000000000000},
                 {"987654321.0123457", 987654321012345672}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,1\n",
                                    .strict = true},
            "name: n\nhorizon: drain\npolicy: {name: wake_later, params: {delay: %s}}\n" TRIAL_CLUSTER(
                1) TRIAL_JOBS,
            cases[i].delay);
        trial_must_succeed(&t);
        cr_expect_eq(trial_find(&t, "a")->start_ns, cases[i].start_ns, "%s: %lld", cases[i].delay,
                     (long long)trial_find(&t, "a")->start_ns);
        trial_finish(&t);
    }
}

/* How a process ends in which the policy runs. */
static int end_of(const char *policy) {
    pid_t child = fork();
    cr_assert_neq(child, -1);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGSEGV, SIG_DFL);
        struct trial t;
        run_policy(&t, policy, false);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

/* The view of a checked run is in pages that a policy cannot write: it crashes (in a process of its
   own), whether it casts const away or asks for other pages first. */
Test(plugins, view_is_read_only) {
    static const char *const policies[] = {"{name: write_view}",
                                           "{name: write_view, params: {how: mprotect}}",
                                           "{name: write_view, params: {how: mprotect, job: 1}}"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        int status = end_of(policies[i]);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "%s: status %#x", policies[i],
                  (unsigned)status);
    }
}

/* 2,000 jobs of 1 s, one a second, on one GPU: two decisions each at a time. What a policy writes
   by way of the host's own mapping is found, also where nobody comes by any more (job 3 at decision
   900: it is over) or yet. */
Test(plugins, view_is_compared) {
    static const struct {
        const char *params, *text;
    } cases[] = {
        {"{how: host}",
         "policy write_view has written into the view, which is constant: the view itself (at t = 0 s)"},
        {"{how: host, decision: 900, job: 3}",
         "policy write_view has written into the view, which is constant: job 4 ("},
        {"{how: host, decision: 900, job: 1990}",
         "policy write_view has written into the view, which is constant: view->jobs[1990], a job that is not submitted yet ("},
        {"{how: host, decision: 1999, job: 3}",
         "policy write_view has written into the view, which is constant: job 4 ("},
        {"{how: kernel}",
         "policy write_view: decide failed: the kernel does not write there (at t = 0 s)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = NULL},
            "name: n\nhorizon: drain\npolicy: {name: write_view, params: %s}\n" TRIAL_CLUSTER(
                1) "workload: {kind: periodic, period: 1s, until: {jobs: 2000}, sizes: {law: constant, mean: 1s}, rigid: {k: 1}}\n",
            cases[i].params);
        cr_expect_eq(t.status, ERROR_RUN, "%s", cases[i].params);
        cr_expect(strncmp(t.failure, cases[i].text, strlen(cases[i].text)) == 0, "%s: %s",
                  cases[i].params, t.failure);
        trial_finish(&t);
    }
}

/* As above, decision n at n - 1 s. Decisions 1, 2, 4, 8 ... and the end, 2000 s, compare all of the
   view; others only its first 4096 bytes and as many that wander. Job 700, over long ago, is in
   neither soon: what is written there is found by a power of two, or long after number 1025. */
Test(plugins, view_is_compared_as_a_whole_at_powers_of_two) {
    static const struct {
        int decision, job, found_s; /* -1: later than at 1030 s */
    } cases[] = {{1, 500, 0},       {511, 100, 511},   {512, 100, 511}, {1020, 700, 1023},
                 {1023, 700, 1023}, {1024, 700, 1023}, {1025, 700, -1}, {2001, 700, 2000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = NULL},
            "name: n\nhorizon: drain\npolicy: {name: write_view, params: {how: host, decision: %d, job: %d}}\n" TRIAL_CLUSTER(
                1) "workload: {kind: periodic, period: 1s, until: {jobs: 2000}, sizes: {law: constant, mean: 1s}, rigid: {k: 1}}\n",
            cases[i].decision, cases[i].job);
        cr_assert_eq(t.status, ERROR_RUN, "decision %d", cases[i].decision);
        const char *at = strstr(t.failure, "(at t = ");
        cr_assert(at && strstr(t.failure, "which is constant: "), "%s", t.failure);
        int found_s = atoi(at + strlen("(at t = "));
        cr_expect(cases[i].found_s >= 0 ? found_s == cases[i].found_s : found_s > 1030,
                  "decision %d: found at %d s, not %d", cases[i].decision, found_s,
                  cases[i].found_s);
        trial_finish(&t);
    }
}

/* a runs from 0 to 10 on one GPU of two; b and c wait for both. The decision at 10 is the fourth.
 */
static void run_reader(struct trial *t, const char *what, bool unchecked) {
    static struct trial_options options;
    options = (struct trial_options){
        .jobs = "job_id,submit_s,gpus,duration_s\na,0,1,10\nb,1,2,20\nc,2,2,30\n",
        .unchecked = unchecked};
    trial_run(
        t, &options,
        "name: n\nhorizon: drain\npolicy: {name: reads_view, params: {what: %s}}\n" TRIAL_CLUSTER(2)
            TRIAL_JOBS,
        what);
}

#define ANEW_B \
    "policy reads_view decides otherwise if the host asks all its callbacks again at each decision: " \
    "first it starts job c on 2 x g at t = 10 s (decision 4); " \
    "asked again it starts job b on 2 x g at t = 10 s (decision 4): a callback looks at what it may not"
#define WOULD_START(job) \
    "policy reads_view leaves 2 jobs waiting for ever: nothing runs, nothing will happen, " \
    "2 of 2 GPUs are free; the first of them is job b; it would start job " job \
    " if the host asked all its callbacks again"

/* Answers that the host keeps although they depend on what they may not: a checked run fails when
   other answers decide otherwise; any run, where they leave jobs waiting, and says so then. */
Test(plugins, kept_answers) {
    static const struct {
        const char *what, *checked, *unchecked;
    } cases[] = {
        {"objective", WOULD_START("b"), WOULD_START("b")},
        {"maximum", WOULD_START("b"), WOULD_START("b")},
        {"value", ANEW_B, NULL},
        {"tier", ANEW_B, NULL},
        {"time", ANEW_B, NULL},
        {"allow", WOULD_START("c"), WOULD_START("c")},
        {"factor",
         "policy reads_view: decide failed: the user_factor of user default makes values fall with more usage, but factor_grows is declared (at t = 2 s)",
         NULL},
        {"random", NULL, NULL},
        {"nothing", NULL, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial checked, plain;
        run_reader(&checked, cases[i].what, false);
        run_reader(&plain, cases[i].what, true);
        cr_expect_eq(checked.status, cases[i].checked ? ERROR_RUN : 0, "%s: %s", cases[i].what,
                     checked.failure);
        cr_expect_eq(plain.status, cases[i].unchecked ? ERROR_RUN : 0, "%s: %s", cases[i].what,
                     plain.failure);
        if (cases[i].checked)
            cr_expect(strstr(checked.failure, cases[i].checked), "%s: %s", cases[i].what,
                      checked.failure);
        else
            cr_expect_str_eq(checked.jobs_csv.text, plain.jobs_csv.text, "%s", cases[i].what);
        if (cases[i].unchecked)
            cr_expect(strstr(plain.failure, cases[i].unchecked), "%s: %s", cases[i].what,
                      plain.failure);
        trial_finish(&checked);
        trial_finish(&plain);
    }
}

/* room_from_s and room_most are rules. a holds both GPUs from 0 to 100; b, which came at 1 and
   wants `gpus`, gets room at the first decision at which the host may ask for that many: when it
   comes, or when c comes at 50, which wants more than there is and never starts before; else when a
   ends. */
Test(plugins, room_by_rule) {
    static const struct {
        const char *params;
        int64_t start_s;
    } cases[] = {{"from: 0, most: 8", 1},   {"from: 0, most: 1", 1},    {"from: 0, most: 0", 100},
                 {"from: 30, most: 1", 50}, {"from: 60, most: 8", 100}, {"from: 30, most: 0", 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const struct trial_options options = {
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,2,100\nb,1,1,200\nc,50,2,10\n"};
        struct trial t;
        trial_run(&t, &options,
                  "name: n\nhorizon: 150s\npolicy: {name: roomy, params: {%s}}\n" TRIAL_CLUSTER(2)
                      TRIAL_JOBS,
                  cases[i].params);
        cr_assert_eq(t.status, 0, "%s: %s", cases[i].params, t.failure);
        cr_expect_eq(t.jobs[1].start_ns, cases[i].start_s * 1000000000, "%s: b starts at %g s",
                     cases[i].params, (double)t.jobs[1].start_ns / 1e9);
        trial_finish(&t);
    }
}

static void roll(struct trial *t, int seed, const char *policy) {
    static struct trial_options options;
    options = (struct trial_options){.policy = policy};
    trial_run(
        t, &options,
        "name: n\n"
        "horizon: 2h\n"
        "seed: %d\n"
        "replications: 2\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "cluster: {gpu_types: [{name: a100, idle_w: 60, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: a100, gpus: 8}]}\n"
        "workload: {kind: poisson, rate_per_s: 0.01, sizes: {law: exponential, mean: 10min}}\n"
        "policy: {name: fcfs}\n",
        seed);
    trial_must_succeed(t);
}

/* Random numbers of a policy come from a stream of their own: the same seed gives the same run,
   another seed another, and the jobs are those any policy gets. */
Test(plugins, random_numbers) {
    struct trial first, again, other, plain;
    roll(&first, 7, "dice");
    roll(&again, 7, "dice");
    roll(&other, 8, "dice");
    roll(&plain, 7, "pollux");
    cr_assert(first.job_count > 20);
    cr_expect_str_eq(first.jobs_csv.text, again.jobs_csv.text);
    cr_expect_str_eq(first.summary_csv.text, again.summary_csv.text);
    cr_expect_str_neq(first.jobs_csv.text, other.jobs_csv.text);
    cr_assert_eq(first.job_count, plain.job_count);
    for (size_t i = 0; i < first.job_count; i++)
        cr_expect(first.jobs[i].submit_ns == plain.jobs[i].submit_ns &&
                  first.jobs[i].work == plain.jobs[i].work);
    struct trial *all[] = {&first, &again, &other, &plain};
    for (int i = 0; i < 4; i++)
        trial_finish(all[i]);
}

/* What policy_name_open says of a name, and whether it is a policy of that name that it opens. */
static void expect_named(const char *name, const char *const *loaded, size_t count, bool found,
                         bool opened) {
    struct policy_module module;
    struct error error = {0};
    int r = policy_name_open(name, false, loaded, count, &module, &error);
    cr_expect_eq(r >= 0, found, "%s with %zu loaded: %s", name, count, error.text);
    cr_expect_eq(module.policy != NULL, opened, "%s with %zu loaded", name, count);
    cr_expect(!module.policy || strcmp(module.policy->name, name) == 0, "%s", name);
    module_close(&module);
}

/* A policy is known by its name, too, where its file has another: loaded by path, or found where
   policies are sought. By the name of the file there is something, but no policy of that name. */
Test(plugins, names_unlike_files) {
    struct str path = {0};
    cr_assert(module_find("give_up", &path));
    cr_assert_eq(symlink(path.text, "other.so"), 0);
    static const char *const loaded[] = {"./other.so", "./dice.so"};
    struct str another = {0};
    cr_assert(module_find("dice", &another));
    cr_assert_eq(symlink(another.text, "dice.so"), 0);
    str_finish(&another);
    setenv("EASIM_POLICY_PATH", "/nowhere", 1);
    expect_named("give_up", NULL, 0, false, false);
    expect_named("give_up", loaded, 1, true, true);
    expect_named("given_up", loaded, 1, false, false);
    expect_named("give_up", loaded, 2, true, true); /* it stays open while dice is looked at */
    expect_named("dice", loaded, 2, true, true);
    setenv("EASIM_POLICY_PATH", ".", 1);
    expect_named("give_up", NULL, 0, true, true);
    expect_named("other", NULL, 0, true, false);
    str_finish(&path);
}

/* What is said of a mixture of pollux and ends_badly_list whose process does `crash`, which must
   end it by SIGSEGV; with the paths of both. */
static void expect_crash(void (*crash)(const struct policy_module *second), const char *format) {
    struct policy_module sides[2];
    struct error error = {0};
    cr_assert_eq(module_open("pollux", &sides[0], &error), 0, "%s", error.text);
    cr_assert_eq(module_open("ends_badly_list", &sides[1], &error), 0, "%s", error.text);
    const struct policy_module mixture = {.sides = {&sides[0], &sides[1]}};
    struct policy_fault *fault = mem_shared(sizeof *fault);
    char names[2][FAULT_NAME_BYTES];
    fault_name(&mixture, names[0]);
    fault_name(&sides[1], names[1]);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        fault_watch(&mixture, fault);
        crash(&sides[1]);
        _exit(0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "%#x", status);
    struct str said = {0};
    str_addf(&said, format, names[strstr(format, "outside") ? 0 : 1]);
    cr_expect_str_eq(fault->words, said.text);
    str_finish(&said);
    mem_unshare(fault, sizeof *fault);
    for (int i = 0; i < 2; i++)
        module_close(&sides[i]);
}

static void crash_in_second(const struct policy_module *second) {
    struct policy_params params;
    char state[64] = {0};
    cr_assert(second->policy->state_size <= sizeof state);
    params_init(&params, second->policy);
    params_set_number(&params, 0, 1); /* after: at the first decision */
    params_set_number(&params, 1, 1); /* how: crash */
    second->policy->list->begin(&(struct easim_pass){.params = params.own, .state = state});
}

static void crash_by_kill(const struct policy_module *second) {
    (void)second;
    raise(SIGSEGV); /* nothing raises it again by itself */
}

/* Of a mixture the instruction tells whose code it was, the second one's as well. */
Test(plugins, crashes_of_a_mixture) {
#ifdef __SANITIZE_ADDRESS__
    cr_skip("the sanitizer has a handler of its own");
#endif
    expect_crash(crash_in_second, "%s crashed: SIGSEGV, a wrong address");
    expect_crash(
        crash_by_kill,
        "crashed outside the code of %s, perhaps in a function that it called: SIGSEGV, a wrong address");
}

/* x leaves 2 of 4 GPUs. At 1 big (4 GPUs) comes first by its key, but does not fit: to make room
   for it the policy starts small and tiny, which the pass was to visit after it. Nobody is visited,
   or started, twice, and big starts when all three have ended. */
Test(plugins, jobs_started_by_a_callback) {
    static const struct policy_case starts = {
        "starts others",
        "{name: starts_others}",
        TRIAL_CLUSTER(4),
        NULL,
        "job_id,submit_s,gpus,duration_s\nx,0,2,10\ntiny,1,1,4\nsmall,1,1,3\nbig,1,4,5\n",
        {{"x", 0, 10, 2, 0}, {"small", 1, 4, 1, 0}, {"tiny", 1, 5, 1, 0}, {"big", 10, 15, 4, 0}}};
    policy_cases_run(&starts, 1);
}

/* A folder is found by any path that the system takes: here one of 3,900 characters and more. */
Test(plugins, folders_with_long_paths) {
    struct str found = {0}, longer = {0};
    cr_assert(module_find("give_up", &found));
    char *folder = realpath(found.text, NULL);
    cr_assert(folder && strrchr(folder, '/'));
    *strrchr(folder, '/') = '\0';
    while (longer.length + strlen(folder) < 3900)
        str_add(&longer, "/.");
    str_add(&longer, folder);
    cr_assert_eq(setenv("EASIM_POLICY_PATH", longer.text, 1), 0);
    found.length = 0;
    cr_assert(module_find("give_up", &found));
    cr_expect_gt(found.length, 3900);
    free(folder);
    str_finish(&found);
    str_finish(&longer);
}
