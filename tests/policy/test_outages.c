/* Recorded outages, by hand. Rigid jobs of the trial cluster draw 400 W computing; a free GPU draws
   50 W, a failed one and its node nothing. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include "engine/sim.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(outages, .init = temp_dir_enter, .fini = temp_dir_leave);

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-8 + 1e-9 * fabs(expected), "%s is %.17g, not %.17g",
              what, found, expected);
}

#define NODES(count, more) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{count: " #count \
    ", gpu: g, gpus: 2, base_w: 36" more "}]}\n" TRIAL_JOBS
#define RECORDED "policy: {name: fcfs}\nfailures: {file: o.csv}\n"

/* Of 1000 s: node 0 is down 100..300 (three rows, one outage), 1 at 0..40 and from 900 on, 2 at 500
   for no time, and from 990 on. Nodes 7 and 9 are beyond the four, one row is over by t = 0. So 350
   node-seconds of the 4000 are without power, of 36 + 2 * 50 W. */
static const char rows[] = "note,end_s,node,start_s\n"
                           "a,200,0,100\n"
                           "b,10,9,5\n"
                           "c,300,0,250\n"
                           "d,250,0,150\n"
                           "e,,1,900\n"
                           "f,40,1,-50\n"
                           "g,500,2,500\n"
                           "h,-10,3,-20\n"
                           "i,20,7,10\n"
                           "j,1200,2,990\n";
static const char same_rows[] = "node,start_s,end_s\n" /* sorted, 1e6 s later, merged by hand */
                                "0,1000100,1000300\n"
                                "1,999950,1000040\n"
                                "1,1000900,\n"
                                "2,1000500,1000500\n"
                                "2,1000990,1001200\n";

static void run_rows(struct trial *t, const char *text, const char *offset) {
    temp_file_write_text("o.csv", text);
    trial_run(
        t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,60\n",
                                .strict = true},
        "name: n\nhorizon: 1000s\npolicy: {name: fcfs}\nfailures: {file: o.csv%s}\n" NODES(4, ""),
        offset);
    trial_must_succeed(t);
}

Test(outages, ten_rows) {
    struct trial t, other;
    run_rows(&t, rows, "");
    const struct outages *o = &t.study.cluster.outages;
    cr_expect(o->rows == 10 && o->count == 5);
    cr_expect(o->merged.count == 2 && o->merged.first_line == 4);
    cr_expect(o->over.count == 1 && o->over.first_line == 9);
    cr_expect(o->running.count == 1 && o->running.first_line == 7);
    cr_expect(o->beyond.count == 2 && o->beyond.first_line == 3 && o->beyond_nodes == 2);
    cr_expect_str_eq(o->beyond_names, "7, 9");
    expect_near(t.summaries->energy_kwh * 3.6e6, (4000 - 350) * (36 + 2 * 50) + 60 * (400 - 50),
                "energy");
    expect_near(t.summaries->node_failures, 5, "node_failures");
    expect_near(t.summaries->job_failures, 0, "job_failures");
    run_rows(&other, same_rows, ", offset: 1000000s");
    cr_expect_str_eq(other.summary_csv.text, t.summary_csv.text);
    cr_expect_str_eq(other.jobs_csv.text, t.jobs_csv.text);
    trial_finish(&other);
    trial_finish(&t);
}

/* a has the only node from 0 on, loses 30 s and then, at a failure that is repaired at once, 20 s:
   it ends 100 s after 70. */
Test(outages, stop_jobs) {
    struct trial t;
    temp_file_write_text("o.csv", "node,start_s,end_s\n0,30,50\n0,70,70\n");
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,100\n",
                                      .strict = true},
              "name: n\nhorizon: drain\n" RECORDED NODES(1, ""));
    trial_must_succeed(&t);
    expect_near((double)trial_find(&t, "a")->finish_ns / 1e9, 170, "finish");
    expect_near(trial_find(&t, "a")->lost_s, 50, "lost_s");
    expect_near(t.summaries->job_failures, 2, "job_failures");
    expect_near(t.summaries->energy_kwh * 3.6e6, 150 * (2 * 400 + 36), "energy");
    trial_finish(&t);
}

/* b needs both nodes, and one is never repaired; what is still recorded of the other does not help.
 */
Test(outages, never_repaired) {
    struct trial t;
    temp_file_write_text("o.csv", "node,start_s,end_s\n0,10,\n1,1e6,1000001\n");
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,100\nb,20,4,5\n"},
        "name: n\nhorizon: drain\n" RECORDED NODES(2, ""));
    cr_assert_lt(t.status, 0);
    cr_expect(strstr(t.failure, "2 of 4 GPUs are free (nodes that are never repaired: 1)"), "%s",
              t.failure);
    trial_finish(&t);
}

