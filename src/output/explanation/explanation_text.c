/* An explanation as text. Invariant: explanation_add_name keeps each name of others on its line. */
#include "output/explanation/explanation.h"

#include "base/units.h"
#include "insight/network_use.h"
#include "output/regret/regret_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LISTED_OVERTAKERS 10

/* ---- Words ---- */

static const char *type_name(const struct explanation *explanation, uint32_t gpu_type) {
    return explanation->run->folder->cluster.gpu_types[gpu_type].name;
}

/* "2 x h100, b 64, 400 W" */
static void add_choice(const struct explanation *explanation, const struct moment_choice *c,
                       struct str *out) {
    if (c->milli > 0)
        str_addf(out, "%g of one ", (double)c->milli / WHOLE_GPU_MILLI);
    else
        str_addf(out, "%" PRIu32 " x ", c->k);
    explanation_add_name(out, type_name(explanation, c->gpu_type));
    if (c->batch > 0) {
        str_add(out, ", b ");
        explanation_add_number(out, c->batch);
    }
    if (isfinite(c->power_limit_w)) {
        str_add(out, ", ");
        explanation_add_number(out, c->power_limit_w);
        str_add(out, " W");
    }
}

static void add_config(const struct explanation *explanation, uint32_t config, struct str *out) {
    const struct moment_choice choice =
        explanation_shape(&explanation->run->workload.table.configs.at[config]);
    add_choice(explanation, &choice, out);
}

static void add_costs(double time_s, double energy_j, struct str *out) {
    str_add(out, "T ");
    explanation_add_length(out, units_duration_ns(fmin(time_s, TIME_MAX_S)));
    str_add(out, ", E ");
    explanation_add_number(out, energy_j / 1e3);
    str_add(out, " kJ, EDP ");
    explanation_add_number(out, energy_j * time_s / 1e6);
    str_add(out, " MJ s");
}

/* ---- What became of it ---- */

static void add_title(const struct explanation *explanation, struct str *out) {
    const struct workload *workload = &explanation->run->workload;
    const struct job_spec *job = &workload->jobs.at[explanation->job];
    const char *model = workload_model_name(workload, job);
    str_add(out, "job ");
    explanation_add_name(out, job->id);
    str_add(out, " of user ");
    explanation_add_name(out, workload->users.at[job->user].name);
    if (model) {
        str_add(out, ", model ");
        explanation_add_name(out, model);
    } else {
        str_add(out, ", rigid");
    }
    str_add(out, job->sla ? ", class sla" : ", class best_effort");
    str_add(out, "\nIt was submitted at ");
    explanation_add_time(out, explanation->run, job->submit_ns);
    if (job->deadline_ns != TIME_NONE_NS) {
        str_add(out, ", to be done by ");
        explanation_add_time(out, explanation->run, job->deadline_ns);
    }
    str_add(out, ".\n");
}

/* "It had 1 preemption, 2 resizes." */
static void add_interruptions(const struct recorded_job *job, struct str *out) {
    const struct {
        uint32_t count;
        const char *noun;
    } all[] = {{job->preemptions, "preemption"},
               {job->failures, "node failure"},
               {job->resizes, "resize"}};
    const char *before = "It had ";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].count == 0)
            continue;
        str_add(out, before);
        explanation_add_count(out, all[i].count, all[i].noun);
        before = ", ";
    }
    if (before[0] == ',')
        str_add(out, ".\n");
}

static void add_fate(const struct explanation *explanation, struct str *out) {
    const struct recorded_job *job = &explanation->run->jobs[explanation->job];
    const struct job_spec *spec = &explanation->run->workload.jobs.at[explanation->job];
    if (job->state == EASIM_JOB_REJECTED) {
        if (job->segment_count > 0) {
            str_add(out, "It was rejected at ");
            explanation_add_time(out, explanation->run,
                                 recorded_run_rejected_ns(explanation->run, explanation->job));
        } else {
            str_add(out, "It was rejected then, since it could never run");
        }
        if (explanation->moments && explanation->moments->reject_reason.length > 0) {
            str_add(out, ": ");
            explanation_add_name(out, explanation->moments->reject_reason.text);
        }
        str_add(out, ".\n");
        return;
    }
    if (job->finish_ns >= 0) {
        str_add(out, "It finished at ");
        explanation_add_time(out, explanation->run, job->finish_ns);
        str_add(out, ", ");
        explanation_add_length(out, job->finish_ns - spec->submit_ns);
        str_add(out, " after its submission");
    } else {
        str_add(out, job->start_ns < 0 ? "It never started before the run ended at "
                                       : "It was not done when the run ended at ");
        explanation_add_time(out, explanation->run, explanation->run->part->end_ns);
    }
    str_add(out, "; its GPUs drew ");
    explanation_add_number(out, power_j(job->energy) / 1e3);
    str_add(out, " kJ.\n");
    add_interruptions(job, out);
}

