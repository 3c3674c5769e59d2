/* CSV rows by column name. Expected fields follow RFC 4180, with blanks around fields dropped. */
#include "../support/temp_dir.h"
#include "config/csv_reader.h"

#include <criterion/criterion.h>
#include <math.h>

/* All rows as text: fields in <>, rows separated by '/', errors in {}. */
static void read_rows(const char *text, char separator, struct str *out) {
    temp_file_write_text("jobs.csv", text);
    struct csv *csv = NULL;
    struct error error = {0};
    str_add(out, "");
    if (csv_open("jobs.csv", separator, &csv, &error) < 0) {
        str_addf(out, "{%s}", error.text);
        return;
    }
    for (size_t i = 0; i < csv_column_count(csv); i++)
        str_addf(out, "<%s>", csv_column_name(csv, i));
    int status;
    while ((status = csv_next(csv, &error)) == 1 || status == ERROR_INPUT) {
        str_add_char(out, '/');
        if (status < 0)
            str_addf(out, "{%s}", error.text);
        for (size_t i = 0; status == 1 && i < csv_column_count(csv); i++) {
            struct slice field = csv_field(csv, (int)i);
            str_addf(out, "<%.*s>", (int)field.length, field.at);
        }
    }
    if (status < 0)
        str_addf(out, "{{%s}}", error.text);
    csv_close(csv);
}

Test(csv, rows_and_errors, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        const char *text;
        char separator;
        const char *rows;
    } cases[] = {
        {"id,gpus\nj1,8\nj2,16\n", ',', "<id><gpus>/<j1><8>/<j2><16>"},
        {"id,gpus\r\nj1,8\r\n", ',', "<id><gpus>/<j1><8>"},
        {"\xef\xbb\xbfid,gpus\nj1,8", ',', "<id><gpus>/<j1><8>"},
        {"\n  \n id ,\tgpus \n\n j1 , 8\t\n \t \n", ',', "<id><gpus>/<j1><8>"},
        {"id,gpus\n,\nj1,\n,8\n", ',', "<id><gpus>/<><>/<j1><>/<><8>"},
        {"id;x\n1,5;2\n", ';', "<id><x>/<1,5><2>"},
        {"id\tx\n\t\na b\tc\n", '\t', "<id><x>/<><>/<a b><c>"},
        {"id,\"a b\"\n\"x,y\",\"\"\n", ',', "<id><a b>/<x,y><>"},
        {"a,b,c\n\"1\"\"2\", \"\"\"\" ,\"\"\"x\"\"\"\n", ',', "<a><b><c>/<1\"2><\"><\"x\">"},
        {"a,b\n\" x \",y\n", ',', "<a><b>/< x ><y>"},
        {"a,b\n\"x\",\"y\"\nplain,z\n", ',', "<a><b>/<x><y>/<plain><z>"},
        {"a\tb\n\"x\"\t\"\"\n", '\t', "<a><b>/<x><>"},
        /* errors of the header */
        {"", ',', "{jobs.csv: empty file, expected a header line}"},
        {" \n\n", ',', "{jobs.csv: empty file, expected a header line}"},
        {"gpus,id,gpus\n", ',', "{jobs.csv:1:9: duplicate column \"gpus\"}"},
        {"id,,gpus\n", ',', "{jobs.csv:1:4: empty column name}"},
        {"\nid,\n", ',', "{jobs.csv:2:4: empty column name}"},
        {"id,\"x\n", ',', "{jobs.csv:1:4: quote not closed on this line}"},
        /* errors of a row; the next row is read all the same */
        {"a,b\n1\n2,3\n", ',',
         "<a><b>/{jobs.csv:2:1: expected 2 fields as in the header, found 1}/<2><3>"},
        {"a,b\n\n1,2,3,4\n5,6\n", ',',
         "<a><b>/{jobs.csv:3:1: expected 2 fields as in the header, found 4}/<5><6>"},
        {"a,b\n\"1\",\"2\",\"3\"\n", ',',
         "<a><b>/{jobs.csv:2:1: expected 2 fields as in the header, found 3}"},
        {"a,b\nx,\"y\nz,w\n", ',', "<a><b>/{jobs.csv:2:3: quote not closed on this line}/<z><w>"},
        {"a,b\nx,\"y\"\"\nz,w\n", ',',
         "<a><b>/{jobs.csv:2:3: quote not closed on this line}/<z><w>"},
        {"a,b\nx,\"y\"z\n", ',', "<a><b>/{jobs.csv:2:6: text after a closing quote}"},
        {"a,b\nx,5\" disk\n", ',',
         "<a><b>/{jobs.csv:2:4: quote inside a field that does not begin with one}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = {0};
        read_rows(cases[i].text, cases[i].separator, &out);
        cr_assert_str_eq(out.text, cases[i].rows);
        str_finish(&out);
    }
}