/* The node of h is down until 100, which easy does not know. b needs two GPUs of one type: it
   becomes the head of g, where it fits at 50, and not of h, where no end of a job would help. c
   would delay b on g, so it becomes the head of h; d does not, and starts. At 60 c gets g. */
Test(outages, easy_reserves_where_a_job_will_fit) {
    struct trial t;
    temp_file_write_text("o.csv", "node,start_s,end_s\n1,0,100\n");
    trial_run(&t,
              &(struct trial_options){.jobs =
                                          "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,50,g\n"
                                          "b,1,2,10,\nc,2,1,500,\nd,3,1,40,\n",
                                      .strict = true},
              "name: n\nhorizon: drain\npolicy: {name: easy}\nfailures: {file: o.csv}\n"
              "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}, {name: h, idle_w: 50, "
              "tdp_w: 400}], nodes: [{gpu: g, gpus: 2}, {gpu: h, gpus: 2}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    static const struct {
        const char *id;
        double start_s;
    } expected[] = {{"a", 0}, {"b", 50}, {"c", 60}, {"d", 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct trial_job *job = trial_find(&t, expected[i].id);
        expect_near((double)job->start_ns / 1e9, expected[i].start_s, job->id);
        cr_expect_eq(job->gpu_type, 0, "%s", job->id);
    }
    trial_finish(&t);
}

static void record_event(void *context, const struct sim *sim, const struct event *event) {
    struct str *text = context;
    (void)sim;
    if (event->kind == EVENT_FAILURE || event->kind == EVENT_REPAIR)
        str_addf(text, "%c %u %lld\n", event->kind == EVENT_FAILURE ? 'F' : 'R', event->payload,
                 (long long)event->time_ns);
}

/* Each failure with the next repair of its node, if there is one. */
static void write_outages(const char *events, struct str *out) {
    char kind, other;
    unsigned node, n;
    long long at_ns, end_ns;
    str_add(out, "node,start_s,end_s\n");
    for (const char *line = events; *line; line = strchr(line, '\n') + 1) {
        cr_assert_eq(sscanf(line, "%c %u %lld", &kind, &node, &at_ns), 3);
        if (kind == 'R')
            continue;
        str_addf(out, "%u,%lld.%09lld,", node, at_ns / 1000000000, at_ns % 1000000000);
        for (const char *next = strchr(line, '\n') + 1; *next; next = strchr(next, '\n') + 1)
            if (sscanf(next, "%c %u %lld", &other, &n, &end_ns) == 3 && n == node) {
                str_addf(out, "%lld.%09lld", end_ns / 1000000000, end_ns % 1000000000);
                break;
            }
        str_add_char(out, '\n');
    }
}

/* What chance did, recorded and replayed, gives the same run. */
Test(outages, replay_of_drawn_failures) {
    static const char jobs[] = "job_id,submit_s,gpus,duration_s\na,0,3,900\nb,5,1,2000\nc,7,6,300\n"
                               "d,900,2,700\ne,1500,4,450\nf,1800,1,100\n";
    for (int seed = 1; seed <= 5; seed++) {
        struct str events = {0}, recorded = {0};
        struct observer watch = {.context = &events, .event = record_event};
        struct trial drawn, replayed;
        trial_run(&drawn, &(struct trial_options){.jobs = jobs, .watch = &watch, .strict = true},
                  "name: n\nhorizon: 6000s\nseed: %d\npolicy: {name: fcfs}\n" NODES(
                      4, ", mtbf: 800, mttr: 120"),
                  seed);
        trial_must_succeed(&drawn);
        write_outages(events.text, &recorded);
        temp_file_write_text("o.csv", recorded.text);
        trial_run(&replayed, &(struct trial_options){.jobs = jobs, .strict = true},
                  "name: n\nhorizon: 6000s\nseed: %d\n" RECORDED NODES(4, ""), seed);
        trial_must_succeed(&replayed);
        cr_expect_gt(drawn.summaries->node_failures, 10);
        cr_expect_str_eq(replayed.summary_csv.text, drawn.summary_csv.text);
        cr_expect_str_eq(replayed.jobs_csv.text, drawn.jobs_csv.text);
        str_finish(&events);
        str_finish(&recorded);
        trial_finish(&replayed);
        trial_finish(&drawn);
    }
}