static void add_parts(const struct explanation *explanation, struct str *out) {
    static const char *const names[BLAME_PARTS] = {
        [BLAME_QUEUED] = "queued before its first start",
        [BLAME_CAPPED] = "kept waiting by the power cap alone",
        [BLAME_SETUP] = "set-up of its first start",
        [BLAME_RUN] = "computing, as fast as without neighbours",
        [BLAME_SLOWED] = "computing, slowed down by neighbours",
        [BLAME_LOST] = "computing that was lost",
        [BLAME_RESIZED] = "set-up after resizes",
        [BLAME_PREEMPTED] = "checkpoints, waits and set-ups of preemptions",
        [BLAME_FAILED] = "waits and set-ups after failures of nodes"};
    const struct job_blame *blame = &explanation->blame.jobs[explanation->job];
    const struct holding *first = blame_first_holding(&explanation->blame, explanation->job);
    if (explanation->run->jobs[explanation->job].segment_count == 0)
        return;
    str_add(out, "\nWhere its time went\n");
    for (int part = 0; part < BLAME_PARTS; part++) {
        if (blame->part_ns[part] == 0 && part != BLAME_QUEUED)
            continue;
        str_addf(out, "  %s: ", names[part]);
        explanation_add_length(out, blame->part_ns[part]);
        str_add_char(out, '\n');
    }
    if (first && first->behind != EASIM_NONE) {
        str_add(out, "  The last to give back a GPU that it took first was ");
        explanation_add_name(out, explanation->run->workload.jobs.at[first->behind].id);
        str_add(out, ", at ");
        explanation_add_time(out, explanation->run, first->released_ns);
        str_add(out, ".\n");
    }
}

/* ---- How its GPUs worked together ---- */

static void add_team(const struct explanation *explanation, const struct recorded_segment *segment,
                     struct str *out) {
    char text[PLAN_TEXT_BYTES];
    const struct recorded_run *run = explanation->run;
    const char *tier = team_tier(run, segment), *plan = team_plan(run, segment, text);
    double share =
        team_sync_share(run, segment->job, recorded_run_config(run, segment), segment->span);
    str_add(out, "  from ");
    explanation_add_time(out, explanation->run, segment->start_ns);
    str_add(out, " ");
    add_config(explanation, segment->config, out);
    if (plan)
        str_addf(out, ", plan %s", plan);
    if (tier) {
        str_add(out, ", in ");
        explanation_add_name(out, segment->span == EASIM_ONE_NODE ? "one node" : tier);
    }
    if (!isnan(share))
        str_addf(out, ": %.3g %% of an iteration is synchronisation", 100 * share);
    str_add_char(out, '\n');
}

/* Each configuration and tier in turn, where there is a network or a plan. */
static void add_teams(const struct explanation *explanation, struct str *out) {
    const struct recorded_job *job = &explanation->run->jobs[explanation->job];
    const struct recorded_segment *segments = recorded_run_segments(explanation->run, job),
                                  *last = NULL;
    for (uint32_t i = 0; i < job->segment_count; i++) {
        const struct recorded_segment *s = &segments[i];
        if (!team_is_news(explanation->run, s, last))
            continue;
        str_add(out, last ? "" : "\nHow its GPUs worked together\n");
        add_team(explanation, s, out);
        last = s;
    }
}

/* ---- What the policy saw, and chose ---- */

