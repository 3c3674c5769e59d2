/* Output of a command for people: lines of text and tables, made once and shown on a terminal, as
   Markdown or as LaTeX with the same rows and digits. */
#ifndef EASIM_OUTPUT_REPORT_TEXT_H
#define EASIM_OUTPUT_REPORT_TEXT_H

#include "base/array.h"
#include "base/str.h"

/* In the order of the words of --format. */
enum report_format { REPORT_TERMINAL, REPORT_MARKDOWN, REPORT_LATEX };

struct report_piece {
    size_t at; /* where it begins in the text; it ends where the next one does */
    enum report_piece_kind { PIECE_TEXT, PIECE_TABLE, PIECE_HEAD, PIECE_ROW, PIECE_CELL } kind;
    bool right; /* of a head: the column ends alike */
};

/* Zero-initialise; release with report_finish. Text that is added belongs to the piece that was
   begun last, and at first to lines of text. */
struct report {
    struct str text;
    ARRAY_OF(struct report_piece) pieces;
};

/* Each begins a piece and returns the text, to which its content is added.
   Lines, each with its end; those that begin with a space are items of a list. */
struct str *report_lines(struct report *report);
/* A table with the columns "left|>right|...". */
void report_table(struct report *report, const char *columns);
/* One more column, before the first row. */
struct str *report_column(struct report *report, bool right);
/* A row and its first cell; the next cell. Cells that lack at the end of a row are empty. A number
   and what is told with it, " +- HALF" or " (LOW .. HIGH)", are lined up apart. */
struct str *report_row(struct report *report);
struct str *report_cell(struct report *report);
void report_row_of(struct report *report, const char *text);
void report_cell_of(struct report *report, const char *text);
void report_finish(struct report *report);

/* The whole report, with control characters as they are: print it made visible. */
void report_write(const struct report *report, enum report_format format, struct str *out);

#endif
