/* Readings of meters and errors against them. Expected: intervals, means and errors worked by hand.
 */
#include "../support/temp_dir.h"
#include "config/meter.h"
#include "output/validate.h"

#include <criterion/criterion.h>
#include <math.h>

struct loaded {
    struct arena arena;
    struct problems problems;
    struct meter meter;
    int result;
};

static void load(struct loaded *l, const char *text, double offset_s, double gap_s) {
    *l = (struct loaded){.meter = {.file = "m.csv", .offset_s = offset_s, .gap_s = gap_s}};
    temp_file_write_text("m.csv", text);
    l->result = meter_load(&l->meter, &l->arena, &l->problems);
}

static void finish(struct loaded *l) {
    problems_finish(&l->problems);
    arena_finish(&l->arena);
}

static void expect_reading(const struct loaded *l, size_t i, double begin_s, double end_s,
                           double power_w) {
    const struct meter_reading *r = &l->meter.at[i];
    cr_expect(r->begin_s == begin_s && r->end_s == end_s && r->power_w == power_w,
              "reading %zu is %g to %g, %g W", i, r->begin_s, r->end_s, r->power_w);
}

static void expect_tally(struct row_tally tally, uint64_t count, uint32_t line, const char *what) {
    cr_expect(tally.count == count && tally.first_line == line, "%s: %d, first line %u", what,
              (int)tally.count, tally.first_line);
}

/* Everything that a meter does wrong: steps are 10, 10, 10, 5, 60, 10 s, the lower median 10; the
   time 30 comes twice, first without power; 40 is below 0 and ends an interval all the same; 105
   comes 60 s after 45. */
Test(meter, odd_rows, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct loaded l;
    load(&l,
         "power_w,what,time_s\n"
         "100,a,10\n,b,30\n120.5,c,20\n7,d,30\n-3,e,40\n90,f,45\n50,g,105\nNaN,h,115\n",
         0, 0);
    cr_assert(l.result == 0, "%s", l.problems.count ? l.problems.texts[0] : "");
    cr_expect(l.meter.rows == 8 && l.meter.step_s == 10 && l.meter.first_s == 10);
    cr_assert(l.meter.count == 5);
    expect_reading(&l, 0, 0, 10, 100);
    expect_reading(&l, 1, 10, 20, 120.5);
    expect_reading(&l, 2, 20, 30, 7);
    expect_reading(&l, 3, 40, 45, 90);
    expect_reading(&l, 4, 95, 105, 50);
    expect_tally(l.meter.missing, 2, 3, "missing");
    expect_tally(l.meter.negative, 1, 6, "negative");
    expect_tally(l.meter.again, 1, 5, "again");
    expect_tally(l.meter.unsorted, 1, 4, "unsorted");
    expect_tally(l.meter.gaps, 1, 8, "gaps");
    finish(&l);
}

/* With a longer gap allowed the reading at 105 stands for the whole minute; times count from 5. */
Test(meter, offset_and_gap, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct loaded l;
    load(&l, "time_s,power_w\n10,1\n20,2\n45,4\n105,3\n", 5, 60);
    cr_assert(l.result == 0 && l.meter.count == 4);
    expect_reading(&l, 0, -20, 5, 1);
    expect_reading(&l, 3, 40, 100, 3);
    cr_expect(l.meter.gaps.count == 0 && l.meter.step_s == 25);
    finish(&l);
}

