/* The progress line: a thread of its own that prints twice a second. */
#include "cli/internal.h"

#include "base/mem.h"
#include "cli/cli.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct progress_line {
    atomic_uint count;
    const char *what;
    double jobs; /* of each; 0: not known */
    struct timespec began;
    atomic_uint done;
    atomic_ulong events;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    int stopping; /* guarded by lock */
};

/* Waits; true when it is time to stop. */
static int wait_s(struct progress_line *progress, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(seconds * 1e9) % 1000000000L;
    until.tv_sec += (time_t)seconds + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&progress->lock);
    while (!progress->stopping &&
           pthread_cond_timedwait(&progress->stop, &progress->lock, &until) == 0)
        continue;
    int stopping = progress->stopping;
    pthread_mutex_unlock(&progress->lock);
    return stopping;
}

/* The time left supposes that what is to come takes as long as what is done. */
static void print_line(struct progress_line *progress) {
    unsigned done = atomic_load(&progress->done), count = atomic_load(&progress->count);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double elapsed_s = (double)(now.tv_sec - progress->began.tv_sec) +
                       (double)(now.tv_nsec - progress->began.tv_nsec) / 1e9;
    double rate_per_s = done / elapsed_s;
    fprintf(stderr, "\r\033[K%u of %u %s, ", done, count, progress->what);
    if (done > 0)
        fprintf(stderr, "%.3g/s, %.0f s left, ", rate_per_s, (count - done) / rate_per_s);
    fprintf(stderr, "%.2f million events", (double)atomic_load(&progress->events) / 1e6);
    if (progress->jobs > 0)
        fprintf(stderr, ", %.3g %sjobs expected in each",
                progress->jobs < 1e6 ? progress->jobs : progress->jobs / 1e6,
                progress->jobs < 1e6 ? "" : "million ");
    fflush(stderr);
}

static void *show_line(void *context) {
    struct progress_line *progress = context;
    if (wait_s(progress, 1))
        return NULL;
    do {
        print_line(progress);
    } while (!wait_s(progress, 0.5));
    fprintf(stderr, "\r\033[K");
    return NULL;
}

void progress_line_announce(const struct study *study, const char *of) {
    struct str text = {0};
    study_announce(study, &text);
    if (text.length > 0)
        cli_say("easim: %s%s\n", of, text.text);
    str_finish(&text);
}

struct progress_line *progress_line_start(const struct options *options, uint32_t count,
                                          const char *what, const struct study *study,
                                          struct replicate_options *how) {
    if (options->quiet)
        return NULL;
    if (study)
        progress_line_announce(study, "");
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct progress_line *progress =
        mem_shared(sizeof *progress); /* with processes that simulate */
    atomic_init(&progress->count, count);
    progress->what = what;
    progress->jobs = study ? study->source.expected_jobs : 0;
    clock_gettime(CLOCK_MONOTONIC, &progress->began);
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->stop, NULL);
    if (pthread_create(&progress->thread, NULL, show_line, progress) != 0) {
        mem_unshare(progress, sizeof *progress);
        return NULL;
    }
    how->done = &progress->done;
    how->events = &progress->events;
    return progress;
}

void progress_line_expect(struct progress_line *progress, uint32_t count) {
    if (progress)
        atomic_store(&progress->count, count);
}

void progress_line_stop(struct progress_line *progress) {
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->stopping = 1;
    pthread_cond_signal(&progress->stop);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_mutex_destroy(&progress->lock);
    pthread_cond_destroy(&progress->stop);
    mem_unshare(progress, sizeof *progress);
}
