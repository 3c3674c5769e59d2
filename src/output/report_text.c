/* Lines and tables for people: see report_text.h. Invariant: pieces begin in the order of the text;
   those of a table are its head and then, row by row, its cells. */
#include "output/report_text.h"

#include <ctype.h>

/* --- making --- */

static struct str *begin_piece(struct report *report, enum report_piece_kind kind, bool right) {
    array_push(&report->pieces, ((struct report_piece){report->text.length, kind, right}));
    return &report->text;
}

struct str *report_lines(struct report *report) {
    return begin_piece(report, PIECE_TEXT, false);
}

struct str *report_column(struct report *report, bool right) {
    return begin_piece(report, PIECE_HEAD, right);
}

void report_table(struct report *report, const char *columns) {
    enum report_piece_kind kind = PIECE_TABLE;
    for (const char *end; columns; columns = *end ? end + 1 : NULL, kind = PIECE_HEAD) {
        bool right = *columns == '>';
        end = strchrnul(columns, '|');
        begin_piece(report, kind, right);
        str_add_bytes(&report->text, columns + right, (size_t)(end - columns) - right);
    }
}

struct str *report_row(struct report *report) {
    return begin_piece(report, PIECE_ROW, false);
}

struct str *report_cell(struct report *report) {
    return begin_piece(report, PIECE_CELL, false);
}

void report_row_of(struct report *report, const char *text) {
    str_add(report_row(report), text);
}

void report_cell_of(struct report *report, const char *text) {
    str_add(report_cell(report), text);
}

void report_finish(struct report *report) {
    str_finish(&report->text);
    free(report->pieces.at);
    *report = (struct report){0};
}

/* --- tables --- */

static struct slice piece_text(const struct report *report, size_t piece) {
    size_t at = report->pieces.at[piece].at, end = piece + 1 < report->pieces.count
                                                       ? report->pieces.at[piece + 1].at
                                                       : report->text.length;
    return (struct slice){report->text.text + at, end - at};
}

static bool is_kind(const struct report *report, size_t piece, enum report_piece_kind kind) {
    return piece < report->pieces.count && report->pieces.at[piece].kind == kind;
}

/* The number before " +- " or " (", of which a right column is lined up; all of other cells. */
static size_t head_length(struct slice cell, bool right) {
    for (size_t i = 1; right && i + 2 < cell.length; i++)
        if (cell.at[i] == ' ' &&
            (cell.at[i + 1] == '(' || (cell.at[i + 1] == '+' && cell.at[i + 2] == '-')))
            return i;
    return cell.length;
}