Test(meter, refused, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const char *const cases[][2] = {
        {"time_s,power_w\n", "m.csv: expected readings at two times or more, got 0"},
        {"time_s,power_w\n5,1\n5,2\n", "m.csv: expected readings at two times or more, got 1"},
        {"time,power_w\n5,1\n",
         "m.csv:1: column \"time_s\" is missing, did you mean \"time\"? (columns: time, power_w)"},
        {"time_s,power_w\n1,2\nnan,3\n",
         "m.csv:3:1: time_s: expected seconds -4e9..4e9, got \"nan\""},
        {"time_s,power_w\n1,2\n2,inf\n",
         "m.csv:3:3: power_w: expected watts -1e15..1e15, empty or nan, got \"inf\""},
        {"time_s,power_w\n1,2\n2,3 kW\n",
         "m.csv:3:3: power_w: expected watts -1e15..1e15, empty or nan, got \"3 kW\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded l;
        load(&l, cases[i][0], 0, 0);
        cr_assert(l.result < 0 && l.problems.count == 1);
        cr_expect_str_eq(l.problems.texts[0], cases[i][1]);
        finish(&l);
    }
}

/* Steps of 10 s at 100, 200, 300 W; over (5, 15] 150 W, over (12, 28] (8 x 200 + 8 x 300) / 16;
   past the end not enough is known. */
Test(meter, means_of_other_intervals) {
    struct meter_reading of[] = {{0, 10, 100}, {10, 20, 200}, {20, 30, 300}};
    const struct meter meter = {.at = of, .count = 3};
    const struct meter_reading wanted[] = {{5, 15, 0}, {12, 28, 0}, {25, 31, 0}};
    double means[3];
    meter_means(&meter, wanted, 3, means);
    cr_expect(means[0] == 150 && means[1] == 250 && isnan(means[2]));
}

/* 30 min at 100 W predicted 110, 15 min at 200 W predicted 180, 15 min not predicted: mean (50 +
   50) / 0.75 h, absolute (5 + 5) / 100, energy (55 + 45) / 100 - 1, squares 0.5 x 100 + 0.25 x 400,
   spread 0.5 x (100/3)^2 + 0.25 x (200/3)^2. */
Test(meter, errors_by_hand) {
    const struct meter_reading at[] = {{0, 1800, 100}, {1800, 2700, 200}, {2700, 3600, 500}};
    const double predicted[] = {110, 180, NAN};
    const struct meter_curves curves = {at, predicted, 3};
    struct meter_errors e = meter_errors_between(&curves, 0, 1e9);
    cr_expect(e.readings == 2 && e.hours == 0.75);
    cr_expect(fabs(e.mean_w - 400.0 / 3) < 1e-12 && fabs(e.absolute - 0.1) < 1e-15);
    cr_expect(fabs(e.energy) < 1e-15);
    cr_expect(fabs(e.r2 - (1 - 150 / (0.5 * 10000 / 9 + 0.25 * 40000 / 9))) < 1e-12);
    struct meter_errors none = meter_errors_between(&curves, 2700, 1e9);
    cr_expect(none.readings == 0 && isnan(none.energy));
    struct meter_hour worst[2];
    cr_assert(meter_worst_hours(&curves, 0, 1e9, worst, 2) == 1);
    cr_expect(worst[0].begin_s == 0 && fabs(worst[0].predicted_w - 400.0 / 3) < 1e-12);
    struct str text = {0};
    validate_curves_csv(&curves, NULL, &text);
    cr_expect_str_eq(text.text,
                     "time_s,duration_s,measured_w,predicted_w\n1800.0,1800.0,100.0,110.0\n"
                     "2700.0,900.0,200.0,180.0\n3600.0,900.0,500.0,\n");
    str_finish(&text);
}

/* Hours off by 5, -9, 2 and 9 W: of equals the earlier comes first. */
Test(meter, worst_hours) {
    struct meter_reading at[8];
    double predicted[8];
    static const double off[] = {5, -9, 2, 9};
    for (int i = 0; i < 8; i++) {
        at[i] = (struct meter_reading){1800 * i, 1800 * i + 1800, 50};
        predicted[i] = 50 + off[i / 2];
    }
    const struct meter_curves curves = {at, predicted, 8};
    struct meter_hour worst[3];
    cr_assert(meter_worst_hours(&curves, 0, 1e9, worst, 3) == 3);
    cr_expect(worst[0].begin_s == 3600 && worst[1].begin_s == 3 * 3600 && worst[2].begin_s == 0);
}
