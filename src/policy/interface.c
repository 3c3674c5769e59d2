/* The host's side of the policy interface. Invariant: what is read of a struct of the module is
   within the size that the module states. */
#include "policy/interface.h"

#include "base/mem.h"
#include "policy/param_table.h"
#include "policy/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Capabilities this host honours; the reserved ones are refused. */
/* Bytes up to the end of a member. */
#define BYTES_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* The least that version 3.0 has. What follows may be left out, and is 0 then, as is what later
 * minor versions add. */
#define LEAST_POLICY_BYTES    BYTES_TO(struct easim_policy, decide)
#define LEAST_LIST_BYTES      BYTES_TO(struct easim_list, minimise)
#define LEAST_PARAM_BYTES     BYTES_TO(struct easim_param, role)
#define LEAST_COLUMN_BYTES    BYTES_TO(struct easim_column, key)
#define LEAST_EXTENSION_BYTES BYTES_TO(struct easim_extension, optional)

/* What a terminal can show. */
#define PRINTABLE "UTF-8 without control characters"

/* A module's policy as the host keeps it. */
struct whole {
    struct easim_policy policy;
    struct easim_list list;
    struct easim_extension extensions[EASIM_MOST_EXTENSIONS];
    struct easim_column *columns; /* behind the parameters */
    struct easim_param params[];
};

/* --- checks --- */

static const char *const capability_names[] = {
    "PREEMPT", "RESIZE",   NULL,     "POWER_CAP", "FREQUENCY", "FRACTIONAL_GPU", "TICK",
    "ORACLE",  "RECORDED", "REJECT", "FORECAST",  "SERVICES",  "POWER"};

/* The extensions of this host. */
static const struct {
    const char *name;
    uint32_t version, bytes, least; /* least: what the first structs of that version had */
    uint32_t capability;
} extensions[] = {
    {"easim.forecast", 1, sizeof(struct easim_forecast), BYTES_TO(struct easim_forecast, hours),
     CAPABILITY_FORECAST},
    {"easim.services", 1, sizeof(struct easim_services),
     BYTES_TO(struct easim_services, replica_figure), CAPABILITY_SERVICES},
    {"easim.power", 1, sizeof(struct easim_power), BYTES_TO(struct easim_power, plan_limit),
     CAPABILITY_POWER},
};
#define EXTENSIONS      (CAPABILITY_FORECAST | CAPABILITY_SERVICES | CAPABILITY_POWER)
#define EXTENSION_COUNT (sizeof extensions / sizeof *extensions)

const char *interface_capability_name(uint32_t bit) {
    for (size_t i = 0; i < sizeof capability_names / sizeof *capability_names; i++)
        if (bit == 1u << i)
            return capability_names[i];
    return NULL;
}

const char *interface_role(const struct easim_policy *policy, const struct easim_param *param) {
    const struct param_role *role = params_role(param->role);
    return role && param->type == role->type                    ? role->name
           : policy->list && params_is_list_option(param->name) ? param->name
                                                                : NULL;
}

/* By bit. */
static const char *const reads_names[] = {"carbon", "price",     "deadlines",
                                          "users",  "forecasts", "run times"};
#define READS_COUNT (sizeof reads_names / sizeof *reads_names)
#define KNOWN_READS (((1u << READS_COUNT) - 1) | EASIM_READS_NOTHING)

void interface_write_reads(uint32_t reads, struct str *text) {
    const char *separator = "";
    if (reads == 0 || reads == EASIM_READS_NOTHING)
        str_add(text, reads ? "nothing" : "not declared");
    for (size_t i = 0; i < READS_COUNT; i++)
        if (reads & 1u << i) {
            str_addf(text, "%s%s", separator, reads_names[i]);
            separator = ", ";
        }
}

#define FAULT_BYTES 100
#define NAME_BYTES  "abcdefghijklmnopqrstuvwxyz0123456789_"

static bool is_made_of(const char *name, const char *bytes) {
    size_t length = name ? strlen(name) : 0;
    return length > 0 && name[0] >= 'a' && name[0] <= 'z' && strspn(name, bytes) == length;
}

bool interface_is_name(const char *name) {
    return is_made_of(name, NAME_BYTES);
}

/* --- extensions --- */

