/* Lines of a trace. Invariant: the fields of a kind are always there, in the order of
   docs/reference/trace.md; undefined is null. */
#include "output/run/run_trace.h"

#include "base/array.h"
#include "base/units.h"
#include "engine/gpus.h"
#include "engine/segments.h"
#include "engine/services.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "io/json_text.h"
#include "io/leftovers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run_trace {
    struct observer observer;
    struct atomic_file *file; /* NULL: it cannot be written */
    struct error error;       /* why */
    struct str line;          /* in the making */
    uint32_t failed_node;     /* the last one that has failed */
};

/* ---- Fields ---- */

static void add_name(struct str *line, const char *name) {
    str_add(line, ",\"");
    str_add(line, name);
    str_add(line, "\":");
}

static void add_text(struct str *line, const char *name, const char *text) {
    add_name(line, name);
    if (text)
        json_write_text(line, text);
    else
        str_add(line, "null");
}

static void add_int(struct str *line, const char *name, int64_t value) {
    add_name(line, name);
    str_add_int(line, value);
}

static void add_real(struct str *line, const char *name, double value) {
    add_name(line, name);
    if (isfinite(value))
        str_add_real(line, value);
    else
        str_add(line, "null");
}

static void add_null(struct str *line, const char *name) {
    add_text(line, name, NULL);
}

/* Thousandths of GPUs as a decimal. */
static void add_milli(struct str *line, int64_t milli) {
    str_add_ns(line, milli * (NS_PER_S / 1000));
}

/* ---- Lines ---- */

static void begin_line(struct run_trace *trace, int64_t time_ns, const char *kind) {
    trace->line.length = 0;
    str_add(&trace->line, "{\"time_ns\":");
    str_add_int(&trace->line, time_ns);
    add_text(&trace->line, "kind", kind);
}

static void end_line(struct run_trace *trace) {
    str_add(&trace->line, "}\n");
    if (trace->file &&
        atomic_file_write(trace->file, trace->line.text, trace->line.length, &trace->error) < 0) {
        atomic_file_abort(trace->file);
        trace->file = NULL;
    }
}

/* ---- Jobs ---- */

static void add_job(struct str *line, const struct sim *sim, uint32_t job) {
    bool exists = job < sim->workload->jobs.count;
    add_text(line, "job", exists ? sim->workload->jobs.at[job].id : NULL);
}

/* config: may be none, or one that a policy has made up. */
static void add_config(struct str *line, const struct sim *sim, uint32_t config) {
    static const char *const names[] = {"gpu_type", "k", "batch", "gpus", "power_limit_w"};
    if (config >= sim->view.v->config_count) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            add_null(line, names[i]);
        return;
    }
    const struct easim_config *c = &sim->view.configs[config];
    add_text(line, names[0], sim->cluster->gpu_types[c->gpu_type].name);
    add_int(line, names[1], c->k);
    if (c->batch > 0)
        add_real(line, names[2], c->batch);
    else
        add_null(line, names[2]);
    add_name(line, names[3]);
    add_milli(line, gpus_held_milli(sim, config));
    add_real(line, names[4], c->power_limit_w);
}

/* [[node, GPUs of it], ...] */
static void add_nodes(struct str *line, const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    add_name(line, "nodes");
    for (uint32_t i = 0; i < allocation->count; i++) {
        str_add(line, i == 0 ? "[[" : ",[");
        str_add_int(line, pieces[i].node);
        str_add_char(line, ',');
        add_milli(line, allocation->milli > 0 ? allocation->milli
                                              : (int64_t)pieces[i].gpus * WHOLE_GPU_MILLI);
        str_add_char(line, ']');
    }
    str_add_char(line, ']');
}

static void add_submit(struct str *line, const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    add_text(line, "user", sim->workload->users.at[spec->user].name);
    add_text(line, "model", workload_model_name(sim->workload, spec));
    if (spec->deadline_ns == TIME_NONE_NS)
        add_null(line, "deadline_ns");
    else
        add_int(line, "deadline_ns", spec->deadline_ns);
}

static void add_segment(struct str *line, const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    add_config(line, sim, run->config);
    add_nodes(line, &run->allocation);
    add_text(line, "phase", run->segment == SEGMENT_SETUP ? "setup" : "computing");
    add_int(line, "predicted_end_ns", sim->view.jobs[job].predicted_end_ns);
}

