/* Notes on results, in addition to their figures. Each is printed once, with its share and with the
   policies it concerns, for one run, for a comparison or for the points of a sweep. */
#ifndef EASIM_OUTPUT_NOTES_H
#define EASIM_OUTPUT_NOTES_H

#include "experiment/compare.h"
#include "io/csv.h"
#include "output/json.h"
#include "study/replicate.h"
#include "study/service_bins.h"

/* In the order in which they are told. */
enum note_kind {
    NOTE_REJECTED, /* text: why; number of jobs */
    NOTE_REFUSED,  /* text: why; number of actions, of decisions */
    NOTE_OUTSIDE,  /* text: MODEL on GPU TYPE; number of starts */
    NOTE_STARTS,   /* number of all starts; told with NOTE_OUTSIDE */
    NOTE_COUNTED,  /* text: what the policy counts; number of it, names */
    NOTE_OVER_CAP, /* text: whether the policy keeps caps; number: s, extra: J */
    NOTE_SAID,     /* text alone */
    NOTE_WARNING,  /* text alone */
    NOTE_POINT,    /* a warning with figures of one point of many: not told, but in its row */
    NOTE_KIND_COUNT
};

struct note {
    enum note_kind kind;
    const char *policy, *text, *names; /* names: of what was counted, or NULL */
    double number, of, extra;
    uint64_t runs;    /* replications that it is of */
    uint64_t sources; /* runs, policies of a comparison, points of a sweep that say it */
};

/* Zero-initialise; release with notes_finish. */
struct notes {
    ARRAY_OF(struct note) at;
    ARRAY_OF(const char *) policies; /* all that were looked at */
    uint64_t sources;                /* looked at */
    bool skips_outside;              /* among assumptions the starts outside are told already */
    struct arena arena;
};

/* Notes on a loaded scenario before it runs, and on the results of its replications. */
void notes_add_study(struct notes *notes, const struct study *study);
void notes_add_result(struct notes *notes, const struct study *study,
                      const struct replicate_result *result);
/* A line for each service whose log was tried in shorter bins. */
void notes_add_bins(struct notes *notes, const struct study *study,
                    const struct service_bins_result *bins);
/* For a study; text alone. */
void notes_add_kind(struct notes *notes, const struct study *study, enum note_kind kind,
                    const char *text);
/* A line of the caller's. */
void notes_say(struct notes *notes, const struct study *study, const char *text);
/* A warning of the caller's, of no policy in particular. */
void notes_warn(struct notes *notes, const char *text);
/* --- trend_notes --- */

/* Growing queues, censored work and equal replications, if no table has them. */
void notes_add_trends(struct notes *notes, const struct study *study,
                      const struct compare_series *series, uint32_t count);
/* For one point of many: everything that is a warning of a run. */
void notes_add_point(struct notes *notes, const struct study *study,
                     const struct compare_series *series, uint32_t count);
/* The cell `warning` of a point, all of its warnings or nothing, for its runs; without any (count
 * 0) of its study alone. */
void notes_point_text(const struct study *study, const struct summary *summaries,
                      const struct trend *trends, uint32_t count, struct str *out);
void notes_finish(struct notes *notes);

/* The warnings, each once, as "warnings"; only if there are any. */
void notes_add_warnings(const struct notes *notes, cJSON *root);

/* "3 of 10 starts outside the range ..", if there are any; whether there are. */
bool notes_write_outside(const struct notes *notes, struct str *out);
/* A line each, after " ". */
void notes_print(const struct notes *notes, struct str *out);

/* As CSV without a header. */
void notes_write(const struct notes *notes, struct str *out);
/* What reads such texts; the caller closes it. */
int notes_reader(struct csv **ret_csv, struct error *reterr) MUST_CHECK;
/* Adds up what was written of a point; what is of that point alone goes to its cell `warning`.
   policy: of which it is. */
int notes_add_text(struct notes *notes, struct csv *reader, struct slice written,
                   const char *policy, struct str *warning, struct error *reterr) MUST_CHECK;

#endif