/* Its place among those of this host; EXTENSION_COUNT: it is unknown. */
static size_t known_extension(const struct easim_extension *row) {
    size_t i = 0;
    while (i < EXTENSION_COUNT &&
           (extensions[i].version != row->version || strcmp(extensions[i].name, row->name) != 0))
        i++;
    return i;
}

uint32_t interface_extension(const struct easim_extension *row) {
    size_t i = known_extension(row);
    return i < EXTENSION_COUNT && row->bytes <= extensions[i].bytes ? extensions[i].capability : 0;
}

void interface_forget(const struct easim_policy *policy, uint32_t extension) {
    struct whole *whole = (struct whole *)(uintptr_t)policy;
    whole->policy.capabilities &= ~interface_extension(&whole->extensions[extension]);
    whole->extensions[extension].version = 0;
}

/* Its capabilities and those of the extensions that it lists, whether this host has them or not. */
static uint32_t declared(const struct easim_policy *p) {
    uint32_t all = p->capabilities;
    for (uint32_t i = 0; i < p->extension_count; i++)
        for (size_t k = 0; k < EXTENSION_COUNT; k++)
            if (strcmp(extensions[k].name, p->extensions[i].name) == 0)
                all |= extensions[k].capability;
    return all;
}

static bool is_listed_before(const struct easim_policy *p, uint32_t number) {
    const struct easim_extension *row = &p->extensions[number];
    uint32_t i = 0;
    while (i < number && (p->extensions[i].version != row->version ||
                          strcmp(p->extensions[i].name, row->name) != 0))
        i++;
    return i < number;
}

/* What is wrong with a row; "": nothing. */
static void extension_fault(const struct easim_policy *p, uint32_t number,
                            char fault[static FAULT_BYTES]) {
    const struct easim_extension *row = &p->extensions[number];
    const bool is_named = is_made_of(row->name, NAME_BYTES ".");
    const size_t known = is_named ? known_extension(row) : EXTENSION_COUNT;
    const uint32_t least = known < EXTENSION_COUNT ? extensions[known].least : 1;
    if (!is_named)
        snprintf(fault, FAULT_BYTES, "expected a name of a-z, 0-9, _ and .");
    else if (row->version == 0)
        snprintf(fault, FAULT_BYTES, "expected a version of at least 1");
    else if (is_listed_before(p, number))
        snprintf(fault, FAULT_BYTES, "listed twice");
    else if (row->bytes < least)
        snprintf(fault, FAULT_BYTES, "bytes is %u: expected at least %u", row->bytes, least);
    else if (known == EXTENSION_COUNT && !row->optional)
        snprintf(fault, FAULT_BYTES, "this easim does not have it, and it is not optional");
    else if (known < EXTENSION_COUNT && row->bytes > extensions[known].bytes && !row->optional)
        snprintf(fault, FAULT_BYTES, "bytes is %u: this easim has %u, and it is not optional",
                 row->bytes, extensions[known].bytes);
}

/* Those that this host has become capabilities. */
static int check_extensions(struct easim_policy *p, const char *path, struct error *reterr) {
    for (uint32_t i = 0; i < p->extension_count; i++) {
        const struct easim_extension *row = &p->extensions[i];
        char fault[FAULT_BYTES] = "";
        extension_fault(p, i, fault);
        if (fault[0])
            return error_set(reterr, ERROR_INPUT, "%s: policy %s: extension %u (%s/%u): %s", path,
                             p->name, i, row->name ? row->name : "no name", row->version, fault);
        p->capabilities |= interface_extension(row);
    }
    return 0;
}

static int check_capabilities(const struct easim_policy *p, const char *path,
                              struct error *reterr) {
    for (int i = 0; i < 32; i++) {
        uint32_t bit = p->capabilities & 1u << i;
        if (bit && (!interface_capability_name(bit) || (bit & EXTENSIONS)))
            return error_set(reterr, ERROR_INPUT, "%s: policy %s: unknown capability bit %d", path,
                             p->name, i);
    }
    return 0;
}

