/* Changes of a log at import. Expected rows are by hand, or relations that hold for any seed. */
#include "base/units.h"
#include "support/temp_dir.h"
#include "support/trace_text.h"
#include "workload/record.h"
#include "workload/trace_change.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(trace_change, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEADER "job_id,submit_s,duration_s,requested_s,gpus,deadline_s\n"

static void read_log(const char *text, struct trace *trace) {
    struct problems problems = {0};
    temp_file_write_text("log.csv", text);
    cr_assert_eq(trace_file_read("log.csv", NULL, trace, &problems), 0, "%s",
                 problems.count ? problems.texts[0] : "");
}

static void expect(const char *text, const struct trace_changes *changes, const char *expected) {
    struct trace trace = {0};
    struct str found = {0};
    read_log(text, &trace);
    trace_change(&trace, changes);
    trace_text_all(&trace, &found);
    cr_assert_eq(strncmp(found.text, TRACE_COLUMNS "\n", strlen(TRACE_COLUMNS) + 1), 0);
    cr_assert_str_eq(found.text + strlen(TRACE_COLUMNS) + 1, expected, "%s", found.text);
    str_finish(&found);
    trace_finish(&trace);
}

static const char log_text[] =
    HEADER "a,0,50,40,1,100\nb,10,30,40,2,\nc,20,60,,1,15\nd,35,7,7,4,99\n";

Test(trace_change, none) {
    expect(
        log_text, &trace_changes_none,
        "a,0.0,,,,50.0,40.0,1,,,100.0,\nb,10.0,,,,30.0,40.0,2,,,,\nc,20.0,,,,60.0,,1,,,15.0,\nd,35.0,,,,7.0,7.0,4,,,99.0,\n");
}

/* From 10 on, before 35: b and c, b being at 0 now; deadlines move along. */
Test(trace_change, slice_of_time) {
    struct trace_changes changes = trace_changes_none;
    changes.from_s = 10;
    changes.until_s = 35;
    expect(
        log_text, &changes,
        "b,0.0,,,,30.0,40.0,2,,,,\nc,10.0,,,,60.0,,1,,,5.0,\ndropped 2 at 2: outside of the slice of time\n");
}

/* From 20 on, with those of the 15 before: b is at 10 - 5, the slice begins at 15; halved with a
   compression of 2. Of the rows from 20 on the first. A lead of 20 or more leaves all. */
Test(trace_change, lead) {
    struct trace_changes changes = trace_changes_none;
    changes.from_s = 20;
    changes.lead_s = 15;
    expect(log_text, &changes,
           "b,5.0,,,,30.0,40.0,2,,,,\nc,15.0,,,,60.0,,1,,,10.0,\nd,30.0,,,,7.0,7.0,4,,,94.0,\n"
           "dropped 1 at 2: outside of the slice of time\n"
           "changed 1 at 3: of the slice's lead, run as warm-up\n");
    cr_assert_eq(trace_change_lead_ns(&changes), 15 * NS_PER_S);
    changes.compress = 2;
    changes.last_row = 1;
    expect(log_text, &changes,
           "b,2.5,,,,30.0,40.0,2,,,,\nc,7.5,,,,60.0,,1,,,2.5,\n"
           "dropped 1 at 2: outside of the slice of time\n"
           "changed 1 at 3: of the slice's lead, run as warm-up\n"
           "dropped 1 at 5: outside of the slice of rows\n");
    cr_assert_eq(trace_change_lead_ns(&changes), 7500 * (NS_PER_S / 1000));
    changes = trace_changes_none;
    changes.from_s = 20;
    changes.lead_s = 1e9;
    expect(
        log_text, &changes,
        "a,0.0,,,,50.0,40.0,1,,,100.0,\nb,10.0,,,,30.0,40.0,2,,,,\nc,20.0,,,,60.0,,1,,,15.0,\nd,35.0,,,,7.0,7.0,4,,,99.0,\n"
        "changed 2 at 2: of the slice's lead, run as warm-up\n");
    cr_assert_eq(trace_change_lead_ns(&changes), 20 * NS_PER_S);
    changes.lead_s = 0;
    cr_assert_eq(trace_change_lead_ns(&changes), 0);
}

/* Of the rows from 10 on, the second and third. */
Test(trace_change, slice_of_rows) {
    struct trace_changes changes = trace_changes_none;
    changes.from_s = 10;
    changes.first_row = 2;
    changes.last_row = 3;
    expect(log_text, &changes,
           "c,0.0,,,,60.0,,1,,,-5.0,\n"
           "d,15.0,,,,7.0,7.0,4,,,79.0,\n"
           "dropped 1 at 2: outside of the slice of time\n"
           "dropped 1 at 3: outside of the slice of rows\n");
}

