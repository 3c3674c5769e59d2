/* Notes: see notes.h. Invariant: there is one record of a kind, policy and text. */
#include "output/notes.h"

#include "base/numfmt.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 6      /* models on GPU types in one note */
#define MORE_NAMES " ..." /* as tally_write_names has it */

static const char *const kind_names[NOTE_KIND_COUNT] = {
    "rejected", "refused", "outside", "starts", "counted", "over-cap", "note", "warning", "point"};

/* ---- Making them ---- */

static bool is_same_text(const char *left, const char *right) {
    return strcmp(left, right) == 0;
}

static const char *keep_policy(struct notes *notes, const char *policy) {
    for (size_t i = 0; i < notes->policies.count; i++)
        if (is_same_text(notes->policies.at[i], policy))
            return notes->policies.at[i];
    array_push(&notes->policies, arena_strdup(&notes->arena, policy));
    return notes->policies.at[notes->policies.count - 1];
}

/* Whether " ..." follows the names first told of, because others are not the same. */
static bool lacks_names(const char *names, const char *more) {
    size_t length = names ? strlen(names) : 0, end = strlen(MORE_NAMES);
    return names && more && !is_same_text(names, more) &&
           !(length >= end && is_same_text(names + length - end, MORE_NAMES));
}

static void add_note(struct notes *notes, const struct note *note) {
    for (size_t i = 0; i < notes->at.count; i++) {
        struct note *old = &notes->at.at[i];
        if (old->kind != note->kind || !is_same_text(old->policy, note->policy) ||
            !is_same_text(old->text, note->text))
            continue;
        old->number += note->number;
        old->of += note->of;
        old->extra += note->extra;
        old->runs += note->runs;
        old->sources += note->sources;
        if (lacks_names(old->names, note->names))
            old->names = arena_printf(&notes->arena, "%s" MORE_NAMES, old->names);
        return;
    }
    struct note own = *note;
    own.policy = keep_policy(notes, note->policy);
    own.text = arena_strdup(&notes->arena, note->text);
    own.names = note->names ? arena_strdup(&notes->arena, note->names) : NULL;
    array_push(&notes->at, own);
}

void notes_add_kind(struct notes *notes, const struct study *study, enum note_kind kind,
                    const char *text) {
    add_note(notes,
             &(struct note){.kind = kind, .policy = study->policy, .text = text, .sources = 1});
}

void notes_say(struct notes *notes, const struct study *study, const char *text) {
    notes_add_kind(notes, study, NOTE_SAID, text);
}

void notes_warn(struct notes *notes, const char *text) {
    for (size_t i = 0; i < notes->policies.count; i++)
        add_note(notes, &(struct note){.kind = NOTE_WARNING,
                                       .policy = notes->policies.at[i],
                                       .text = text,
                                       .sources = 1});
}

/* A whole number with separators: 3,827. */
static void add_count(struct str *out, double count) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            str_add_char(out, ',');
        str_add_char(out, digits[i]);
    }
}

static void say_of_trace(struct notes *notes, const struct study *study,
                         const struct stream *stream) {
    const struct trace *t = &stream->trace;
    struct str text = {0};
    for (size_t i = 0; i < t->notes.count; i++) {
        const struct trace_note *note = &t->notes.at[i];
        text.length = 0;
        str_addf(&text, "%s: ", stream->file);
        add_count(&text, (double)note->rows);
        str_add(&text, " of ");
        add_count(&text, (double)t->rows_read);
        str_addf(&text, " rows %s: %s (first: line %u)", note->dropped ? "dropped" : "changed",
                 note->reason, note->first_line);
        notes_add_kind(notes, study, NOTE_SAID, text.text);
    }
    str_finish(&text);
}

/* "A.csv: 3 WHAT (first: line 7)", if there are any. */
static void say_tally(struct notes *notes, const struct study *study, const char *file,
                      const struct row_tally *tally, const char *what) {
    struct str text = {0};
    if (tally->count == 0)
        return;
    str_addf(&text, "%s: ", file);
    add_count(&text, (double)tally->count);
    str_addf(&text, " %s (first: line %u)", what, tally->first_line);
    notes_add_kind(notes, study, NOTE_SAID, text.text);
    str_finish(&text);
}