static void add_cluster(const struct explanation *explanation, const struct moment *moment,
                        struct str *out) {
    const struct moment_type *types = &explanation->moments->types.at[moment->first_type];
    uint32_t count = explanation->run->folder->cluster.gpu_type_count;
    str_add(out, "    ");
    explanation_add_count(out, moment->waiting - (moment->has_present ? 0 : 1), "other job");
    str_addf(out, " waited, %" PRIu32 " of them submitted before it; %" PRIu32 " ran\n    free:",
             moment->ahead, moment->running);
    for (uint32_t h = 0; h < count; h++) {
        str_addf(out, "%s %" PRIu32 " of %" PRIu32 " ", h ? "," : "", types[h].free, types[h].gpus);
        explanation_add_name(out, type_name(explanation, h));
        if (types[h].shared_free_milli > 0)
            str_addf(out, " and %g in parts", (double)types[h].shared_free_milli / WHOLE_GPU_MILLI);
        if (types[h].asleep > 0)
            str_addf(out, " (%" PRIu32 " asleep)", types[h].asleep);
        if (types[h].failed > 0)
            str_addf(out, " (%" PRIu32 " on failed nodes)", types[h].failed);
    }
    str_add(out, "\n    power ");
    explanation_add_number(out, moment->power_w);
    if (isfinite(moment->cap_w)) {
        str_add(out, " W, room under the cap ");
        explanation_add_number(out, moment->cap_w - moment->power_w);
        str_add(out, " W\n");
    } else {
        str_add(out, " W, no cap\n");
    }
}

/* Of each GPU type and k that of least EDP. */
static bool is_listed(const struct moment_choice *choices, uint32_t count, uint32_t i) {
    for (uint32_t j = 0; j < count; j++) {
        bool is_same = choices[j].gpu_type == choices[i].gpu_type && choices[j].k == choices[i].k &&
                       choices[j].milli == choices[i].milli;
        if (is_same && (choices[j].edp_js < choices[i].edp_js ||
                        (choices[j].edp_js == choices[i].edp_js && j < i)))
            return false;
    }
    return true;
}

static const char *state_of(const struct moment_choice *choice) {
    if (!choice->fits)
        return "did not fit";
    return choice->over_cap ? "over the cap" : "fitted";
}

/* Where its GPUs would be, unless in one node. */
static void add_span(const struct explanation *explanation, uint32_t span, struct str *out) {
    const struct network *network = &explanation->run->folder->cluster.network;
    if (span == EASIM_ONE_NODE)
        return;
    str_add(out, network->tier_count > 0 ? ", in " : ", over several nodes");
    if (network->tier_count > 0)
        explanation_add_name(out, network_span_name(network, span));
}

static void add_row(const struct explanation *explanation, const struct moment_choice *choice,
                    bool is_chosen, struct str *out) {
    str_add(out, "      ");
    add_choice(explanation, choice, out);
    str_add(out, ": ");
    add_costs(choice->time_s, choice->energy_j, out);
    str_addf(out, "; %s", state_of(choice));
    add_span(explanation, choice->span, out);
    str_addf(out, "%s%s\n", choice->extrapolated ? ", outside the measured range" : "",
             !is_chosen     ? ""
             : choice->fits ? " (chosen)"
                            : " (chosen: with GPUs that it took from other jobs in that decision)");
}

static void add_alternatives(const struct explanation *explanation, const struct moment *moment,
                             struct str *out) {
    const struct moment_choice *choices = &explanation->moments->choices.at[moment->first_choice];
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < moment->choice_count; i++)
        fitting += choices[i].fits && !choices[i].over_cap;
    str_add(out, "    ");
    explanation_add_count(out, moment->choice_count, "configuration");
    str_addf(out,
             ", of which %" PRIu32 " could be had%s; as predicted then, of each GPU type and k the "
             "one of least EDP:\n",
             fitting,
             moment->has_present ? " by a resize, in which lost work and the new set-up are counted"
                                 : "");
    for (uint32_t i = 0; i < moment->choice_count; i++)
        if (i == moment->chosen || is_listed(choices, moment->choice_count, i))
            add_row(explanation, &choices[i], i == moment->chosen, out);
    if (moment->has_present) {
        str_add(out, "      as it was, ");
        add_choice(explanation, &moment->present, out);
        str_add(out, ": ");
        add_costs(moment->present.time_s, moment->present.energy_j, out);
        str_add_char(out, '\n');
    }
}

