/* What many worlds say of a comparison, in all its forms: two worlds and two workloads by hand. */
#include "base/mem.h"
#include "experiment/worlds/variance_shares.h"
#include "output/compare/compare_tables.h"
#include "output/json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENERGY = SUMMARY_COLUMN(energy_kwh), WAIT = SUMMARY_COLUMN(wait_mean_s) };

/* kWh of b less those of a, of which each run has 10: in the worlds -2 -1 and -4 -5, with the draw
   of the group from the second set -4 -3 and -4 -5.
   Means of worlds -1.5 and -4.5, of workloads -3 and -3, rest 0.5 either way: mean squares 9, 0 and
   1, variances (9 - 1)/2, 0 and 1. Half width 12.706 sqrt(9/4). The group changes the first world
   by -2: (4 + 0)/2/2 = 1 of 4.
   Resamples: half of them one world twice. Then physics and rest are 0 and all is workload; the
   group has 2 of physics 0 in a quarter of all, 0 of 0 in another. */
static const double differences[2][2][2] = {{{-2, -1}, {-4, -5}}, {{-4, -3}, {-4, -5}}};
static const char *const policies[] = {"a", "b"}, *const groups[] = {"scaling"};

static void fill_results(struct world_results *results) {
    *results = (struct world_results){.sets = 2,
                                      .groups = groups,
                                      .worlds = 2,
                                      .replications = 2,
                                      .policies = 2,
                                      .policy_names = policies,
                                      .baseline = 0};
    world_results_init(results);
    struct world_run run = {.set = 0};
    for (run.set = 0; run.set < 2; run.set++)
        for (run.world = 0; run.world < 2; run.world++)
            for (run.replication = 0; run.replication < 2; run.replication++)
                for (run.policy = 0; run.policy < 2; run.policy++)
                    world_results_at(results, run)[ENERGY] =
                        10 +
                        (run.policy == 1 ? differences[run.set][run.world][run.replication] : 0);
}

static void expect_line(const char *text, const char *line) {
    cr_expect(strstr(text, line), "no\n%sin\n%s", line, text);
}

Test(variance_table, tables) {
    struct world_results results;
    struct variance_table variance;
    struct str shares = {0}, rows = {0};
    fill_results(&results);
    variance_table_init(&variance, &results, 1);
    variance_tables_shares(&variance, &shares);
    variance_tables_differences(&variance, &rows);
    cr_expect(strncmp(shares.text, "metric,policy,baseline,source,share,ci_low,ci_high\n", 51) ==
              0);
    expect_line(shares.text, "\nenergy_kwh,b,a,physics,0.8,0.0,0.8\n"
                             "energy_kwh,b,a,workload,0.0,0.0,1.0\n"
                             "energy_kwh,b,a,residual,0.2,0.0,0.2\n"
                             "energy_kwh,b,a,scaling,0.25,0.25,\n");
    expect_line(shares.text, "\nwait_mean_s,b,a,physics,,,\n");
    cr_expect(!strstr(shares.text, "kwh,a,a"), "the baseline differs from nobody");
    expect_line(rows.text, "\nenergy_kwh,b,a,2,2,-3.0,19.0593");
    expect_line(rows.text, ",-0.3,10.0,1.0,4.0,0.0,1.0,0.0,0.0,0.657619");
    expect_line(rows.text, "\nwait_mean_s,b,a,0,0,,,,,,,,,,,,,,,,,\n");
    str_finish(&shares);
    str_finish(&rows);
    variance_table_finish(&variance);
    world_results_finish(&results);
}

Test(variance_table, report) {
    static const unsigned columns[] = {WAIT, ENERGY};
    struct world_results results;
    struct variance_table variance;
    struct report report = {0};
    struct str text = {0};
    fill_results(&results);
    variance_table_init(&variance, &results, 1);
    variance_report(&variance, columns, 2, &report);
    report_write(&report, REPORT_TERMINAL, &text);
    report_finish(&report);
    expect_line(text.text, "worlds: difference from a over 2 worlds x 2 workloads,");
    expect_line(text.text, "\nenergy (kWh), less is better\n  policy  difference  in %  worlds ");
    expect_line(
        text.text,
        "\n  b       -3 +- 19.1   -30  better in 0 % (0 .. 66) of the worlds, worse in 0 %; by the "
        "sign alone better in 100 %  physics 80 % (0 .. 80), workload 0 % (0 .. 100), residual 20 % "
        "(0 .. 20)  scaling 25 % (25 .. )\n");
    cr_expect(!strstr(text.text, "wait"), "defined for nobody");
    str_finish(&text);
    variance_table_finish(&variance);
    world_results_finish(&results);
}

Test(variance_table, json) {
    struct world_results results;
    struct variance_table variance;
    fill_results(&results);
    variance_table_init(&variance, &results, 1);
    cJSON *root = cJSON_CreateObject();
    variance_json(root, &variance);
    cJSON *metrics = cJSON_GetObjectItem(root, "worlds");
    cJSON *b = cJSON_GetObjectItem(cJSON_GetObjectItem(metrics, "energy_kwh"), "b");
    cJSON *scaling = cJSON_GetObjectItem(cJSON_GetObjectItem(b, "budget"), "scaling");
    cr_expect_str_eq(cJSON_GetObjectItem(b, "diff_mean")->valuestring, "-3");
    cr_expect_str_eq(cJSON_GetObjectItem(scaling, "share")->valuestring, "0.25");
    cr_expect(cJSON_IsNull(cJSON_GetObjectItem(scaling, "ci_high")));
    cr_expect_null(cJSON_GetObjectItem(cJSON_GetObjectItem(metrics, "energy_kwh"), "a"));
    cJSON_Delete(root);
    variance_table_finish(&variance);
    world_results_finish(&results);
}

Test(variance_table, without_a_baseline) {
    struct world_results results;
    struct variance_table variance;
    struct report report = {0};
    struct str shares = {0};
    fill_results(&results);
    results.baseline = WORLD_NOBODY;
    variance_table_init(&variance, &results, 1);
    variance_tables_shares(&variance, &shares);
    variance_report(&variance, (const unsigned[]){ENERGY}, 1, &report);
    expect_line(shares.text, "\nenergy_kwh,a,,physics,,,\n");
    cr_expect_str_eq(report.text.text, "\nworlds: the baseline has no results: no differences\n");
    str_finish(&shares);
    report_finish(&report);
    variance_table_finish(&variance);
    world_results_finish(&results);
}
