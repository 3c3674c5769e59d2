/* Files for standard streams, and words for what runs leave: see run_effects.h. */
#include "conformance/run_effects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const stream_names[] = {"standard output", "standard error"};

void run_effects_open(struct run_effects *effects) {
    for (int i = 0; i < 2; i++) {
        effects->streams[i] = memfd_create(stream_names[i], MFD_CLOEXEC);
        if (effects->streams[i] >= 0)
            (void)fcntl(effects->streams[i], F_SETFL, O_APPEND);
    }
}

void run_effects_close(struct run_effects *effects) {
    for (int i = 0; i < 2; i++)
        if (effects->streams[i] >= 0)
            close(effects->streams[i]);
    str_finish(&effects->changes);
}

void run_effects_take_streams(const struct run_effects *effects) {
    for (int i = 0; i < 2; i++)
        if (effects->streams[i] >= 0 && ftruncate(effects->streams[i], 0) == 0)
            (void)TEMP_FAILURE_RETRY(dup2(effects->streams[i], STDOUT_FILENO + i));
}

/* The beginning of what is in a file. */
static size_t read_start(int fd, char *text, size_t bytes) {
    ssize_t got = fd < 0 ? 0 : TEMP_FAILURE_RETRY(pread(fd, text, bytes, 0));
    return got > 0 ? (size_t)got : 0;
}

void run_effects_show_errors(const struct run_effects *effects) {
    char text[4096];
    size_t length = read_start(effects->streams[1], text, sizeof text);
    if (length > 0)
        (void)!write(STDERR_FILENO, text, length);
}

static void add_change(struct run_effects *effects, const char *what, const char *detail,
                       const char *scenario) {
    if (strstr(effects->changes.length ? effects->changes.text : "", what))
        return;
    str_addf(&effects->changes, "%s%s%s in \"%s\"", effects->changes.length ? "; " : "", what,
             detail, scenario);
}

static void note_output(struct run_effects *effects, int stream, const char *scenario) {
    char text[60], what[40];
    struct str detail = {0};
    size_t length = read_start(effects->streams[stream], text, sizeof text - 1);
    if (length == 0)
        return;
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    snprintf(what, sizeof what, "writes to %s", stream_names[stream]);
    str_add(&detail, " \"");
    str_add_visible(&detail, text);
    str_add(&detail, "\"");
    add_change(effects, what, detail.text, scenario);
    str_finish(&detail);
}

void run_effects_note(struct run_effects *effects, unsigned changes, const char *scenario) {
    static const char *const names[] = {"changes its working folder", "changes its umask",
                                        "changes its locale", "changes the handlers of signals",
                                        "changes which signals are blocked"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (changes & 1u << i)
            add_change(effects, names[i], "", scenario);
    for (int i = 0; i < 2; i++)
        note_output(effects, i, scenario);
}