static int check_reads(const struct easim_policy *p, const char *path, struct error *reterr) {
    uint32_t unknown = p->reads & ~KNOWN_READS, kept = p->keeps & ~EASIM_KEEPS_CAP;
    if (unknown || kept)
        return error_set(reterr, ERROR_INPUT, "%s: policy %s: unknown bit %d of %s", path, p->name,
                         ffs((int)(unknown ? unknown : kept)) - 1, unknown ? "reads" : "keeps");
    const char *fault = (p->reads & EASIM_READS_NOTHING) && p->reads != EASIM_READS_NOTHING
                            ? "NOTHING stands alone"
                        : (p->reads & EASIM_READS_FORECASTS) && !(declared(p) & CAPABILITY_FORECAST)
                            ? "FORECASTS needs the extension easim.forecast"
                            : NULL;
    return fault ? error_set(reterr, ERROR_INPUT, "%s: policy %s: reads: %s", path, p->name, fault)
                 : 0;
}

/* Each type's value may stand at multiples of its size. */
static size_t param_size(uint32_t type) {
    static const size_t sizes[] = {sizeof(double),
                                   sizeof(double),
                                   sizeof(int64_t),
                                   sizeof(bool),
                                   sizeof(int32_t),
                                   sizeof(const char *),
                                   sizeof(const struct easim_table *)};
    return type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}

static bool is_whole(double value) {
    return fabs(value) <= 0x1p53 && trunc(value) == value;
}

static const char *default_fault(const struct easim_param *param) {
    double value = param->default_value;
    if (param->may_be_off && value == EASIM_OFF)
        return NULL;
    if (param->type == EASIM_PARAM_CHOICE) {
        size_t count = 0;
        while (param->choices[count])
            count++;
        return value >= 0 && value < (double)count && is_whole(value)
                   ? NULL
                   : "default_value is not the index of a choice";
    }
    if (param->type == EASIM_PARAM_TEXT || param->type == EASIM_PARAM_TABLE)
        return NULL;
    if (!(value >= param->min && value <= param->max))
        return "default_value lies outside min..max";
    return param->type == EASIM_PARAM_INT && !is_whole(value) ? "default_value is not an integer"
                                                              : NULL;
}

/* The first choice of MARGINAL is gross, the second marginal. */
static const char *role_fault(const struct easim_policy *p, const struct easim_param *param) {
    const struct param_role *role = params_role(param->role);
    uint32_t others = 0;
    for (uint32_t i = 0; i < p->param_count; i++)
        others += &p->params[i] != param && p->params[i].role == param->role;
    if (param->role == EASIM_ROLE_NONE)
        return NULL;
    if (!role)
        return "unknown role";
    if (param->type != role->type && !(role->capability && param->type == EASIM_PARAM_CHOICE))
        return "its role needs another type";
    if (others > 0)
        return "another parameter has its role";
    if (role->capability & ~declared(p))
        return "its role needs a capability or extension that is not declared";
    if (param->role == EASIM_ROLE_ROUND && p->list)
        return "role ROUND is for free policies: list policies have round_s";
    return param->type == EASIM_PARAM_CHOICE && !param->choices[1] ? "its role needs two choices"
                                                                   : NULL;
}

static const char *param_fault(const struct easim_policy *p, const struct easim_param *param) {
    size_t size = param_size(param->type);
    if (!interface_is_name(param->name))
        return "expected a name of a-z, 0-9 and _";
    if (size == 0)
        return "unknown type";
    if (!param->unit || !param->help)
        return "unit and help must not be NULL";
    if (!utf8_is_printable(param->unit, false) || !utf8_is_printable(param->help, false))
        return "unit and help must be " PRINTABLE;
    if (param->offset > p->params_size || p->params_size - param->offset < size)
        return "offset lies outside params_size";
    if (param->type == EASIM_PARAM_CHOICE && (!param->choices || !param->choices[0]))
        return "a choice needs choices";
    for (size_t i = 0; param->type == EASIM_PARAM_CHOICE && param->choices[i]; i++)
        if (!utf8_is_printable(param->choices[i], false))
            return "choices must be " PRINTABLE;
    if (param->type == EASIM_PARAM_TABLE && param_table_columns(p, param->name) == 0)
        return "a table needs columns";
    if (param->type == EASIM_PARAM_TEXT && param->max != 0 && param->max != EASIM_TEXT_PROGRAM &&
        param->max != EASIM_TEXT_SOCKET)
        return "max of a text is 0, EASIM_TEXT_PROGRAM or EASIM_TEXT_SOCKET";
    if (param->may_be_off && param->type != EASIM_PARAM_REAL && param->type != EASIM_PARAM_DURATION)
        return "only numbers and durations may be off";
    if (p->list && params_is_list_option(param->name))
        return "every list policy has an option of that name";
    if ((p->capabilities & EASIM_CAPABILITY_FREQUENCY) && param->role != EASIM_ROLE_LIMITS &&
        params_is_frequency_option(param->name))
        return "every policy that declares FREQUENCY has an option of that name";
    const char *fault = role_fault(p, param);
    return fault ? fault : default_fault(param);
}