static void say_of_outages(struct notes *notes, const struct study *study) {
    const struct outages *o = &study->cluster.outages;
    struct str text = {0};
    if (!o->file)
        return;
    say_tally(notes, study, o->file, &o->merged,
              "rows joined with an earlier outage of their node that they overlap or touch");
    str_addf(&text, "outages of %u nodes beyond the cluster's %u left out: nodes %s",
             o->beyond_nodes, study->cluster.node_count, o->beyond_names);
    say_tally(notes, study, o->file, &o->beyond, text.text);
    say_tally(notes, study, o->file, &o->over, "outages left out that are over by t = 0");
    say_tally(notes, study, o->file, &o->running, "outages begin at t = 0, where they are running");
    text.length = 0;
    str_addf(&text, "%s: no outage is left of its %llu rows", o->file, (unsigned long long)o->rows);
    if (o->count == 0)
        notes_add_kind(notes, study, NOTE_WARNING, text.text);
    str_finish(&text);
}

/* Notes on the utilization of a log over time. */
static void say_of_utilization(struct notes *notes, const struct study *study,
                               const struct stream *stream) {
    const struct utilization_file *u = &stream->utilization;
    const char *path = stream->utilization_path;
    struct str text = {0};
    if (!path)
        return;
    str_addf(&text, "rows of %u jobs left out that %s has not: %s", u->unknown_jobs, stream->file,
             u->unknown_names);
    say_tally(notes, study, path, &u->unknown, text.text);
    say_tally(notes, study, path, &u->modelled,
              "rows left out of jobs with a model, which says what they draw");
    say_tally(notes, study, path, &u->beyond, "rows left out at or after the end of their job");
    say_tally(notes, study, path, &u->same, "rows repeat the utilization that holds already");
    text.length = 0;
    str_addf(&text, "%s: ", path);
    add_count(&text, u->jobs_without);
    str_add(&text, " rigid jobs have no row: their mean holds");
    if (u->jobs_without > 0)
        notes_add_kind(notes, study, NOTE_SAID, text.text);
    str_finish(&text);
}

/* Notes on prompts of a service. Without a prompt ratio in the demand there are none. */
static void say_of_prompts(struct notes *notes, const struct study *study,
                           const struct service *service) {
    const struct service_demand *d = &service->demand;
    const struct model *model = &study->models.models[service->model];
    struct str text = {0};
    if (isnan(d->prompt_ratio))
        return;
    str_addf(&text, "service %s: %.4g prompt tokens for each output token", service->name,
             d->prompt_ratio);
    if (model->serving.prompt.included)
        str_addf(&text,
                 "; the tables of %s were measured with prompts of their own, which are not these",
                 model->name);
    else
        str_addf(&text, ", each as costly as %.4g output tokens: of the work %.3g %% is output",
                 model->serving.prompt.output_equivalents, 100 * d->output_share);
    notes_add_kind(notes, study, NOTE_SAID, text.text);
    str_finish(&text);
}

static void say_of_service(struct notes *notes, const struct study *study,
                           const struct service *service) {
    const struct service_demand *d = &service->demand;
    const struct row_tally gaps = {d->series.gaps, d->series.first_gap_line};
    say_of_prompts(notes, study, service);
    if (!d->series.file)
        return;
    say_tally(notes, study, d->series.file, &d->empty, "requests without an output token");
    say_tally(notes, study, d->series.file, &d->out_of_order,
              "rows earlier than one before them: sorted");
    say_tally(notes, study, d->series.file, &gaps, "empty cells, filled with the value before");
}

static void say_in_bins(struct str *out, double bin_s, double j_per_token, double slo_share) {
    str_addf(out, " %.4g J per token and %.4g %% within the objective in bins of %.4g s",
             j_per_token, 100 * slo_share, bin_s);
}

void notes_add_bins(struct notes *notes, const struct study *study,
                    const struct service_bins_result *bins) {
    struct str text = {0};
    for (size_t i = 0; i < bins->at.count; i++) {
        const struct service_bins *b = &bins->at.at[i];
        text.length = 0;
        str_addf(&text, "service %s, services alone up to t = %.6g s:", b->service->name,
                 bins->until_s);
        say_in_bins(&text, b->bin_s, b->j_per_token[0], b->slo_share[0]);
        str_add(&text, ",");
        say_in_bins(&text, SERVICE_BINS_S, b->j_per_token[1], b->slo_share[1]);
        notes_add_kind(notes, study, NOTE_SAID, text.text);
    }
    str_finish(&text);
}

