/* Forks of a run at its decision points: see forks.h. */
#include "experiment/regret/forks.h"

#include "base/child.h"
#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- branches: each that was forked is reaped here, whatever becomes of it --- */

#define TICK_MS 100

void branches_init(struct branches *branches) {
    branches->at = mem_zalloc(branches->most, sizeof *branches->at);
    branches->crashes = mem_shared(branches->most * sizeof *branches->crashes);
    for (unsigned i = 0; i < branches->most; i++)
        branches->at[i].forked.crash = &branches->crashes[i];
}

static void reap_branch(struct branches *branches, struct branch *branch) {
    struct str failure = {0};
    struct slice result = {NULL, 0};
    const struct process_end end = {.status = forked_wait(&branch->forked)};
    struct crash_context *crash = branch->forked.crash;
    crash_context_explain(crash, &end, &failure);
    if (!failure.text)
        result = forked_open_result(&branch->forked, &failure);
    if (failure.text &&
        crash->machine) /* the others die with this process, which may be made again */
        machine_end("%s", crash->words[0] ? crash->words : failure.text);
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

/* Without a process: when another branch has ended, or, with none to wait for, a little later. */
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
    mem_unshare(branches->crashes, branches->most * sizeof *branches->crashes);
    free(branches->at);
}

/* --- text_places --- */

size_t text_places_add(struct str *texts, const char *text) {
    if (!text)
        return 0;
    if (texts->length == 0)
        str_add_char(texts, '\0'); /* the place of none */
    size_t place = texts->length;
    str_add_bytes(texts, text, strlen(text) + 1);
    return place;
}

const char *text_places_at(const struct str *texts, size_t place) {
    return place > 0 ? texts->text + place : NULL;
}

void text_places_move(size_t *const *places, size_t count, size_t by) {
    for (size_t i = 0; i < count; i++)
        *places[i] += *places[i] > 0 ? by : 0;
}

/* --- regret_row --- */

const char *const regret_action_names[] = {"chosen", "other", "wait"};

void regret_rows_add_bytes(const struct regret_rows *rows, struct str *out) {
    const uint64_t count = rows->at.count, length = rows->texts.length;
    str_add_bytes(out, (const char *)&count, sizeof count);
    str_add_bytes(out, (const char *)&length, sizeof length);
    str_add_bytes(out, (const char *)rows->at.at, count * sizeof *rows->at.at);
    str_add_bytes(out, rows->texts.text, length);
}

/* Texts stand behind those that are there already. */
static void move_texts(struct regret_row *row, size_t by) {
    size_t *const places[] = {&row->job,         &row->model,      &row->user,
                              &row->most_sooner, &row->most_later, &row->failure};
    text_places_move(places, sizeof places / sizeof *places, by);
}

bool regret_rows_take_bytes(struct regret_rows *rows, struct slice from) {
    uint64_t count, length;
    const size_t head = sizeof count + sizeof length;
    if (from.length < head)
        return false;
    memcpy(&count, from.at, sizeof count);
    memcpy(&length, from.at + sizeof count, sizeof length);
    if (count > from.length / sizeof(struct regret_row) ||
        from.length - head != count * sizeof(struct regret_row) + length)
        return false;
    const char *at = from.at + head;
    size_t by = rows->texts.length;
    for (uint64_t i = 0; i < count; i++, at += sizeof(struct regret_row)) {
        struct regret_row *row = array_add(&rows->at);
        memcpy(row, at, sizeof *row);
        move_texts(row, by);
    }
    str_add_bytes(&rows->texts, at, length);
    return true;
}

void regret_rows_finish(struct regret_rows *rows) {
    free(rows->at.at);
    str_finish(&rows->texts);
}
