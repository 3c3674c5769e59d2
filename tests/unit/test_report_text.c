/* One report in three formats. Expected texts are written by hand, from the rules in the header. */
#include "output/report_text.h"

#include <criterion/criterion.h>

static void expect(enum report_format format, const char *expected) {
    struct report report = {0};
    struct str text = {0};
    str_add(report_lines(&report), "a_b: 5 %\n  note: x\n");
    report_table(&report, "name|>value");
    str_add(report_column(&report, false), "|unit");
    report_row_of(&report, "p|q");
    report_cell_of(&report, "-1.5 +- 12.25");
    report_cell_of(&report, "kWh");
    report_row_of(&report, "  \xc3\xa9 & #");
    report_cell_of(&report, "10 (9 .. 11)");
    report_row_of(&report, "[last]");
    str_add(report_lines(&report), "end\n");
    report_write(&report, format, &text);
    cr_expect_str_eq(text.text, expected, "%s", text.text);
    str_finish(&text);
    report_finish(&report);
}

/* Columns are two blanks apart; numbers end alike, and so do what follows them begin alike. */
Test(report_text, terminal) {
    expect(REPORT_TERMINAL, "a_b: 5 %\n  note: x\n"
                            "  name              value  |unit\n"
                            "  p|q      -1.5 +- 12.25   kWh\n"
                            "    \xc3\xa9 & #    10 (9 .. 11)\n"
                            "  [last]\n"
                            "end\n");
}

Test(report_text, markdown) {
    expect(REPORT_MARKDOWN, "a\\_b: 5 %\n\n- note: x\n\n"
                            "| name | value | \\|unit |\n"
                            "| --- | ---: | --- |\n"
                            "| p\\|q | -1.5 \xc2\xb1 12.25 | kWh |\n"
                            "| &nbsp;&nbsp;\xc3\xa9 & # | 10 (9 .. 11) |  |\n"
                            "| \\[last\\] |  |  |\n\n"
                            "end\n\n");
}

Test(report_text, latex) {
    expect(REPORT_LATEX, "a\\_b: 5 \\%\n\nnote: x\n\n"
                         "\\begin{tabular}{lrl}\n\\toprule\n"
                         "name & value & \\textbar{}unit \\\\\n\\midrule\n"
                         "p\\textbar{}q & $-$1.5 $\\pm$ 12.25 & kWh \\\\\n"
                         "~~\\texttt{U+00E9} \\& \\# & 10 (9 .. 11) &  \\\\\n"
                         "{}[last] &  &  \\\\\n\\bottomrule\n\\end{tabular}\n\n"
                         "end\n\n");
}

/* The ten characters that LaTeX gives a meaning, those of a text font, and a broken byte. */
Test(report_text, latex_characters) {
    struct report report = {0};
    struct str text = {0};
    str_add(report_lines(&report), "\\{}$&#%_~^ <>\" \xff");
    report_write(&report, REPORT_LATEX, &text);
    cr_expect_str_eq(text.text,
                     "\\textbackslash{}\\{\\}\\$\\&\\#\\%\\_\\textasciitilde{}\\textasciicircum{} "
                     "\\textless{}\\textgreater{}\\textquotedbl{} \\texttt{U+FFFD}\n\n",
                     "%s", text.text);
    str_finish(&text);
    report_finish(&report);
}