void notes_add_study(struct notes *notes, const struct study *study) {
    const struct stream *streams = study->source.streams.at;
    struct str text = {0};
    (void)keep_policy(notes, study->policy);
    notes->sources++;
    if (study->module.policy->capabilities & EASIM_CAPABILITY_ORACLE)
        notes_add_kind(notes, study, NOTE_SAID, "this policy sees true run times (ORACLE)");
    for (size_t i = 0; i < study->source.streams.count; i++) {
        say_of_trace(notes, study, &streams[i]);
        say_of_utilization(notes, study, &streams[i]);
    }
    const struct service *services = study->source.services.at;
    for (size_t i = 0; i < study->source.services.count; i++)
        say_of_service(notes, study, &services[i]);
    say_of_outages(notes, study);
    for (int i = 0; i < SIGNALS; i++) {
        const struct series *s = &study->scenario.signals[i];
        text.length = 0;
        str_addf(&text,
                 "%s: %llu of %llu rows have no %s, filled with the value before (first: line %u)",
                 s->kind ? s->file : "", (unsigned long long)s->gaps, (unsigned long long)s->rows,
                 s->kind ? s->column : "", s->first_gap_line);
        if (s->gaps > 0)
            notes_add_kind(notes, study, NOTE_SAID, text.text);
    }
    text.length = 0;
    study_add_periods(study, &text);
    if (text.length > 0)
        notes_add_kind(notes, study, NOTE_SAID, text.text);
    for (size_t i = 0; i < study->warnings.count; i++)
        notes_add_kind(notes, study, NOTE_WARNING, study->warnings.at[i]);
    str_finish(&text);
}

