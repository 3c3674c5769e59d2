/* An explanation as JSON. */
#include "output/explanation/explanation.h"

#include "base/units.h"
#include "insight/network_use.h"
#include "metrics/job_record.h"
#include "output/regret/regret_tables.h"

#include <math.h>

static void add_shape(const struct explanation *explanation, cJSON *object,
                      const struct moment_choice *c) {
    json_add_text(object, "gpu_type",
                  explanation->run->folder->cluster.gpu_types[c->gpu_type].name);
    json_add_int(object, "k", c->k);
    json_add_real(object, "b", c->batch > 0 ? c->batch : NAN);
    json_add_real(object, "gpu_share", c->milli > 0 ? (double)c->milli / WHOLE_GPU_MILLI : NAN);
    json_add_real(object, "power_limit_w", c->power_limit_w);
}

static void add_costs(cJSON *object, double time_s, double energy_j) {
    json_add_real(object, "time_s", time_s);
    json_add_real(object, "energy_j", energy_j);
    json_add_real(object, "edp_js", energy_j * time_s);
}

static void add_moment_choice(const struct explanation *explanation, cJSON *object,
                              const struct moment_choice *choice) {
    add_shape(explanation, object, choice);
    add_costs(object, choice->time_s, choice->energy_j);
    cJSON_AddBoolToObject(object, "fits", choice->fits);
    cJSON_AddBoolToObject(object, "over_cap", choice->over_cap);
    cJSON_AddBoolToObject(object, "several_nodes", choice->span != EASIM_ONE_NODE);
    if (explanation->run->folder->cluster.network.tier_count > 0)
        json_add_text(object, "tier",
                      network_span_name(&explanation->run->folder->cluster.network, choice->span));
    cJSON_AddBoolToObject(object, "extrapolated", choice->extrapolated);
}

static void add_types(const struct explanation *explanation, const struct moment *moment,
                      cJSON *object) {
    const struct moment_type *types = &explanation->moments->types.at[moment->first_type];
    cJSON *list = cJSON_AddArrayToObject(object, "gpu_types");
    for (uint32_t h = 0; h < explanation->run->folder->cluster.gpu_type_count; h++) {
        cJSON *row = json_append_object(list);
        json_add_text(row, "gpu_type", explanation->run->folder->cluster.gpu_types[h].name);
        json_add_int(row, "gpus", types[h].gpus);
        json_add_int(row, "free", types[h].free);
        json_add_real(row, "free_in_parts", (double)types[h].shared_free_milli / WHOLE_GPU_MILLI);
        json_add_int(row, "asleep", types[h].asleep);
        json_add_int(row, "failed", types[h].failed);
    }
}

static void add_moment(const struct explanation *explanation, const struct moment *moment,
                       cJSON *object) {
    static const char *const kinds[] = {[MOMENT_SUBMITTED] = "left waiting",
                                        [MOMENT_STARTED] = "started",
                                        [MOMENT_RESIZED] = "resized",
                                        [MOMENT_LIMITED] = "limited",
                                        [MOMENT_PREEMPTED] = "preempted"};
    const struct moment_choice *choices = &explanation->moments->choices.at[moment->first_choice];
    json_add_seconds(object, "time_s", moment->time_ns);
    json_add_int(object, "decision", (int64_t)moment->decision);
    json_add_text(object, "what", kinds[moment->kind]);
    explanation_json_reason(explanation, moment->text, moment->text_length, object);
    json_add_int(object, "waiting", moment->waiting);
    json_add_int(object, "submitted_before", moment->ahead);
    json_add_int(object, "running", moment->running);
    json_add_real(object, "power_w", moment->power_w);
    json_add_real(object, "cap_w", moment->cap_w);
    add_types(explanation, moment, object);
    if (moment->has_present)
        add_moment_choice(explanation, cJSON_AddObjectToObject(object, "as_it_was"),
                          &moment->present);
    if (moment->chosen != MOMENT_NO_CHOICE)
        json_add_int(object, "chosen", moment->chosen);
    else
        cJSON_AddNullToObject(object, "chosen");
    cJSON *list = cJSON_AddArrayToObject(object, "configurations");
    for (uint32_t i = 0; i < moment->choice_count; i++)
        add_moment_choice(explanation, json_append_object(list), &choices[i]);
}

static void add_moments(const struct explanation *explanation, cJSON *root) {
    const struct moments *moments = explanation->moments;
    cJSON_AddBoolToObject(root, "repeated", moments != NULL);
    json_add_text(root, "not_repeated_because", moments ? NULL : explanation->why_not);
    if (!moments)
        return;
    waits_json(explanation, root);
    cJSON *list = cJSON_AddArrayToObject(root, "decisions");
    for (size_t i = 0; i < moments->at.count; i++)
        add_moment(explanation, &moments->at.at[i], json_append_object(list));
    json_add_int(root, "decisions_that_left_it_waiting", (int64_t)moments->passed);
    json_add_int(root, "of_these_could_have_started", (int64_t)moments->passed_fitting);
    cJSON *refused = cJSON_AddObjectToObject(root, "refused");
    for (int r = 0; r < REFUSAL_COUNT; r++)
        if (moments->refused[r] > 0)
            json_add_int(refused, refusal_names[r], (int64_t)moments->refused[r]);
    if (moments->reject_reason.length > 0)
        json_add_text(root, "reject_reason", moments->reject_reason.text);
}

/* Seconds of each part, which add up to its time in the system. */
static void add_parts(const struct explanation *explanation, cJSON *root) {
    cJSON *parts = cJSON_AddObjectToObject(root, "time_s");
    for (uint32_t part = 0; part < blame_parts(explanation->run); part++)
        json_add_seconds(parts, blame_part_names[part],
                         explanation->blame.jobs[explanation->job].part_ns[part]);
}