Test(csv, columns_and_places, .init = temp_dir_enter, .fini = temp_dir_leave) {
    temp_file_write_text("jobs.csv", "id,gpus, user\n\nj1,  8,\"u \"\"1\"\"\"\n");
    struct csv *csv;
    cr_assert_eq(csv_open("jobs.csv", ',', &csv, NULL), 0);
    cr_assert_eq(csv_column(csv, "user"), 2);
    cr_assert_eq(csv_column(csv, "nodes"), -1);
    cr_assert_eq(csv_column_count(csv), 3);
    cr_assert_eq(csv_field(csv, 1).length, 0); /* no row yet */
    cr_assert_eq(csv_next(csv, NULL), 1);
    cr_assert(slice_is(csv_field(csv, 1), "8"));
    cr_assert(slice_is(csv_field(csv, 2), "u \"1\""));
    cr_assert_eq(csv_field(csv, -1).length, 0);
    struct location where = csv_where(csv, 1);
    cr_assert_str_eq(where.file, "jobs.csv");
    cr_assert_eq(where.line, 3);
    cr_assert_eq(where.column, 6);
    cr_assert_eq(csv_where(csv, 2).column, 8);
    cr_assert_eq(csv_where(csv, -1).column, 0);
    csv_close(csv);
    csv_close(NULL);
}

/* Every combination of quoted and plain fields of two columns survives being written and read. */
Test(csv, many_columns, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct str text = {0};
    for (int i = 0; i < CSV_MAX_COLUMNS; i++)
        str_addf(&text, "%sc%d", i > 0 ? "," : "", i);
    str_add_char(&text, '\n');
    for (int i = 0; i < CSV_MAX_COLUMNS; i++)
        str_addf(&text, i % 3 == 0 ? "%s\"%d\"\"\"" : "%s%d", i > 0 ? "," : "", i * 7919 % 1000);
    temp_file_write("jobs.csv", text.text, text.length);
    struct csv *csv;
    struct error error = {0};
    cr_assert_eq(csv_open("jobs.csv", ',', &csv, &error), 0, "%s", error.text);
    cr_assert_eq(csv_column(csv, "c4095"), 4095);
    cr_assert_eq(csv_next(csv, &error), 1, "%s", error.text);
    for (int i = 0; i < CSV_MAX_COLUMNS; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, i % 3 == 0 ? "%d\"" : "%d", i * 7919 % 1000);
        cr_assert(slice_is(csv_field(csv, i), expected), "column %d", i);
    }
    cr_assert_eq(csv_next(csv, &error), 0);
    csv_close(csv);

    str_finish(&text);
    for (int i = 0; i <= CSV_MAX_COLUMNS; i++)
        str_addf(&text, "%sc%d", i > 0 ? "," : "", i);
    temp_file_write("wide.csv", text.text, text.length);
    cr_assert_eq(csv_open("wide.csv", ',', &csv, &error), ERROR_INPUT);
    cr_assert_str_eq(error.text, "wide.csv:1:1: expected at most 4096 columns, found 4097");
    str_finish(&text);
}