static void on_job(void *context, const struct sim *sim, uint32_t job, enum job_change change) {
    static const char *const kinds[] = {"submit", "reject", "start", "preempt",
                                        "resize", "fail",   "finish"};
    struct run_trace *t = context;
    struct str *line = &t->line;
    const struct job_run *run = &sim->runs[job];
    begin_line(t, sim->now_ns, kinds[change]);
    add_job(line, sim, job);
    if (change == JOB_SUBMITTED || change == JOB_REJECTED)
        add_submit(line, sim, job);
    if (change == JOB_REJECTED)
        add_text(line, "reason", sim->reject_reasons[job]);
    if (change == JOB_STARTED || change == JOB_RESIZED)
        add_segment(line, sim, job);
    if (change == JOB_STOPPED)
        add_name(line, "checkpoint"),
            str_add(line, run->segment == SEGMENT_CHECKPOINT ? "true" : "false");
    if (change == JOB_FAILED)
        add_int(line, "node", t->failed_node);
    if (change == JOB_STOPPED || change == JOB_RESIZED || change == JOB_FAILED)
        add_int(line, "lost_ns", account_lost(sim, job).ns);
    if (change == JOB_FINISHED)
        add_real(line, "energy_j", power_j(account_energy(sim, job)));
    end_line(t);
}

/* ---- Segments ---- */

static void write_segment(struct run_trace *trace, const struct sim *sim,
                          const struct segment *segment) {
    struct str *line = &trace->line;
    begin_line(trace, segment->end_ns, "segment");
    add_job(line, sim, segment->job);
    add_text(line, "segment", segment_kind_names[segment->kind]);
    add_int(line, "start_ns", segment->start_ns);
    add_text(line, "began", segment_cause_names[segment->began]);
    add_text(line, "ended",
             segment->ended == CAUSE_END_OF_RUN ? NULL : segment_cause_names[segment->ended]);
    add_config(line, sim, segment->config);
    add_real(line, "energy_j", power_j(segment->energy));
    end_line(trace);
}

static void on_segment(void *context, const struct sim *sim, const struct segment *segment) {
    write_segment(context, sim, segment);
}

/* Those of jobs that are not over. */
static void write_open_segments(struct run_trace *trace, const struct sim *sim) {
    for (uint32_t job = 0; job < sim->next_arrival; job++) {
        const struct segment segment = segments_present(sim, job, CAUSE_END_OF_RUN);
        if (segment.kind != SEGMENT_NONE)
            write_segment(trace, sim, &segment);
    }
}

/* ---- Events ---- */

static void write_cluster_change(struct run_trace *trace, const struct sim *sim, uint32_t change) {
    static const char *const kinds[SIGNALS] = {"cap", "price", "carbon"};
    bool is_cap = change == SIGNAL_CAP || change >= SIGNALS; /* from SIGNALS on: events of it */
    begin_line(trace, sim->now_ns, is_cap ? kinds[SIGNAL_CAP] : kinds[change]);
    add_real(&trace->line, "value",
             is_cap ? sim->view.v->power_cap_w : sim->changes.cursors[change].value);
    end_line(trace);
}

static void write_job_event(struct run_trace *trace, const struct sim *sim, uint32_t job,
                            const char *kind) {
    begin_line(trace, sim->now_ns, kind);
    add_job(&trace->line, sim, job);
    end_line(trace);
}

static void write_phase(struct run_trace *trace, const struct sim *sim, uint32_t job) {
    begin_line(trace, sim->now_ns, event_rows[EVENT_PHASE].name);
    add_job(&trace->line, sim, job);
    add_int(&trace->line, "model_phase", sim->runs[job].phase);
    add_config(&trace->line, sim, sim->runs[job].config);
    add_int(&trace->line, "predicted_end_ns", sim->view.jobs[job].predicted_end_ns);
    end_line(trace);
}

static void write_utilization(struct run_trace *trace, const struct sim *sim, uint32_t job) {
    begin_line(trace, sim->now_ns, event_rows[EVENT_UTILIZATION].name);
    add_job(&trace->line, sim, job);
    add_real(&trace->line, "utilization", utilization_present(sim, job));
    end_line(trace);
}

static void write_node_event(struct run_trace *trace, const struct sim *sim, uint32_t node,
                             const char *kind) {
    begin_line(trace, sim->now_ns, kind);
    add_int(&trace->line, "node", node);
    add_text(&trace->line, "gpu_type",
             sim->cluster->gpu_types[sim->cluster->nodes[node].gpu_type].name);
    add_int(&trace->line, "gpus", sim->cluster->nodes[node].gpus);
    add_int(&trace->line, "asleep",
            sim->nodes.sleep.nodes ? sim->nodes.sleep.nodes[node].asleep : 0);
    end_line(trace);
}

