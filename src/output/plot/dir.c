/* Drawing with gnuplot: no shell, and only file names that easim chose. */
#include "output/plot/dir.h"

#include "base/mem.h"
#include "figure_scripts.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "io/leftovers.h"
#include "output/plot/figures.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- kinds --- */
/* A script is variables, then what all figures share, then the plotting part. */

const struct plot_kind plot_kinds[] = {
    {"pareto", "two metrics of all policies, with their front", script_pareto, plot_pareto,
     PLOT_OF_RUNS, "pareto scale policies"},
    {"jct", "share of the measured jobs that finish within a time", script_jct, plot_jct,
     PLOT_OF_RUNS, "policies"},
    {"power", "power over time, with the cap", script_panels, plot_power, PLOT_OF_RUNS,
     "replication policies"},
    {"occupancy", "GPUs allocated, idle and failed over time", script_panels, plot_occupancy,
     PLOT_OF_RUNS, "replication policies"},
    {"queue", "jobs waiting over time", script_queue, plot_queue, PLOT_OF_RUNS,
     "replication policies"},
    {"bars", "missed deadlines and fairness", script_bars, plot_bars, PLOT_OF_RUNS,
     "metrics policies"},
    {"worlds", "differences in many worlds, and where they come from", script_worlds, plot_worlds,
     PLOT_OF_RUNS, "metrics policies"},
    {"lines", "metrics of a sweep along an axis", script_lines, plot_lines, PLOT_OF_RUNS,
     "metrics x by where"},
    {"heatmap", "a metric of a sweep over two axes", script_heatmap, plot_heatmap, PLOT_OF_RUNS,
     "metrics x y by where"},
    {"speedup", "rate over GPUs, of what models say", script_models, plot_speedup, PLOT_OF_MODELS,
     ""},
    {"energy_k", "energy per unit of work over GPUs, of what models say", script_models,
     plot_energy_over_k, PLOT_OF_MODELS, ""},
    {"energy_b", "energy per unit of work over batches, of what models say", script_models,
     plot_energy_over_b, PLOT_OF_MODELS, ""},
    {"meter", "metered and predicted power over time", script_meter, plot_meter, PLOT_OF_METERS,
     ""},
    {.name = NULL},
};

/* The whole script of a made figure, which draws `formats` ("svg png"). */
static void plot_script(const struct plot_kind *kind, const struct plot_figure *figure,
                        const char *formats, struct str *out) {
    str_addf(
        out,
        "# %s: %s. Written by easim plot with %s.csv; draws the same figure again:\n#   gnuplot -d %s.gp\n\n",
        kind->name, kind->summary, kind->name, kind->name);
    str_addf(out, "figure = '%s'\nformats = '%s'\nwidth = %d\nheight = %d\n", kind->name, formats,
             figure->width, figure->height);
    str_add_bytes(out, figure->variables.text, figure->variables.length);
    str_add(out, script_begin);
    str_add(out, kind->script);
    str_add(out, script_end);
}

/* --- dir --- */

static const char *const endings[] = {"gp", "csv", "svg", "pdf", "png"};

#define ENDINGS (sizeof endings / sizeof *endings)

struct plot_dir {
    struct arena arena;
    const char *path;
    char *drawing;                /* the folder inside it */
    int lock;                     /* on that */
    ARRAY_OF(const char *) drawn; /* names of figures */
};

int plot_dir_open(const char *path, struct plot_dir **ret_dir, struct error *reterr) {
    int r = files_make_folders(path, reterr);
    if (r < 0)
        return r;
    struct plot_dir *dir = mem_zalloc(1, sizeof *dir);
    dir->path = arena_strdup(&dir->arena, path);
    dir->drawing = arena_printf(&dir->arena, "%s/drawing.tmp-XXXXXX", path);
    leftovers_remove(path, (const char *const[]){"drawing", NULL});
    r = leftovers_make_folder(dir->drawing, &dir->lock, reterr);
    if (r < 0) {
        arena_finish(&dir->arena);
        free(dir);
        return r;
    }
    *ret_dir = dir;
    return 0;
}

/* ---- gnuplot ---- */

/* Ours, but text is UTF-8: in other locales gnuplot warns of every character that it converts. */
static char **gnuplot_environment(void) {
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **own = mem_zalloc(count + 3, sizeof *own);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "LC_CTYPE=", 9) != 0)
            own[kept++] = environ[i];
    own[kept++] = "LC_ALL=C.UTF-8"; /* would go before the other */
    own[kept] = "LC_CTYPE=C.UTF-8";
    return own;
}

