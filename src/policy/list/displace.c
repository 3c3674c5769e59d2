/* Running jobs that give way: see rules.h. */
#include "policy/list/rules.h"

#include "cluster/cluster.h"
#include "policy/interface.h"
#include "policy/list/start.h"

/* What all questions of one decision are about. */
struct question {
    const struct rules *rules;
    const struct easim_pass *pass;
    const struct easim_job *job; /* it waits */
    const struct easim_key *key;
    uint32_t gpu_type; /* whose GPUs it is to get */
    /* NULL until some are chosen: its start and the jobs that are to go for it; and whether one of
       those that run does. */
    struct easim_part *parts;
    bool *goes;
    uint32_t part_count;
};

/* The running jobs of one GPU type that would give way. */
struct victims {
    uint32_t first; /* the one that does so most gladly; EASIM_NONE: there are none */
    double value;   /* of that one */
    uint32_t gpus;  /* of all */
    int64_t nw;     /* that of all, and what an enforced cap leaves; INT64_MAX: any */
    double wait_s;  /* until all have written their checkpoints */
    uint32_t wrong; /* a job of which displace gave no number; EASIM_NONE */
};

/* A job that got its GPUs at this very instant keeps them: perhaps this very plan gave them. One
   that shares a GPU would free no whole one. */
static bool may_give_way(const struct easim_view *view, const struct easim_running *running,
                         const struct easim_job *other) {
    return running->milli == 0 && other->preemptible && other->start_s < view->now_s;
}

/* Power that an enforced cap has left once the job is gone, which had nw before. */
static int64_t more_nw(const struct question *question, const struct easim_job *other, int64_t nw) {
    return nw == INT64_MAX
               ? nw
               : nw + start_need_nw(question->rules, question->pass, other, other->config);
}

static void add_victim(const struct question *question, struct victims *victims,
                       const struct easim_running *running, double value) {
    const struct easim_view *view = question->pass->view;
    victims->gpus += running->k;
    victims->nw = more_nw(question, host_job(view, running->job), victims->nw);
    victims->wait_s = fmax(victims->wait_s, easim_job_writes_s(view, host_job(view, running->job)));
    if (victims->first == EASIM_NONE || value > victims->value ||
        (value == victims->value && running->job < victims->first)) {
        victims->first = running->job;
        victims->value = value;
    }
}

/* Those of all GPU types; or of one alone. */
static void find_victims(const struct question *question, uint32_t only,
                         struct victims victims[static CLUSTER_MAX_TYPES]) {
    const struct easim_view *view = question->pass->view;
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        victims[h] = (struct victims){
            .first = EASIM_NONE, .nw = start_room_nw(question->rules), .wrong = EASIM_NONE};
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_running *running = easim_view_running(view, i);
        const struct easim_job *other = host_job(view, running->job);
        struct victims *own = &victims[running->gpu_type];
        if ((only != EASIM_NONE && running->gpu_type != only) || own->wrong != EASIM_NONE ||
            (question->goes && question->goes[i]) || !may_give_way(view, running, other))
            continue;
        double value = question->rules->ops->displace(question->pass, question->job, other);
        if (isnan(value))
            own->wrong = running->job;
        else if (value > 0)
            add_victim(question, own, running, value);
    }
}

static int check_victims(const struct question *question, const struct victims *victims) {
    const struct easim_pass *pass = question->pass;
    return victims->wrong == EASIM_NONE
               ? 0
               : rules_fail(pass, "displace", host_job(pass->view, victims->wrong));
}

/* Whether all power domains admit the start in config without those that go, if any are chosen. */
static bool domains_admit(const struct question *question, uint32_t config) {
    if (!question->parts)
        return true;
    question->parts[0] = (struct easim_part){EASIM_PART_START, question->job->index, config, false};
    return easim_power_admits(question->rules->cap, question->pass, question->parts,
                              question->part_count);
}

/* Whether the job could start with GPUs and power of victims; -1: failed. */
static int could_start(const struct question *question, const struct victims *of) {
    const struct easim_job *job = question->job;
    struct easim_choice choice;
    int can = 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count && can == 0;
         c++) {
        if (easim_view_config(question->pass->view, c)->gpu_type == question->gpu_type)
            can = start_could(question->rules, question->pass, job, question->key,
                              &(struct start_hope){c, of->gpus, of->wait_s, of->nw}, &choice);
        can = can > 0 ? domains_admit(question, c) : can;
    }
    return can;
}

static bool preempt(const struct question *question, uint32_t job) {
    return question->pass->host->plan_preempt(question->pass->plan, job, false) == EASIM_OK;
}

static bool has_domains(const struct rules *rules) {
    return rules->cap && rules->cap->domain_count > 0;
}

/* The most willing first, until those that are free suffice; 1, or 0 if the host refuses one. With
   power domains they go only once all are found: 0 if even all do not suffice. */
static int take_victims(struct question question, struct victims all[static CLUSTER_MAX_TYPES]) {
    const struct easim_pass *pass = question.pass;
    struct victims *victims = &all[question.gpu_type];
    size_t most = pass->view->running_count + 1;
    struct victims taken = {.gpus = easim_view_gpu_type(pass->view, question.gpu_type)->free,
                            .nw = start_room_nw(question.rules),
                            .wait_s = victims->wait_s};
    if (has_domains(question.rules)) {
        question.part_count = 1;
        question.parts = pass->host->scratch(pass->plan, most * sizeof *question.parts);
        question.goes = pass->host->scratch(pass->plan, most * sizeof *question.goes);
    }
    int can = 0;
    while (can == 0 && victims->first != EASIM_NONE) {
        const struct easim_job *next = host_job(pass->view, victims->first);
        taken.gpus += easim_view_config(pass->view, next->config)->k;
        taken.nw = more_nw(&question, next, taken.nw);
        if (question.parts) {
            question.goes[next->running_slot] = true;
            question.parts[question.part_count++] =
                (struct easim_part){EASIM_PART_PREEMPT, next->index, EASIM_NONE, true};
        } else if (!preempt(&question, next->index)) {
            return 0;
        }
        can = could_start(&question, &taken);
        if (can == 0)
            find_victims(&question, question.gpu_type, all);
        if (can == 0 && check_victims(&question, victims) < 0)
            return -1;
    }
    for (uint32_t i = 1; i < question.part_count && can > 0; i++)
        can = preempt(&question, question.parts[i].job);
    return can;
}

int displace_for(struct displace *displace, const struct rules *rules,
                 const struct easim_pass *pass, const struct easim_job *job,
                 const struct easim_key *key) {
    const struct easim_view *view = pass->view;
    struct question question = {.rules = rules, .pass = pass, .job = job, .key = key};
    if (view->now_ns < displace->quiet_until_ns)
        return 0;
    struct victims all[CLUSTER_MAX_TYPES];
    find_victims(&question, EASIM_NONE, all);
    for (; question.gpu_type < view->gpu_type_count; question.gpu_type++) {
        const struct victims *victims = &all[question.gpu_type];
        if (check_victims(&question, victims) < 0)
            return -1;
        struct victims gone = *victims;
        gone.gpus += easim_view_gpu_type(view, question.gpu_type)->free;
        int can = victims->gpus > 0 ? could_start(&question, &gone) : 0;
        if (can == 0)
            continue;
        can = can < 0 ? can : take_victims(question, all);
        if (can == 0 && has_domains(rules))
            continue;
        displace->quiet_until_ns = view->now_ns + (int64_t)(gone.wait_s * 1e9);
        return can > 0 ? gone.wait_s == 0 : can;
    }
    return 0;
}
