/* What runs leave behind in their process: memory, mapped pages, descriptors, child processes. */
#include "conformance/suite.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- check_leaks --- */

/* Runs one after another, in windows after each of which stock is taken. What malloc keeps in its
   caches makes the stock grow in the first windows, a leak in all. */
#define WINDOWS       12
#define WINDOW_CYCLES 20
#define LEAST_LEAK    16 /* bytes a run: a malloc of one byte takes more */

/* Defined in builds with AddressSanitizer, whose allocator mallinfo2 does not know. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

struct holdings {
    size_t heap_bytes, mapped_pages, descriptors;
    bool children;
};

static size_t count_descriptors(void) {
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static struct holdings take_stock(void) {
    struct holdings h = {.descriptors = count_descriptors()};
    if (__sanitizer_get_current_allocated_bytes) {
        h.heap_bytes = __sanitizer_get_current_allocated_bytes();
    } else {
        struct mallinfo2 info = mallinfo2();
        h.heap_bytes = info.uordblks + info.hblkhd;
        FILE *statm = fopen("/proc/self/statm", "r");
        if (statm && fscanf(statm, "%zu", &h.mapped_pages) != 1)
            h.mapped_pages = 0;
        if (statm)
            fclose(statm);
    }
    h.children = waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
    return h;
}

struct leaks {
    const struct suite *suite;
    const struct builtin *builtin;
    struct probe_record *record;
    struct holdings stock[WINDOWS + 1];
    int windows;
};

/* Whether anything grew in the window that begins with this stock. */
static bool grows(const struct holdings *before) {
    const struct holdings *after = before + 1;
    return after->heap_bytes > before->heap_bytes || after->mapped_pages > before->mapped_pages ||
           after->descriptors > before->descriptors;
}

static void run_cycles(void *context) {
    struct leaks *leaks = context;
    struct study study;
    bool check = leaks->suite->writes_view.length == 0;
    int r = suite_load(leaks->suite, leaks->builtin, NULL, &study, leaks->record->failure,
                       sizeof leaks->record->failure);
    leaks->stock[0] = take_stock();
    while (r == 0 && leaks->windows < WINDOWS &&
           (leaks->windows == 0 || grows(&leaks->stock[leaks->windows - 1]))) {
        for (int i = 0; i < WINDOW_CYCLES && !leaks->record->failure[0]; i++)
            probe_run(&study, (struct probe_how){.check = check}, leaks->record);
        leaks->stock[++leaks->windows] = take_stock();
    }
    study_finish(&study);
}

/* The least growth of any window, for each run in it. */
static double growth(const struct leaks *leaks, size_t offset) {
    double least = INFINITY;
    for (int i = 0; i < leaks->windows; i++) {
        size_t stock[2];
        for (int end = 0; end < 2; end++)
            memcpy(&stock[end], (const char *)&leaks->stock[i + end] + offset, sizeof *stock);
        least = fmin(least, ((double)stock[1] - (double)stock[0]) / WINDOW_CYCLES);
    }
    return least;
}

static void report_leaks(struct suite *suite, const struct leaks *leaks) {
    struct str memory = {0}, handles = {0};
    double bytes = growth(leaks, offsetof(struct holdings, heap_bytes));
    double pages = growth(leaks, offsetof(struct holdings, mapped_pages));
    double descriptors = growth(leaks, offsetof(struct holdings, descriptors));
    if (bytes >= LEAST_LEAK)
        str_addf(&memory, "%.0f bytes of the heap are lost in each run", bytes);
    else if (pages >= 1)
        str_addf(&memory, "%.0f pages stay mapped after each run", pages);
    if (descriptors > 0.5)
        str_addf(&handles, "%.0f stay open after each run", descriptors);
    else if (leaks->stock[leaks->windows].children)
        str_add(&handles, "child processes are left behind");
    suite_conclude(suite, "no memory leaks", &memory);
    suite_conclude(suite, "no descriptors or processes left", &handles);
}

void check_leaks(struct suite *suite) {
    static const char check[] = "no memory leaks", handles[] = "no descriptors or processes left";
    struct leaks *leaks = mem_shared(sizeof *leaks);
    *leaks = (struct leaks){
        .suite = suite, .builtin = suite_passed(suite, check), .record = suite->spare};
    memset(leaks->record, 0, sizeof *leaks->record);
    if (!leaks->builtin) {
        suite_report(suite, handles, CONFORMANCE_SKIPPED, "no scenario runs");
    } else if (suite_child(suite, run_cycles, leaks, leaks->record) < 0) {
        suite_report(suite, check, CONFORMANCE_FAILED, "runs one after another: %s",
                     leaks->record->failure);
        suite_report(suite, handles, CONFORMANCE_SKIPPED, "the runs failed");
    } else {
        report_leaks(suite, leaks);
    }
    mem_unshare(leaks, sizeof *leaks);
}