static bool overlaps(const struct easim_param *a, const struct easim_param *b) {
    return a->offset < b->offset + param_size(b->type) &&
           b->offset < a->offset + param_size(a->type);
}

static int wrong_param(const struct easim_policy *p, const char *path, uint32_t number,
                       const char *fault, struct error *reterr) {
    const char *name = p->params[number].name;
    return error_set(reterr, ERROR_INPUT, "%s: policy %s: parameter %u (%s): %s", path, p->name,
                     number, name ? name : "no name", fault);
}

/* Places of values in the parameter struct: aligned, apart from each other, within params_size. */
static int check_offsets(const struct easim_policy *p, const char *path, struct error *reterr) {
    char fault[200];
    for (uint32_t i = 0; i < p->param_count; i++) {
        const struct easim_param *param = &p->params[i];
        size_t size = param_size(param->type);
        snprintf(fault, sizeof fault, "offset %zu is not a multiple of %zu, as its type needs",
                 param->offset, size);
        if (param->offset % size != 0)
            return wrong_param(p, path, i, fault, reterr);
        for (uint32_t j = 0; j < i; j++) {
            snprintf(fault, sizeof fault, "overlaps parameter %.80s at offset %zu",
                     p->params[j].name, p->params[j].offset);
            if (overlaps(param, &p->params[j]))
                return wrong_param(p, path, i, fault, reterr);
        }
    }
    return 0;
}

static int check_params(const struct easim_policy *p, const char *path, struct error *reterr) {
    for (uint32_t i = 0; i < p->param_count; i++) {
        const struct easim_param *param = &p->params[i];
        const char *fault = param_fault(p, param);
        for (uint32_t j = 0; j < i && !fault; j++)
            if (strcmp(p->params[j].name, param->name) == 0)
                fault = "defined twice";
        if (fault)
            return wrong_param(p, path, i, fault, reterr);
    }
    return check_offsets(p, path, reterr);
}

static const char *column_fault(const struct easim_policy *p, const struct easim_column *column) {
    uint32_t i = 0;
    while (i < p->param_count && (p->params[i].type != EASIM_PARAM_TABLE || !column->param ||
                                  strcmp(p->params[i].name, column->param) != 0))
        i++;
    if (i == p->param_count)
        return "its param must name a table parameter";
    if (!column->name || !column->name[0] || !utf8_is_printable(column->name, false))
        return "expected a name in " PRINTABLE;
    if (column->type == EASIM_PARAM_TEXT)
        return NULL;
    if (column->type != EASIM_PARAM_REAL && column->type != EASIM_PARAM_DURATION &&
        column->type != EASIM_PARAM_INT)
        return "only numbers, durations and text are possible in columns";
    return column->min <= column->max ? NULL : "min..max is no range";
}

static int check_columns(const struct easim_policy *p, const char *path, struct error *reterr) {
    for (uint32_t i = 0; i < p->column_count; i++) {
        const struct easim_column *column = &p->columns[i];
        const char *fault = column_fault(p, column);
        for (uint32_t j = 0; j < i && !fault; j++)
            if (strcmp(p->columns[j].param, column->param) == 0 &&
                strcmp(p->columns[j].name, column->name) == 0)
                fault = "defined twice";
        if (fault)
            return error_set(reterr, ERROR_INPUT, "%s: policy %s: column %u: %s", path, p->name, i,
                             fault);
    }
    return 0;
}

/* --- list policies --- */

/* Defaults of the host's parameters lie in their ranges. */
static const char *default_option_fault(const struct easim_list *list) {
    return !(list->resize_gain >= 0 && list->resize_gain <= 1) ? "resize_gain is not within 0..1"
           : !(list->resize_interval_s >= 0 && list->resize_interval_s <= 1e9)
               ? "resize_interval_s is not within 0..1e9"
               : NULL;
}

