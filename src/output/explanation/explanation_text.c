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

/* "2 x h100, b 64, 400 W" */
static void tell_choice(struct prose *prose, const struct moment_choice *c) {
    if (c->milli > 0)
        tell(prose, "%g of one ", (double)c->milli / WHOLE_GPU_MILLI);
    else
        tell(prose, "%" PRIu32 " x ", c->k);
    tell(prose, "%s", prose_type(prose, c->gpu_type));
    if (c->batch > 0)
        tell(prose, ", b %s", prose_number(prose, c->batch));
    if (isfinite(c->power_limit_w))
        tell(prose, ", %s W", prose_number(prose, c->power_limit_w));
}

static void tell_config(struct prose *prose, uint32_t config) {
    const struct moment_choice choice =
        explanation_shape(&prose->run->workload.table.configs.at[config]);
    tell_choice(prose, &choice);
}

static void tell_costs(struct prose *prose, double time_s, double energy_j) {
    tell(prose, "T %s, E %s kJ, EDP %s MJ s",
         prose_length(prose, units_duration_ns(fmin(time_s, TIME_MAX_S))),
         prose_number(prose, energy_j / 1e3), prose_number(prose, energy_j * time_s / 1e6));
}

/* ---- What became of it ---- */

static void tell_title(struct prose *prose, uint32_t index) {
    const struct workload *workload = &prose->run->workload;
    const struct job_spec *job = &workload->jobs.at[index];
    const char *model = workload_model_name(workload, job);
    tell(prose, "job %s of user %s, %s%s, class %s\nIt was submitted at %s",
         prose_job(prose, index), prose_name(prose, workload->users.at[job->user].name),
         model ? "model " : "rigid", model ? prose_name(prose, model) : "",
         job->sla ? "sla" : "best_effort", prose_time(prose, job->submit_ns));
    if (job->deadline_ns != TIME_NONE_NS)
        tell(prose, ", to be done by %s", prose_time(prose, job->deadline_ns));
    tell(prose, ".\n");
}

/* "It had 1 preemption, 2 resizes." */
static void tell_interruptions(struct prose *prose, const struct recorded_job *job) {
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
        tell(prose, "%s%s", before, prose_count(prose, all[i].count, all[i].noun));
        before = ", ";
    }
    if (before[0] == ',')
        tell(prose, ".\n");
}

static void tell_rejection(struct prose *prose, const struct explanation *explanation) {
    if (prose->run->jobs[explanation->job].segment_count > 0)
        tell(prose, "It was rejected at %s",
             prose_time(prose, recorded_run_rejected_ns(prose->run, explanation->job)));
    else
        tell(prose, "It was rejected then, since it could never run");
    if (explanation->moments && explanation->moments->reject_reason.length > 0)
        tell(prose, ": %s", prose_name(prose, explanation->moments->reject_reason.text));
    tell(prose, ".\n");
}

static void tell_fate(struct prose *prose, const struct explanation *explanation) {
    const struct recorded_job *job = &prose->run->jobs[explanation->job];
    const struct job_spec *spec = &prose->run->workload.jobs.at[explanation->job];
    if (job->state == EASIM_JOB_REJECTED) {
        tell_rejection(prose, explanation);
        return;
    }
    if (job->finish_ns >= 0)
        tell(prose, "It finished at %s, %s after its submission", prose_time(prose, job->finish_ns),
             prose_length(prose, job->finish_ns - spec->submit_ns));
    else
        tell(prose, "It %s the run ended at %s",
             job->start_ns < 0 ? "never started before" : "was not done when",
             prose_time(prose, prose->run->part->end_ns));
    tell(prose, "; its GPUs drew %s kJ.\n", prose_number(prose, power_j(job->energy) / 1e3));
    tell_interruptions(prose, job);
}

/* Time below the power of its wish, and the part of BLAME_LOST that the cap added. */
static void tell_limits(struct prose *prose, uint32_t index) {
    const struct recorded_run *run = prose->run;
    const struct recorded_segment *s = recorded_run_segments(run, &run->jobs[index]);
    int64_t throttled_ns = 0;
    double again_s = 0;
    for (uint32_t i = 0; i < run->jobs[index].segment_count; i++) {
        const struct recorded_limit limit = recorded_run_limit(run, &s[i]);
        throttled_ns += limit.throttled_ns;
        again_s += s[i].kind == SEGMENT_LOST ? limit.lost_s : 0;
    }
    if (throttled_ns > 0)
        tell(prose, "  The cap held its GPUs below the power of its wish for %s.\n",
             prose_length(prose, throttled_ns));
    if (again_s > 0)
        tell(prose, "  In computing that was lost, too, the cap slowed it by %s.\n",
             prose_length(prose, llround(again_s * 1e9)));
}

