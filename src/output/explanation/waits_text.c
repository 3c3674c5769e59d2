/* Why a job waited, as text and as JSON: see explanation.h. The text has the longest intervals, the
   JSON all. */
#include "output/explanation/explanation.h"

#include "base/numfmt.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>

#define LISTED_WAITS   12
#define LISTED_HOLDERS 3

static const char *id_of(const struct explanation *explanation, uint32_t job) {
    return explanation->run->workload.jobs.at[job].id;
}

/* ---- What the policy says ---- */

/* A text of a policy, in which "[14700 s]" is a point in time. */
static void add_policy_text(const struct recorded_run *run, struct slice text, struct str *out) {
    struct str plain = {0};
    for (size_t i = 0; i < text.length; i++) {
        size_t end = i;
        double seconds;
        while (end < text.length && text.at[i] == '[' && text.at[end] != ']')
            end++;
        bool is_time = end > i + 3 && end < text.length && text.at[end - 1] == 's' &&
                       text.at[end - 2] == ' ' &&
                       numfmt_parse_real(text.at + i + 1, end - i - 3, &seconds) &&
                       fabs(seconds) <= TIME_MAX_S;
        if (is_time) {
            explanation_add_time(&plain, run, units_ns(seconds));
            i = end;
        } else {
            str_add_char(&plain, text.at[i]);
        }
    }
    explanation_add_name(out, plain.text ? plain.text : "");
    str_finish(&plain);
}

void explanation_add_reason(const struct explanation *explanation, size_t text, size_t length,
                            struct str *out) {
    const struct recorded_run *run = explanation->run;
    if (length == 0)
        return;
    str_add(out, "    ");
    explanation_add_name(out, run->folder->policies.at[run->part->policy].name);
    str_add(out, ": ");
    add_policy_text(run, (struct slice){explanation->moments->waits.texts.text + text, length},
                    out);
    str_add_char(out, '\n');
}

/* ---- Text ---- */

/* The place inside which its GPUs have to be; NULL: anywhere. */
static const char *place_of(const struct explanation *explanation, const struct wait *wait) {
    const struct cluster *cluster = &explanation->run->folder->cluster;
    uint32_t last = cluster->network.tier_count > 0 ? cluster->network.tier_count : 1;
    if (wait->span >= last || cluster->node_count == 1)
        return NULL;
    return wait->span == EASIM_ONE_NODE ? "one node"
                                        : network_span_name(&cluster->network, wait->span);
}