static int check_list(const struct easim_policy *p, const char *path, struct error *reterr) {
    const struct easim_list *list = p->list;
    if (list->level && (list->levels < 1 || list->levels > EASIM_MOST_LEVELS))
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: list: expected 1 to %u levels, found %u", path, p->name,
                         EASIM_MOST_LEVELS, list->levels);
    if (list->displace && (list->make_room || !(p->capabilities & EASIM_CAPABILITY_PREEMPT)))
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: list: displace needs PREEMPT, and no make_room", path,
                         p->name);
    const char *fault =
        list->levels > 0 && !list->level ? "levels without level" : default_option_fault(list);
    return fault ? error_set(reterr, ERROR_INPUT, "%s: policy %s: list: %s", path, p->name, fault)
                 : 0;
}

/* --- versions --- */

void interface_version(uint32_t major, uint32_t minor, uint32_t draft,
                       char text[static INTERFACE_VERSION_BYTES]) {
    int length = snprintf(text, INTERFACE_VERSION_BYTES, "%u.%u", major, minor);
    if (draft > 0)
        snprintf(text + length, INTERFACE_VERSION_BYTES - (size_t)length, " draft %u", draft);
}

/* The first two numbers are where they are in every version, the draft since version 3. */
static int check_version(const struct easim_policy *p, size_t bytes, const char *path,
                         struct error *reterr) {
    char found[INTERFACE_VERSION_BYTES], own[INTERFACE_VERSION_BYTES];
    if (bytes < BYTES_TO(struct easim_policy, abi_minor))
        return error_set(reterr, ERROR_INPUT,
                         "%s: the symbol easim_policy is not a struct easim_policy", path);
    if (p->abi_major == 0)
        return error_set(reterr, ERROR_INPUT,
                         "%s: easim_policy does not begin with EASIM_POLICY_ABI "
                         "(policies/README.md)",
                         path);
    bool has_draft = p->abi_major >= 3 && bytes >= BYTES_TO(struct easim_policy, abi_draft);
    uint32_t draft = has_draft ? p->abi_draft : 0;
    if (p->abi_major == EASIM_ABI_MAJOR && p->abi_minor <= EASIM_ABI_MINOR &&
        draft == EASIM_ABI_DRAFT)
        return 0;
    interface_version(p->abi_major, p->abi_minor, draft, found);
    interface_version(EASIM_ABI_MAJOR, EASIM_ABI_MINOR, EASIM_ABI_DRAFT, own);
    return error_set(reterr, ERROR_INPUT,
                     "%s: is compiled for policy interface %s, this easim has %s: compile it again "
                     "with the easim/policy.h of this easim (docs/reference/c-policy.md: what has "
                     "changed)",
                     path, found, own);
}

static int check_size(const char *path, const char *what, size_t found, size_t least,
                      struct error *reterr) {
    if (found >= least)
        return 0;
    return error_set(reterr, ERROR_INPUT, "%s: %s is too small: expected at least %zu, found %zu",
                     path, what, least, found);
}

/* --- the whole --- */

/* The part of a struct of the module that this host knows; the rest of it stays 0. */
static void copy_known(void *to, size_t own_bytes, const void *from, size_t bytes) {
    memcpy(to, from, bytes < own_bytes ? bytes : own_bytes);
}

/* Which text would spoil a terminal; NULL: none. */
static const char *garbled_text(const struct easim_policy *p) {
    return !utf8_is_printable(p->version, false)          ? "version"
           : !utf8_is_printable(p->summary, false)        ? "summary"
           : p->help && !utf8_is_printable(p->help, true) ? "help"
                                                          : NULL;
}

