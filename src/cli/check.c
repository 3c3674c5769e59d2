/* easim check: everything that `easim run` would refuse, without running. */
#include "cli/cli.h"
#include "cli/scenario_args.h"
#include "study/study.h"

#include <stdio.h>

int cli_check(struct options *options) {
    struct problems problems = CLI_PROBLEMS;
    struct study study;
    int code = EXIT_DONE;
    if (scenario_args_load(options, &study, &problems) < 0)
        code = cli_report_problems(&problems);
    else
        cli_show("%s: ok\n", options->operands[0]);
    struct str many = {0};
    if (code == EXIT_DONE)
        study_announce(&study, &many);
    if (many.length > 0)
        cli_show("  warning: %s\n", many.text);
    many.length = 0;
    if (code == EXIT_DONE)
        study_add_periods(&study, &many);
    if (many.length > 0)
        cli_show("  note: %s\n", many.text);
    str_finish(&many);
    for (size_t i = 0; code == EXIT_DONE && i < study.warnings.count; i++)
        cli_show("  warning: %s\n", study.warnings.at[i]);
    study_finish(&study);
    problems_finish(&problems);
    return code;
}
