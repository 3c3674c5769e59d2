/* Microsoft ITP job logs. Expected rows are written by hand as the workload CSV of the same jobs.
 */
#include "base/units.h"
#include "ingest/logs/formats.h"
#include "support/temp_dir.h"
#include "support/trace_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <zlib.h>

#define COLUMNS TRACE_COLUMNS
#define RAW     "job_id,submission_time,duration,num_gpu\n"
#define ANNOTATED \
    "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n"
#define LABELS ",label.num_iteration,label.model_name,label.deadline,label.batch_size\n"

TestSuite(itp, .init = temp_dir_enter, .fini = temp_dir_leave);

static void expect(const char *name, bool models, const char *expected) {
    struct trace trace = {0};
    struct problems problems = {0};
    struct str found = {0};
    int status =
        itp_reader.read(name, &(struct trace_options){.models = models}, &trace, &problems);
    cr_assert_eq(status, 0, "%s: %s", name, problems.count ? problems.texts[0] : "?");
    trace_text_all(&trace, &found);
    cr_assert_str_eq(found.text, expected, "%s:\n%s", name, found.text);
    str_finish(&found);
    trace_finish(&trace);
    problems_finish(&problems);
}

static const struct {
    const char *name;
    bool models;
    const char *text, *expected;
} good_cases[] = {
    {"raw, shifted to 0, no last newline", false,
     RAW "59a72878-e5c4,16566,3890,4\n4c693bbf,16570.5,6216.25,1",
     COLUMNS "\n59a72878-e5c4,0.0,,,,3890.0,,4,,,,\n4c693bbf,4.5,,,,6216.25,,1,,,,\n"},
    {"raw with models: there are none", true, RAW "a,7,600,4\n",
     COLUMNS "\na,0.0,,,,600.0,,4,,,,\n"},
    {"unsorted; equal times as in the file", false,
     RAW "d,9,1,1\nb,5,2,1\na,5,3,1\nc,2,4,1\nz,5,5,1\n",
     COLUMNS
     "\nc,0.0,,,,4.0,,1,,,,\nb,3.0,,,,2.0,,1,,,,\na,3.0,,,,3.0,,1,,,,\nz,3.0,,,,5.0,,1,,,,\nd,7.0,,,,1.0,,1,,,,\n"},
    {"CRLF, blank lines, columns in another order, reals for integers", false,
     "num_gpu,duration,job_id,submission_time\r\n\r\n66.0,16051200000000.0e-6,1e3,5.0\r\n12, 7 ,2,6\r\n\r\n",
     COLUMNS "\n1e3,0.0,,,,16051200.0,,66,,,,\n2,1.0,,,,7.0,,12,,,,\n"},
    {"dropped rows, also the first", false,
     RAW "a,1,600,0\nb,2,0,1\nc,3,-5,1\nd,4,600,2\ne,5,0,0\n",
     COLUMNS
     "\nd,0.0,,,,600.0,,2,,,,\ndropped 2 at 2: no GPUs\ndropped 2 at 3: duration not above 0\n"},
    {"annotated, without models: labels as they are", false,
     ANNOTATED "a,100,40285,bert,4881.0,64,4,3890\nb,101,7,,,,1,600\n",
     COLUMNS LABELS "a,0.0,,,,3890.0,,4,,,,,40285,bert,4881.0,64\nb,1.0,,,,600.0,,1,,,,,7,,,\n"},
    {"annotated, with models", true,
     ANNOTATED
     "a,100,40285,bert,4881.5,64,4,3890\nb,101,7,vgg16,90,64.0,12,600\nc,102,8,,,,1,600\n",
     COLUMNS ",label.num_iteration\n"
             "a,0.0,,bert,,3890.0,,4,16.0,,4781.5,,40285\n"
             "b,1.0,,vgg16,,600.0,,12,,,-10.0,,7\n"
             "c,2.0,,,,600.0,,1,,,,,8\n"
             "changed 1 at 3: batch_size not divisible by num_gpu: batch left empty\n"},
    {"other columns become labels", false,
     "job_id,vc,submission_time,duration,num_gpu\na,\"x,y\",0,600,1\n",
     COLUMNS ",label.vc\na,0.0,,,,600.0,,1,,,,,\"x,y\"\n"},
    {"no job at all", false, RAW, COLUMNS "\n"},
};

Test(itp, good) {
    for (size_t i = 0; i < sizeof good_cases / sizeof *good_cases; i++) {
        temp_file_write_text(good_cases[i].name, good_cases[i].text);
        expect(good_cases[i].name, good_cases[i].models, good_cases[i].expected);
    }
}

