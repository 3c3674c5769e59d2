/* The program behind the policy exec: a shell that writes down what it reads and answers from a
   file, and what is asked of it. */
#ifndef EASIM_TESTS_MOCK_EXEC_PROGRAM_H
#define EASIM_TESTS_MOCK_EXEC_PROGRAM_H

#include "policy_mock.h"

#include "../../support/temp_dir.h"
#include "check.h"
#include "counted_memory.h"
#include "noting_host.h"
#include <unistd.h>

static struct easim_pass pass_of(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    pass.host = &noting_host;
    pass.plan = NULL;
    return pass;
}

static int start(struct mock *m) {
    struct easim_pass pass = pass_of(m);
    memory.in_policy = true;
    int r = easim_policy.init(&pass);
    memory.in_policy = false;
    return r;
}

static int decide(struct mock *m) {
    struct easim_pass pass = pass_of(m);
    host_notes.call_count = 0;
    host_notes.calls[0] = '\0';
    memory.in_policy = true;
    int r = easim_policy.decide(&pass);
    memory.in_policy = false;
    return r;
}

/* --- the program --- */

static const char command[] = "sh program";

/* Starts anew with these answers, one a line. Those that begin with "ready" or "actions" get the
   number of their message. */
static void set_program(struct mock *m, const char *answers) {
    unlink("said");
    temp_file_write_text("answers", answers);
    temp_file_write_text("program",
                         "exec 3<answers; number=0\n"
                         "while IFS= read -r line; do\n"
                         "    printf '%s\\n' \"$line\" >>said\n"
                         "    IFS= read -r answer <&3 || answer=none\n"
                         "    case $answer in\n"
                         "    none) ;;\n"
                         "    '{\"ready'* | '{\"actions'*)\n"
                         "        printf '{\"message\":%s, %s\\n' $number \"${answer#?}\" ;;\n"
                         "    *) printf '%s\\n' \"$answer\" ;;\n"
                         "    esac\n"
                         "    number=$((number + 1))\n"
                         "done\n");
    *(const char **)m->params = command; /* the first parameter */
}

/* Checks the last line that the program has read; ' stands for ". */
static void check_said(int line, const char *expected) {
    static char text[1 << 16], wanted[1 << 16];
    FILE *file = fopen("said", "r");
    *text = '\0';
    while (file && fgets(text, sizeof text, file))
        ;
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    snprintf(wanted, sizeof wanted, "%s", expected);
    for (char *at = wanted; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    if (strcmp(text, wanted) != 0) {
        printf("line %d: sent\n%s\nexpected\n%s\n", line, text, wanted);
        checks_failed++;
    }
}

#define CHECK_SAID(expected) check_said(__LINE__, expected)

static void add_event(struct mock *m, uint32_t kind, uint32_t job) {
    struct easim_event event = {kind, job, EASIM_NONE};
    MOCK_APPEND(m, events, m->view.event_count, event);
}

/* The next decision is at this time, with one event. */
static void at(struct mock *m, double now_s, uint32_t kind, uint32_t job) {
    mock_advance(m, now_s);
    m->view.event_count = 0;
    add_event(m, kind, job);
}

#endif