static int start_gnuplot(const char *folder, const char *script, int words, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    char *arguments[] = {"gnuplot", "-d", (char *)script, NULL}; /* -d: not the user's settings */
    char **own = gnuplot_environment();
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    int r = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, own);
    free(own);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return r;
}

static void read_gnuplot_words(int fd, struct str *out) {
    char buffer[4096];
    for (ssize_t count; (count = read(fd, buffer, sizeof buffer)) != 0;)
        if (count > 0)
            str_add_bytes(out, buffer, (size_t)count);
        else if (errno != EINTR)
            break;
}

static int run_gnuplot(const char *folder, const char *script, struct str *words,
                       struct error *reterr) {
    int ends[2], status = 0;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(reterr, ERROR_RUN, "cannot start gnuplot: %s", strerror(errno));
    int failure = start_gnuplot(folder, script, ends[1], &pid);
    close(ends[1]);
    if (failure == 0) {
        read_gnuplot_words(ends[0], words);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    if (failure == ENOENT)
        return error_set(reterr, ERROR_RUN,
                         "gnuplot is not installed; "
                         "it draws the figures (Debian, Ubuntu: apt-get install gnuplot-nox; "
                         "elsewhere: the package gnuplot)");
    if (failure != 0)
        return error_set(reterr, ERROR_RUN, "cannot start gnuplot: %s", strerror(failure));
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
        return error_set(reterr, ERROR_CANCELLED, "interrupted: there are no figures");
    if (status != 0)
        return error_set(reterr, ERROR_RUN, "gnuplot failed on %s: %.800s", script,
                         words->length > 0 ? words->text : "it said nothing");
    return 0;
}

/* Messages of gnuplot, except that a series has no point in a panel, which it prints for each. */
static void add_warnings(const struct str *words, struct str *out) {
    for (const char *line = words->text; line && *line;) {
        size_t length = strcspn(line, "\n"), whole = line[length] ? length + 1 : length;
        if (length > 0 && !memmem(line, length, "no valid points", 15))
            str_add_bytes(out, line, whole);
        line += whole;
    }
}

/* ---- Files ---- */

static int write_figure_file(const struct plot_dir *dir, const char *name, const char *ending,
                             const struct str *text, struct error *reterr) {
    struct arena arena = {0};
    int r = atomic_file_write_whole(arena_printf(&arena, "%s/%s.%s", dir->drawing, name, ending),
                                    text->text, text->length, reterr);
    arena_finish(&arena);
    return r;
}

int plot_dir_draw(struct plot_dir *dir, const struct plot_kind *kind,
                  const struct plot_figure *figure, const char *formats, struct str *warnings,
                  struct error *reterr) {
    struct str script = {0}, words = {0};
    array_push(&dir->drawn, kind->name);
    plot_script(kind, figure, formats, &script);
    int r = write_figure_file(dir, kind->name, "csv", &figure->data, reterr);
    if (r == 0)
        r = write_figure_file(dir, kind->name, "gp", &script, reterr);
    if (r == 0)
        r = run_gnuplot(dir->drawing, arena_printf(&dir->arena, "%s.gp", kind->name), &words,
                        reterr);
    if (r == 0)
        add_warnings(&words, warnings);
    str_finish(&script);
    str_finish(&words);
    return r;
}

static int place_figure(struct plot_dir *dir, const char *name, struct error *reterr) {
    for (size_t e = 0; e < ENDINGS; e++) {
        const char *from = arena_printf(&dir->arena, "%s/%s.%s", dir->drawing, name, endings[e]);
        const char *to = arena_printf(&dir->arena, "%s/%s.%s", dir->path, name, endings[e]);
        if (TEMP_FAILURE_RETRY(rename(from, to)) == 0)
            continue;
        if (errno != ENOENT)
            return error_set(reterr, ERROR_IO, "%s: cannot rename: %s", to, strerror(errno));
        (void)unlink(to);
    }
    return 0;
}

int plot_dir_commit(struct plot_dir *dir, struct error *reterr) {
    int r = 0;
    for (size_t i = 0; r == 0 && i < dir->drawn.count; i++)
        r = place_figure(dir, dir->drawn.at[i], reterr);
    plot_dir_abort(dir);
    return r;
}

void plot_dir_abort(struct plot_dir *dir) {
    if (!dir)
        return;
    for (size_t i = 0; i < dir->drawn.count; i++)
        for (size_t e = 0; e < ENDINGS; e++)
            (void)unlink(
                arena_printf(&dir->arena, "%s/%s.%s", dir->drawing, dir->drawn.at[i], endings[e]));
    (void)rmdir(dir->drawing);
    close(dir->lock);
    free(dir->drawn.at);
    arena_finish(&dir->arena);
    free(dir);
}