static void add_moments(const struct explanation *explanation, struct str *out) {
    static const char *const kinds[] = {[MOMENT_SUBMITTED] = "it was left waiting",
                                        [MOMENT_STARTED] = "it was started",
                                        [MOMENT_RESIZED] = "it was resized",
                                        [MOMENT_PREEMPTED] = "it was preempted"};
    const struct moments *moments = explanation->moments;
    if (moments->at.count > 0)
        str_add(out, "\nWhat the policy saw, and chose\n");
    for (size_t i = 0; i < moments->at.count; i++) {
        const struct moment *moment = &moments->at.at[i];
        str_add(out, "  at ");
        explanation_add_time(out, explanation->run, moment->time_ns);
        str_addf(out, ", decision %" PRIu64 ": %s\n", moment->decision, kinds[moment->kind]);
        explanation_add_reason(explanation, moment->text, moment->text_length, out);
        add_cluster(explanation, moment, out);
        add_alternatives(explanation, moment, out);
    }
    if (moments->passed > 0) {
        str_add(out, "  ");
        explanation_add_count(out, moments->passed, "decision");
        str_addf(out,
                 " left it waiting; in %" PRIu64
                 " of them one of its configurations could have been had\n",
                 moments->passed_fitting);
    }
    for (int r = 0; r < REFUSAL_COUNT; r++)
        if (moments->refused[r] > 0) {
            str_add(out, "  refused on it: ");
            explanation_add_count(out, moments->refused[r], "action");
            str_addf(out, ", %s\n", refusal_names[r]);
        }
}

/* ---- Who started before it ---- */

static void add_overtaker(const struct explanation *explanation,
                          const struct explanation_overtaker *overtaker, struct str *out) {
    static const char *const reasons[] = {
        [OVERTOOK_NO_ROOM] = "what was free was not enough for any configuration of this job",
        [OVERTOOK_CAP] = "this job would have fitted, but for the power cap",
        [OVERTOOK_BY_CHOICE] = "this job would have fitted: the policy put the other one first",
        [OVERTOOK_BY_TAKING] =
            "nothing was free for this job: the policy took GPUs from others in that decision"};
    const struct recorded_run *run = explanation->run;
    const struct job_spec *job = &run->workload.jobs.at[overtaker->job];
    const struct recorded_job *other = &run->jobs[overtaker->job];
    const struct recorded_segment *segments = recorded_run_segments(run, other);
    uint32_t first = 0;
    while (segments[first].config == EASIM_NONE)
        first++;
    str_add(out, "  ");
    explanation_add_name(out, job->id);
    str_add(out, " of ");
    explanation_add_name(out, run->workload.users.at[job->user].name);
    str_add(out, ", submitted at ");
    explanation_add_time(out, explanation->run, job->submit_ns);
    str_add(out, ", started at ");
    explanation_add_time(out, explanation->run, overtaker->start_ns);
    str_add(out, " on ");
    add_config(explanation, segments[first].config, out);
    if (overtaker->why >= 0)
        str_addf(out, "; %s", reasons[overtaker->why]);
    str_add_char(out, '\n');
}

static void add_overtakers(const struct explanation *explanation, struct str *out) {
    size_t count = explanation->overtakers.count;
    if (explanation->run->jobs[explanation->job].segment_count == 0)
        return;
    if (count == 0) {
        str_add(out, "\nNo job that was submitted later started before it.\n");
        return;
    }
    str_add(out, "\nWho was submitted later and started before it: ");
    explanation_add_count(out, count, "job");
    str_add_char(out, '\n');
    for (size_t i = 0; i < count && i < LISTED_OVERTAKERS; i++)
        add_overtaker(explanation, &explanation->overtakers.at[i], out);
    if (count > LISTED_OVERTAKERS)
        str_addf(out, "  and %zu more, which the JSON lists\n", count - LISTED_OVERTAKERS);
}

/* ---- The deadline ---- */

