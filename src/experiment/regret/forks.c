/* Forks of a run at its decision points: see forks.h. */
#include "experiment/regret/forks.h"

#include "base/child.h"
#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- forks: each that was forked is reaped here, whatever becomes of it --- */

#define TICK_MS 100

void forks_init(struct forks *forks) {
    forks->at = mem_zalloc(forks->most, sizeof *forks->at);
    forks->crashes = mem_shared(forks->most * sizeof *forks->crashes);
    for (unsigned i = 0; i < forks->most; i++)
        forks->at[i].forked.crash = &forks->crashes[i];
}

static void reap_fork(struct forks *forks, struct fork_place *place) {
    struct str failure = {0};
    struct slice result = {NULL, 0};
    const struct process_end end = {.status = forked_wait(&place->forked)};
    struct crash_context *crash = place->forked.crash;
    crash_context_explain(crash, &end, &failure);
    if (!failure.text)
        result = forked_open_result(&place->forked, &failure);
    if (failure.text &&
        crash->machine) /* the others die with this process, which may be made again */
        machine_end("%s", crash->fault.words[0] ? crash->fault.words : failure.text);
    forks->ended(forks->context, place->number, failure.text ? (struct slice){0} : result,
                 failure.text);
    forked_close_result(result);
    str_finish(&failure);
    forked_forget(&place->forked);
    forks->running--;
}

static void give_up(struct forks *forks) {
    for (unsigned i = 0; i < forks->most; i++)
        if (forks->at[i].forked.pid != 0) {
            forked_kill(&forks->at[i].forked);
            forked_wait(&forks->at[i].forked);
            forked_forget(&forks->at[i].forked);
        }
    forks->running = 0;
}

/* Until at most `rest` run. */
static int wait_until(struct forks *forks, unsigned rest) {
    struct pollfd *ended = mem_zalloc(forks->most, sizeof *ended);
    bool cancelled = false;
    while (forks->running > rest && !(cancelled = forks->cancel && atomic_load(forks->cancel))) {
        for (unsigned i = 0; i < forks->most; i++)
            ended[i] =
                (struct pollfd){.fd = forks->at[i].forked.pid != 0 ? forks->at[i].forked.ended : -1,
                                .events = POLLIN};
        if (child_poll(ended, forks->most, TICK_MS) <= 0)
            continue;
        for (unsigned i = 0; i < forks->most; i++)
            if (ended[i].revents)
                reap_fork(forks, &forks->at[i]);
    }
    free(ended);
    if (cancelled)
        give_up(forks);
    return cancelled ? ERROR_CANCELLED : 0;
}

static struct fork_place *free_place(struct forks *forks) {
    struct fork_place *place = forks->at;
    while (place->forked.pid != 0)
        place++;
    return place;
}

/* Without a process: when another fork has ended, or, with none to wait for, a little later. */
static int start_patiently(struct forks *forks, struct fork_place *place) {
    int copy = forked_start(&place->forked, false);
    for (unsigned attempt = 0; copy < 0 && attempt < CHILD_ATTEMPTS; attempt++) {
        int code = errno;
        if (forks->running == 0)
            child_wait_before(attempt);
        else if (wait_until(forks, forks->running - 1) < 0)
            return -1;
        else
            attempt--;
        errno = code;
        copy = forked_start(&place->forked, false);
    }
    return copy;
}

int forks_start(struct forks *forks, size_t number) {
    if (wait_until(forks, forks->most - 1) < 0)
        return 0;
    struct fork_place *place = free_place(forks);
    place->number = number;
    int copy = start_patiently(forks, place);
    if (copy > 0)
        forks->self = place;
    else if (copy == 0)
        forks->running++;
    else if (!forks->cancel || !atomic_load(forks->cancel))
        machine_end("cannot start a process: %s", strerror(errno));
    return copy > 0;
}

int forks_wait(struct forks *forks) {
    return wait_until(forks, 0);
}

void forks_finish(struct forks *forks) {
    give_up(forks);
    mem_unshare(forks->crashes, forks->most * sizeof *forks->crashes);
    free(forks->at);
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

/* Texts follow those that are there already. */
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
