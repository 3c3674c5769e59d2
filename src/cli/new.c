/* easim new: a folder in which a policy of one's own compiles, is tested and runs. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "new_texts.h"
#include "output/run/run_dir.h"
#include "policy/interface.h"
#include "policy/module.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_NAME 64

/* --- what a text has places for --- */

enum place { NAME, CLASS, POLICY, PROGRAM, INCLUDE, MOCK, PYTHONPATH, PLACES };
static const char *const places[PLACES] = {"@NAME@",    "@CLASS@", "@POLICY@",    "@EASIM@",
                                           "@INCLUDE@", "@MOCK@",  "@PYTHONPATH@"};

static void fill_in(const char *text, const struct str *values, struct str *out) {
    while (*text) {
        size_t p = 0, length = 1;
        while (p < PLACES && strncmp(text, places[p], strlen(places[p])) != 0)
            p++;
        if (p < PLACES) {
            str_add(out, values[p].text ? values[p].text : "");
            length = strlen(places[p]);
        } else
            str_add_char(out, *text);
        text += length;
    }
}

/* "least_slack" is LeastSlack, a name of Python. */
static void add_class(const char *name, struct str *out) {
    bool begins = true;
    for (; *name; name++) {
        if (*name != '_')
            str_add_char(out, (char)(begins && *name >= 'a' && *name <= 'z' ? *name - 32 : *name));
        begins = *name == '_';
    }
    if (strcmp(out->text, "None") == 0 || strcmp(out->text, "True") == 0 ||
        strcmp(out->text, "False") == 0)
        str_add(out, "Policy");
}

/* A path as value of a variable of a Makefile, whose commands have it between quotes or not. */
static void add_path(const char *path, bool is_quoted, struct str *out) {
    for (; *path; path++)
        str_add(out, *path == '$'                 ? "$$"
                     : *path == '#'               ? "\\#"
                     : *path == '\'' && is_quoted ? "'\\''"
                                                  : (char[]){*path, '\0'});
}

/* --- where the parts of easim are that a policy is compiled with --- */

struct sought {
    const char *file;
    char path[PATH_MAX];
};

static bool has_file(const char *folder, void *context) {
    struct sought *sought = context;
    struct str file = {0};
    str_addf(&file, "%s/%s", folder, sought->file);
    bool found = access(file.text, R_OK) == 0 && realpath(folder, sought->path);
    str_finish(&file);
    return found;
}

/* Appends the folder of the file; false: it is not there. */
static bool add_folder(const struct own_folders *folders, const char *file, bool is_quoted,
                       struct str *out) {
    struct sought sought = {.file = file};
    bool found = own_folders_each(folders, has_file, &sought);
    if (found)
        add_path(sought.path, is_quoted, out);
    return found;
}

static int find_parts(bool python, struct str *values, struct error *reterr) {
    static const struct own_folders headers = {"include", EASIM_INCLUDE_DIR_FROM_PROGRAM,
                                               EASIM_INCLUDE_DIR},
                                    mock = {"policies/mock", EASIM_MOCK_DIR_FROM_PROGRAM,
                                            EASIM_MOCK_DIR},
                                    package = {"tools/python", "tools/python",
                                               "tools/python"}; /* of the sources */
    char program[PATH_MAX];
    if (!realpath("/proc/self/exe", program))
        return error_set(reterr, ERROR_IO, "/proc/self/exe: %s", strerror(errno));
    add_path(program, true, &values[PROGRAM]);
    if (python) {
        str_add(&values[PYTHONPATH], "export PYTHONPATH := ");
        if (add_folder(&package, "easim/policy.py", false, &values[PYTHONPATH]))
            str_add(&values[PYTHONPATH], ":$(PYTHONPATH)\n");
        else /* the package is installed, where Python finds it */
            values[PYTHONPATH].length = 0;
        return 0;
    }
    if (!add_folder(&headers, "easim/policy.h", true, &values[INCLUDE]))
        return error_set(reterr, ERROR_IO, "easim/policy.h: not in %s, nor next to %s",
                         EASIM_INCLUDE_DIR, program);
    if (!add_folder(&mock, "policy_mock.h", true, &values[MOCK]))
        return error_set(reterr, ERROR_IO, "policy_mock.h: not in %s, nor next to %s",
                         EASIM_MOCK_DIR, program);
    return 0;
}