Test(trace_change, kill_at_request) {
    struct trace_changes changes = trace_changes_none;
    changes.kill_at_request = true;
    expect(log_text, &changes,
           "a,0.0,,,,40.0,40.0,1,,,100.0,\n"
           "b,10.0,,,,30.0,40.0,2,,,,\n"
           "c,20.0,,,,60.0,,1,,,15.0,\n"
           "d,35.0,,,,7.0,7.0,4,,,99.0,\n"
           "changed 1 at 2: run time cut at the requested time\n");
}

/* The run time as it is after the cut; of a job with a model there is none to ask for. */
Test(trace_change, run_time_as_request) {
    struct trace_changes changes = trace_changes_none;
    changes.estimate = ESTIMATE_RUN;
    expect(HEADER "a,0,50,40,1,\nb,10,30,,2,\nd,35,7,7,4,\n", &changes,
           "a,0.0,,,,50.0,50.0,1,,,,\nb,10.0,,,,30.0,30.0,2,,,,\nd,35.0,,,,7.0,7.0,4,,,,\n"
           "changed 2 at 2: run time taken as the requested time\n");
    changes.kill_at_request = true;
    expect(HEADER "a,0,50,40,1,\n", &changes,
           "a,0.0,,,,40.0,40.0,1,,,,\nchanged 1 at 2: run time cut at the requested time\n");
    expect("job_id,submit_s,duration_s,requested_s,gpus,model\na,0,50,70,1,m\n", &changes,
           "a,0.0,,m,,50.0,70.0,1,,,,\n");
}

/* Submits / 2.5; the slacks 100, -5 and 64 stay. */
Test(trace_change, compress) {
    struct trace_changes changes = trace_changes_none;
    changes.compress = 2.5;
    expect(
        log_text, &changes,
        "a,0.0,,,,50.0,40.0,1,,,100.0,\nb,4.0,,,,30.0,40.0,2,,,,\nc,8.0,,,,60.0,,1,,,3.0,\nd,14.0,,,,7.0,7.0,4,,,78.0,\n");
}

/* A factor of 2 repeats every row once; within one day there is no other day to go to. An id that
 * is taken is passed. */
Test(trace_change, load_twice) {
    struct trace_changes changes = trace_changes_none;
    changes.load_scale = 2;
    expect(HEADER "a,0,50,40,1,100\na~2,10,30,40,2,\n", &changes,
           "a,0.0,,,,50.0,40.0,1,,,100.0,\n"
           "a~2~,0.0,,,,50.0,40.0,1,,,100.0,\n"
           "a~2,10.0,,,,30.0,40.0,2,,,,\n"
           "a~2~2,10.0,,,,30.0,40.0,2,,,,\n"
           "changed 2 at 2: repeated on another day to scale the load\n");
}

static void make_log(struct trace *trace) {
    struct str text = {0};
    str_add(&text, HEADER);
    for (int i = 0; i < 20000; i++) /* 23 days and more, a job each 100 s */
        str_addf(&text, "%d,%d,50,,1,%d\n", i, 100 * i, 100 * i + 70);
    read_log(text.text, trace);
    str_finish(&text);
}

/* Of 20000 rows a factor of 0.3 keeps 6000 and one of 2.3 makes 46000, give or take five standard
   deviations of sqrt(20000 x 0.3 x 0.7) = 65; the kept ones are as they were. */
Test(trace_change, load_parts) {
    static const double scales[] = {0.3, 2.3};
    for (int s = 0; s < 2; s++) {
        struct trace trace = {0};
        struct trace_changes changes = trace_changes_none;
        changes.load_scale = scales[s];
        changes.seed = 7;
        make_log(&trace);
        trace_change(&trace, &changes);
        cr_expect(fabs((double)trace.rows.count - 20000 * scales[s]) < 5 * 65, "%zu",
                  trace.rows.count);
        for (size_t i = 0; i < trace.rows.count; i++) {
            const struct trace_row *row = &trace.rows.at[i];
            int64_t moved_ns =
                row->submit_ns + units_ns(trace.offset_s) - 100 * atoll(row->id) * NS_PER_S;
            cr_assert_eq(row->deadline_s, units_s(row->submit_ns) + 70);
            cr_assert(strchr(row->id, '~') ? moved_ns != 0 : moved_ns == 0, "%s", row->id);
            cr_assert_eq(moved_ns % (86400 * NS_PER_S), 0, "copies keep their time of day");
            cr_assert(i == 0 || row[-1].submit_ns <= row->submit_ns);
        }
        trace_finish(&trace);
    }
}