static const struct {
    const char *text;
    const char *problems; /* joined by newlines */
} bad_cases[] = {
    {"job_id,submit,duration\na,0,600\n",
     "f:1: column \"submission_time\" is missing\nf:1: column \"num_gpu\" is missing\n"},
    {RAW "a,soon,600,1\n", "f:2:3: submission_time: expected seconds 0..4e9, got \"soon\"\n"},
    {RAW "a,,,\n", "f:2:3: submission_time: expected seconds 0..4e9, got \"\"\n"
                   "f:2:4: duration: expected seconds -4e9..4e9, got \"\"\n"
                   "f:2:5: num_gpu: expected integer 0..2^30, got \"\"\n"},
    {RAW "a,-1,4.1e9,1.5\n", "f:2:3: submission_time: expected seconds 0..4e9, got \"-1\"\n"
                             "f:2:6: duration: expected seconds -4e9..4e9, got \"4.1e9\"\n"
                             "f:2:12: num_gpu: expected integer 0..2^30, got \"1.5\"\n"},
    {RAW "a,0,600,1073741825\nb,0,600,-2\n",
     "f:2:9: num_gpu: expected integer 0..2^30, got \"1073741825\"\n"
     "f:3:9: num_gpu: expected integer 0..2^30, got \"-2\"\n"},
    {RAW "a,0,600,1\n,0,600,1\na,5,nan,1\n",
     "f:3:1: job_id: expected a job id, got \"\"\n"
     "f:4:5: duration: expected seconds -4e9..4e9, got \"nan\"\n"
     "f:4:1: job_id: job \"a\" is listed twice\n"},
    {ANNOTATED "a,0,1,bert,soon,0,4,600\n",
     "f:2:12: deadline: expected seconds 0..4e9, got \"soon\"\n"
     "f:2:17: batch_size: expected integer 1..2^30, got \"0\"\n"},
    {RAW "a,0,600\nb,0,x,1\n", "f:2:1: expected 4 fields as in the header, found 3\n"
                               "f:3:5: duration: expected seconds -4e9..4e9, got \"x\"\n"},
};

Test(itp, bad) {
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        struct trace trace = {0};
        struct problems problems = {0};
        struct str found = {0};
        temp_file_write_text("f", bad_cases[i].text);
        cr_assert_eq(
            itp_reader.read("f", &(struct trace_options){.models = true}, &trace, &problems),
            ERROR_INPUT);
        trace_text_problems(&problems, &found);
        cr_assert_str_eq(found.text, bad_cases[i].problems);
        str_finish(&found);
        trace_finish(&trace);
        problems_finish(&problems);
    }
}

/* An empty and a missing file are one problem each; in a file full of errors each counts: 3 cells
 * of 80 lines. */
Test(itp, bad_files) {
    struct trace trace = {0};
    struct problems problems = {0};
    temp_file_write_text("empty", "");
    cr_assert_eq(itp_reader.read("empty", NULL, &trace, &problems), ERROR_INPUT);
    cr_assert_eq(itp_reader.read("absent.csv", NULL, &trace, &problems), ERROR_INPUT);
    cr_assert_eq(problems.count, 2);
    struct str text = {0};
    str_add(&text, RAW);
    for (int i = 0; i < 80; i++)
        str_addf(&text, "%d,x,y,z\n", i);
    temp_file_write_text("f", text.text);
    cr_assert_eq(itp_reader.read("f", NULL, &trace, &problems), ERROR_INPUT);
    cr_assert_eq(problems.count, 2 + 3 * 80);
    str_finish(&text);
    trace_finish(&trace);
    problems_finish(&problems);
}

Test(itp, gzip) {
    gzFile file = gzopen("log.csv.gz", "wb");
    cr_assert_eq(gzputs(file, RAW "a,3,600,2\n"), (int)strlen(RAW) + 10);
    cr_assert_eq(gzclose(file), Z_OK);
    expect("log.csv.gz", false, COLUMNS "\na,0.0,,,,600.0,,2,,,,\n");
}

static double gpu_seconds(const struct trace *trace) {
    double sum = 0;
    for (size_t i = 0; i < trace->rows.count; i++)
        sum += trace->rows.at[i].gpus * trace->rows.at[i].duration_s;
    return sum;
}

