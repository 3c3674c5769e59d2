/* The cost of a job for others: see regret_tables.h. */
#include "output/regret/regret_tables.h"

#include "experiment/regret/forks.h"
#include "output/columns.h"
#include "output/folders.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

#define EXTERNALITY_NAME "externality.csv"

#define TOLD 10 /* of the jobs that bear most */

/* ---- externality.csv ---- */

static double delay_s(const struct imposed_row *row) {
    return row->jct_s[0] - row->jct_s[1];
}

static bool is_own(const struct imposed_row *row) {
    return row->finish_ns[1] == TIME_NONE_NS;
}

#define TEXT_AT(member) text_places_at(&externality->texts, row->member)
/* clang-format off */
#define EXTERNALITY_COLUMNS(X) \
    X(replication, int, "", NEITHER, row->replication) \
    X(job_id, text, "", NEITHER, TEXT_AT(job)) \
    X(model, text, "", NEITHER, TEXT_AT(model)) \
    X(user, text, "", NEITHER, TEXT_AT(user)) \
    X(submit_s, seconds, "s", NEITHER, row->submit_ns) \
    X(finish_s, seconds, "s", NEITHER, row->finish_ns[0]) \
    X(finish_without_s, seconds, "s", NEITHER, row->finish_ns[1]) \
    X(delay_s, real, "s", NEITHER, own ? NAN : delay_s(row)) \
    X(energy_j, real, "J", NEITHER, row->energy_j[0]) \
    X(energy_without_j, real, "J", NEITHER, own ? NAN : row->energy_j[1]) \
    X(energy_imposed_j, real, "J", NEITHER, own ? NAN : row->energy_j[0] - row->energy_j[1]) \
    X(missed, flag, "", NEITHER, row->missed[0]) \
    X(missed_without, natural, "", NEITHER, own ? -1 : row->missed[1])
/* clang-format on */

void externality_csv(const struct externality *externality, struct str *out) {
    str_add(out, TABLE_HEADER(EXTERNALITY_COLUMNS));
    for (size_t i = 0; i < externality->rows.count; i++) {
        const struct imposed_row *row = &externality->rows.at[i];
        bool own = is_own(row);
        TABLE_ROW(EXTERNALITY_COLUMNS);
    }
}

/* ---- All together ---- */

struct total {
    double delay_s, energy_j, own_jct_s, own_energy_j, cluster_kwh;
    size_t others, delayed, hastened;
    int64_t missed; /* more of them with the job */
};

static struct total total_of(const struct externality *externality) {
    struct total total = {.others = 0};
    for (size_t i = 0; i < externality->rows.count; i++) {
        const struct imposed_row *row = &externality->rows.at[i];
        if (is_own(row)) {
            total.own_jct_s += row->jct_s[0];
            total.own_energy_j += row->energy_j[0];
            continue;
        }
        total.others++;
        total.delay_s += delay_s(row);
        total.delayed += delay_s(row) > 0;
        total.hastened += delay_s(row) < 0;
        total.energy_j += row->energy_j[0] - row->energy_j[1];
        total.missed += row->missed[0] - row->missed[1];
    }
    for (uint32_t r = 0; r < externality->count; r++)
        if (externality->replications[r].known)
            total.cluster_kwh += externality->replications[r].of[0].of[REGRET_ENERGY] -
                                 externality->replications[r].of[1].of[REGRET_ENERGY];
    return total;
}

static int compare_delays(const void *a, const void *b) {
    const struct imposed_row *const *x = a, *const *y = b;
    double first = delay_s(*x), second = delay_s(*y);
    if (first != second)
        return first < second ? 1 : -1;
    return (*x > *y) - (*x < *y);
}

static void add_bearers(const struct externality *externality, struct report *report) {
    const struct imposed_row **rows = mem_alloc(externality->rows.count * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < externality->rows.count; i++)
        if (!is_own(&externality->rows.at[i]) && delay_s(&externality->rows.at[i]) > 0)
            rows[count++] = &externality->rows.at[i];
    qsort(rows, count, sizeof *rows, compare_delays);
    if (count > 0)
        report_table(report, "who bears most|>replication|>ends later by|>kWh");
    for (size_t i = 0; i < count && i < TOLD; i++) {
        str_add_visible(report_row(report), text_places_at(&externality->texts, rows[i]->job));
        str_addf(report_cell(report), "%u", rows[i]->replication);
        run_report_add_time(report_cell(report), delay_s(rows[i]));
        run_report_add_number(report_cell(report),
                              (rows[i]->energy_j[0] - rows[i]->energy_j[1]) / J_PER_KWH);
    }
    free(rows);
}

void externality_report(const struct externality *externality, struct report *report) {
    const struct total total = total_of(externality);
    const double count = externality->known;
    struct str *out = report_lines(report);
    str_addf(out, "%s: policy %s, ", externality->study->scenario.name, externality->study->policy);
    run_report_protocol(externality->study, externality->known, out);
    str_add(out, ": with and without job ");
    str_add_visible(out, externality->job);
    str_addf(out, "%s\n", count > 1 ? " (means)" : "");
    report_table(report, "|>time|>kWh|");
    report_row_of(report, "it takes");
    run_report_add_time(report_cell(report), total.own_jct_s / count);
    run_report_add_number(report_cell(report), total.own_energy_j / count / J_PER_KWH);
    report_row_of(report, "imposed on all others");
    run_report_add_time(report_cell(report), total.delay_s / count);
    run_report_add_number(report_cell(report), total.energy_j / count / J_PER_KWH);
    str_addf(report_cell(report), "%zu delayed, %zu sooner, of %zu; %+.4g missed deadlines",
             total.delayed, total.hastened, total.others, (double)total.missed / count);
    report_row_of(report, "the whole cluster, more with it");
    report_cell(report);
    run_report_add_number(report_cell(report), total.cluster_kwh / count);
    add_bearers(externality, report);
    report_lines(report);
}

void externality_json(const struct externality *externality, struct str *out) {
    const struct total total = total_of(externality);
    const double count = externality->known;
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "scenario", externality->study->scenario.name);
    json_add_text(root, "policy", externality->study->policy);
    json_add_text(root, "job", externality->job);
    json_add_int(root, "replications", externality->known);
    json_add_real(root, "own_jct_s", total.own_jct_s / count);
    json_add_real(root, "own_energy_j", total.own_energy_j / count);
    json_add_real(root, "imposed_delay_s", total.delay_s / count);
    json_add_real(root, "imposed_energy_j", total.energy_j / count);
    json_add_real(root, "imposed_misses", (double)total.missed / count);
    json_add_real(root, "cluster_energy_kwh", total.cluster_kwh / count);
    json_add_int(root, "others", (int64_t)total.others);
    json_add_int(root, "delayed", (int64_t)total.delayed);
    json_add_int(root, "sooner", (int64_t)total.hastened);
    json_print(root, out);
}

/* ---- The folder ---- */

int externality_dir_write(const char *folder, const struct externality *externality,
                          const struct manifest_origin *origin, bool partial,
                          struct error *reterr) {
    const struct study *study = externality->study;
    struct text_file file = {.name = EXTERNALITY_NAME};
    externality_csv(externality, &file.text);
    cJSON *root = manifest_begin(origin, study->scenario.name, folder);
    manifest_add_hash(root, study);
    manifest_add_policy(root, "policy", study);
    json_add_int(root, "replications", externality->known);
    cJSON_AddBoolToObject(root, "partial", partial);
    manifest_add_inputs(root, study, folder);
    return results_write(root, origin, folder, &file, 1, reterr);
}
