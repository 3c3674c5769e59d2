/* Kept and restored: see own_state.h. */
#include "base/own_state.h"

#include "base/rounding.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const int numbers[OWN_STATE_SIGNALS] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE,
                                               SIGCHLD, SIGXFSZ, SIGALRM, SIGXCPU};

static int lost_output;

int own_state_lost_output(void) {
    return lost_output;
}

void own_state_keep(struct own_state *state) {
    state->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    state->mask = umask(0);
    umask(state->mask);
    sigprocmask(SIG_SETMASK, NULL, &state->blocked);
    for (int i = 0; i < OWN_STATE_SIGNALS; i++)
        sigaction(numbers[i], NULL, &state->actions[i]);
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
    for (int i = 0; i < OWN_STATE_SIGNALS; i++)
        sigaction(numbers[i], &state->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &state->blocked, NULL);
}