static size_t width_of(const char *text, size_t length) {
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* A column on the terminal: its head, the most before the tail of a cell, and of a tail. */
struct column {
    bool right;
    size_t head, tail;
};

static void widen(struct column *column, struct slice cell, bool is_title) {
    size_t head = is_title ? cell.length : head_length(cell, column->right),
           before = width_of(cell.at, head), behind = width_of(cell.at, cell.length) - before;
    if (is_title)
        before = before > column->tail ? before - column->tail : 0;
    column->head = before > column->head ? before : column->head;
    column->tail = behind > column->tail ? behind : column->tail;
}

static void add_terminal_cell(const struct column *column, struct slice cell, bool is_title,
                              struct str *out) {
    size_t width = width_of(cell.at, cell.length), whole = column->head + column->tail,
           before = width_of(cell.at, head_length(cell, column->right)),
           lead = is_title ? whole - width : column->head - before;
    lead = column->right ? lead : 0;
    str_addf(out, "%*s", (int)lead, "");
    str_add_bytes(out, cell.at, cell.length);
    str_addf(out, "%*s", (int)(whole - lead - width), "");
}

static void escape_markdown(struct slice text, struct str *out) {
    for (size_t i = 0; i < text.length; i++)
        if (i + 1 < text.length && memcmp(text.at + i, "+-", 2) == 0)
            str_add(out, "\u00b1"), i++;
        else
            str_addf(out, "%s%c", strchr("\\`*_<|[]", text.at[i]) ? "\\" : "", text.at[i]);
}

/* The ten special characters, those that text fonts lack, and the sign of an interval; what is not
   ASCII by its number, which any engine can set. */
static void escape_latex(struct slice text, struct str *out) {
    static const struct {
        char c;
        const char *text;
    } escapes[] = {{'\\', "textbackslash"}, {'~', "textasciitilde"}, {'^', "textasciicircum"},
                   {'<', "textless"},       {'>', "textgreater"},    {'|', "textbar"},
                   {'"', "textquotedbl"}};
    struct str whole = {0};
    str_add_bytes(&whole, text.at, text.length);
    for (const unsigned char *at = (const unsigned char *)whole.text; *at;) {
        size_t e = 0, count = sizeof escapes / sizeof *escapes;
        bool interval = at[0] == '+' && at[1] == '-';
        uint32_t c = utf8_next(&at);
        while (e < count && (uint32_t)escapes[e].c != c)
            e++;
        at += interval;
        if (interval)
            str_add(out, "$\\pm$");
        else if (e < count)
            str_addf(out, "\\%s{}", escapes[e].text);
        else if (c < ' ' || c > '~')
            str_addf(out, "\\texttt{U+%04X}", (unsigned)c);
        else
            str_addf(out, "%s%c", strchr("&%$#_{}", (int)c) ? "\\" : c == '[' ? "{}" : "", (int)c);
    }
    str_finish(&whole);
}

/* Keeps the indent of a cell, which both formats would drop; in LaTeX a minus is math. */
static void add_marked_cell(struct slice cell, bool latex, struct str *out) {
    for (; cell.length > 0 && cell.at[0] == ' '; cell.at++, cell.length--)
        str_add(out, latex ? "~" : "&nbsp;");
    bool minus =
        latex && cell.length > 1 && cell.at[0] == '-' && isdigit((unsigned char)cell.at[1]);
    str_add(out, minus ? "$-$" : "");
    (latex ? escape_latex : escape_markdown)((struct slice){cell.at + minus, cell.length - minus},
                                             out);
}

static const struct {
    const char *begin, *row, *between, *end, *finish;
} marks[] = {{"", "  ", "  ", "\n", ""},
             {"\n", "| ", " | ", " |\n", "\n"},
             {"\\begin{tabular}{", "", " & ", " \\\\\n", "\\bottomrule\n\\end{tabular}\n\n"}};

/* Before the head, and after it. */
static void add_rule(const struct column *columns, size_t count, enum report_format format,
                     bool before, struct str *out) {
    static const char *const ends[][2] = {{"", ""}, {"|\n", ""}, {"\\midrule\n", "}\n\\toprule\n"}};
    for (size_t c = 0; c < count && format == REPORT_MARKDOWN && !before; c++)
        str_add(out, columns[c].right ? "| ---: " : "| --- ");
    for (size_t c = 0; c < count && format == REPORT_LATEX && before; c++)
        str_add_char(out, columns[c].right ? 'r' : 'l');
    str_add(out, ends[format][before]);
}

/* Writes the table that begins at a piece; returns the piece after it. */
static size_t write_table(const struct report *report, size_t first, enum report_format format,
                          struct str *out) {
    size_t count = 1, end = first + 1, c = 0;
    while (is_kind(report, end, PIECE_HEAD))
        end++, count++;
    while (is_kind(report, end, PIECE_ROW) || is_kind(report, end, PIECE_CELL))
        end++;
    struct column *columns = mem_zalloc(count, sizeof *columns);
    for (size_t pass = 0; pass < 2; pass++) /* titles last: they may reach into the tails */
        for (size_t p = pass ? first : first + count; p < (pass ? first + count : end); p++, c++) {
            c = pass ? p - first : is_kind(report, p, PIECE_ROW) ? 0 : c;
            columns[c].right = report->pieces.at[first + c].right;
            widen(&columns[c], piece_text(report, p), pass);
        }
    str_add(out, marks[format].begin);
    add_rule(columns, count, format, true, out);
    for (size_t p = first; p < end;) {
        bool is_title = p == first;
        for (c = 0; c < count; c++) {
            bool there = c == 0 || is_kind(report, p, is_title ? PIECE_HEAD : PIECE_CELL);
            struct slice cell = there ? piece_text(report, p++) : (struct slice){"", 0};
            str_add(out, c == 0 ? marks[format].row : marks[format].between);
            if (format == REPORT_TERMINAL)
                add_terminal_cell(&columns[c], cell, is_title, out);
            else
                add_marked_cell(cell, format == REPORT_LATEX, out);
        }
        while (format == REPORT_TERMINAL && out->text[out->length - 1] == ' ')
            out->text[--out->length] = '\0';
        str_add(out, marks[format].end);
        if (is_title)
            add_rule(columns, count, format, false, out);
    }
    str_add(out, marks[format].finish);
    free(columns);
    return end;
}

/* --- lines --- */

/* As paragraphs; in Markdown those that are set in as items. */
static void write_lines(struct slice text, enum report_format format, struct str *out) {
    if (format == REPORT_TERMINAL)
        str_add_bytes(out, text.at, text.length);
    while (text.length > 0 && format != REPORT_TERMINAL) {
        const char *newline = memchr(text.at, '\n', text.length);
        size_t length = newline ? (size_t)(newline - text.at) : text.length, blanks = 0;
        while (blanks < length && text.at[blanks] == ' ')
            blanks++;
        bool item = format == REPORT_MARKDOWN && blanks > 0;
        str_add(out, item ? "- " : "");
        (format == REPORT_LATEX ? escape_latex : escape_markdown)(
            (struct slice){text.at + blanks, length - blanks}, out);
        str_add(out, item ? "\n" : length > 0 ? "\n\n" : "");
        length += newline != NULL;
        text = (struct slice){text.at + length, text.length - length};
    }
}

void report_write(const struct report *report, enum report_format format, struct str *out) {
    size_t before = report->pieces.count > 0 ? report->pieces.at[0].at : report->text.length;
    write_lines((struct slice){report->text.text, before}, format, out);
    for (size_t p = 0; p < report->pieces.count;)
        if (report->pieces.at[p].kind == PIECE_TABLE)
            p = write_table(report, p, format, out);
        else
            write_lines(piece_text(report, p++), format, out);
}
