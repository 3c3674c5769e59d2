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
};

/* The running jobs of one GPU type that would give way. */
struct victims {
    uint32_t first; /* the one that does so most gladly; EASIM_NONE: there are none */
    double value;   /* of that one */
    uint32_t gpus;  /* of all */
    double wait_s;  /* until all have written their checkpoints */
    uint32_t wrong; /* a job of which displace gave no number; EASIM_NONE */
};

/* A job that got its GPUs at this very instant keeps them: perhaps this very plan gave them. One
   that shares a GPU would free no whole one. */
static bool may_give_way(const struct easim_view *view, const struct easim_running *running,
                         const struct easim_job *other) {
    return running->milli == 0 && other->preemptible && other->start_s < view->now_s;
}

static void add_victim(struct victims *victims, const struct easim_view *view,
                       const struct easim_running *running, double value) {
    victims->gpus += running->k;
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
        victims[h] = (struct victims){.first = EASIM_NONE, .wrong = EASIM_NONE};
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_running *running = easim_view_running(view, i);
        const struct easim_job *other = host_job(view, running->job);
        struct victims *own = &victims[running->gpu_type];
        if ((only != EASIM_NONE && running->gpu_type != only) || own->wrong != EASIM_NONE ||
            !may_give_way(view, running, other))
            continue;
        double value = question->rules->ops->displace(question->pass, question->job, other);
        if (isnan(value))
            own->wrong = running->job;
        else if (value > 0)
            add_victim(own, view, running, value);
    }
}

static int check_victims(const struct question *question, const struct victims *victims) {
    const struct easim_pass *pass = question->pass;
    return victims->wrong == EASIM_NONE
               ? 0
               : rules_fail(pass, "displace", host_job(pass->view, victims->wrong));
}

/* Whether the job could start once so many GPUs are free, after some time; -1: failed. */
static int could_start(const struct question *question, uint32_t gpus, double wait_s) {
    const struct easim_job *job = question->job;
    struct easim_choice choice;
    int can = 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count && can == 0; c++)
        if (easim_view_config(question->pass->view, c)->gpu_type == question->gpu_type)
            can = start_could(question->rules, question->pass, job, question->key,
                              &(struct start_hope){c, gpus, wait_s}, &choice);
    return can;
}

/* The most willing first, until those that are free suffice; 1, or 0 if the host refuses one. */
static int take_victims(const struct question *question,
                        struct victims all[static CLUSTER_MAX_TYPES]) {
    const struct easim_pass *pass = question->pass;
    struct victims *victims = &all[question->gpu_type];
    double wait_s = victims->wait_s;
    uint32_t gpus = easim_view_gpu_type(pass->view, question->gpu_type)->free;
    int can = 0;
    while (can == 0 && victims->first != EASIM_NONE) {
        gpus += easim_view_config(pass->view, host_job(pass->view, victims->first)->config)->k;
        if (pass->host->plan_preempt(pass->plan, victims->first, false) != EASIM_OK)
            return 0;
        can = could_start(question, gpus, wait_s);
        if (can == 0)
            find_victims(question, question->gpu_type, all);
        if (can == 0 && check_victims(question, victims) < 0)
            return -1;
    }
    return can;
}

int displace_for(struct displace *displace, const struct rules *rules,
                 const struct easim_pass *pass, const struct easim_job *job,
                 const struct easim_key *key) {
    const struct easim_view *view = pass->view;
    struct question question = {rules, pass, job, key, 0};
    if (view->now_ns < displace->quiet_until_ns)
        return 0;
    struct victims all[CLUSTER_MAX_TYPES];
    find_victims(&question, EASIM_NONE, all);
    for (; question.gpu_type < view->gpu_type_count; question.gpu_type++) {
        const struct victims *victims = &all[question.gpu_type];
        if (check_victims(&question, victims) < 0)
            return -1;
        uint32_t gpus = victims->gpus + easim_view_gpu_type(view, question.gpu_type)->free;
        double wait_s = victims->wait_s;
        int can = victims->gpus > 0 ? could_start(&question, gpus, wait_s) : 0;
        if (can == 0)
            continue;
        displace->quiet_until_ns = view->now_ns + (int64_t)(wait_s * 1e9);
        can = can < 0 ? can : take_victims(&question, all);
        return can > 0 ? wait_s == 0 : can;
    }
    return 0;
}
