/* Standard Workload Format. Expected rows are written by hand as the workload CSV of the same jobs.
 */
#include "base/units.h"
#include "ingest/foreign.h"
#include "ingest/formats.h"
#include "ingest/logs/formats.h"
#include "support/temp_dir.h"
#include "support/trace_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <zlib.h>

#define HEADER TRACE_COLUMNS ",label.status,label.group,label.queue,label.partition\n"

TestSuite(swf, .init = temp_dir_enter, .fini = temp_dir_leave);

static void expect(const char *name, const struct trace_options *options, const char *rows,
                   const char *notes) {
    struct trace trace = {0};
    struct problems problems = {0};
    struct str found_rows = {0}, found_notes = {0};
    int status = swf_reader.read(name, options, &trace, &problems);
    cr_assert_eq(status, 0, "%s: %s", name, problems.count ? problems.texts[0] : "?");
    trace_file_write(&trace, &found_rows);
    trace_text_notes(&trace, &found_notes);
    cr_assert_eq(strncmp(found_rows.text, HEADER, strlen(HEADER)), 0, "%s", found_rows.text);
    cr_assert_str_eq(found_rows.text + strlen(HEADER), rows, "%s:\n%s", name, found_rows.text);
    cr_assert_str_eq(found_notes.text ? found_notes.text : "", notes, "%s:\n%s", name,
                     found_notes.text);
    str_finish(&found_rows);
    str_finish(&found_notes);
    trace_finish(&trace);
    problems_finish(&problems);
}