/* The same seed chooses the same rows, another one others. */
Test(trace_change, seeds) {
    struct str texts[3] = {0};
    static const uint64_t seeds[] = {7, 7, 8};
    for (int i = 0; i < 3; i++) {
        struct trace trace = {0};
        struct trace_changes changes = trace_changes_none;
        changes.load_scale = 0.5;
        changes.seed = seeds[i];
        make_log(&trace);
        trace_change(&trace, &changes);
        trace_file_write(&trace, &texts[i]);
        trace_finish(&trace);
    }
    cr_expect_str_eq(texts[0].text, texts[1].text);
    cr_expect_str_neq(texts[0].text, texts[2].text);
    for (int i = 0; i < 3; i++)
        str_finish(&texts[i]);
}

/* Models 3 : 1, batches and users with equal chance, deadlines of half of the rows within 2..4 run
   times; five standard deviations of 20000 draws are at most 5 x sqrt(20000 / 4) = 354. What a row
   has stays without overwrite.
 */
Test(trace_change, assign) {
    struct trace trace = {0};
    struct trace_assignment assignment = {0};
    struct problems problems = {0};
    temp_file_write_text(
        "a.yaml", "users: [ada, bo]\n"
                  "deadlines: {share: 0.5, slack: [2, 4]}\n"
                  "assign: {models: [{model: x, weight: 3}, {model: y}], batches: [8, 32]}\n");
    cr_assert_eq(trace_assignment_load(&assignment, "a.yaml", &problems), 0, "%s",
                 problems.texts ? problems.texts[0] : "");
    make_log(&trace);
    trace.rows.at[5].model = "own";
    for (size_t i = 0; i < trace.rows.count; i++)
        trace.rows.at[i].deadline_s = i == 7 ? 1 : NAN;
    trace_assign(&trace, &assignment, 3);
    double x = 0, small = 0, ada = 0, deadlines = 0;
    for (size_t i = 0; i < trace.rows.count; i++) {
        const struct trace_row *row = &trace.rows.at[i];
        double slack_s = row->deadline_s - units_s(row->submit_ns);
        x += strcmp(row->model, "x") == 0;
        small += row->batch == 8;
        ada += strcmp(row->user, "ada") == 0;
        deadlines += !isnan(row->deadline_s);
        cr_assert(i == 7 || isnan(slack_s) || (slack_s >= 99.999 && slack_s <= 200.001));
    }
    cr_expect_str_eq(trace.rows.at[5].model, "own");
    cr_expect_eq(trace.rows.at[7].deadline_s, 1);
    cr_expect(fabs(x - 15000) < 354 && fabs(small - 10000) < 354 && fabs(ada - 10000) < 354 &&
                  fabs(deadlines - 10000) < 354,
              "%g %g %g %g", x, small, ada, deadlines);
    trace_finish(&trace);
    trace_assignment_finish(&assignment);
}

/* Two parts of one log: labels side by side, times on one clock although each part began at 0. */
Test(trace_change, join) {
    struct trace parts[2] = {0}, whole = {0};
    struct str found = {0};
    read_log("job_id,submit_s,duration_s,gpus,label.a,label.b\n1,100,5,1,x,y\n2,130,5,1,,z\n",
             &parts[0]);
    trace_sort(&parts[0], true);
    read_log("job_id,submit_s,duration_s,gpus,deadline_s,label.b,label.c\n1,90,6,1,95,p,q\n",
             &parts[1]);
    trace_sort(&parts[1], true);
    trace_join(&whole, parts, 2);
    trace_sort(&whole, true);
    trace_file_write(&whole, &found);
    cr_assert_str_eq(found.text, TRACE_COLUMNS ",label.a,label.b,label.c\n"
                                               "2-1,0.0,,,,6.0,,1,,,5.0,,,p,q\n"
                                               "1-1,10.0,,,,5.0,,1,,,,,x,y,\n"
                                               "1-2,40.0,,,,5.0,,1,,,,,,z,\n");
    cr_assert_eq(whole.rows_read, 3);
    cr_assert_eq(whole.offset_s, 90);
    str_finish(&found);
    trace_finish(&parts[0]);
    trace_finish(&parts[1]);
    trace_finish(&whole);
}