/* Each configuration and tier in turn, if there is a network or a plan. */
static void add_teams(const struct explanation *explanation, cJSON *root) {
    const struct recorded_run *run = explanation->run;
    const struct recorded_job *job = &run->jobs[explanation->job];
    const struct recorded_segment *segments = recorded_run_segments(run, job), *last = NULL;
    cJSON *list = NULL;
    for (uint32_t i = 0; i < job->segment_count; i++) {
        char text[PLAN_TEXT_BYTES];
        const struct recorded_segment *s = &segments[i];
        if (!team_is_news(run, s, last))
            continue;
        list = list ? list : cJSON_AddArrayToObject(root, "teams");
        cJSON *row = json_append_object(list);
        const struct moment_choice shape = explanation_shape(recorded_run_config(run, s));
        json_add_seconds(row, "from_s", s->start_ns);
        add_shape(explanation, row, &shape);
        json_add_text(row, "tier", team_tier(run, s));
        json_add_text(row, "plan", team_plan(run, s, text));
        json_add_real(row, "sync_share",
                      team_sync_share(run, s->job, recorded_run_config(run, s), s->span));
        last = s;
    }
}

static void add_overtakers(const struct explanation *explanation, cJSON *root) {
    static const char *const reasons[] = {[OVERTOOK_NO_ROOM] = "no room",
                                          [OVERTOOK_CAP] = "power cap",
                                          [OVERTOOK_BY_CHOICE] = "choice",
                                          [OVERTOOK_BY_TAKING] = "took from others"};
    cJSON *list = cJSON_AddArrayToObject(root, "overtakers");
    for (size_t i = 0; i < explanation->overtakers.count; i++) {
        const struct explanation_overtaker *overtaker = &explanation->overtakers.at[i];
        const struct job_spec *job = &explanation->run->workload.jobs.at[overtaker->job];
        cJSON *row = json_append_object(list);
        json_add_text(row, "job", job->id);
        json_add_text(row, "user", explanation->run->workload.users.at[job->user].name);
        json_add_seconds(row, "submit_s", job->submit_ns);
        json_add_seconds(row, "start_s", overtaker->start_ns);
        json_add_text(row, "why", overtaker->why < 0 ? NULL : reasons[overtaker->why]);
    }
}

static void add_explained_choice(const struct explanation *explanation, cJSON *root,
                                 const char *name, const struct explanation_choice *choice) {
    if (choice->config == EASIM_NONE) {
        cJSON_AddNullToObject(root, name);
        return;
    }
    const struct moment_choice shape =
        explanation_shape(&explanation->run->workload.table.configs.at[choice->config]);
    cJSON *object = cJSON_AddObjectToObject(root, name);
    add_shape(explanation, object, &shape);
    add_costs(object, choice->time_s, choice->energy_j);
}

static void add_deadline(const struct explanation *explanation, cJSON *root) {
    static const char *const verdicts[] = {
        [EXPLAINED_MET] = "met", [EXPLAINED_MISSED] = "missed", [EXPLAINED_OPEN] = "open"};
    if (explanation->deadline == EXPLAINED_NO_DEADLINE) {
        cJSON_AddNullToObject(root, "deadline");
        return;
    }
    cJSON *object = cJSON_AddObjectToObject(root, "deadline");
    json_add_text(object, "verdict", verdicts[explanation->deadline]);
    json_add_text(object, "cause", miss_cause_names[explanation->missed]);
    json_add_real(object, "spare_s", units_s(explanation->spare_ns));
    json_add_int(object, "configurations", explanation->choices);
    json_add_int(object, "meeting_it_from_submission", explanation->meeting);
    add_explained_choice(explanation, object, "fastest", &explanation->fastest);
    add_explained_choice(explanation, object, "of_least_energy_meeting_it", &explanation->cheapest);
    bool has_first = explanation->first.config != EASIM_NONE;
    add_explained_choice(explanation, object, "first", &explanation->first);
    json_add_real(object, "latest_start_s",
                  has_first ? units_s(explanation->latest_start_ns) : NAN);
}

void explanation_json(const struct explanation *explanation, struct str *out) {
    const struct recorded_run *run = explanation->run;
    const struct job_spec *spec = &run->workload.jobs.at[explanation->job];
    const struct recorded_job *job = &run->jobs[explanation->job];
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "job", spec->id);
    json_add_text(root, "policy", run->folder->policies.at[run->part->policy].name);
    json_add_int(root, "replication", run->part->replication);
    json_add_text(root, "user", run->workload.users.at[spec->user].name);
    json_add_text(root, "model", workload_model_name(&run->workload, spec));
    json_add_text(root, "class", spec->sla ? "sla" : "best_effort");
    json_add_text(root, "status", job_record_status_name(job->state));
    json_add_seconds(root, "submit_s", spec->submit_ns);
    json_add_seconds(root, "start_s", job->start_ns);
    json_add_seconds(root, "finish_s", job->finish_ns);
    json_add_seconds(root, "deadline_s", spec->deadline_ns);
    json_add_real(root, "energy_j", power_j(job->energy));
    json_add_int(root, "preemptions", job->preemptions);
    json_add_int(root, "failures", job->failures);
    json_add_int(root, "resizes", job->resizes);
    add_parts(explanation, root);
    add_teams(explanation, root);
    if (run->service_count > 0)
        displacements_json(&explanation->displacements, run, root);
    add_moments(explanation, root);
    add_overtakers(explanation, root);
    add_deadline(explanation, root);
    if (explanation->what_if)
        cJSON_AddItemToObject(root, "what_if", regret_what_if_json(explanation->what_if));
    json_print(root, out);
}