/* Everything that must be right before the parts may be copied. */
static int check_parts(const struct easim_policy *p, const char *path, struct error *reterr) {
    if (!interface_is_name(p->name))
        return error_set(reterr, ERROR_INPUT,
                         "%s: expected a policy name of a-z, 0-9 and _, found \"%s\"", path,
                         p->name ? p->name : "");
    if (!p->version || !p->summary)
        return error_set(reterr, ERROR_INPUT, "%s: policy %s: version and summary must not be NULL",
                         path, p->name);
    const char *garbled = garbled_text(p);
    if (garbled)
        return error_set(reterr, ERROR_INPUT, "%s: policy %s: %s must be " PRINTABLE, path, p->name,
                         garbled);
    if (!p->list == !p->decide)
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: expected one of list and decide, found %s", path, p->name,
                         p->list ? "both" : "neither");
    if (p->param_count > 0 && !p->params)
        return error_set(reterr, ERROR_INPUT, "%s: policy %s: param_count is %u but params is NULL",
                         path, p->name, p->param_count);
    if (p->column_count > 0 && !p->columns)
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: column_count is %u but columns is NULL", path, p->name,
                         p->column_count);
    if (p->extension_count > EASIM_MOST_EXTENSIONS || (p->extension_count > 0 && !p->extensions))
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: expected at most %u extensions, found %u%s", path, p->name,
                         EASIM_MOST_EXTENSIONS, p->extension_count,
                         p->extensions ? "" : ", but extensions is NULL");
    int r = check_size(path, "param_bytes", p->param_bytes, LEAST_PARAM_BYTES, reterr);
    if (r == 0 && p->column_count > 0)
        r = check_size(path, "column_bytes", p->column_bytes, LEAST_COLUMN_BYTES, reterr);
    if (r == 0 && p->extension_count > 0)
        r = check_size(path, "extension_bytes", p->extension_bytes, LEAST_EXTENSION_BYTES, reterr);
    if (r == 0 && p->job_memory_size > EASIM_MOST_JOB_MEMORY)
        r = error_set(reterr, ERROR_INPUT,
                      "%s: policy %s: job_memory_size is %zu: expected at most %d", path, p->name,
                      p->job_memory_size, EASIM_MOST_JOB_MEMORY);
    return r < 0 || !p->list ? r
                             : check_size(path, "list.struct_size", p->list->struct_size,
                                          LEAST_LIST_BYTES, reterr);
}

static struct easim_policy *make_whole(const struct easim_policy *p) {
    struct whole *whole = mem_zalloc(1, sizeof *whole + p->param_count * sizeof whole->params[0] +
                                            p->column_count * sizeof whole->columns[0]);
    whole->policy = *p;
    whole->columns = (struct easim_column *)(void *)(whole->params + p->param_count);
    if (p->list) {
        copy_known(&whole->list, sizeof whole->list, p->list, p->list->struct_size);
        whole->policy.list = &whole->list;
    }
    for (uint32_t i = 0; i < p->param_count; i++)
        copy_known(&whole->params[i], sizeof whole->params[i],
                   (const char *)p->params + (size_t)i * p->param_bytes, p->param_bytes);
    for (uint32_t i = 0; i < p->column_count; i++)
        copy_known(&whole->columns[i], sizeof whole->columns[i],
                   (const char *)p->columns + (size_t)i * p->column_bytes, p->column_bytes);
    for (uint32_t i = 0; i < p->extension_count; i++)
        copy_known(&whole->extensions[i], sizeof whole->extensions[i],
                   (const char *)p->extensions + (size_t)i * p->extension_bytes,
                   p->extension_bytes);
    whole->policy.params = whole->params;
    whole->policy.columns = whole->columns;
    whole->policy.extensions = whole->extensions;
    return &whole->policy;
}

int interface_read(const void *symbol, size_t bytes, const char *path,
                   struct easim_policy **ret_policy, struct error *reterr) {
    const struct easim_policy *exported = symbol;
    if (check_version(exported, bytes, path, reterr) < 0)
        return ERROR_INPUT;
    bool says_size = bytes >= BYTES_TO(struct easim_policy, struct_size);
    size_t size = says_size ? exported->struct_size : bytes;
    if (check_size(path, "struct_size", size, LEAST_POLICY_BYTES, reterr) < 0)
        return ERROR_INPUT;
    struct easim_policy known = {0};
    copy_known(&known, sizeof known, exported, size);
    if (check_parts(&known, path, reterr) < 0)
        return ERROR_INPUT;
    struct easim_policy *policy = make_whole(&known);
    int r = check_capabilities(policy, path, reterr);
    if (r == 0)
        r = check_extensions(policy, path, reterr);
    if (r == 0)
        r = check_reads(policy, path, reterr);
    if (r == 0)
        r = check_params(policy, path, reterr);
    if (r == 0)
        r = check_columns(policy, path, reterr);
    if (r == 0 && policy->list)
        r = check_list(policy, path, reterr);
    if (r == 0)
        *ret_policy = policy;
    else
        free(policy);
    return r;
}