/* --- the files --- */

struct file {
    const char *name, *text; /* both with places */
};
enum kind { KIND_LIST, KIND_FREE, KIND_PYTHON };
/* clang-format off */
static const struct file files[][4] = {
    [KIND_LIST] = {{"@NAME@.c", TEXT_NEW_LIST}, {"test_@NAME@.c", TEXT_NEW_LIST_TEST},
                   {"Makefile", TEXT_NEW_C_MAKE}, {"scenario.yaml", TEXT_NEW_SCENARIO}},
    [KIND_FREE] = {{"@NAME@.c", TEXT_NEW_FREE}, {"test_@NAME@.c", TEXT_NEW_FREE_TEST},
                   {"Makefile", TEXT_NEW_C_MAKE}, {"scenario.yaml", TEXT_NEW_SCENARIO}},
    [KIND_PYTHON] = {{"@NAME@_policy.py", TEXT_NEW_PYTHON}, {"test_@NAME@.py", TEXT_NEW_PYTHON_TEST},
                     {"Makefile", TEXT_NEW_PYTHON_MAKE}, {"scenario.yaml", TEXT_NEW_SCENARIO}},
};
/* clang-format on */

static int write_files(const char *folder, enum kind kind, const struct str *values,
                       struct error *reterr) {
    struct str path = {0}, text = {0};
    int r = files_make_folders(folder, reterr);
    for (size_t i = 0; r == 0 && i < sizeof files[kind] / sizeof files[kind][0]; i++) {
        path.length = text.length = 0;
        str_addf(&path, "%s/", folder);
        fill_in(files[kind][i].name, values, &path);
        fill_in(files[kind][i].text, values, &text);
        r = atomic_file_write_alone(path.text, text.text, text.length, reterr);
    }
    str_finish(&path);
    str_finish(&text);
    return r;
}

/* Whether a policy may have the name, here. */
static int check_name(const char *name, struct error *reterr) {
    if (!interface_is_name(name) || strlen(name) > MOST_NAME)
        return error_set(
            reterr, ERROR_INPUT,
            "NAME: expected a letter a-z, then at most %d of a-z, 0-9 and _, got \"%s\"",
            MOST_NAME - 1, name);
    if (module_is_own(name))
        return error_set(reterr, ERROR_INPUT,
                         "NAME: expected a new name, got that of easim's own policy %s", name);
    return 0;
}

int cli_new(struct options *options) {
    const char *name = options->operands[1];
    const char *folder = options->operand_count > 2 ? options->operands[2] : name;
    enum kind kind = options->new_python ? KIND_PYTHON : options->new_free ? KIND_FREE : KIND_LIST;
    struct str values[PLACES] = {0}, shown = {0};
    struct error error = {0};
    if (strcmp(options->operands[0], "policy") != 0)
        options_refuse(options, "expected policy NAME, got %s", options->operands[0]);
    int r = check_name(name, &error) < 0 ? error.code : run_dir_is_empty(folder, &error);
    if (r == 0)
        r = error_set(&error, ERROR_INPUT, "%s: the folder is not empty", folder);
    if (r > 0)
        r = find_parts(kind == KIND_PYTHON, values, &error);
    if (r == 0) {
        str_add(&values[NAME], name);
        add_class(name, &values[CLASS]);
        if (kind == KIND_PYTHON)
            str_addf(&values[POLICY],
                     "exec, params: {command: python3 -m easim.policy %s_policy.py:%s}", name,
                     values[CLASS].text);
        else
            str_addf(&values[POLICY], "./%s.so", name);
        r = write_files(folder, kind, values, &error);
    }
    if (r == 0) {
        str_addf(&shown, "In %s:\n\n    make test\n    make run\n    make compare\n", folder);
        cli_show_lines(&shown);
    }
    for (size_t p = 0; p < PLACES; p++)
        str_finish(&values[p]);
    str_finish(&shown);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}