static void add_holders(const struct explanation *explanation, const struct wait *wait,
                        struct str *out) {
    const struct wait_holder *holders = &explanation->moments->waits.holders.at[wait->first_holder];
    uint32_t count = wait->holder_count,
             listed = count > LISTED_HOLDERS + 1 ? LISTED_HOLDERS : count;
    if (wait->until_ns < 0) {
        str_add(out, explanation->run->service_count > 0 ? "; services hold what is missing"
                                                         : "; running jobs hold too few GPUs");
        return;
    }
    str_add(out, "; ");
    for (uint32_t i = 0; i < listed; i++) {
        str_add(out, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        explanation_add_name(out, id_of(explanation, holders[i].job));
    }
    if (listed < count)
        str_addf(out, " and %" PRIu32 " others", count - listed);
    str_addf(out, count == 1 ? " holds what is missing until about "
                             : " hold what is missing until about ");
    explanation_add_time(out, explanation->run, wait->until_ns);
}

static void add_missing(const struct explanation *explanation, const struct wait *wait,
                        struct str *out) {
    const char *place = place_of(explanation, wait);
    if (wait->milli > 0)
        str_addf(out, "it needs %g of one ", (double)wait->milli / WHOLE_GPU_MILLI);
    else
        str_addf(out, "it needs %" PRIu32 " ", wait->k);
    explanation_add_name(out, explanation->run->folder->cluster.gpu_types[wait->gpu_type].name);
    if (place) {
        str_add(out, " in ");
        explanation_add_name(out, place);
    }
    str_addf(out, ", %s%" PRIu32 " %s free%s", place ? "at most " : "", wait->free,
             wait->free == 1 ? "is" : "are", place ? " there" : "");
    if (wait->failed > 0)
        str_addf(out, " (%" PRIu32 " on failed nodes)", wait->failed);
    add_holders(explanation, wait, out);
}

static void add_why(const struct explanation *explanation, const struct wait *wait,
                    struct str *out) {
    switch (wait->why) {
    case WAIT_UNASKED:
        str_add(out, "the policy was not asked yet");
        return;
    case WAIT_NO_ROOM:
        add_missing(explanation, wait, out);
        return;
    case WAIT_CAP:
        str_add(out, "it fitted, but would raise the power to ");
        explanation_add_number(out, wait->power_w);
        str_add(out, " W, over the cap of ");
        explanation_add_number(out, wait->cap_w);
        str_add(out, " W");
        return;
    case WAIT_OTHER_STARTED:
        str_add(out, "it fitted, and the policy started job ");
        explanation_add_name(out, id_of(explanation, wait->started));
        return;
    default:
        str_add(out, "it fitted, and the policy started nothing");
    }
}

static void add_wait(const struct explanation *explanation, const struct wait *wait,
                     struct str *out) {
    str_add(out, "  from ");
    explanation_add_time(out, explanation->run, wait->from_ns);
    str_add(out, " to ");
    explanation_add_time(out, explanation->run, wait->to_ns);
    str_add(out, " (");
    explanation_add_length(out, wait->to_ns - wait->from_ns);
    str_add(out, "): ");
    add_why(explanation, wait, out);
    str_add_char(out, '\n');
    explanation_add_reason(explanation, wait->text, wait->text_length, out);
}

static void add_sums(const struct waits *waits, struct str *out) {
    int64_t sums_ns[WAIT_WHYS] = {0}, sum_ns = 0;
    const char *before = ": ";
    for (size_t i = 0; i < waits->at.count; i++) {
        sums_ns[waits->at.at[i].why] += waits->at.at[i].to_ns - waits->at.at[i].from_ns;
        sum_ns += waits->at.at[i].to_ns - waits->at.at[i].from_ns;
    }
    str_add(out, "\nWhy it waited ");
    explanation_add_length(out, sum_ns);
    for (int why = 0; why < WAIT_WHYS; why++) {
        if (sums_ns[why] == 0)
            continue;
        str_addf(out, "%s%s ", before, wait_why_names[why]);
        explanation_add_length(out, sums_ns[why]);
        before = ", ";
    }
    str_add_char(out, '\n');
}

struct wait_length {
    int64_t length_ns;
    size_t at;
};

ORDER_BY(longest_first, struct wait_length, DESC(length_ns) ASC(at))

void waits_text(const struct explanation *explanation, struct str *out) {
    const struct waits *waits = &explanation->moments->waits;
    size_t count = waits->at.count;
    int64_t hidden_ns = 0;
    if (count == 0)
        return;
    struct wait_length *lengths = mem_alloc(count * sizeof *lengths);
    bool *is_listed = mem_zalloc(count, sizeof *is_listed);
    for (size_t i = 0; i < count; i++)
        lengths[i] = (struct wait_length){waits->at.at[i].to_ns - waits->at.at[i].from_ns, i};
    sort_array(lengths, count, longest_first);
    for (size_t i = 0; i < count; i++) {
        is_listed[lengths[i].at] = i < LISTED_WAITS;
        hidden_ns += i < LISTED_WAITS ? 0 : lengths[i].length_ns;
    }
    add_sums(waits, out);
    for (size_t i = 0; i < count; i++)
        if (is_listed[i])
            add_wait(explanation, &waits->at.at[i], out);
    if (count > LISTED_WAITS) {
        str_addf(out, "  and %zu shorter intervals, together ", count - LISTED_WAITS);
        explanation_add_length(out, hidden_ns);
        str_add(out, ", which the JSON lists\n");
    }
    free(lengths);
    free(is_listed);
}

/* ---- JSON ---- */

void explanation_json_reason(const struct explanation *explanation, size_t text, size_t length,
                             cJSON *object) {
    struct str reason = {0};
    if (length > 0)
        str_add_bytes(&reason, explanation->moments->waits.texts.text + text, length);
    json_add_text(object, "policy_reason", reason.text);
    str_finish(&reason);
}

static void add_lack(const struct explanation *explanation, const struct wait *wait, cJSON *row) {
    const struct cluster *cluster = &explanation->run->folder->cluster;
    cJSON *list = cJSON_AddArrayToObject(row, "held_by");
    for (uint32_t i = 0; i < wait->holder_count; i++)
        cJSON_AddItemToArray(
            list,
            cJSON_CreateString(id_of(
                explanation, explanation->moments->waits.holders.at[wait->first_holder + i].job)));
    json_add_text(row, "gpu_type", cluster->gpu_types[wait->gpu_type].name);
    json_add_int(row, "k", wait->k);
    json_add_real(row, "gpu_share", wait->milli > 0 ? (double)wait->milli / WHOLE_GPU_MILLI : NAN);
    json_add_text(row, "inside", place_of(explanation, wait));
    json_add_int(row, "free", wait->free);
    json_add_int(row, "failed", wait->failed);
    json_add_real(row, "held_until_s", wait->until_ns < 0 ? NAN : units_s(wait->until_ns));
}

void waits_json(const struct explanation *explanation, cJSON *root) {
    const struct waits *waits = &explanation->moments->waits;
    cJSON *list = cJSON_AddArrayToObject(root, "waits");
    for (size_t i = 0; i < waits->at.count; i++) {
        const struct wait *wait = &waits->at.at[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(list, row);
        json_add_real(row, "from_s", units_s(wait->from_ns));
        json_add_real(row, "to_s", units_s(wait->to_ns));
        json_add_text(row, "why", wait_why_names[wait->why]);
        json_add_int(row, "decision", (int64_t)wait->decision);
        json_add_int(row, "decisions", (int64_t)wait->decisions);
        if (wait->why == WAIT_NO_ROOM)
            add_lack(explanation, wait, row);
        if (wait->why == WAIT_CAP) {
            json_add_real(row, "power_w", wait->power_w);
            json_add_real(row, "cap_w", wait->cap_w);
        }
        if (wait->started != EASIM_NONE)
            json_add_text(row, "started", id_of(explanation, wait->started));
        explanation_json_reason(explanation, wait->text, wait->text_length, row);
    }
}
