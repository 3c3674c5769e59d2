/* Fork, wait, pass signals on. The child heads a process group, so that an interruption at the
   terminal reaches it once, from here. */
#include "cli/repeat_child.h"

#include "base/child.h"
#include "base/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void repeat_child_signals(sigset_t *signals) {
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(signals);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(signals, all[i]);
}

static _Noreturn void run_in_child(const struct repeat_child *repetition, pid_t parent) {
    int argc = 0, null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t signals;
    mem_on_failure(NULL, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_RUN_FAILED);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) {
        cli_say("easim: /dev/null: %s\n", strerror(errno));
        _exit(EXIT_RUN_FAILED);
    }
    repeat_child_signals(&signals);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    if (repetition->working_folder && chdir(repetition->working_folder) < 0) {
        cli_say("easim: %s: cannot enter folder: %s\n", repetition->working_folder,
                strerror(errno));
        exit(EXIT_BAD_INPUT);
    }
    if (repetition->policy_path)
        setenv("EASIM_POLICY_PATH", repetition->policy_path, 1);
    if (repetition->data_folder)
        setenv("EASIM_DATA", repetition->data_folder, 1);
    while (repetition->argv[argc])
        argc++;
    exit(repetition->run(repetition->command, repetition->results, argc, repetition->argv));
}

static int exit_code(int status, bool interrupted) {
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (interrupted)
        return EXIT_INTERRUPTED;
    cli_say("easim: the repetition was ended by signal %d\n", WTERMSIG(status));
    return EXIT_RUN_FAILED;
}

int repeat_child_run(const struct repeat_child *repetition) {
    pid_t parent = getpid();
    sigset_t signals;
    int status, number;
    bool interrupted = false;
    fflush(stdout);
    fflush(stderr);
    pid_t child = child_fork();
    if (child < 0) {
        cli_say("easim: cannot start a process: %s\n", strerror(errno));
        return EXIT_RUN_FAILED;
    }
    if (child == 0)
        run_in_child(repetition, parent);
    setpgid(child, child);
    repeat_child_signals(&signals);
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sigwait(&signals, &number) != 0 || number == SIGCHLD)
            continue;
        interrupted = true;
        kill(child, number);
    }
    return exit_code(status, interrupted);
}
