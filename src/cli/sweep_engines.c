/* GNU parallel and Slurm. A task is `easim sweep --shard I/N`, which runs what its shard still
   misses: a task that was killed is simply run again. */
#include "cli/internal.h"

#include "cli/cli.h"
#include "io/atomic_file.h"
#include "io/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int add_command(const struct sweep_tasks *tasks, struct str *out, struct error *reterr) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_set(reterr, ERROR_IO, "/proc/self/exe: cannot read: %s", strerror(errno));
    program[length] = '\0';
    shell_add_word(out, program);
    str_add(out, " sweep ");
    shell_add_word(out, tasks->file);
    str_add(out, " --quiet --out ");
    shell_add_word(out, tasks->folder);
    return 0;
}

/* What only the tasks take. */
static void add_run_options(const struct sweep_tasks *tasks, struct str *out) {
    const char *const limits[][2] = {{" --run-timeout ", tasks->run_timeout},
                                     {" --decision-timeout ", tasks->decision_timeout}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i][1]) {
            str_add(out, limits[i][0]);
            shell_add_word(out, limits[i][1]);
        }
    str_add(out, tasks->retry_failed ? " --retry-failed" : "");
}

int sweep_engine_parallel(const struct sweep_tasks *tasks, struct error *reterr) {
    struct str command = {0}, task = {0}, line = {0};
    int r = add_command(tasks, &command, reterr);
    if (r == 0) {
        str_addf(&task, "%s --threads 1", command.text);
        add_run_options(tasks, &task);
        str_add(&task, " --shard ");
        str_addf(&line, "seq %u | parallel '", tasks->count);
        shell_add_quoted(&line, task.text); /* words, which a shell of parallel takes apart */
        str_addf(&line, "{}/%u'; %s --merge\n", tasks->count, command.text);
        r = cli_print(&line, reterr);
    }
    str_finish(&command);
    str_finish(&task);
    str_finish(&line);
    return r;
}

/* The head of both scripts. */
static int begin_script(const struct sweep_tasks *tasks, const char *what, struct str *out,
                        struct error *reterr) {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return error_set(reterr, ERROR_IO, "the current folder: %s", strerror(errno));
    str_addf(
        out,
        "#!/bin/bash\n#SBATCH --job-name=easim-%s\n#SBATCH --requeue\n#SBATCH --output=/dev/null\ncd ",
        what);
    shell_add_word(out, here);
    str_add(out, " || exit 2\nexec >>");
    struct str log = {0};
    str_addf(&log, "%s/slurm/%s.log", tasks->folder, what);
    shell_add_word(out, log.text);
    str_finish(&log);
    str_add(out, " 2>&1\n");
    return 0;
}

/* An exit status over 128 is a process ended by a signal (no memory, say): worth two more tries.
   Other failures are those of single runs, recorded, or bad input. */
static int array_script(const struct sweep_tasks *tasks, struct str *out, struct error *reterr) {
    int r = begin_script(tasks, "array", out, reterr);
    str_add(out, "for attempt in 1 2 3; do\n    ");
    if (r == 0)
        r = add_command(tasks, out, reterr);
    str_add(out, " --threads \"${SLURM_CPUS_PER_TASK:-1}\"");
    add_run_options(tasks, out);
    str_addf(out, " --shard \"$SLURM_ARRAY_TASK_ID/%u\"\n", tasks->count);
    str_add(out, "    code=$?\n"
                 "    echo \"task $SLURM_ARRAY_TASK_ID, attempt $attempt: exit status $code\"\n"
                 "    [ $code -gt 128 ] || break\n"
                 "done\n"
                 "exit $code\n");
    return r;
}

static int merge_script(const struct sweep_tasks *tasks, struct str *out, struct error *reterr) {
    int r = begin_script(tasks, "merge", out, reterr);
    if (r == 0)
        r = add_command(tasks, out, reterr);
    str_add(out, " --merge\n");
    return r;
}

static int write_script(const struct sweep_tasks *tasks, const char *name,
                        int (*write)(const struct sweep_tasks *, struct str *, struct error *),
                        struct str *ret_path, struct error *reterr) {
    struct str text = {0};
    str_addf(ret_path, "%s/slurm/%s", tasks->folder, name);
    int r = write(tasks, &text, reterr);
    if (r == 0)
        r = atomic_file_write_whole(ret_path->text, text.text, text.length, reterr);
    str_finish(&text);
    return r;
}

/* Runs sbatch and keeps the number of the job. */
static int submit(const struct str *command, char job[static 32], struct error *reterr) {
    char line[256] = "";
    FILE *pipe = popen(command->text, "r");
    if (!pipe)
        return error_set(reterr, ERROR_IO, "sbatch: %s", strerror(errno));
    bool read = fgets(line, sizeof line, pipe) != NULL;
    int status = pclose(pipe);
    if (!read || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(reterr, ERROR_RUN, "sbatch failed; the scripts are kept: %s",
                         command->text);
    snprintf(job, 32, "%.*s", (int)strspn(line, "0123456789"), line);
    return 0;
}

static void add_sbatch(const struct sweep_tasks *tasks, struct str *out) {
    str_addf(out, "sbatch --parsable %s%s", tasks->sbatch ? tasks->sbatch : "",
             tasks->sbatch ? " " : "");
}

int sweep_engine_slurm(const struct sweep_tasks *tasks, struct error *reterr) {
    struct str folder = {0}, array = {0}, merge = {0}, command = {0};
    char array_job[32] = "", merge_job[32] = "";
    str_addf(&folder, "%s/slurm", tasks->folder);
    int r = files_make_folders(folder.text, reterr);
    if (r == 0)
        r = write_script(tasks, "array.sh", array_script, &array, reterr);
    if (r == 0)
        r = write_script(tasks, "merge.sh", merge_script, &merge, reterr);
    add_sbatch(tasks, &command);
    str_add(&command, "--array=");
    for (unsigned i = 0, listed = 0; i < tasks->count; i++)
        if (tasks->wanted[i])
            str_addf(&command, "%s%u", listed++ > 0 ? "," : "", i + 1);
    str_add_char(&command, ' ');
    if (r == 0) {
        shell_add_word(&command, array.text);
        r = submit(&command, array_job, reterr);
    }
    command.length = 0;
    add_sbatch(tasks, &command);
    str_addf(&command, "--dependency=afterany:%s ", array_job);
    if (r == 0) {
        shell_add_word(&command, merge.text);
        r = submit(&command, merge_job, reterr);
    }
    if (r == 0) {
        cli_show("array %s\n", array_job);
        cli_show("merge %s\n", merge_job);
    }
    str_finish(&folder);
    str_finish(&array);
    str_finish(&merge);
    str_finish(&command);
    return r;
}
