/* Kept and restored: see own_state.h. */
#include "base/own_state.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What has changed since it was kept: bits of own_state_changes. */
enum own_state_change {
    OWN_STATE_FOLDER = 1,
    OWN_STATE_MASK = 2,
    OWN_STATE_LOCALE = 4,
    OWN_STATE_HANDLERS = 8,
    OWN_STATE_BLOCKED = 16
};

static int lost_output;

int own_state_lost_output(void) {
    return lost_output;
}

void own_state_look(struct own_state *state) {
    *state = (struct own_state){.output = -1};
    state->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    state->mask = umask(0);
    umask(state->mask);
    sigprocmask(SIG_SETMASK, NULL, &state->blocked);
    for (int i = 1; i < OWN_STATE_SIGNALS; i++)
        sigaction(i, NULL, &state->actions[i]);
}

void own_state_keep(struct own_state *state) {
    own_state_look(state);
    if (fflush(stdout) != 0)
        lost_output = errno;
    state->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (state->output >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
}

void own_state_set_locale(void) {
    uselocale(LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
}

static bool is_other_folder(const struct own_state *state) {
    struct stat kept, now;
    return state->folder >= 0 && (fstat(state->folder, &kept) < 0 || stat(".", &now) < 0 ||
                                  kept.st_dev != now.st_dev || kept.st_ino != now.st_ino);
}

/* By what is called: two structs of one meaning may differ in bytes that nobody sets. */
static bool other_handlers(const struct own_state *state) {
    bool other = false;
    for (int i = 1; i < OWN_STATE_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(i, NULL, &now) == 0)
            other = other || now.sa_handler != state->actions[i].sa_handler;
    }
    return other;
}

static bool other_blocked(const struct own_state *state) {
    sigset_t now;
    bool other = false;
    sigprocmask(SIG_SETMASK, NULL, &now);
    for (int i = 1; i < OWN_STATE_SIGNALS; i++)
        other = other || sigismember(&now, i) != sigismember(&state->blocked, i);
    return other;
}

unsigned own_state_changes(const struct own_state *state) {
    mode_t mask = umask(state->mask);
    umask(mask);
    bool locale =
        uselocale((locale_t)0) != LC_GLOBAL_LOCALE || strcmp(setlocale(LC_ALL, NULL), "C") != 0;
    return (is_other_folder(state) ? OWN_STATE_FOLDER : 0u) |
           (mask != state->mask ? OWN_STATE_MASK : 0u) | (locale ? OWN_STATE_LOCALE : 0u) |
           (other_handlers(state) ? OWN_STATE_HANDLERS : 0u) |
           (other_blocked(state) ? OWN_STATE_BLOCKED : 0u);
}

void own_state_restore(struct own_state *state) {
    fflush(stdout);
    if (state->output >= 0) {
        dup2(state->output, STDOUT_FILENO);
        close(state->output);
    }
    if (state->folder >= 0) {
        (void)!fchdir(state->folder); /* its own working folder: it can only be gone */
        close(state->folder);
    }
    umask(state->mask);
    own_state_set_locale();
    rounding_set_usual();
    for (int i = 1; i < OWN_STATE_SIGNALS; i++)
        sigaction(i, &state->actions[i], NULL); /* not of those that cannot be changed */
    sigprocmask(SIG_SETMASK, &state->blocked, NULL);
}
