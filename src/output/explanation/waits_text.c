/* Why a job waited, as text and as JSON: see explanation.h. The text has the longest intervals, the
   JSON all. */
#include "output/explanation/explanation.h"

#include "base/numfmt.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>

#define LISTED_WAITS   12
#define LISTED_HOLDERS 3

/* ---- What the policy says ---- */

/* A text of a policy, in which "[14700 s]" is a point in time. */
static const char *policy_text(struct prose *prose, struct slice text) {
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
            str_add(&plain, prose_time(prose, units_ns(seconds)));
            i = end;
        } else {
            str_add_char(&plain, text.at[i]);
        }
    }
    const char *visible = prose_name(prose, plain.text ? plain.text : "");
    str_finish(&plain);
    return visible;
}

void prose_reason(struct prose *prose, const struct waits *waits, size_t text, size_t length) {
    const struct recorded_run *run = prose->run;
    if (length > 0)
        tell(prose, "    %s: %s\n",
             prose_name(prose, run->folder->policies.at[run->part->policy].name),
             policy_text(prose, (struct slice){waits->texts.text + text, length}));
}

/* ---- Text ---- */

/* The place inside which its GPUs have to be; NULL: anywhere. */
static const char *place_of(const struct cluster *cluster, const struct wait *wait) {
    uint32_t last = cluster->network.tier_count > 0 ? cluster->network.tier_count : 1;
    if (wait->span >= last || cluster->node_count == 1)
        return NULL;
    return wait->span == EASIM_ONE_NODE ? "one node"
                                        : network_span_name(&cluster->network, wait->span);
}

static void tell_holders(struct prose *prose, const struct waits *waits, const struct wait *wait) {
    const struct wait_holder *holders = &waits->holders.at[wait->first_holder];
    uint32_t count = wait->holder_count,
             listed = count > LISTED_HOLDERS + 1 ? LISTED_HOLDERS : count;
    if (wait->until_ns < 0) {
        tell(prose, prose->run->service_count > 0 ? "; services hold what is missing"
                                                  : "; running jobs hold too few GPUs");
        return;
    }
    for (uint32_t i = 0; i < listed; i++)
        tell(prose, "%s%s",
             i == 0           ? "; "
             : i + 1 == count ? " and "
                              : ", ",
             prose_job(prose, holders[i].job));
    if (listed < count)
        tell(prose, " and %" PRIu32 " others", count - listed);
    tell(prose, " %s what is missing until about %s", count == 1 ? "holds" : "hold",
         prose_time(prose, wait->until_ns));
}

static void tell_missing(struct prose *prose, const struct waits *waits, const struct wait *wait) {
    const struct cluster *cluster = &prose->run->folder->cluster;
    const char *place = place_of(cluster, wait);
    if (wait->milli > 0)
        tell(prose, "it needs %g of one ", (double)wait->milli / WHOLE_GPU_MILLI);
    else
        tell(prose, "it needs %" PRIu32 " ", wait->k);
    tell(prose, "%s", prose_name(prose, cluster->gpu_types[wait->gpu_type].name));
    if (place)
        tell(prose, " in %s", prose_name(prose, place));
    tell(prose, ", %s%" PRIu32 " %s free%s", place ? "at most " : "", wait->free,
         wait->free == 1 ? "is" : "are", place ? " there" : "");
    if (wait->failed > 0)
        tell(prose, " (%" PRIu32 " on failed nodes)", wait->failed);
    tell_holders(prose, waits, wait);
}

static void tell_why(struct prose *prose, const struct waits *waits, const struct wait *wait) {
    switch (wait->why) {
    case WAIT_UNASKED:
        tell(prose, "the policy was not asked yet");
        return;
    case WAIT_NO_ROOM:
        tell_missing(prose, waits, wait);
        return;
    case WAIT_CAP:
        if (wait->power_w > wait->cap_w)
            tell(prose, "it fitted, but would raise the power to %s W, over the cap of %s W",
                 prose_number(prose, wait->power_w), prose_number(prose, wait->cap_w));
        else /* an enforced cap would lower the power below itself, but asks for entry draws */
            tell(prose, "it fitted, but the enforced cap did not admit its start");
        return;
    case WAIT_OTHER_STARTED:
        tell(prose, "it fitted, and the policy started job %s", prose_job(prose, wait->started));
        return;
    default:
        tell(prose, "it fitted, and the policy started nothing");
    }
}

static void tell_wait(struct prose *prose, const struct waits *waits, const struct wait *wait) {
    tell(prose, "  from %s to %s (%s): ", prose_time(prose, wait->from_ns),
         prose_time(prose, wait->to_ns), prose_length(prose, wait->to_ns - wait->from_ns));
    tell_why(prose, waits, wait);
    tell(prose, "\n");
    prose_reason(prose, waits, wait->text, wait->text_length);
}

static void tell_sums(struct prose *prose, const struct waits *waits) {
    int64_t sums_ns[WAIT_WHYS] = {0}, sum_ns = 0;
    const char *before = ": ";
    for (size_t i = 0; i < waits->at.count; i++) {
        sums_ns[waits->at.at[i].why] += waits->at.at[i].to_ns - waits->at.at[i].from_ns;
        sum_ns += waits->at.at[i].to_ns - waits->at.at[i].from_ns;
    }
    tell(prose, "\nWhy it waited %s", prose_length(prose, sum_ns));
    for (int why = 0; why < WAIT_WHYS; why++) {
        if (sums_ns[why] == 0)
            continue;
        tell(prose, "%s%s %s", before, wait_why_names[why], prose_length(prose, sums_ns[why]));
        before = ", ";
    }
    tell(prose, "\n");
}

struct wait_length {
    int64_t length_ns;
    size_t at;
};

ORDER_BY(longest_first, struct wait_length, DESC(length_ns) ASC(at))

void waits_text(struct prose *prose, const struct waits *waits) {
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
    tell_sums(prose, waits);
    for (size_t i = 0; i < count; i++)
        if (is_listed[i])
            tell_wait(prose, waits, &waits->at.at[i]);
    if (count > LISTED_WAITS)
        tell(prose, "  and %zu shorter intervals, together %s, which the JSON lists\n",
             count - LISTED_WAITS, prose_length(prose, hidden_ns));
    free(lengths);
    free(is_listed);
}

/* ---- JSON ---- */

static const char *id_of(const struct explanation *explanation, uint32_t job) {
    return explanation->run->workload.jobs.at[job].id;
}

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
    const struct wait_holder *holders = &explanation->moments->waits.holders.at[wait->first_holder];
    cJSON *list = cJSON_AddArrayToObject(row, "held_by");
    for (uint32_t i = 0; i < wait->holder_count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(id_of(explanation, holders[i].job)));
    json_add_text(row, "gpu_type", cluster->gpu_types[wait->gpu_type].name);
    json_add_int(row, "k", wait->k);
    json_add_real(row, "gpu_share", wait->milli > 0 ? (double)wait->milli / WHOLE_GPU_MILLI : NAN);
    json_add_text(row, "inside", place_of(cluster, wait));
    json_add_int(row, "free", wait->free);
    json_add_int(row, "failed", wait->failed);
    json_add_real(row, "held_until_s", wait->until_ns < 0 ? NAN : units_s(wait->until_ns));
}

void waits_json(const struct explanation *explanation, cJSON *root) {
    const struct waits *waits = &explanation->moments->waits;
    cJSON *list = cJSON_AddArrayToObject(root, "waits");
    for (size_t i = 0; i < waits->at.count; i++) {
        const struct wait *wait = &waits->at.at[i];
        cJSON *row = json_append_object(list);
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
