/* Waste and insights for the page: see insight_json.h. */
#include "output/html/insight_json.h"

#include "cluster/power_meter.h"
#include "insight/waste/waste.h"
#include "output/html/json_out.h"
#include "output/insights/insights_page.h"

#include <math.h>
#include <stdlib.h>

static void add_classes(struct str *out, const struct waste *waste) {
    json_out_key(out, "waste");
    json_out_open(out, '[');
    for (enum waste_class c = 0; c < WASTE_CLASSES; c++) {
        enum waste_group group = waste_class_group(c);
        if (waste->of[c].energy_j == 0 && waste->of[c].gpu_s == 0)
            continue;
        json_out_open(out, '{');
        json_out_member_text(out, "name", waste_class_names[c]);
        json_out_member_text(out, "group", group < WASTE_GROUPS ? waste_group_names[group] : "");
        json_out_member_real(out, "j", waste->of[c].energy_j);
        json_out_member_real(out, "gpu_s", waste->of[c].gpu_s);
        json_out_close(out, '}');
    }
    json_out_close(out, ']');
}

/* The part of a segment's energy that is behind the warm-up. */
static double measured_j(const struct recorded_run *run, const struct recorded_segment *s) {
    int64_t begin_ns =
        run->workload.warmup_ns > s->start_ns ? run->workload.warmup_ns : s->start_ns;
    int64_t length_ns = s->end_ns - s->start_ns;
    return begin_ns >= s->end_ns || length_ns == 0
               ? 0
               : power_j(s->energy) * ((double)(s->end_ns - begin_ns) / (double)length_ns);
}

static double *useful_by_job(const struct waste *waste, const struct recorded_run *run) {
    double *share = mem_zalloc(run->workload.jobs.count + 1, sizeof *share);
    for (size_t i = 0; i < run->segments.count; i++)
        if (run->segments.at[i].kind == SEGMENT_RUN)
            share[run->segments.at[i].job] += measured_j(run, &run->segments.at[i]);
    for (uint32_t j = 0; j < run->workload.jobs.count; j++)
        if (share[j] > 0)
            share[j] = fmax(0, waste_of_job(waste, j, WASTE_USEFUL).energy_j / share[j]);
    return share;
}

static int add_insights(struct str *out, const struct rule_run *rule_run,
                        const struct rule_settings *settings, const struct insight_hooks *hooks,
                        struct error *reterr) {
    const struct recorded_folder *folder = rule_run->folder;
    struct insights insights = {0};
    struct str text = {0};
    rules_apply(rule_run, settings, &insights);
    int r = hooks->verify(hooks->context, rule_run, &insights, reterr);
    const char **commands =
        arena_alloc(&insights.arena, (insights.at.count + 1) * sizeof *commands);
    for (size_t i = 0; i < insights.at.count; i++)
        commands[i] = hooks->command(rule_run->run, insights.at.at[i], i + 1, &insights.arena);
    insights_json(&(struct insights_page){.run = rule_run,
                                          .settings = settings,
                                          .insights = &insights,
                                          .commands = commands,
                                          .replications = recorded_folder_replications(
                                              folder, rule_run->run->part)},
                  &text);
    json_out_key(out, "insights");
    json_out_raw(out, text.text, text.length);
    str_finish(&text);
    insights_finish(&insights);
    return r;
}

/* The rules with their usual thresholds, of a run whose waste is known. */
static int apply_rules(struct str *out, const struct recorded_run *run, const struct waste *waste,
                       const struct insight_hooks *hooks, struct error *reterr) {
    struct rule_settings settings = {0};
    struct rule_run rule_run = {0};
    struct problems problems = {0};
    int r = rule_settings_init(&settings, NULL, 0, &problems);
    if (r < 0)
        r = error_set(reterr, ERROR_INPUT, "%s", problems.count > 0 ? problems.texts[0] : "rules");
    if (r == 0) {
        rule_run_init(&rule_run, run, waste);
        r = add_insights(out, &rule_run, &settings, hooks, reterr);
        rule_run_finish(&rule_run);
    }
    rule_settings_finish(&settings);
    problems_finish(&problems);
    return r;
}

int insight_json_add(struct str *out, const struct recorded_run *run,
                     const struct insight_hooks *hooks, double **ret_useful_frac,
                     struct error *reterr) {
    struct waste waste = {0};
    int r = waste_of_run(&waste, run, reterr);
    if (r == 0) {
        add_classes(out, &waste);
        r = apply_rules(out, run, &waste, hooks, reterr);
    }
    if (r == 0)
        *ret_useful_frac = useful_by_job(&waste, run);
    waste_finish(&waste);
    return r;
}