static const struct {
    const char *name, *text, *rows, *notes;
} good_cases[] = {
    {"plain",
     "; MaxProcs: 100\n"
     "    1   0 964980  97225   56     -1    -1   56 210000    -1  1   7   8  -1 3 4 -1 -1\n",
     "1,0.0,7,,,97225.0,210000.0,56,,,,,1,8,3,4\n", ""},
    {"comments, blank lines, tabs, no last newline",
     "1 0 0 10 1 -1 -1 1 20 -1 0 1 1 -1 -1 -1 -1 -1\n"
     "; Note: in the middle\n"
     "\n"
     "  \t \n"
     "   ; indented\n"
     "2\t5\t0\t10\t1\t-1\t-1\t1\t20\t-1\t0\t1\t1\t-1\t-1\t-1\t-1\t-1;behind\n"
     "3 6 0 10 1 -1 -1 1 20 -1 0 1 1 -1 -1 -1 -1 -1",
     "1,0.0,1,,,10.0,20.0,1,,,,,0,1,,\n2,5.0,1,,,10.0,20.0,1,,,,,0,1,,\n3,6.0,1,,,10.0,20.0,1,,,,,0,1,,\n",
     ""},
    {"CRLF, also at the end of a last line without LF",
     "; x\r\n"
     "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\r\n"
     "\r\n"
     "2 3 0 11 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\r",
     "1,0.0,1,,,10.0,20.0,1,,,,,1,1,,\n2,3.0,1,,,11.0,20.0,1,,,,,1,1,,\n", ""},
    {"header lines that say nothing of use, or nothing true",
     "; Version: 2.2\n"
     "; MaxNodes: -1\n"
     "; MaxProcs:\n"
     "; UnixStartTime: 820454400\n"
     "; TimeZoneString: Europe/Stockholm\n"
     "1 0 0 10 2000 -1 -1 2 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "1,0.0,1,,,10.0,20.0,2000,,,,,1,1,,\n", ""},
    {"21 fields, the last ones no numbers",
     "1 0 0 10 2 -1 -1 2 20 -1 1 1 1 -1 -1 -1 -1 -1 0.5 x -\n", "1,0.0,1,,,10.0,20.0,2,,,,,1,1,,\n",
     ""},
    {"unused fields may hold anything", "1 0 n/a 10 2 many ? 2 20 x 1 1 1 python -1 -1 u v\n",
     "1,0.0,1,,,10.0,20.0,2,,,,,1,1,,\n", ""},
    {"fractions of seconds, integers written as reals",
     "1 2.385 0 10.25 2.0 -1 -1 2 20.5 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "2 3.5 0 1e1 4 -1 -1 4 2e1 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "1,0.0,1,,,10.25,20.5,2,,,,,1,1,,\n2,1.115,1,,,10.0,20.0,4,,,,,1,1,,\n", ""},
    {"by submit, then by number, not by text; first submit shifted to 0",
     "10 1007 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "9 1007 0 2 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "007 1000 0 3 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "8 1007 0 4 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "007,0.0,1,,,3.0,9.0,1,,,,,1,1,,\n8,7.0,1,,,4.0,9.0,1,,,,,1,1,,\n9,7.0,1,,,2.0,9.0,1,,,,,1,1,,\n10,7.0,1,,,1.0,9.0,1,,,,,1,1,,\n",
     ""},
    {"texts as they stand, of one number or of long ones",
     "1 0 0 10 1 -1 -1 1 123456789 -1 0 65 -12 -1 123456789012345678 1234567890123456789 -1 -1\n"
     "2 0 0 12345678 1 -1 -1 1 20 -1 00 1 -0 -1 -1 -1 -1 -1\n"
     "3 0 0 1234567 1 -1 -1 1 20 -1 -0 +65 0 -1 0 00 -1 -1\n"
     "4 0 0 10 1 -1 -1 1 20 -1 00 65 00 -1 -123456789 -0 -1 -1 \n"
     "5 0 0 10 1 -1 -1 1 20 -1 1e2 1 65.0 -1 1 100 -1 -1 x\n"
     "6 0 0 10 1 -1 -1 1 20 -1 100 01 65 -1 1 1e2 -1 -1\n",
     "1,0.0,65,,,10.0,123456789.0,1,,,,,0,-12,123456789012345678,1234567890123456789\n"
     "2,0.0,1,,,12345678.0,20.0,1,,,,,00,-0,,\n3,0.0,+65,,,1234567.0,20.0,1,,,,,-0,0,0,00\n"
     "4,0.0,65,,,10.0,20.0,1,,,,,00,00,-123456789,-0\n5,0.0,1,,,10.0,20.0,1,,,,,1e2,65.0,1,100\n"
     "6,0.0,01,,,10.0,20.0,1,,,,,100,65,1,1e2\n",
     "changed 2 at 2: run time longer than requested (kept)\n"},
    {"-1 everywhere", "1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n", "",
     "dropped 1 at 1: no submit time\n"},
    {"as few as a job can have", "1 4 -1 6 3 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n",
     "1,0.0,,,,6.0,,3,,,,,,,,\n", "changed 1 at 1: no requested time\n"},
    {"processors of the request",
     "1 0 0 10 -1 -1 -1 5 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "2 1 0 10 0 -1 -1 6 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "3 2 0 10 4 -1 -1 6 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "4 3 0 10 -1 -1 -1 0 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "1,0.0,1,,,10.0,20.0,5,,,,,1,1,,\n2,1.0,1,,,10.0,20.0,6,,,,,1,1,,\n3,2.0,1,,,10.0,20.0,4,,,,,1,1,,\n",
     "changed 2 at 1: processors taken from the request\ndropped 1 at 4: no processors\n"},
    {"run time 0, unknown, above the request; request 0 and without bound",
     "1 0 0 0 1 -1 -1 1 20 -1 0 1 1 -1 -1 -1 -1 -1\n"
     "2 1 0 -1 1 -1 -1 1 20 -1 0 1 1 -1 -1 -1 -1 -1\n"
     "3 2 0 21 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "4 3 0 20 1 -1 -1 1 0 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "5 4 0 20 1 -1 -1 1 1e10 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "1,0.0,1,,,0.0,20.0,1,,,,,0,1,,\n3,2.0,1,,,21.0,20.0,1,,,,,1,1,,\n4,3.0,1,,,20.0,,1,,,,,1,1,,\n5,4.0,1,,,20.0,,1,,,,,1,1,,\n",
     "dropped 1 at 2: run time unknown\n"
     "changed 1 at 3: run time longer than requested (kept)\n"
     "changed 1 at 4: no requested time\n"
     "changed 1 at 5: requested time over 4e9 s taken as unknown\n"},
    {"cancelled: before and while running",
     "1 5 9 0 4 -1 -1 4 20 -1 5 1 1 -1 -1 -1 -1 -1\n"
     "2 6 9 -1 -1 -1 -1 4 20 -1 5 1 1 -1 -1 -1 -1 -1\n"
     "3 8 9 13 4 -1 -1 4 20 -1 5 1 1 -1 -1 -1 -1 -1\n",
     "3,0.0,1,,,13.0,20.0,4,,,,,5,1,,\n",
     "dropped 2 at 1: cancelled before it ran (status 5, run time 0 or unknown)\n"},
    {"parts of a job bear its number",
     "1 0 9 30 4 -1 -1 4 40 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "1 0 9 10 4 -1 -1 4 40 -1 2 1 1 -1 -1 -1 -1 -1\n"
     "1 -1 9 20 4 -1 -1 4 40 -1 3 1 1 -1 -1 -1 -1 -1\n",
     "1,0.0,1,,,30.0,40.0,4,,,,,1,1,,\n",
     "dropped 2 at 2: part of a job that has a line of its own (status 2, 3 or 4)\n"},
    {"no job at all", "; MaxJobs: 0\n", "", ""},
};

Test(swf, good) {
    for (size_t i = 0; i < sizeof good_cases / sizeof *good_cases; i++) {
        temp_file_write_text(good_cases[i].name, good_cases[i].text);
        expect(good_cases[i].name, &(struct trace_options){0}, good_cases[i].rows,
               good_cases[i].notes);
    }
}

static const struct {
    const char *text;
    const char *problems; /* joined by newlines */
} bad_cases[] = {
    {"1 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1\n",
     "f:1:1: expected at least 18 fields, found 17\n"},
    {";\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 ; 14 15 16 17 18\n",
     "f:2:1: expected at least 18 fields, found 13\n"},
    {"one 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "f:1:1: field 1: expected integer, got \"one\"\n"},
    {"  1 0x 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "f:1:5: field 2: expected number, got \"0x\"\n"},
    {"1 0 0 nan 1.5 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "f:1:7: field 4: expected number, got \"nan\"\nf:1:11: field 5: expected integer, got \"1.5\"\n"},
    {"1 0 0 10 1 -1 -1 1 20 -1 done root 1 -1 q -1 -1 -1\n",
     "f:1:26: field 11: expected integer, got \"done\"\n"
     "f:1:31: field 12: expected integer, got \"root\"\n"
     "f:1:41: field 15: expected integer, got \"q\"\n"},
    {"1 4000000001 0 10 1073741825 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "f:1:3: field 2: expected at most 4e9 s, got \"4000000001\"\n"
     "f:1:19: field 5: expected at most 2^30, got \"1073741825\"\n"},
    {"1 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
     "2 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
     " 1 0 0 -1 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n",
     "f:3: job 1 is listed twice (first on line 1)\n"},
    {"job_id,submission_time,duration,num_gpu\nx\n",
     "f:1:1: expected at least 18 fields, found 1\nf:2:1: expected at least 18 fields, found 1\n"},
};

Test(swf, bad) {
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        struct trace trace = {0};
        struct problems problems = {0};
        struct str found = {0};
        temp_file_write_text("f", bad_cases[i].text);
        cr_assert_eq(swf_reader.read("f", NULL, &trace, &problems), ERROR_INPUT);
        trace_text_problems(&problems, &found);
        cr_assert_str_eq(found.text, bad_cases[i].problems);
        str_finish(&found);
        trace_finish(&trace);
        problems_finish(&problems);
    }
}