static void tell_parts(struct prose *prose, const struct explanation *explanation) {
    static const char *const names[BLAME_PARTS] = {
        [BLAME_QUEUED] = "queued before its first start",
        [BLAME_CAPPED] = "kept waiting by the power cap alone",
        [BLAME_SETUP] = "set-up of its first start",
        [BLAME_RUN] = "computing, as fast as without neighbours",
        [BLAME_SLOWED] = "computing, slowed down by neighbours",
        [BLAME_LOST] = "computing that was lost",
        [BLAME_RESIZED] = "set-up after resizes",
        [BLAME_PREEMPTED] = "checkpoints, waits and set-ups of preemptions",
        [BLAME_FAILED] = "waits and set-ups after failures of nodes",
        [BLAME_THROTTLED] = "computing, slowed by the cap"};
    const struct job_blame *blame = &explanation->blame.jobs[explanation->job];
    const struct holding *first = blame_first_holding(&explanation->blame, explanation->job);
    if (prose->run->jobs[explanation->job].segment_count == 0)
        return;
    tell(prose, "\nWhere its time went\n");
    for (int part = 0; part < BLAME_PARTS; part++)
        if (blame->part_ns[part] != 0 || part == BLAME_QUEUED)
            tell(prose, "  %s: %s\n", names[part], prose_length(prose, blame->part_ns[part]));
    tell_limits(prose, explanation->job);
    if (first && first->behind != EASIM_NONE)
        tell(prose, "  The last to give back a GPU that it took first was %s, at %s.\n",
             prose_job(prose, first->behind), prose_time(prose, first->released_ns));
}

/* ---- How its GPUs worked together ---- */

static void tell_team(struct prose *prose, const struct recorded_segment *segment) {
    char text[PLAN_TEXT_BYTES];
    const struct recorded_run *run = prose->run;
    const char *tier = team_tier(run, segment), *plan = team_plan(run, segment, text);
    double share =
        team_sync_share(run, segment->job, recorded_run_config(run, segment), segment->span);
    tell(prose, "  from %s ", prose_time(prose, segment->start_ns));
    tell_config(prose, segment->config);
    if (plan)
        tell(prose, ", plan %s", plan);
    if (tier)
        tell(prose, ", in %s",
             prose_name(prose, segment->span == EASIM_ONE_NODE ? "one node" : tier));
    if (!isnan(share))
        tell(prose, ": %.3g %% of an iteration is synchronization", 100 * share);
    tell(prose, "\n");
}

/* Each configuration and tier in turn, if there is a network or a plan. */
static void tell_teams(struct prose *prose, uint32_t index) {
    const struct recorded_job *job = &prose->run->jobs[index];
    const struct recorded_segment *segments = recorded_run_segments(prose->run, job), *last = NULL;
    for (uint32_t i = 0; i < job->segment_count; i++) {
        if (!team_is_news(prose->run, &segments[i], last))
            continue;
        tell(prose, last ? "" : "\nHow its GPUs worked together\n");
        tell_team(prose, &segments[i]);
        last = &segments[i];
    }
}

/* ---- What the policy saw, and chose ---- */

static void tell_cluster(struct prose *prose, const struct moments *moments,
                         const struct moment *moment) {
    const struct moment_type *types = &moments->types.at[moment->first_type];
    tell(prose,
         "    %s waited, %" PRIu32 " of them submitted before it; %" PRIu32 " ran\n    free:",
         prose_count(prose, moment->waiting - (moment->has_present ? 0 : 1), "other job"),
         moment->ahead, moment->running);
    for (uint32_t h = 0; h < prose->run->folder->cluster.gpu_type_count; h++) {
        tell(prose, "%s %" PRIu32 " of %" PRIu32 " %s", h ? "," : "", types[h].free, types[h].gpus,
             prose_type(prose, h));
        if (types[h].shared_free_milli > 0)
            tell(prose, " and %g in parts", (double)types[h].shared_free_milli / WHOLE_GPU_MILLI);
        if (types[h].asleep > 0)
            tell(prose, " (%" PRIu32 " asleep)", types[h].asleep);
        if (types[h].failed > 0)
            tell(prose, " (%" PRIu32 " on failed nodes)", types[h].failed);
    }
    tell(prose, "\n    power %s W, ", prose_number(prose, moment->power_w));
    if (isfinite(moment->cap_w))
        tell(prose, "room under the cap %s W\n",
             prose_number(prose, moment->cap_w - moment->power_w));
    else
        tell(prose, "no cap\n");
}

/* Lists, for each GPU type and k, the choice of least EDP. */
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

/* The place of its GPUs, unless it is one node. */
static void tell_span(struct prose *prose, uint32_t span) {
    const struct network *network = &prose->run->folder->cluster.network;
    if (span != EASIM_ONE_NODE && network->tier_count > 0)
        tell(prose, ", in %s", prose_name(prose, network_span_name(network, span)));
    else if (span != EASIM_ONE_NODE)
        tell(prose, ", over several nodes");
}