Test(csv, errors_of_the_file, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct csv *csv = NULL;
    struct error error = {0};
    cr_assert_eq(csv_open("missing.csv", ',', &csv, &error), ERROR_IO);
    cr_assert_str_eq(error.text, "missing.csv: cannot open: No such file or directory");
    cr_assert_null(csv);
    temp_file_write("nul.csv", "a,b\n1,\0\n2,3\n", 12);
    cr_assert_eq(csv_open("nul.csv", ',', &csv, &error), 0);
    cr_assert_eq(csv_next(csv, &error), ERROR_INPUT);
    cr_assert_str_eq(error.text, "nul.csv:2:3: NUL byte (is this a text file in UTF-8?)");
    cr_assert_eq(csv_next(csv, &error), 1);
    cr_assert(slice_is(csv_field(csv, 1), "3"));
    csv_close(csv);
}

/* Two rows give the same text exactly if their fields are the same. */
Test(csv, rows_as_text, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        const char *one, *two;
        char separator;
        bool same;
    } cases[] = {
        {"1,2", "1,2", ',', true},
        {"1,2", "1,3", ',', false},
        {"1,2", " 1 ,2\t", ',', true},
        {"1,2", "\"1\",2", ',', true},
        {"12,", "1,2", ',', false},
        {",", "\"\",", ',', true},
        {"\"a,b\",c", "a,\"b,c\"", ',', false},
        {"\"a,b\",c", "\"a,b\", c", ',', true},
        {"a\tb", "\"a\"\tb", '\t', true},
        {"x y;z", "\"x y\" ;z", ';', true},
        {"\"\"\"\",1", "\"\"\"\" , 1", ',', true},
        {"\"1;2\";3", "1;\"2;3\"", ';', false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80];
        struct csv *csv;
        struct str room[2] = {{0}, {0}}, first = {0};
        snprintf(text, sizeof text, "a%cb\n%s\n%s\n", cases[i].separator, cases[i].one,
                 cases[i].two);
        temp_file_write_text("jobs.csv", text);
        cr_assert_eq(csv_open("jobs.csv", cases[i].separator, &csv, NULL), 0);
        cr_assert_eq(csv_next(csv, NULL), 1, "%zu", i);
        struct slice row = csv_row(csv, &room[0]);
        str_add_bytes(&first, row.at, row.length);
        cr_assert_eq(csv_next(csv, NULL), 1, "%zu", i);
        cr_expect_eq(slice_is(csv_row(csv, &room[1]), first.text), cases[i].same, "%zu", i);
        csv_close(csv);
        str_finish(&room[0]);
        str_finish(&room[1]);
        str_finish(&first);
    }
}

/* --- rows as structs --- */

struct row {
    double real, above;
    uint32_t count;
    int32_t choice;
    bool flag;
};

static const char *const row_choices[] = {"", "1", "0", "1.0", "first", NULL};

static const struct field row_columns[] = {
    {"name", CELL, REQUIRED, HELP("a name")},
    {"real", REAL(row, real), REQUIRED, RANGE(-1e6, 1e6)},
    {"other", CELL},
    {"above", REAL(row, above), ABOVE(0, 1e300), DEFAULT(2.385), WORD("none")},
    {"count", COUNT(row, count), RANGE(0, 4294967295.0)},
    {"choice", CHOICE(row, choice, row_choices)},
    {"flag", BOOL(row, flag)},
    FIELDS_END};

struct rows_read {
    struct csv_reader csv;
    struct row row;
    struct str text;
};

static void add_row(void *context) {
    struct rows_read *r = context;
    bool good = csv_reader_row(&r->csv, &r->row);
    struct slice name = csv_reader_cell(&r->csv, "name"), other = csv_reader_cell(&r->csv, "other");
    if (good)
        str_addf(&r->text, "<%.*s><%.*s><%a><%a><%u><%d><%d>%u:%u\n", (int)name.length, name.at,
                 (int)other.length, other.at, r->row.real, r->row.above, (unsigned)r->row.count,
                 (int)r->row.choice, r->row.flag, csv_reader_where(&r->csv, "count").line,
                 csv_reader_where(&r->csv, "count").column);
}