static void write_service_event(struct run_trace *trace, const struct sim *sim,
                                const struct event *event) {
    const struct replica *replica =
        event->kind == EVENT_REPLICA ? &sim->services.replicas.at[event->payload] : NULL;
    uint32_t service = replica ? replica->service : event->payload;
    begin_line(trace, sim->now_ns, event_rows[event->kind].name);
    if (service != EASIM_NONE)
        add_text(&trace->line, "service", services_spec(sim, service)->name);
    if (replica)
        add_int(&trace->line, "replica", replica->number);
    if (event->kind == EVENT_BACKLOG)
        add_real(&trace->line, "tokens", services_backlog(sim, service));
    end_line(trace);
}

static void on_event(void *context, const struct sim *sim, const struct event *event) {
    struct run_trace *t = context;
    const char *name = event_rows[event->kind].name;
    switch ((enum event_kind)event->kind) {
    case EVENT_ARRIVAL: /* on_job tells them */
    case EVENT_FINISH:
    case EVENT_REQUESTED_FINISH:
    case EVENT_TOLD_FINISH:
        break;
    case EVENT_CLUSTER:
        write_cluster_change(t, sim, event->payload);
        break;
    case EVENT_COMPUTING:
    case EVENT_RELEASE:
        write_job_event(t, sim, event->payload, name);
        break;
    case EVENT_PHASE:
        write_phase(t, sim, event->payload);
        break;
    case EVENT_UTILIZATION:
        write_utilization(t, sim, event->payload);
        break;
    case EVENT_LIMIT:
        begin_line(t, sim->now_ns, name);
        add_text(&t->line, "gpu_type", sim->cluster->gpu_types[event->payload].name);
        add_real(&t->line, "power_w", power_w(power_meter_total_nw(&sim->meter)));
        end_line(t);
        break;
    case EVENT_MEASURE:
    case EVENT_TIMER:
        begin_line(t, sim->now_ns, name);
        end_line(t);
        break;
    case EVENT_FAILURE:
        t->failed_node = event->payload;
        write_node_event(t, sim, event->payload, name);
        break;
    case EVENT_REPAIR:
    case EVENT_SLEEP:
        write_node_event(t, sim, event->payload, name);
        break;
    case EVENT_DEMAND:
    case EVENT_BACKLOG:
    case EVENT_REPLICA:
    case EVENT_SCALING:
        write_service_event(t, sim, event);
        break;
    }
}

/* ---- Decisions ---- */

static void on_decision(void *context, const struct sim *sim) {
    struct run_trace *t = context;
    begin_line(t, sim->now_ns, "decision");
    add_int(&t->line, "decision", (int64_t)sim->decision_total + 1);
    add_int(&t->line, "waiting", sim->waiting);
    add_int(&t->line, "running", sim->running);
    add_int(&t->line, "checkpointing", sim->checkpointing);
    add_int(&t->line, "free_gpus", sim->view.v->free_gpus);
    end_line(t);
}

static void add_scaled(struct str *line, const struct sim *sim,
                       const struct action_record *action) {
    bool scales = action->kind == ACTION_SCALE_UP || action->kind == ACTION_SCALE_DOWN;
    if (!scales || action->scaled.service == EASIM_NONE)
        return;
    add_text(line, "service", services_spec(sim, action->scaled.service)->name);
    if (action->scaled.number > 0)
        add_int(line, "replica", action->scaled.number);
}

static void on_action(void *context, const struct sim *sim, const struct action_record *action) {
    struct run_trace *t = context;
    begin_line(t, sim->now_ns, "action");
    add_int(&t->line, "decision", (int64_t)sim->decision_total);
    add_text(&t->line, "action", action_names[action->kind]);
    add_job(&t->line, sim, action->job);
    add_config(&t->line, sim, action->config);
    add_scaled(&t->line, sim, action);
    if (action->kind == ACTION_LIMIT && isfinite(action->limit_w))
        add_real(&t->line, "limit_w", action->limit_w);
    add_text(&t->line, "answer", refusal_names[action->refusal]);
    end_line(t);
}

/* ---- The file ---- */

