/* detour: starts waiting jobs in order, each in the configuration that fits now and takes longest
   (worst) or shortest; but the start of number `at`, counted over all that are accepted, as
   `place` says: the configuration of that place among those of the job, or -1: not in this
   decision. Where it is refused what fits, which only happens in a copy of the run, it does as
   `refused` says, from its start number `from` on. interrupt: sends SIGINT to the parent of its
   parent, and waits for the end. */
#include <easim/policy.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum refused { GO_ON, FAIL, CRASH, KILL, EXIT, SCRATCH, INTERRUPT };
static const char *const refusals[] = {"go_on", "fail",    "crash",     "kill",
                                       "exit",  "scratch", "interrupt", NULL};

struct params {
    bool worst;
    int32_t refused;
    int64_t at, place, from;
};

struct state {
    int64_t starts; /* so far, with the one that was left out */
};

static uint32_t choose(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    uint32_t best = EASIM_NONE;
    double best_s = 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        if (span < 0)
            continue;
        double time_s = easim_predict(pass->view, job, c, (uint32_t)span).time_s;
        if (best == EASIM_NONE || (p->worst ? time_s > best_s : time_s < best_s)) {
            best = c;
            best_s = time_s;
        }
    }
    return best;
}

static void interrupt(void) {
    char path[40];
    int easim = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %*c %d", &easim) == 1)
        kill(easim, SIGINT);
    for (;;)
        pause();
}

static int take_refusal(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    volatile char *volatile nowhere = NULL;
    switch ((enum refused)p->refused) {
    case GO_ON:
        break;
    case FAIL:
        pass->host->fail(pass->plan, "it was refused what fits");
        return -1;
    case CRASH:
        *nowhere = 1;
        break;
    case KILL:
        raise(SIGKILL);
        break;
    case EXIT:
        exit(0);
    case SCRATCH:
        pass->host->scratch(pass->plan, (size_t)1 << 60);
        break;
    case INTERRUPT:
        interrupt();
    }
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        uint32_t config = choose(pass, job);
        i = job->next_waiting;
        if (config == EASIM_NONE)
            continue;
        if (++s->starts == p->at && p->place < 0)
            continue;
        if (s->starts == p->at)
            config = job->first_config + (uint32_t)p->place;
        if (pass->host->plan_start(pass->plan, job->index, config) != EASIM_OK &&
            s->starts >= p->from && take_refusal(pass) < 0)
            return -1;
    }
    return 0;
}

static const struct easim_param params[] = {
    {"worst", "", "the longest", EASIM_PARAM_BOOL, offsetof(struct params, worst), 0, 1, 0, false,
     NULL, EASIM_ROLE_NONE},
    {"refused", "", "what it does then", EASIM_PARAM_CHOICE, offsetof(struct params, refused), 0,
     INTERRUPT, GO_ON, false, refusals, EASIM_ROLE_NONE},
    {"from", "", "from which start on", EASIM_PARAM_INT, offsetof(struct params, from), 0, 1e9, 0,
     false, NULL, EASIM_ROLE_NONE},
    {"at", "", "which start, 0: none", EASIM_PARAM_INT, offsetof(struct params, at), 0, 1e9, 0,
     false, NULL, EASIM_ROLE_NONE},
    {"place", "", "of a configuration", EASIM_PARAM_INT, offsetof(struct params, place), -1, 1e9, 0,
     false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "detour",
                                                       .version = "1",
                                                       .summary = "one start another way",
                                                       .state_size = sizeof(struct state),
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 5,
                                                       .decide = decide};
