/* The progress line: a thread of its own that prints twice a second. */
#include "cli/progress_line.h"

#include "base/mem.h"

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
static int wait_s(struct progress_line *p, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(seconds * 1e9) % 1000000000L;
    until.tv_sec += (time_t)seconds + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping && pthread_cond_timedwait(&p->stop, &p->lock, &until) == 0)
        continue;
    int stopping = p->stopping;
    pthread_mutex_unlock(&p->lock);
    return stopping;
}

/* The time left supposes that what is to come takes as long as what is done. */
static void print_line(struct progress_line *p) {
    unsigned done = atomic_load(&p->done), count = atomic_load(&p->count);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double elapsed_s =
        (double)(now.tv_sec - p->began.tv_sec) + (double)(now.tv_nsec - p->began.tv_nsec) / 1e9;
    double rate_per_s = done / elapsed_s;
    fprintf(stderr, "\r\033[K%u of %u %s, ", done, count, p->what);
    if (done > 0)
        fprintf(stderr, "%.3g/s, %.0f s left, ", rate_per_s, (count - done) / rate_per_s);
    fprintf(stderr, "%.2f million events", (double)atomic_load(&p->events) / 1e6);
    if (p->jobs > 0)
        fprintf(stderr, ", %.3g %sjobs expected in each", p->jobs < 1e6 ? p->jobs : p->jobs / 1e6,
                p->jobs < 1e6 ? "" : "million ");
    fflush(stderr);
}

static void *show(void *context) {
    struct progress_line *p = context;
    if (wait_s(p, 1))
        return NULL;
    do {
        print_line(p);
    } while (!wait_s(p, 0.5));
    fprintf(stderr, "\r\033[K");
    return NULL;
}

void progress_line_announce(const struct study *study, const char *of) {
    struct str text = {0};
    study_announce(study, &text);
    if (text.length > 0)
        fprintf(stderr, "easim: %s%s\n", of, text.text);
    str_finish(&text);
}

struct progress_line *progress_line_start(uint32_t count, const char *what,
                                          const struct study *study,
                                          struct replicate_options *how) {
    if (study)
        progress_line_announce(study, "");
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct progress_line *p = mem_shared(sizeof *p); /* with processes that simulate */
    atomic_init(&p->count, count);
    p->what = what;
    p->jobs = study ? study->source.expected_jobs : 0;
    clock_gettime(CLOCK_MONOTONIC, &p->began);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->stop, NULL);
    if (pthread_create(&p->thread, NULL, show, p) != 0) {
        mem_unshare(p, sizeof *p);
        return NULL;
    }
    how->done = &p->done;
    how->events = &p->events;
    return p;
}

void progress_line_expect(struct progress_line *p, uint32_t count) {
    if (p)
        atomic_store(&p->count, count);
}

void progress_line_stop(struct progress_line *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stopping = 1;
    pthread_cond_signal(&p->stop);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->stop);
    mem_unshare(p, sizeof *p);
}
