/* shuffles: at each decision, and every 7 s, tries exchanges drawn at random of jobs that wait and
   run, many of them impossible; an accepted one must come to what its trial said, and a refused one
   leave the view as it was. easim_fits must answer what try_config does, easim_fit too if it says
   so, and job_nodes must have what nodes lack. What still fits is started, so that all jobs end;
   after 4 exchanges of a job it is left in peace, which is kept in its memory. */
#include <easim/policy.h>
#include <stdio.h>
#include <string.h>

#ifndef NAME
#define NAME              "shuffles"
#define MORE_CAPABILITIES 0
#endif

#define MOST 6

struct state {
    double asked_s;
};

struct memory {
    uint32_t exchanges;
};

static uint32_t draw(const struct easim_pass *pass, uint32_t below) {
    return (uint32_t)(pass->host->uniform(pass->plan) * below);
}

static uint32_t draw_config(const struct easim_pass *pass, const struct easim_job *job) {
    return job->first_config + draw(pass, job->config_count);
}

/* One part about a job that waits or runs. */
static bool draw_part(const struct easim_pass *pass, struct easim_part *part) {
    const struct easim_view *view = pass->view;
    uint32_t waiting = draw(pass, view->waiting_count + view->running_count + 1), i = waiting;
    const struct easim_job *job = NULL;
    if (i < view->running_count)
        job = easim_view_job(view, easim_view_running(view, i)->job);
    else
        for (uint32_t j = view->first_waiting; j != EASIM_NONE && i-- >= view->running_count;
             j = job->next_waiting)
            job = easim_view_job(view, j);
    if (!job || ((struct memory *)easim_job_memory(pass, job->index))->exchanges > 3)
        return false;
    bool runs = job->state == EASIM_JOB_RUNNING;
    *part = (struct easim_part){.action = !runs                ? EASIM_PART_START
                                          : draw(pass, 2) == 0 ? EASIM_PART_PREEMPT
                                                               : EASIM_PART_RESIZE,
                                .job = job->index,
                                .config = draw_config(pass, job),
                                .at_once = draw(pass, 2) == 0};
    return true;
}

static int exchange(const struct easim_pass *pass) {
    struct easim_part parts[MOST];
    struct easim_view before = *pass->view;
    double power_w = 0;
    uint32_t count = 0, part = 0, wanted = 1 + draw(pass, MOST);
    for (uint32_t i = 0; i < wanted; i++)
        count += draw_part(pass, &parts[count]);
    uint32_t tried_part = 0;
    int tried = easim_try_exchange(pass, parts, count, &tried_part, &power_w);
    if (tried != EASIM_OK && draw(pass, 4) > 0)
        return 0;
    int answer = easim_plan_exchange(pass, parts, count, &part);
    const char *wrong =
        tried != answer || tried_part != part                              ? "trial and plan differ"
        : answer != EASIM_OK && memcmp(&before, pass->view, sizeof before) ? "the view has changed"
        : answer == EASIM_OK && fabs(power_w - pass->view->power_w) > 1e-6 ? "another power"
        : answer == EASIM_OK && part != EASIM_NONE                         ? "a part is blamed"
                                                                           : NULL;
    for (uint32_t i = 0; i < count && answer == EASIM_OK; i++)
        ((struct memory *)easim_job_memory(pass, parts[i].job))->exchanges++;
    if (answer == EASIM_OK)
        pass->host->count(pass->plan, "exchanges are accepted", NULL);
    if (wrong)
        pass->host->fail(pass->plan, wrong);
    return wrong ? -1 : 0;
}

/* Of a job that holds GPUs: adds them to those that its nodes lack, and how many share one. */
static bool add_nodes(const struct easim_pass *pass, uint32_t job, uint32_t *held,
                      uint32_t *sharing) {
    const struct easim_view *view = pass->view;
    const struct easim_config *config = easim_view_config(view, easim_view_job(view, job)->config);
    struct easim_job_node nodes[8] = {{EASIM_NONE, 0}};
    uint32_t count = pass->host->job_nodes(pass->plan, job, nodes, 8), gpus = 0;
    bool is_well = count == pass->host->job_nodes(pass->plan, job, NULL, 0);
    for (uint32_t i = 0; i < count; i++) {
        is_well = is_well && nodes[i].gpus > 0 && nodes[i].node < view->node_count &&
                  easim_view_node(view, nodes[i].node)->gpu_type == config->gpu_type &&
                  (i == 0 || nodes[i].node > nodes[i - 1].node);
        gpus += nodes[i].gpus;
        (config->milli > 0 ? sharing : held)[nodes[i].node] += nodes[i].gpus;
    }
    return is_well && gpus == config->k;
}

static bool check_nodes(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    uint32_t *held = pass->host->scratch(pass->plan, view->node_count * sizeof *held),
             *sharing = pass->host->scratch(pass->plan, view->node_count * sizeof *held);
    bool is_well = true;
    for (uint32_t i = 0; i < view->running_count; i++)
        is_well = add_nodes(pass, easim_view_running(view, i)->job, held, sharing) && is_well;
    for (uint32_t i = 0; i < view->checkpointing_count; i++) {
        uint32_t job = easim_view_checkpointing(view, i)->job;
        if (easim_view_job(view, job)->config != EASIM_NONE)
            is_well = add_nodes(pass, job, held, sharing) && is_well;
        else
            is_well = is_well && pass->host->job_nodes(pass->plan, job, NULL, 0) == 0;
    }
    for (uint32_t n = 0; n < view->node_count; n++) {
        const struct easim_node *node = easim_view_node(view, n);
        uint32_t lacks = node->failed ? 0 : node->gpus - node->free;
        is_well = is_well && held[n] + (sharing[n] > 0) <= lacks && lacks <= held[n] + sharing[n];
    }
    return is_well;
}

static bool check_fits(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    bool is_well = true;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        uint32_t config = draw_config(pass, job);
        int tried = pass->host->try_config(pass->plan, i, config, NULL);
        is_well =
            is_well && easim_fits(pass, job, config) == tried &&
            (!view->fit_is_exact || easim_fit(view, easim_view_config(view, config)) == tried);
        if (tried == EASIM_CAP)
            pass->host->count(pass->plan, "starts would be over the cap", NULL);
        i = job->next_waiting;
    }
    return is_well;
}

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    for (int i = 0; i < 3; i++)
        if (exchange(pass) < 0)
            return -1;
    if (!check_nodes(pass) || !check_fits(pass)) {
        pass->host->fail(pass->plan, "nodes of jobs, or what fits, are others");
        return -1;
    }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        uint32_t config = draw_config(pass, job);
        i = job->next_waiting;
        if (easim_fits(pass, job, config) >= 0)
            pass->host->plan_start(pass->plan, job->index, config);
    }
    if (view->waiting_count + view->running_count > 0 && s->asked_s <= view->now_s) {
        s->asked_s = view->now_s + 7;
        pass->host->plan_wake_at(pass->plan, s->asked_s);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = NAME,
    .version = "1",
    .summary = "exchanges at random",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FRACTIONAL_GPU | MORE_CAPABILITIES,
    .state_size = sizeof(struct state),
    .decide = decide,
    .job_memory_size = sizeof(struct memory)};
