/* A valid list policy with a parameter of every type. Each plug-in of this folder includes it after
   a macro that spoils one thing. */
#include <easim/policy.h>

#ifndef ABI_MAJOR
#define ABI_MAJOR EASIM_ABI_MAJOR
#endif
#ifndef ABI_MINOR
#define ABI_MINOR EASIM_ABI_MINOR
#endif
#ifndef ABI_DRAFT
#define ABI_DRAFT EASIM_ABI_DRAFT
#endif
#ifndef PARAM_BYTES
#define PARAM_BYTES sizeof(struct easim_param)
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(struct easim_policy)
#endif
#ifndef NAME
#define NAME "good"
#endif
#ifndef VERSION
#define VERSION "1.0"
#endif
#ifndef SUMMARY
#define SUMMARY "for tests"
#endif
#ifndef HELP
#define HELP "Does nothing.\nIn two lines, of \303\251 and \357\277\275."
#endif
#ifndef CAPABILITIES
#define CAPABILITIES 0
#endif
#ifndef READS
#define READS 0
#endif
#ifndef KEEPS
#define KEEPS 0
#endif
#ifndef PARAMS
#define PARAMS params
#endif
#ifndef LIST
#define LIST &list
#endif
#ifndef LIST_SIZE
#define LIST_SIZE sizeof(struct easim_list)
#endif
#ifndef KEY
#define KEY NULL
#endif
#ifndef MINIMISE
#define MINIMISE NULL
#endif
#ifndef DECIDE
#define DECIDE NULL
#endif
#ifndef INIT
#define INIT NULL
#endif

#ifndef LIST_MORE
#define LIST_MORE .strict = false
#endif

/* The parameter that plug-ins spoil. */
#ifndef PARAM
#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1e-3, 1e9, 3600, \
            false, NULL, EASIM_ROLE_NONE \
    }
#endif

struct params {
    double tau, slack;
    int64_t most;
    int32_t basis;
};

__attribute__((unused)) static const char *const bases[] = {"gross", "marginal", NULL};

__attribute__((unused)) static const struct easim_param params[] = {
    PARAM,
    {"slack", "", "a number or off", EASIM_PARAM_REAL, offsetof(struct params, slack), 1, 100,
     EASIM_OFF, true, NULL, EASIM_ROLE_NONE},
    {"most", "", "an integer", EASIM_PARAM_INT, offsetof(struct params, most), 1, 10, 3, false,
     NULL, EASIM_ROLE_NONE},
    {"basis", "", "a choice", EASIM_PARAM_CHOICE, offsetof(struct params, basis), 0, 1, 0, false,
     bases, EASIM_ROLE_NONE},
};

__attribute__((unused)) static const struct easim_list list = {
    .struct_size = LIST_SIZE,
    .key = KEY,
    .minimise = MINIMISE,
    LIST_MORE,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    .abi_major = ABI_MAJOR,
    .abi_minor = ABI_MINOR,
    .abi_draft = ABI_DRAFT,
    .param_bytes = PARAM_BYTES,
    .struct_size = STRUCT_SIZE,
    .name = NAME,
    .version = VERSION,
    .summary = SUMMARY,
    .help = HELP,
    .capabilities = CAPABILITIES,
    .params_size = sizeof(struct params),
    .params = PARAMS,
    .param_count = sizeof params / sizeof *params,
    .list = LIST,
    .decide = DECIDE,
    .init = INIT,
    .reads = READS,
    .keeps = KEEPS,
};