static void tell_row(struct prose *prose, const struct moment_choice *choice, bool is_chosen) {
    tell(prose, "      ");
    tell_choice(prose, choice);
    tell(prose, ": ");
    tell_costs(prose, choice->time_s, choice->energy_j);
    tell(prose, "; %s", state_of(choice));
    tell_span(prose, choice->span);
    tell(prose, "%s%s\n", choice->extrapolated ? ", outside the measured range" : "",
         !is_chosen     ? ""
         : choice->fits ? " (chosen)"
                        : " (chosen: with GPUs that it took from other jobs in that decision)");
}

static void tell_alternatives(struct prose *prose, const struct moments *moments,
                              const struct moment *moment) {
    const struct moment_choice *choices = &moments->choices.at[moment->first_choice];
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < moment->choice_count; i++)
        fitting += choices[i].fits && !choices[i].over_cap;
    tell(prose,
         "    %s, of which %" PRIu32 " could be had%s; as predicted then, of each GPU type and k "
         "the one of least EDP:\n",
         prose_count(prose, moment->choice_count, "configuration"), fitting,
         moment->has_present ? " by a resize, in which lost work and the new set-up are counted"
                             : "");
    for (uint32_t i = 0; i < moment->choice_count; i++)
        if (i == moment->chosen || is_listed(choices, moment->choice_count, i))
            tell_row(prose, &choices[i], i == moment->chosen);
    if (!moment->has_present)
        return;
    tell(prose, "      as it was, ");
    tell_choice(prose, &moment->present);
    tell(prose, ": ");
    tell_costs(prose, moment->present.time_s, moment->present.energy_j);
    tell(prose, "\n");
}

static void tell_moments(struct prose *prose, const struct moments *moments) {
    static const char *const kinds[] = {[MOMENT_SUBMITTED] = "it was left waiting",
                                        [MOMENT_STARTED] = "it was started",
                                        [MOMENT_RESIZED] = "it was resized",
                                        [MOMENT_LIMITED] = "its power limit was changed",
                                        [MOMENT_PREEMPTED] = "it was preempted"};
    if (moments->at.count > 0)
        tell(prose, "\nWhat the policy saw, and chose\n");
    for (size_t i = 0; i < moments->at.count; i++) {
        const struct moment *moment = &moments->at.at[i];
        tell(prose, "  at %s, decision %" PRIu64 ": %s\n", prose_time(prose, moment->time_ns),
             moment->decision, kinds[moment->kind]);
        prose_reason(prose, &moments->waits, moment->text, moment->text_length);
        tell_cluster(prose, moments, moment);
        tell_alternatives(prose, moments, moment);
    }
    if (moments->passed > 0)
        tell(prose,
             "  %s left it waiting; in %" PRIu64
             " of them one of its configurations could have been had\n",
             prose_count(prose, moments->passed, "decision"), moments->passed_fitting);
    for (int r = 0; r < REFUSAL_COUNT; r++)
        if (moments->refused[r] > 0)
            tell(prose, "  refused on it: %s, %s\n",
                 prose_count(prose, moments->refused[r], "action"), refusal_names[r]);
}

/* ---- Who started before it ---- */

static void tell_overtaker(struct prose *prose, const struct explanation_overtaker *overtaker) {
    static const char *const reasons[] = {
        [OVERTOOK_NO_ROOM] = "what was free was not enough for any configuration of this job",
        [OVERTOOK_CAP] = "this job would have fitted without the power cap",
        [OVERTOOK_BY_CHOICE] = "this job would have fitted: the policy put the other one first",
        [OVERTOOK_BY_TAKING] =
            "nothing was free for this job: the policy took GPUs from others in that decision"};
    const struct recorded_run *run = prose->run;
    const struct job_spec *job = &run->workload.jobs.at[overtaker->job];
    const struct recorded_segment *segment = recorded_run_segments(run, &run->jobs[overtaker->job]);
    while (segment->config == EASIM_NONE)
        segment++;
    tell(prose, "  %s of %s, submitted at %s, started at %s on ", prose_job(prose, overtaker->job),
         prose_name(prose, run->workload.users.at[job->user].name),
         prose_time(prose, job->submit_ns), prose_time(prose, overtaker->start_ns));
    tell_config(prose, segment->config);
    if (overtaker->why >= 0)
        tell(prose, "; %s", reasons[overtaker->why]);
    tell(prose, "\n");
}