static void read_structs(const char *file, bool straight, struct str *out) {
    struct problems problems = {.every = true};
    struct rows_read r = {.csv = {.columns = row_columns, .problems = &problems}};
    r.csv.row = straight ? &r.row : NULL;
    r.csv.row_bytes = sizeof r.row;
    str_add(&r.text, "");
    (void)!csv_reader_load(&r.csv, file, add_row, &r);
    for (size_t i = 0; i < problems.kept; i++)
        str_addf(&r.text, "%s\n", problems.texts[i]);
    *out = r.text;
    problems_finish(&problems);
}

/* One of the texts, which '~' tells apart. */
static void add_one_of(const char *texts, uint64_t *seed, struct str *out) {
    size_t count = 1;
    for (const char *at = texts; *at; at++)
        count += *at == '~';
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    for (size_t skip = (*seed >> 33) % count; skip > 0; skip--)
        texts = strchr(texts, '~') + 1;
    str_add_bytes(out, texts, strcspn(texts, "~"));
}

/* Rows read straight from their lines are those of the reader that splits every line first, with
   the same problems: 300 files of 20 rows, a cell in ten an odd one. */
Test(csv, rows_straight_from_lines, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const char *const headers[] = {"name,real,other,above,count,choice,flag",
                                          "flag,label.x,count,name,above,real,choice,other"};
    static const char usual[] = "1~0~1~1~~1.0~1";
    static const char odd[] =
        "~ ~ 1~1 ~\t1~\"1\"~\"\"~\"~1\"~a\"b~\"a,b\"~\"a\"\"b\"~-0~-1~+1~1e3~1.~.5~-.5~.~-~1.2.3~"
        "66.5~4294967295~4294967296~1e6~1e7~1000000.0000001~9007199254740993~0.12345678901234567~"
        "00000000000000001~00000000000000000000001.5~none~NONE~first~second~nan~inf~a b~x+y~"
        "\xc3\xa9~\x01~1,1~,~\r~\n";
    uint64_t seed = 47;
    size_t rows = 0;
    for (int i = 0; i < 300; i++) {
        struct str text = {0}, split, straight;
        str_addf(&text, "%s\n", headers[i % 2]);
        for (int row = 0; row < 20; row++) {
            for (const char *at = headers[i % 2]; at; at = strchr(at + 1, ',')) {
                str_add(&text, *at == ',' ? "," : "");
                add_one_of(text.length % 10 == 0 ? odd : usual, &seed, &text);
            }
            str_add(&text, i % 3 > 0 ? "\n" : row < 19 ? "\r\n" : "");
        }
        temp_file_write("rows.csv", text.text, text.length);
        read_structs("rows.csv", false, &split);
        read_structs("rows.csv", true, &straight);
        if (strcmp(straight.text, split.text) != 0)
            cr_assert_fail("file %d: %s, not %s", i, straight.text, split.text);
        for (const char *at = split.text; *at == '<'; at = strchr(at, '\n') + 1)
            rows++;
        str_finish(&text);
        str_finish(&split);
        str_finish(&straight);
    }
    cr_assert_gt(rows, 1000);
}

/* By the definition: a real has a point or an exponent, what has no value is an empty cell. */
Test(csv, reals_have_points) {
    struct str out = {0};
    const double values[] = {5, -3, 0, 0.25, 1e20, 1e-9, 9007199254740992.0, NAN, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        csv_comma_real(&out, values[i]);
    csv_comma_positive(&out, 0);
    csv_comma_positive(&out, 8);
    csv_comma_int(&out, 7);
    str_add_char(&out, ' ');
    csv_add_ns(&out, 1500000000);
    str_add_char(&out, ' ');
    csv_add_ns(&out, -2000000000);
    cr_expect_str_eq(out.text,
                     ",5.0,-3.0,0.0,0.25,1e+20,1e-9,9007199254740992.0,,,,8.0,7 1.5 -2.0");
    str_finish(&out);
}