/* A NUL byte spoils its line only; a missing file is one problem; in a file full of errors each
 * counts: fields 2 and 4 of 80 lines (the wait, field 3, is not read). */
Test(swf, bad_files) {
    static const char with_nul[] = "1 0 0\0 10\n2 x 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n";
    struct trace trace = {0};
    struct problems problems = {0};
    temp_file_write("f", with_nul, sizeof with_nul - 1);
    cr_assert_eq(swf_reader.read("f", NULL, &trace, &problems), ERROR_INPUT);
    cr_assert_eq(problems.count, 2);
    cr_assert_str_eq(problems.texts[1], "f:2:3: field 2: expected number, got \"x\"");
    trace_finish(&trace);

    cr_assert_eq(swf_reader.read("absent.swf", NULL, &trace, &problems), ERROR_INPUT);
    cr_assert_eq(problems.count, 3);
    cr_assert(strstr(problems.texts[2], "absent.swf"), "%s", problems.texts[2]);
    trace_finish(&trace);

    struct str text = {0};
    for (int i = 0; i < 80; i++)
        str_add(&text, "1 x y z 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n");
    temp_file_write_text("f", text.text);
    cr_assert_eq(swf_reader.read("f", NULL, &trace, &problems), ERROR_INPUT);
    cr_assert_eq(problems.count, 3 + 2 * 80);
    str_finish(&text);
    trace_finish(&trace);
    problems_finish(&problems);
}