static double metric_total(const struct replicate_result *result, unsigned column) {
    double sum = 0;
    for (uint32_t i = 0; i < result->count; i++) {
        double value = summary_value(&result->summaries[i], column);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

static void add_tally_notes(struct notes *notes, enum note_kind kind, const struct tally *tally,
                            double of, const struct note *common) {
    for (size_t i = 0; i < tally->entries.count; i++) {
        struct note note = *common;
        note.kind = kind;
        note.text = tally->entries.at[i].reason;
        note.number = (double)tally->entries.at[i].count;
        note.of = of;
        add_note(notes, &note);
    }
}

static void add_counted_notes(struct notes *notes, const struct tally *tally,
                              const struct note *common) {
    for (size_t i = 0; i < tally->entries.count; i++) {
        struct note note = *common;
        struct str names = {0};
        tally_write_names(&tally->entries.at[i], &names);
        note.kind = NOTE_COUNTED;
        note.text = tally->entries.at[i].reason;
        note.names = names.text;
        note.number = (double)tally->entries.at[i].count;
        add_note(notes, &note);
        str_finish(&names);
    }
}

void notes_add_result(struct notes *notes, const struct study *study,
                      const struct replicate_result *result) {
    struct note common = {.policy = study->policy, .text = "", .runs = result->count, .sources = 1};
    add_tally_notes(notes, NOTE_REJECTED, &result->rejected, (double)result->jobs, &common);
    add_tally_notes(notes, NOTE_REFUSED, &result->refused,
                    metric_total(result, SUMMARY_COLUMN(decisions)), &common);
    add_tally_notes(notes, NOTE_OUTSIDE, &result->outside, 0, &common);
    add_counted_notes(notes, &result->counted, &common);
    common.number = (double)result->starts;
    common.kind = NOTE_STARTS;
    add_note(notes, &common);
    common.kind = NOTE_OVER_CAP;
    common.text = study->cluster.cap_rules.enforce == ENFORCE_THROTTLE
                      ? "over the power cap, which power limits alone do not keep here"
                  : study->cluster.cap_rules.enforce == ENFORCE_PREEMPT
                      ? "over the power cap, which power limits and preemption do not keep here"
                  : !params_have(&study->params, EASIM_CAPABILITY_POWER_CAP)
                      ? "over the power cap, which is ignored (no POWER_CAP)"
                  : study->module.policy->keeps & EASIM_KEEPS_CAP
                      ? "over the power cap, which is kept as far as starts and preemption can"
                      : "over the power cap, which only starts keep (no KEEPS_CAP)";
    common.number = metric_total(result, SUMMARY_COLUMN(cap_violation_s));
    common.of = metric_total(result, SUMMARY_COLUMN(sim_s));
    common.extra = metric_total(result, SUMMARY_COLUMN(cap_violation_j));
    if (common.number > 0)
        add_note(notes, &common);
}

/* ---- Telling them ---- */

/* All records of a kind and text. */
struct told {
    struct note sum;
    size_t policies;
    bool more_names; /* than those of the sum */
};

static struct told gather_told(const struct notes *notes, enum note_kind kind, const char *text) {
    struct told g = {.sum = {.kind = kind, .text = text}};
    for (size_t i = 0; i < notes->at.count; i++) {
        const struct note *note = &notes->at.at[i];
        if (note->kind != kind || !is_same_text(note->text, text))
            continue;
        g.sum.number += note->number;
        g.sum.of += note->of;
        g.sum.sources += note->sources;
        g.sum.names = g.sum.names ? g.sum.names : note->names;
        g.more_names = g.more_names || lacks_names(g.sum.names, note->names);
        g.policies++;
    }
    return g;
}

/* Whom it concerns, unless all. */
static void add_concerned(const struct notes *notes, const struct told *told, struct str *out) {
    const char *separator = " (";
    if (told->policies < notes->policies.count) {
        for (size_t i = 0; i < notes->at.count; i++) {
            const struct note *note = &notes->at.at[i];
            if (note->kind != told->sum.kind || !is_same_text(note->text, told->sum.text))
                continue;
            str_addf(out, "%s%s", separator, note->policy);
            separator = ", ";
        }
        str_add_char(out, ')');
    } else if (told->sum.sources < notes->sources) {
        str_addf(out, " (in %llu of %llu points)", (unsigned long long)told->sum.sources,
                 (unsigned long long)notes->sources);
    }
}

static void print_over_cap(const struct notes *notes, const struct told *told, struct str *out) {
    const char *separator = ":";
    str_addf(out, "  warning: %s", told->sum.text);
    for (size_t i = 0; i < notes->at.count; i++) {
        const struct note *note = &notes->at.at[i];
        if (note->kind != NOTE_OVER_CAP || !is_same_text(note->text, told->sum.text))
            continue;
        str_addf(out, "%s %s for %.3g %% of the time, by %.3g kWh a run", separator, note->policy,
                 100 * note->number / note->of, note->extra / J_PER_KWH / (double)note->runs);
        separator = ";";
    }
    str_add_char(out, '\n');
}

static void print_group(const struct notes *notes, const struct told *told, struct str *out) {
    if (told->sum.kind == NOTE_OVER_CAP) {
        print_over_cap(notes, told, out);
        return;
    }
    str_add(out, told->sum.kind == NOTE_WARNING ? "  warning: " : "  note: ");
    if (told->sum.kind == NOTE_REJECTED || told->sum.kind == NOTE_REFUSED) {
        add_count(out, told->sum.number);
        str_add(out,
                told->sum.kind == NOTE_REJECTED ? " of " : " actions of the policy refused in ");
        add_count(out, told->sum.of);
        str_add(out, told->sum.kind == NOTE_REJECTED ? " jobs rejected: " : " decisions: ");
    }
    if (told->sum.kind == NOTE_COUNTED) {
        add_count(out, told->sum.number);
        str_add_char(out, ' ');
    }
    str_add(out, told->sum.text);
    if (told->sum.names)
        str_addf(out, ": %s%s", told->sum.names, told->more_names ? MORE_NAMES : "");
    if (told->sum.kind == NOTE_REFUSED)
        str_add(out, " (a strict run stops at the first)");
    add_concerned(notes, told, out);
    str_add_char(out, '\n');
}

ORDER_BY(compare_told, struct told, DESC(sum.number) TEXT_ASC(sum.text))

/* All that is told of a kind; the number of them. */
static size_t gather_kind(const struct notes *notes, enum note_kind kind, struct told *groups) {
    size_t count = 0;
    for (size_t i = 0; i < notes->at.count; i++) {
        const struct note *note = &notes->at.at[i];
        bool known = note->kind != kind;
        for (size_t g = 0; g < count && !known; g++)
            known = is_same_text(groups[g].sum.text, note->text);
        if (!known)
            groups[count++] = gather_told(notes, kind, note->text);
    }
    return count;
}

/* For all policies together, because they choose from the same configurations. */
bool notes_write_outside(const struct notes *notes, struct str *out) {
    struct told *groups = mem_zalloc(notes->at.count, sizeof *groups);
    size_t count = gather_kind(notes, NOTE_OUTSIDE, groups);
    const struct told all = gather_told(notes, NOTE_STARTS, "");
    double outside = 0;
    for (size_t i = 0; i < count; i++)
        outside += groups[i].sum.number;
    if (count > 0) {
        qsort(groups, count, sizeof *groups, compare_told);
        add_count(out, outside);
        str_add(out, " of ");
        add_count(out, all.sum.number);
        str_addf(out, " starts%s outside the range in which their model was measured: ",
                 notes->policies.count > 1 ? " of all policies" : "");
    }
    for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
        str_addf(out, "%s%s (", i ? ", " : "", groups[i].sum.text);
        add_count(out, groups[i].sum.number);
        str_add_char(out, ')');
    }
    if (count > MOST_NAMED)
        str_addf(out, " and %zu more", count - MOST_NAMED);
    free(groups);
    return count > 0;
}

static void print_outside(const struct notes *notes, struct str *out) {
    struct str text = {0};
    if (!notes->skips_outside && notes_write_outside(notes, &text))
        str_addf(out, "  note: %s\n", text.text);
    str_finish(&text);
}

void notes_print(const struct notes *notes, struct str *out) {
    struct told *groups = mem_zalloc(notes->at.count, sizeof *groups);
    for (enum note_kind kind = 0; kind < NOTE_POINT; kind++) {
        size_t count = gather_kind(notes, kind, groups);
        if (kind == NOTE_OUTSIDE)
            print_outside(notes, out);
        for (size_t g = 0; g < count && kind != NOTE_OUTSIDE && kind != NOTE_STARTS; g++)
            print_group(notes, &groups[g], out);
    }
    free(groups);
}

void notes_add_warnings(const struct notes *notes, cJSON *root) {
    cJSON *list = NULL;
    for (size_t i = 0; i < notes->at.count; i++) {
        bool told = notes->at.at[i].kind != NOTE_WARNING;
        for (size_t j = 0; j < i && !told; j++)
            told = notes->at.at[j].kind == NOTE_WARNING &&
                   is_same_text(notes->at.at[j].text, notes->at.at[i].text);
        if (told)
            continue;
        list = list ? list : cJSON_AddArrayToObject(root, "warnings");
        cJSON_AddItemToArray(list, cJSON_CreateString(notes->at.at[i].text));
    }
}

/* ---- Files ---- */

void notes_write(const struct notes *notes, struct str *out) {
    for (size_t i = 0; i < notes->at.count; i++) {
        const struct note *note = &notes->at.at[i];
        csv_add_text(out, kind_names[note->kind]);
        csv_comma_text(out, note->text);
        csv_comma_real(out, note->number);
        csv_comma_real(out, note->of);
        csv_comma_real(out, note->extra);
        csv_comma_int(out, (int64_t)note->runs);
        csv_comma_text(out, note->names);
        str_add_char(out, '\n');
    }
}

static double number_of(struct slice field) {
    double value = 0;
    (void)numfmt_parse_real(field.at, field.length, &value);
    return value;
}

/* Columns of what notes_write has written. */
enum { KIND, TEXT, NUMBER, OF, EXTRA, RUNS, NAMES };

int notes_reader(struct csv **ret_csv, struct error *reterr) {
    static const char names[] = "kind,text,number,of,extra,runs,names";
    return csv_of_text((struct slice){names, sizeof names - 1}, "notes of a run", ret_csv, reterr);
}

static void add_row(struct notes *notes, const struct csv *row, const char *policy,
                    struct str *text, struct str *warning) {
    struct note note = {.kind = 0, .policy = policy, .sources = 1};
    while (note.kind < NOTE_KIND_COUNT && !slice_is(csv_field(row, KIND), kind_names[note.kind]))
        note.kind++;
    if (note.kind == NOTE_POINT) {
        str_add(warning, warning->length > 0 ? "; " : "");
        str_add_bytes(warning, csv_field(row, TEXT).at, csv_field(row, TEXT).length);
    }
    if (note.kind >= NOTE_POINT)
        return;
    text->length = 0;
    str_add_bytes(text, csv_field(row, TEXT).at, csv_field(row, TEXT).length);
    str_add_bytes(text, "", 1);
    size_t names = text->length;
    str_add_bytes(text, csv_field(row, NAMES).at, csv_field(row, NAMES).length);
    note.text = text->text;
    note.names = text->length > names ? text->text + names : NULL;
    note.number = number_of(csv_field(row, NUMBER));
    note.of = number_of(csv_field(row, OF));
    note.extra = number_of(csv_field(row, EXTRA));
    note.runs = (uint64_t)number_of(csv_field(row, RUNS));
    add_note(notes, &note);
}

int notes_add_text(struct notes *notes, struct csv *reader, struct slice written,
                   const char *policy, struct str *warning, struct error *reterr) {
    struct slice line;
    struct str text = {0};
    int r = 0;
    (void)keep_policy(notes, policy);
    notes->sources++;
    while (r == 0 && slice_line(&written, &line)) {
        r = csv_take_line(reader, line, reterr);
        if (r == 0)
            add_row(notes, reader, policy, &text, warning);
    }
    str_finish(&text);
    return r;
}

void notes_finish(struct notes *notes) {
    free(notes->at.at);
    free(notes->policies.at);
    arena_finish(&notes->arena);
    *notes = (struct notes){.sources = 0};
}
