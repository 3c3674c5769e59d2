/* Max-min fair rates: see max_min.h. Invariant: between calls every job is once in the list of each
   of its links, and a link's sum of wishes is that of its list. */
#include "cluster/max_min.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-12 /* of a rate: a job so near to its most has it */

void max_min_init(struct max_min *links, uint32_t job_count, uint32_t link_count) {
    *links = (struct max_min){.job_count = job_count, .link_count = link_count};
    links->jobs = mem_zalloc(job_count, sizeof *links->jobs);
    links->links = mem_zalloc(link_count, sizeof *links->links);
}

void max_min_finish(struct max_min *links) {
    for (uint32_t j = 0; links->jobs && j < links->job_count; j++)
        free(links->jobs[j].loads);
    for (uint32_t l = 0; links->links && l < links->link_count; l++)
        free(links->links[l].users.at);
    free(links->jobs);
    free(links->links);
    free(links->changed_links.at);
    free(links->new_jobs.at);
    free(links->seen_jobs.at);
    free(links->seen_links.at);
    free(links->rates_changed.at);
    timeheap_finish(&links->stops);
    *links = (struct max_min){0};
}

void max_min_set_capacity(struct max_min *links, uint32_t link, double capacity) {
    links->links[link].capacity = capacity;
}

/* --- who is on which link --- */

static bool is_crowded(const struct max_min_link *link) {
    return (double)link->wanted > link->capacity;
}

static int128 wanted_by(const struct max_min_job *job, uint32_t weight) {
    return (int128)ceil(weight * job->most);
}

static void mark_changed(struct max_min *links, uint32_t link) {
    struct max_min_link *l = &links->links[link];
    if (l->is_changed)
        return;
    l->is_changed = true;
    l->was_crowded = is_crowded(l);
    array_push(&links->changed_links, link);
}

void max_min_add(struct max_min *links, uint32_t job, double most, const struct max_min_load *loads,
                 uint32_t load_count) {
    struct max_min_job *j = &links->jobs[job];
    j->most = most;
    j->is_here = true;
    j->loads = mem_realloc(j->loads, load_count > 0 ? load_count : 1, sizeof *j->loads);
    j->load_count = load_count;
    for (uint32_t i = 0; i < load_count; i++) {
        struct max_min_link *link = &links->links[loads[i].link];
        j->loads[i] = loads[i];
        mark_changed(links, loads[i].link);
        link->wanted += wanted_by(j, loads[i].weight);
        array_push(&link->users, ((struct max_min_user){job, loads[i].weight}));
    }
    array_push(&links->new_jobs, job);
}

static void leave_link(struct max_min_link *link, uint32_t job) {
    size_t at = 0;
    while (link->users.at[at].job != job)
        at++;
    link->users.at[at] = link->users.at[--link->users.count];
}

void max_min_remove(struct max_min *links, uint32_t job) {
    struct max_min_job *j = &links->jobs[job];
    if (!j->is_here)
        return;
    for (uint32_t i = 0; i < j->load_count; i++) {
        struct max_min_link *link = &links->links[j->loads[i].link];
        mark_changed(links, j->loads[i].link);
        link->wanted -= wanted_by(j, j->loads[i].weight);
        leave_link(link, job);
    }
    j->is_here = false;
    free(j->loads);
    j->loads = NULL;
    j->load_count = 0;
}

bool max_min_is_changed(const struct max_min *links) {
    return links->changed_links.count + links->new_jobs.count > 0;
}

/* --- what a change reaches --- */

static void see_job(struct max_min *links, uint32_t job) {
    if (links->jobs[job].is_seen || !links->jobs[job].is_here)
        return;
    links->jobs[job].is_seen = true;
    array_push(&links->seen_jobs, job);
}

static void see_link(struct max_min *links, uint32_t link) {
    if (links->links[link].is_seen)
        return;
    links->links[link].is_seen = true;
    array_push(&links->seen_links, link);
}

/* Links that hold somebody back, or did, and everybody whom they connect. */
static void find_reach(struct max_min *links) {
    for (size_t i = 0; i < links->changed_links.count; i++) {
        struct max_min_link *link = &links->links[links->changed_links.at[i]];
        link->is_changed = false;
        if (link->was_crowded || is_crowded(link))
            see_link(links, links->changed_links.at[i]);
    }
    for (size_t i = 0; i < links->new_jobs.count; i++)
        see_job(links, links->new_jobs.at[i]);
    for (size_t job = 0, link = 0; job < links->seen_jobs.count || link < links->seen_links.count;)
        if (link < links->seen_links.count) {
            const struct max_min_link *l = &links->links[links->seen_links.at[link++]];
            for (size_t i = 0; i < l->users.count; i++)
                see_job(links, l->users.at[i].job);
        } else {
            const struct max_min_job *j = &links->jobs[links->seen_jobs.at[job++]];
            for (uint32_t i = 0; i < j->load_count; i++)
                if (is_crowded(&links->links[j->loads[i].link]))
                    see_link(links, j->loads[i].link);
        }
    links->changed_links.count = links->new_jobs.count = 0;
}

/* --- rates that rise --- */

/* In the heap a link is 2 n, a job 2 n + 1. */
static void push_stop(struct max_min *links, double rate, uint32_t number, bool is_job) {
    timeheap_push(&links->stops, rate, 2 * number + is_job);
}

/* The rate at which a link is full if all that still rise rise on. */
static double full_at(const struct max_min_link *link) {
    return fmax(0, (link->capacity - link->held) / (double)link->rises);
}