struct run_trace *run_trace_open(const char *path, const struct study *study, uint32_t number) {
    struct run_trace *t = mem_zalloc(1, sizeof *t);
    t->observer = (struct observer){.context = t,
                                    .event = on_event,
                                    .decision = on_decision,
                                    .job = on_job,
                                    .segment = on_segment,
                                    .action = on_action};
    if (atomic_file_open(path, &t->file, &t->error) < 0)
        return t;
    begin_line(t, 0, "run");
    add_text(&t->line, "policy", study->policy);
    add_int(&t->line, "replication", number);
    add_int(&t->line, "seed", study->scenario.seed);
    end_line(t);
    return t;
}

const struct observer *run_trace_observer(const struct run_trace *trace) {
    return &trace->observer;
}

int run_trace_close(struct run_trace *trace, const struct sim *sim, struct error *reterr) {
    write_open_segments(trace, sim);
    begin_line(trace, sim->now_ns, "end");
    add_int(&trace->line, "events", (int64_t)sim->event_total);
    add_int(&trace->line, "decisions", (int64_t)sim->decision_total);
    end_line(trace);
    int r = trace->error.code;
    if (trace->file)
        r = atomic_file_commit(trace->file, reterr);
    else
        *reterr = trace->error;
    trace->file = NULL;
    run_trace_abort(trace);
    return r;
}

void run_trace_abort(struct run_trace *trace) {
    if (!trace)
        return;
    atomic_file_abort(trace->file);
    str_finish(&trace->line);
    free(trace);
}

/* --- trace_files --- */
/* Invariant: until the commit no file of the results is touched. */

struct trace_files {
    const char *folder, *name;
    char *making; /* the folder in which they are made */
    int lock;     /* on it */
    uint32_t replications;
    bool *kept; /* by number - 1 */
    struct arena arena;
};

/* In the arena. */
static const char *name_of(const struct trace_files *files, uint32_t number, struct arena *arena) {
    const char *dot = strrchr(files->name, '.');
    size_t stem = dot ? (size_t)(dot - files->name) : strlen(files->name);
    if (files->replications == 1)
        return arena_strdup(arena, files->name);
    return arena_printf(arena, "%.*s-%u%s", (int)stem, files->name, number, files->name + stem);
}

int trace_files_open(const char *folder, const char *name, uint32_t replications,
                     struct trace_files **ret_files, struct error *reterr) {
    struct trace_files *files = mem_zalloc(1, sizeof *files);
    files->folder = arena_strdup(&files->arena, folder);
    files->name = arena_strdup(&files->arena, name);
    files->making = arena_printf(&files->arena, "%s/%s.tmp-XXXXXX", folder, name);
    files->replications = replications;
    files->kept = mem_zalloc(replications, sizeof *files->kept);
    files->lock = -1;
    if (leftovers_make_folder(files->making, &files->lock, reterr) < 0) {
        files->making = NULL;
        trace_files_abort(files);
        return reterr->code;
    }
    *ret_files = files;
    return 0;
}

const char *trace_files_path(struct trace_files *files, uint32_t number) {
    return arena_printf(&files->arena, "%s/%u", files->making, number);
}

void trace_files_keep(struct trace_files *files, uint32_t number) {
    files->kept[number - 1] = true;
}

/* Puts the trace of a replication in place; if there is none, removes what has its name. */
static int place_trace(const struct trace_files *files, uint32_t number, const char *name,
                       struct error *reterr) {
    struct arena scratch = {0};
    const char *from = arena_printf(&scratch, "%s/%u", files->making, number);
    const char *to = arena_printf(&scratch, "%s/%s", files->folder, name);
    int r = 0;
    if (!files->kept[number - 1])
        r = files_remove(to, reterr);
    else if (TEMP_FAILURE_RETRY(rename(from, to)) < 0)
        r = error_set(reterr, ERROR_IO, "%s: cannot rename: %s", to, strerror(errno));
    arena_finish(&scratch);
    return r;
}

int trace_files_commit(struct trace_files *files, struct arena *arena, const char ***ret_names,
                       struct error *reterr) {
    size_t count = 0;
    int r = 0;
    const char **names = arena_alloc(arena, (files->replications + (size_t)1) * sizeof *names);
    for (uint32_t number = 1; number <= files->replications && r == 0; number++) {
        const char *name = name_of(files, number, arena);
        r = place_trace(files, number, name, reterr);
        if (files->kept[number - 1])
            names[count++] = name;
    }
    *ret_names = names;
    trace_files_abort(files);
    return r;
}

void trace_files_abort(struct trace_files *files) {
    if (!files)
        return;
    if (files->making)
        leftovers_remove_folder(files->making);
    if (files->lock >= 0)
        close(files->lock);
    free(files->kept);
    arena_finish(&files->arena);
    free(files);
}