static void read_good(const char *path, bool models, struct trace *trace) {
    struct problems problems = {0};
    cr_assert_eq(itp_reader.read(path, &(struct trace_options){.models = models}, trace, &problems),
                 0, "%s", problems.count ? problems.texts[0] : "?");
    cr_assert_eq(trace->rows.at[0].submit_ns, 0);
    cr_assert_eq(trace->notes.count, 0);
}

/* --- the made-up log of workloads/ --- */

/* workloads/README.md states the formulas. */
Test(itp, sample_as_described) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/workloads/itp-sample.csv", getenv("EASIM_SOURCE"));
    struct trace trace = {0};
    read_good(path, false, &trace);
    cr_assert_eq(trace.rows.count, 60);
    cr_assert_eq(trace.offset_s, 1000);
    for (int i = 0; i < 60; i++) {
        const struct trace_row *row = &trace.rows.at[i];
        int with = i % 8 == 7 ? i - 1 : i; /* submitted together with job i - 1 */
        cr_assert_eq(row->submit_ns, (2880 * with + 137 * (with * with % 11)) * NS_PER_S, "%d", i);
        cr_assert_eq(row->duration_s, 600 + 150 * (7919 * i % 97), "%d", i);
        cr_assert_eq(row->gpus, i == 30 ? 16u : 1u << (i * (i + 1) / 2 % 4), "%d", i);
    }
    trace_finish(&trace);
}

/* --- real logs --- */

static const struct {
    const char *name;
    size_t rows;
    double gpu_s, offset_s; /* awk: sum $3*$4, smallest $2 */
} clusters[] = {{"cluster03", 3011, 595593077, 911907},
                {"cluster06", 2396, 445963163, 16566},
                {"cluster10", 260, 14484569, 2266647}};

static void read_cluster(size_t i, const char *kind, bool models, struct trace *trace) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/traces/ms_itp/%s/%s.csv", getenv("EASIM_DATA"), kind,
             clusters[i].name);
    read_good(path, models, trace);
    cr_assert_eq(trace->rows_read, clusters[i].rows);
    cr_assert_eq(trace->rows.count, clusters[i].rows);
    cr_assert_eq(trace->offset_s, clusters[i].offset_s);
    cr_assert_eq(gpu_seconds(trace), clusters[i].gpu_s);
}

static void compare(const struct trace *raw, const struct trace *annotated) {
    for (size_t i = 0; i < raw->rows.count; i++) {
        const struct trace_row *a = &raw->rows.at[i], *b = &annotated->rows.at[i];
        cr_assert_str_eq(a->id, b->id);
        cr_assert_eq(a->submit_ns, b->submit_ns);
        cr_assert_eq(a->duration_s, b->duration_s);
        cr_assert_eq(a->gpus, b->gpus);
        cr_assert(isnan(a->deadline_s) && !a->model && a->batch == 0);
    }
}

Test(itp, real_logs) {
    if (!getenv("EASIM_DATA")) {
        temp_dir_leave(); /* a test that is skipped has no end */
        cr_skip("EASIM_DATA is not set");
    }
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        struct trace raw = {0}, labelled = {0}, modelled = {0};
        read_cluster(i, "raw", true, &raw);
        read_cluster(i, "annotated", false, &labelled);
        read_cluster(i, "annotated", true, &modelled);
        cr_assert_eq(raw.label_names.count, 0);
        cr_assert_eq(labelled.label_names.count, 4);
        cr_assert_eq(modelled.label_names.count, 1);
        compare(&raw, &labelled);
        compare(&raw, &modelled);
        for (size_t j = 0; j < modelled.rows.count; j++)
            cr_assert(modelled.rows.at[j].model && modelled.rows.at[j].batch > 0);
        trace_finish(&raw);
        trace_finish(&labelled);
        trace_finish(&modelled);
    }
}

/* Line 2 of cluster06: 59a72878-e5c4-ab9d-e813-68c36b50edeb,16566,40285,bert,21347,64,4,3890. */
Test(itp, real_row) {
    if (!getenv("EASIM_DATA")) {
        temp_dir_leave(); /* a test that is skipped has no end */
        cr_skip("EASIM_DATA is not set");
    }
    struct trace trace = {0};
    read_cluster(1, "annotated", true, &trace);
    const struct trace_row *row = &trace.rows.at[0];
    cr_assert_str_eq(row->id, "59a72878-e5c4-ab9d-e813-68c36b50edeb");
    cr_assert_str_eq(row->model, "bert");
    cr_assert_eq(row->batch, 64 / 4);
    cr_assert_eq(row->deadline_s, 21347 - 16566);
    cr_assert_str_eq(row->labels[0], "40285");
    trace_finish(&trace);
}