static void begin_rise(struct max_min *links) {
    links->rising = links->seen_jobs.count;
    for (size_t i = 0; i < links->seen_jobs.count; i++) {
        struct max_min_job *job = &links->jobs[links->seen_jobs.at[i]];
        job->rises = true;
        push_stop(links, job->most, links->seen_jobs.at[i], true);
    }
    for (size_t i = 0; i < links->seen_links.count; i++) {
        struct max_min_link *link = &links->links[links->seen_links.at[i]];
        link->held = 0;
        link->rises = 0;
        for (size_t j = 0; j < link->users.count; j++)
            link->rises += link->users.at[j].weight;
        if (link->rises > 0)
            push_stop(links, full_at(link), links->seen_links.at[i], false);
    }
}

static void stop_job(struct max_min *links, uint32_t job, double rate) {
    struct max_min_job *j = &links->jobs[job];
    double stops_at = j->most <= rate * (1 + ROUNDING) ? j->most : rate;
    if (stops_at != j->rate)
        array_push(&links->rates_changed, job);
    j->rate = stops_at;
    j->rises = false;
    links->rising--;
    for (uint32_t i = 0; i < j->load_count; i++) {
        struct max_min_link *link = &links->links[j->loads[i].link];
        link->held += j->loads[i].weight * stops_at;
        link->rises -= j->loads[i].weight;
    }
}

/* A link that may be full; jobs that stopped meanwhile may have left it more. */
static void fill_link(struct max_min *links, uint32_t link, double rate) {
    struct max_min_link *l = &links->links[link];
    if (l->rises == 0)
        return;
    double full = full_at(l);
    if (full > rate * (1 + ROUNDING)) {
        push_stop(links, full, link, false);
        return;
    }
    for (size_t i = 0; i < l->users.count; i++)
        if (links->jobs[l->users.at[i].job].rises)
            stop_job(links, l->users.at[i].job, full);
}

/* New jobs have no rate to compare with. */
static void forget_new_rates(struct max_min *links) {
    for (size_t i = 0; i < links->new_jobs.count; i++)
        links->jobs[links->new_jobs.at[i]].rate = -1;
}

void max_min_settle(struct max_min *links) {
    links->rates_changed.count = 0;
    forget_new_rates(links);
    find_reach(links);
    begin_rise(links);
    while (links->rising > 0) {
        double rate = links->stops.entries.at[0].time_s;
        uint32_t id;
        (void)timeheap_pop_due(&links->stops, rate, &id);
        if (id % 2 == 0)
            fill_link(links, id / 2, rate);
        else if (links->jobs[id / 2].rises)
            stop_job(links, id / 2, rate);
    }
    links->stops.entries.count = 0;
    for (size_t i = 0; i < links->seen_jobs.count; i++)
        links->jobs[links->seen_jobs.at[i]].is_seen = false;
    for (size_t i = 0; i < links->seen_links.count; i++)
        links->links[links->seen_links.at[i]].is_seen = false;
    links->seen_jobs.count = links->seen_links.count = 0;
}

double max_min_load_of(const struct max_min *links, uint32_t link) {
    const struct max_min_link *l = &links->links[link];
    double sum = 0;
    for (size_t i = 0; i < l->users.count; i++)
        sum += l->users.at[i].weight * links->jobs[l->users.at[i].job].rate;
    return sum;
}

/* --- one link --- */

void one_link_finish(struct one_link *link) {
    free(link->classes.at);
}

static bool is_one_crowded(const struct one_link *link) {
    return (double)link->wanted > link->capacity;
}

/* Where the class of this most is, or would be. */
static size_t class_of(const struct one_link *link, double most) {
    size_t low = 0;
    SEARCH(low, link->classes.count, link->classes.at[at].most < most);
    return low;
}

static void count_change(struct one_link *link, double most, int by) {
    if (!link->is_changed)
        link->was_crowded = is_one_crowded(link);
    link->is_changed = true;
    link->wanted += by * (int128)ceil(most);
    link->jobs += (uint64_t)by;
}

void one_link_add(struct one_link *link, double most) {
    size_t i = class_of(link, most), behind = link->classes.count - i;
    count_change(link, most, 1);
    if (behind == 0 || link->classes.at[i].most != most) {
        (void)array_add(&link->classes);
        struct one_link_class *at = &link->classes.at[i];
        memmove(at + 1, at, behind * sizeof *at);
        *at = (struct one_link_class){.most = most};
    }
    link->classes.at[i].jobs++;
}

void one_link_remove(struct one_link *link, double most) {
    size_t i = class_of(link, most);
    count_change(link, most, -1);
    struct one_link_class *at = &link->classes.at[i];
    if (--at->jobs == 0)
        memmove(at, at + 1, (--link->classes.count - i) * sizeof *at);
}

/* As in max_min_settle: `held` is summed up job by job, in the order of most, and what is found to
   be full is full once no job that stops before it is left. */
void one_link_settle(struct one_link *link) {
    uint64_t rises = link->jobs;
    double held = 0, full, stop;
    bool fills = link->was_crowded || is_one_crowded(link);
    if (!link->is_changed)
        return;
    link->level = INFINITY;
    link->is_changed = false;
    if (!fills || rises == 0)
        return;
    full = fmax(0, link->capacity / (double)rises);
    size_t i = 0;
    do {
        stop = full;
        for (; i < link->classes.count && link->classes.at[i].most < stop; i++) {
            for (uint32_t j = 0; j < link->classes.at[i].jobs; j++)
                held += link->classes.at[i].most;
            rises -= link->classes.at[i].jobs;
        }
        if (rises == 0)
            return;
        full = fmax(0, (link->capacity - held) / (double)rises);
    } while (full > stop * (1 + ROUNDING));
    link->level = full;
}

double one_link_rate(const struct one_link *link, double most) {
    return most <= link->level * (1 + ROUNDING) ? most : link->level;
}