/* Groups that differ from line to line, 9,000 in all, and then come again, with queues that change
 * every third line: texts stay those of their lines. */
Test(swf, many_labels) {
    struct str text = {0};
    struct trace trace = {0};
    struct problems problems = {0};
    for (int i = 0; i < 12000; i++)
        str_addf(&text, "%d %d 0 10 1 -1 -1 1 20 -1 1 10 %d -1 %d -1 -1 -1\n", i, i, i % 9000,
                 i / 3);
    temp_file_write_text("f", text.text);
    cr_assert_eq(swf_reader.read("f", NULL, &trace, &problems), 0);
    cr_assert_eq(trace.rows.count, 12000);
    for (int i = 0; i < 12000; i++) {
        const char *const *labels = trace.rows.at[i].labels;
        cr_assert_str_eq(trace.rows.at[i].user, "10");
        cr_assert_str_eq(labels[0], "1");
        cr_assert_eq(atoi(labels[1]), i % 9000);
        cr_assert_eq(atoi(labels[2]), i / 3);
        cr_assert_null(labels[3]);
    }
    str_finish(&text);
    trace_finish(&trace);
    problems_finish(&problems);
}

Test(swf, gzip) {
    static const char text[] = ";\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n";
    gzFile file = gzopen("log.swf.gz", "wb");
    cr_assert_eq(gzwrite(file, text, sizeof text - 1), (int)sizeof text - 1);
    cr_assert_eq(gzclose(file), Z_OK);
    expect("log.swf.gz", NULL, "1,0.0,1,,,10.0,20.0,1,,,,,1,1,,\n", "");
}

Test(swf, offset_and_lines) {
    struct trace trace = {0};
    struct problems problems = {0};
    temp_file_write_text("f", ";\n"
                              "2 1356996147.5 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
                              "1 1356996147.25 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
                              "3 -1 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n");
    cr_assert_eq(swf_reader.read("f", NULL, &trace, &problems), 0);
    cr_assert_eq(trace.rows_read, 3);
    cr_assert_eq(trace.rows.count, 2);
    cr_assert_eq(trace.offset_s, 1356996147.25);
    cr_assert_eq(trace.rows.at[1].submit_ns, 250000000);
    cr_assert_eq(trace.rows.at[0].line, 3);
    cr_assert_eq(trace.rows.at[1].line, 2);
    cr_assert(isnan(trace.rows.at[0].deadline_s) && isnan(trace.rows.at[0].work_samples));
    trace_finish(&trace);
    problems_finish(&problems);
}

/* --- real logs --- */

struct totals {
    double gpu_s, duration_s, requested_s, submit_s;
    size_t without_run_time;
};

static struct totals add_up(const struct trace *trace) {
    struct totals totals = {0};
    for (size_t i = 0; i < trace->rows.count; i++) {
        const struct trace_row *row = &trace->rows.at[i];
        cr_assert(i == 0 || row[-1].submit_ns <= row->submit_ns);
        cr_assert(i == 0 || row[-1].submit_ns < row->submit_ns ||
                  atoll(row[-1].id) < atoll(row->id));
        totals.gpu_s += row->gpus * row->duration_s;
        totals.duration_s += row->duration_s;
        totals.requested_s += row->requested_s;
        totals.submit_s += units_s(row->submit_ns);
        totals.without_run_time += row->duration_s == 0;
    }
    return totals;
}

