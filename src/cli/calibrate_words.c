/* Options by word: see calibrate_words.h. */
#include "cli/calibrate_words.h"

#include "cli/cli.h"
#include "cli/option_table.h"

static const char *const words[] = {"profiles", "failures", "power", "plans", "collectives"};

#define PROFILES    (1u << CALIBRATE_PROFILES)
#define FAILURES    (1u << CALIBRATE_FAILURES)
#define POWER       (1u << CALIBRATE_POWER)
#define PLANS       (1u << CALIBRATE_PLANS)
#define COLLECTIVES (1u << CALIBRATE_COLLECTIVES)

static const struct {
    const char *option;
    unsigned words;
} uses[] = {
    {"points", PROFILES | PLANS | COLLECTIVES},
    {"max-form-error", PROFILES},
    {"only", PROFILES},
    {"m0", PROFILES},
    {"phi", PROFILES},
    {"check", PROFILES},
    {"max-error", PROFILES},
    {"output", PROFILES | POWER | COLLECTIVES},
    {"node-count", FAILURES | POWER},
    {"until", FAILURES},
    {"gpus-per-node", POWER | PLANS},
    {"hold", PLANS},
    {"by", POWER},
    {"base", POWER},
    {"idle", POWER},
    {"train", POWER},
    {"window", POWER},
    {"offset", POWER},
    {"gap", POWER},
    {"force", POWER},
    {"utilization", POWER},
    {"message", COLLECTIVES},
};

int calibrate_refuse(const struct options *options, enum calibrate_word word) {
    int r = 0;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].words & 1u << word || !option_given(options, uses[i].option))
            continue;
        struct str of = {0};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (uses[i].words & 1u << w)
                str_addf(&of, "%s%s", of.length > 0 ? " and " : "", words[w]);
        cli_say("%s: --%s is of %s, not of %s\n", options->who, uses[i].option, of.text,
                words[word]);
        str_finish(&of);
        r = ERROR_INPUT;
    }
    return r;
}