static void tell_overtakers(struct prose *prose, const struct explanation *explanation) {
    size_t count = explanation->overtakers.count;
    if (prose->run->jobs[explanation->job].segment_count == 0)
        return;
    if (count == 0) {
        tell(prose, "\nNo job that was submitted later started before it.\n");
        return;
    }
    tell(prose, "\nWho was submitted later and started before it: %s\n",
         prose_count(prose, count, "job"));
    for (size_t i = 0; i < count && i < LISTED_OVERTAKERS; i++)
        tell_overtaker(prose, &explanation->overtakers.at[i]);
    if (count > LISTED_OVERTAKERS)
        tell(prose, "  and %zu more, which the JSON lists\n", count - LISTED_OVERTAKERS);
}

/* ---- The deadline ---- */

static void tell_verdict(struct prose *prose, const struct explanation *explanation) {
    const char *spare = prose_length(prose, explanation->spare_ns);
    if (explanation->deadline == EXPLAINED_MET) {
        tell(prose, "It was met, with %s to spare.\n", spare);
        return;
    }
    if (explanation->deadline == EXPLAINED_OPEN) {
        tell(prose, "It is after the end of the run, by %s.\n", spare);
        return;
    }
    if (prose->run->jobs[explanation->job].finish_ns >= 0)
        tell(prose, "It was missed, by %s", prose_length(prose, -explanation->spare_ns));
    else
        tell(prose, "It was missed: the job was not done by then");
    if (explanation->missed != MISS_NOT)
        tell(prose, "; first cause: %s", miss_cause_names[explanation->missed]);
    tell(prose, ".\n");
}

static void tell_explained_choice(struct prose *prose, const struct explanation_choice *choice) {
    tell_config(prose, choice->config);
    tell(prose, " (");
    tell_costs(prose, choice->time_s, choice->energy_j);
    tell(prose, ")");
}

static void tell_ways_to_meet(struct prose *prose, const struct explanation *explanation) {
    const struct job_spec *job = &prose->run->workload.jobs.at[explanation->job];
    tell(prose,
         "  Started at its submission, the cluster empty, %" PRIu32 " of %" PRIu32
         " configurations would have met it",
         explanation->meeting, explanation->choices);
    if (explanation->meeting > 0) {
        tell(prose, ": at the least energy ");
        tell_explained_choice(prose, &explanation->cheapest);
        tell(prose, ", the fastest ");
        tell_explained_choice(prose, &explanation->fastest);
    } else if (explanation->choices > 0) {
        double gap_s = explanation->fastest.time_s - units_s(job->deadline_ns - job->submit_ns);
        tell(prose, "; in the fastest, ");
        tell_explained_choice(prose, &explanation->fastest);
        tell(prose, ", it had to be submitted %s earlier",
             prose_length(prose, units_duration_ns(fmin(gap_s, TIME_MAX_S))));
    }
    tell(prose, ".\n");
    if (explanation->first.config == EASIM_NONE || explanation->meeting == 0)
        return;
    int64_t latest_ns = explanation->latest_start_ns,
            start_ns = prose->run->jobs[explanation->job].start_ns;
    tell(prose, "  In the configuration that it had first, ");
    tell_explained_choice(prose, &explanation->first);
    if (latest_ns < job->submit_ns) {
        tell(prose, ", it could not have been met.\n");
        return;
    }
    tell(prose, ", without being stopped, it had to start by %s", prose_time(prose, latest_ns));
    if (start_ns > latest_ns)
        tell(prose, ", %s earlier than it did.\n", prose_length(prose, start_ns - latest_ns));
    else
        tell(prose, ", as it did: it took longer than predicted, or was stopped.\n");
}

static void tell_deadline(struct prose *prose, const struct explanation *explanation) {
    tell(prose, "\nIts deadline\n  ");
    if (explanation->deadline == EXPLAINED_NO_DEADLINE) {
        tell(prose, "It had none.\n");
        return;
    }
    tell_verdict(prose, explanation);
    if (explanation->deadline == EXPLAINED_MISSED)
        tell_ways_to_meet(prose, explanation);
}

void explanation_text(const struct explanation *explanation, struct str *out) {
    struct prose prose = {.out = out, .run = explanation->run};
    tell_title(&prose, explanation->job);
    tell_fate(&prose, explanation);
    tell_parts(&prose, explanation);
    tell_teams(&prose, explanation->job);
    displacements_text(&prose, &explanation->displacements);
    if (explanation->moments) {
        waits_text(&prose, &explanation->moments->waits);
        tell_moments(&prose, explanation->moments);
    } else {
        tell(&prose, "\nWhat the policy saw is not known: the run %s%s\n",
             explanation->may_be_repeated ? "is not repeated: " : "cannot be repeated. ",
             prose_name(&prose, explanation->why_not));
    }
    tell_overtakers(&prose, explanation);
    tell_deadline(&prose, explanation);
    if (explanation->what_if)
        regret_what_if(explanation->what_if, out);
    arena_finish(&prose.words);
}