static void read_real(const char *name, struct trace *trace) {
    if (!getenv("EASIM_DATA")) {
        temp_dir_leave(); /* a test that is skipped has no end */
        cr_skip("EASIM_DATA is not set");
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/traces/swf/%s", getenv("EASIM_DATA"), name);
    struct problems problems = {0};
    cr_assert_eq(swf_reader.read(path, &(struct trace_options){0}, trace, &problems), 0, "%s",
                 problems.count ? problems.texts[0] : "?");
    cr_assert_eq(trace->rows.at[0].submit_ns, 0);
    cr_assert_eq(trace->rows.at[trace->rows.count - 1].submit_ns, 29363618 * NS_PER_S);
}

/* Totals by awk over the columns: sum $5*$4, $4, $9, $2; 475 rows with $4 > $9 (first on line 146),
 * 8 with $4 = 0.
 */
Test(swf, real_kth_log) {
    struct trace trace = {0};
    struct str notes = {0};
    read_real("KTH-SP2-1996.swf.gz", &trace);
    cr_assert_eq(trace.rows_read, 28489);
    cr_assert_eq(trace.rows.count, 28489);
    trace_text_notes(&trace, &notes);
    cr_assert_str_eq(notes.text, "changed 475 at 146: run time longer than requested (kept)\n");
    struct totals totals = add_up(&trace);
    cr_assert_eq(totals.gpu_s, 2024618666.0);
    cr_assert_eq(totals.duration_s, 252883787.0);
    cr_assert_eq(totals.requested_s, 389662800.0);
    cr_assert_eq(totals.submit_s, 432913117537.0);
    cr_assert_eq(totals.without_run_time, 8);
    str_finish(&notes);
    trace_finish(&trace);
}

/* The same by awk; rows stand in start order. The simulator left out the 8 jobs without run time.
 */
Test(swf, real_kth_easy) {
    static const char *const names[] = {"KTH-SP2.pyss_easy_backfill.swf.gz",
                                        "KTH-SP2.pyss_easy_clairvoyant.swf.gz"};
    for (size_t i = 0; i < 2; i++) {
        struct trace trace = {0};
        read_real(names[i], &trace);
        cr_assert_eq(trace.rows_read, 28481);
        cr_assert_eq(trace.rows.count, 28481);
        cr_assert_eq(trace.notes.count, 0);
        struct totals totals = add_up(&trace);
        cr_assert_eq(totals.gpu_s, 2013209080.0);
        cr_assert_eq(totals.duration_s, 252339555.0);
        cr_assert_eq(totals.requested_s, 389572200.0);
        cr_assert_eq(totals.submit_s, 432801540937.0);
        trace_finish(&trace);
    }
}

/* The table that the command line uses, in the order of its help. */
Test(swf, ingest_reader_table) {
    static const char *const names[] = {"swf",
                                        "itp",
                                        "philly",
                                        "philly-json",
                                        "alibaba-gpu-2023",
                                        "alibaba-pai-2020",
                                        "helios",
                                        "acme",
                                        "gavel",
                                        "pollux",
                                        "sia",
                                        "slurm"};
    size_t count = 0;
    for (; ingest_readers[count]; count++)
        cr_assert_str_eq(ingest_readers[count]->name, names[count]);
    cr_assert_eq(count, sizeof names / sizeof *names);
}

Test(swf, ingest_whole_numbers) {
    static const struct {
        const char *text;
        int64_t value; /* -7: refused */
    } cases[] = {
        {"66", 66},
        {"66.0", 66},
        {"-1", -1},
        {"1e3", 1000},
        {"487.661836", -7},
        {"", -7},
        {"0x10", -7},
        {"1e17", -7},
        {"9223372036854775807", INT64_MAX},
        {"16051200000000.0", 16051200000000},
        {"inf", -7},
        {"5 ", -7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -7;
        bool parsed =
            slice_parse_whole((struct slice){cases[i].text, strlen(cases[i].text)}, &value);
        cr_assert_eq(value, cases[i].value, "%s", cases[i].text);
        cr_assert_eq(parsed, cases[i].value != -7, "%s", cases[i].text);
    }
}
