/* Branches: see branches.h. Each that was forked is reaped here, whatever becomes of it. */
#include "experiment/regret/branches.h"

#include "base/child.h"
#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS 100

void branches_init(struct branches *branches) {
    branches->at = mem_zalloc(branches->most, sizeof *branches->at);
    branches->trails = mem_shared(branches->most * sizeof *branches->trails);
    for (unsigned i = 0; i < branches->most; i++)
        branches->at[i].forked.trail = &branches->trails[i];
}

static void reap_branch(struct branches *branches, struct branch *branch) {
    struct str failure = {0};
    struct slice result = {NULL, 0};
    const struct trail_end end = {.status = forked_wait(&branch->forked)};
    struct trail *trail = branch->forked.trail;
    trail_explain(trail, &end, &failure);
    if (!failure.text)
        result = forked_open_result(&branch->forked, &failure);
    if (failure.text &&
        trail->machine) /* the others die with this process, which may be made again */
        machine_end("%s", trail->words[0] ? trail->words : failure.text);
    branches->ended(branches->context, branch->number, failure.text ? (struct slice){0} : result,
                    failure.text);
    forked_close_result(result);
    str_finish(&failure);
    forked_forget(&branch->forked);
    branches->running--;
}

static void give_up(struct branches *branches) {
    for (unsigned i = 0; i < branches->most; i++)
        if (branches->at[i].forked.pid != 0) {
            forked_kill(&branches->at[i].forked);
            forked_wait(&branches->at[i].forked);
            forked_forget(&branches->at[i].forked);
        }
    branches->running = 0;
}

/* Until at most `rest` run. */
static int wait_until(struct branches *branches, unsigned rest) {
    struct pollfd *ended = mem_zalloc(branches->most, sizeof *ended);
    bool cancelled = false;
    while (branches->running > rest &&
           !(cancelled = branches->cancel && atomic_load(branches->cancel))) {
        for (unsigned i = 0; i < branches->most; i++)
            ended[i] = (struct pollfd){
                .fd = branches->at[i].forked.pid != 0 ? branches->at[i].forked.ended : -1,
                .events = POLLIN};
        if (child_poll(ended, branches->most, TICK_MS) <= 0)
            continue;
        for (unsigned i = 0; i < branches->most; i++)
            if (ended[i].revents)
                reap_branch(branches, &branches->at[i]);
    }
    free(ended);
    if (cancelled)
        give_up(branches);
    return cancelled ? ERROR_CANCELLED : 0;
}

static struct branch *free_branch(struct branches *branches) {
    struct branch *branch = branches->at;
    while (branch->forked.pid != 0)
        branch++;
    return branch;
}

/* Where there is no process: when another branch has ended, and with none to wait for a little
   later. */
static int start_patiently(struct branches *branches, struct branch *branch) {
    int copy = forked_start(&branch->forked);
    for (unsigned attempt = 0; copy < 0 && attempt < CHILD_ATTEMPTS; attempt++) {
        int code = errno;
        if (branches->running == 0)
            child_wait_before(attempt);
        else if (wait_until(branches, branches->running - 1) < 0)
            return -1;
        else
            attempt--;
        errno = code;
        copy = forked_start(&branch->forked);
    }
    return copy;
}

int branches_fork(struct branches *branches, size_t number) {
    if (wait_until(branches, branches->most - 1) < 0)
        return 0;
    struct branch *branch = free_branch(branches);
    branch->number = number;
    int copy = start_patiently(branches, branch);
    if (copy > 0)
        branches->self = branch;
    else if (copy == 0)
        branches->running++;
    else if (!branches->cancel || !atomic_load(branches->cancel))
        machine_end("cannot start a process: %s", strerror(errno));
    return copy > 0;
}

int branches_wait(struct branches *branches) {
    return wait_until(branches, 0);
}

void branches_finish(struct branches *branches) {
    give_up(branches);
    mem_unshare(branches->trails, branches->most * sizeof *branches->trails);
    free(branches->at);
}