static void add_verdict(const struct explanation *explanation, struct str *out) {
    static const char *const verdicts[] = {[EXPLAINED_MET] = "It was met, with ",
                                           [EXPLAINED_MISSED] = "It was missed",
                                           [EXPLAINED_OPEN] =
                                               "It is after the end of the run, by "};
    str_add(out, verdicts[explanation->deadline]);
    if (explanation->deadline != EXPLAINED_MISSED) {
        explanation_add_length(out, explanation->spare_ns);
        str_add(out, explanation->deadline == EXPLAINED_MET ? " to spare.\n" : ".\n");
        return;
    }
    if (explanation->run->jobs[explanation->job].finish_ns >= 0) {
        str_add(out, ", by ");
        explanation_add_length(out, -explanation->spare_ns);
    } else {
        str_add(out, ": the job was not done by then");
    }
    if (explanation->missed != MISS_NOT)
        str_addf(out, "; first cause: %s", miss_cause_names[explanation->missed]);
    str_add(out, ".\n");
}

static void add_explained_choice(const struct explanation *explanation,
                                 const struct explanation_choice *choice, struct str *out) {
    add_config(explanation, choice->config, out);
    str_add(out, " (");
    add_costs(choice->time_s, choice->energy_j, out);
    str_add(out, ")");
}

static void add_ways_to_meet(const struct explanation *explanation, struct str *out) {
    const struct job_spec *job = &explanation->run->workload.jobs.at[explanation->job];
    str_addf(out,
             "  Started at its submission, the cluster empty, %" PRIu32 " of %" PRIu32
             " configurations would have met it",
             explanation->meeting, explanation->choices);
    if (explanation->meeting > 0) {
        str_add(out, ": at the least energy ");
        add_explained_choice(explanation, &explanation->cheapest, out);
        str_add(out, ", the fastest ");
        add_explained_choice(explanation, &explanation->fastest, out);
    } else if (explanation->choices > 0) {
        double gap_s = explanation->fastest.time_s - units_s(job->deadline_ns - job->submit_ns);
        str_add(out, "; in the fastest, ");
        add_explained_choice(explanation, &explanation->fastest, out);
        str_add(out, ", it had to be submitted ");
        explanation_add_length(out, units_duration_ns(fmin(gap_s, TIME_MAX_S)));
        str_add(out, " earlier");
    }
    str_add(out, ".\n");
    if (explanation->first.config == EASIM_NONE || explanation->meeting == 0)
        return;
    str_add(out, "  In the configuration that it had first, ");
    add_explained_choice(explanation, &explanation->first, out);
    if (explanation->latest_start_ns < job->submit_ns) {
        str_add(out, ", it could not have been met.\n");
        return;
    }
    int64_t start_ns = explanation->run->jobs[explanation->job].start_ns;
    str_add(out, ", without being stopped, it had to start by ");
    explanation_add_time(out, explanation->run, explanation->latest_start_ns);
    if (start_ns > explanation->latest_start_ns) {
        str_add(out, ", ");
        explanation_add_length(out, start_ns - explanation->latest_start_ns);
        str_add(out, " earlier than it did.\n");
    } else {
        str_add(out, ", as it did: it took longer than predicted, or was stopped.\n");
    }
}

static void add_deadline(const struct explanation *explanation, struct str *out) {
    str_add(out, "\nIts deadline\n  ");
    if (explanation->deadline == EXPLAINED_NO_DEADLINE) {
        str_add(out, "It had none.\n");
        return;
    }
    add_verdict(explanation, out);
    if (explanation->deadline == EXPLAINED_MISSED)
        add_ways_to_meet(explanation, out);
}

void explanation_text(const struct explanation *explanation, struct str *out) {
    add_title(explanation, out);
    add_fate(explanation, out);
    add_parts(explanation, out);
    add_teams(explanation, out);
    displacements_text(&explanation->displacements, explanation->run, out);
    if (explanation->moments) {
        waits_text(explanation, out);
        add_moments(explanation, out);
    } else {
        str_addf(out, "\nWhat the policy saw is not known: the run %s",
                 explanation->may_be_repeated ? "is not repeated: " : "cannot be repeated. ");
        explanation_add_name(out, explanation->why_not);
        str_add_char(out, '\n');
    }
    add_overtakers(explanation, out);
    add_deadline(explanation, out);
    if (explanation->what_if)
        regret_what_if(explanation->what_if, out);
}
