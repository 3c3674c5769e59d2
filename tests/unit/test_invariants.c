/* The invariant checker finds what it is there for: a run is stopped in the middle, one figure
   after the other is changed, and each must be noticed, by the words that name it. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "engine/contention.h"
#include "engine/gpus.h"
#include "engine/internal.h"
#include "engine/loop.h"
#include "engine/nodes.h"
#include "engine/services.h"

#include <criterion/criterion.h>

TestSuite(invariants, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Checks once more at the same instant; text == NULL: nothing may be found. */
static void expect_check(struct sim *sim, const char *text, const char *what) {
    struct check_past past = sim->past;
    invariants_check(sim);
    if (!text)
        cr_expect(sim->error.code >= 0, "%s: %s", what, sim->error.text);
    else
        cr_expect(sim->error.code < 0 && strstr(sim->error.text, text),
                  "%s: \"%s\" does not say \"%s\"", what,
                  sim->error.code < 0 ? sim->error.text : "", text);
    sim->error = (struct error){0};
    sim->past = past;
}

/* A change that is none, or within rounding. */
#define BEAR(figure, change) \
    do { \
        __typeof__(figure) kept_ = (figure); \
        (figure) change; \
        expect_check(sim, NULL, #figure " " #change); \
        (figure) = kept_; \
    } while (0)

#define SPOIL(figure, change, text) \
    do { \
        __typeof__(figure) kept_ = (figure); \
        (figure) change; \
        expect_check(sim, text, #figure " " #change); \
        (figure) = kept_; \
        expect_check(sim, NULL, #figure " as it was"); \
    } while (0)

static uint32_t job_named(const struct sim *sim, const char *id) {
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        if (strcmp(sim->workload->jobs.at[j].id, id) == 0)
            return j;
    cr_assert_fail("no job %s", id);
    return 0;
}

static void spoil_jobs(struct sim *sim) {
    uint32_t a = job_named(sim, "a"), part = job_named(sim, "part"),
             first = job_named(sim, "first");
    SPOIL(sim->waiting, += 1, "counts of job states");
    SPOIL(sim->waiting, -= 1, "counts of job states");
    SPOIL(sim->running, -= 1, "counts of job states");
    SPOIL(sim->checkpointing, += 1, "counts of job states");
    SPOIL(sim->finished, += 1, "counts of job states");
    SPOIL(sim->rejected, += 1, "counts of job states");
    SPOIL(view_header(&sim->view)->waiting_count, -= 1, "counts of job states");
    SPOIL(view_header(&sim->view)->running_count, += 1, "counts of job states");
    SPOIL(view_job(&sim->view, a)->state, = EASIM_JOB_WAITING, "holds GPUs in the wrong state");
    SPOIL(sim->runs[part].segment, = SEGMENT_QUEUED, "holds GPUs in the wrong state");
    SPOIL(sim->runs[a].allocation.count, = 0, "holds GPUs in the wrong state");
    SPOIL(sim->runs[a].allocation.first.gpus, += 1, "holds 3 GPUs instead of 2");
    SPOIL(sim->runs[part].allocation.milli, -= 100, "holds 0.2 GPUs instead of 0.3");
    SPOIL(sim->runs[part].allocation.first.node, = 1, "is on node 0, not 1");
    SPOIL(sim->runs[a].span, = 1, "job a has span 1 and shows 0, its nodes have 0");
    SPOIL(view_job(&sim->view, a)->span, = 1, "job a has span 0 and shows 1, its nodes have 0");
    SPOIL(sim->runs[a].remaining, += 5, "does not end when its speed says");
    SPOIL(sim->runs[a].energy, += 1, "energy of jobs, idle GPUs and nodes");
    SPOIL(sim->runs[first].energy, -= 1, "energy of jobs, idle GPUs and nodes");
    SPOIL(view_job(&sim->view, a)->held_gpu_s, += 1, "job a has held 24 GPU-seconds, not 25");
    SPOIL(view_job(&sim->view, first)->held_gpu_s, -= 1, "job first has held 44 GPU-seconds");
    if (sim->progress) {
        SPOIL(sim->progress[a].factor, *= 1.001, "does not end when its speed says");
        SPOIL(sim->progress[a].stretch_work, += 1e6, "has done");
        SPOIL(sim->progress[a].kept_work, += 1e6, "has done");
    }
    if (sim->node_batches.nodes) {
        cr_assert(node_batches_hold(sim, part));
        size_t place = sim->node_batches.jobs[part].place - 1;
        SPOIL(sim->node_batches.nodes[0].slowdown, *= 1.001, "does not end when its speed says");
        SPOIL(sim->node_batches.nodes[0].work.at[place], += 1e6, "has done");
        SPOIL(sim->node_batches.jobs[part].place, += 5, "part is not in the batch of its node");
    }
}

static void spoil_nodes(struct sim *sim) {
    struct easim_node *nodes = (struct easim_node *)(uintptr_t)sim->view.nodes;
    SPOIL(sim->placement.node_free[1], += 1, "node 1 has");
    SPOIL(nodes[1].free, -= 1, "node 1 has");
    SPOIL(nodes[2].failed, = true, "node 2 has");
    SPOIL(view_gpu_type(&sim->view, 0)->free, += 1, "type g shows");
    SPOIL(view_gpu_type(&sim->view, 0)->asleep, += 1, "type g shows");
    SPOIL(view_gpu_type(&sim->view, 0)->failed, += 1, "type g shows");
    SPOIL(view_gpu_type(&sim->view, 0)->node_free_max, += 1, "type g shows");
    SPOIL(view_gpu_type(&sim->view, 0)->span_free_max[1], += 1, "type g shows at most");
    SPOIL(view_gpu_type(&sim->view, 0)->shared, += 1, "shared GPUs");
    SPOIL(view_gpu_type(&sim->view, 0)->shared_free_milli, += 1, "thousandths free");
    SPOIL(view_gpu_type(&sim->view, 0)->shared_free_max_milli, += 1, "thousandths free");
    SPOIL(view_header(&sim->view)->shared_free_milli, += 1, "shared GPUs have");
    SPOIL(view_header(&sim->view)->shared_free_milli, -= 1, "shared GPUs have");
    SPOIL(sim->meter.types[0].asleep, += 1, "type g shows");
    SPOIL(sim->meter.types[0].failed, += 1, "type g shows");
    SPOIL(sim->failures.gpus, += 1, "have failed, not");
    SPOIL(sim->failures.nodes, += 1, "have failed, not");
    SPOIL(sim->placement.types[0].sharing.gpus[0].free_milli, += 1, "are held and free");
    SPOIL(sim->placement.types[0].sharing.gpus[0].node, = 1, "is on node");
    if (sim->nodes.jobs)
        SPOIL(sim->nodes.jobs[1].list.count, -= 1, "node 1 has 1 jobs, not 0");
}

static void spoil_power(struct sim *sim) {
    SPOIL(sim->committed_nw, += 1, "power is not the sum");
    SPOIL(sim->meter.base_energy, += 1, "energy is not the integral of the power");
    SPOIL(sim->meter.types[0].idle_energy, += 1, "energy is not the integral of the power");
    SPOIL(sim->past.integral, += 1, "energy is not the integral of the power");
    SPOIL(sim->past.energy, += 1, "energy of jobs, idle GPUs and nodes");
}

static void spoil_sleep(struct sim *sim) {
    struct sleep *sleep = &sim->nodes.sleep;
    cr_assert_not_null(sleep->nodes);
    SPOIL(sleep->nodes[1].asleep, += 1, "node 1 has 0 free GPUs, 1 asleep and 0 awake");
    SPOIL(sim->nodes.sleep_events[2], = EVENT_NONE, "do not fall asleep in time");
    SPOIL(sim->nodes.sleep_events[1], = sim->nodes.sleep_events[2], "do not fall asleep in time");
    SPOIL(sleep->nodes[2].awake.at[0].since_ns, -= 1, "do not fall asleep in time");
    SPOIL(sleep->nodes[2].after_ns, += 1, "do not fall asleep in time");
    const struct waking until_13_s = {13000000000, job_named(sim, "a"), 1};
    array_push(&sleep->nodes[0].waking, until_13_s);
    expect_check(sim, "1 are still waking up", "a GPU that wakes up computes");
    sleep->nodes[0].waking.count--;
}

struct scene {
    const char *name, *type, *rest;
    bool sleeps;
};

static void expect_place(struct sim *sim, const void *damage, const char *expected) {
    char text[VIEW_PLACE_BYTES];
    sim->view.guard.damage = damage;
    view_damage(&sim->view, text);
    cr_expect_str_eq(text, expected, "%s, not %s", text, expected);
    sim->view.guard.damage = NULL;
}

/* Where somebody wrote is named by what lies there. */
static void damage_view(struct sim *sim) {
    expect_place(sim, sim->view.v, "the view itself");
    expect_place(sim, &sim->view.gpu_types[0], "view->gpu_types[0]");
    expect_place(sim, &sim->view.nodes[1].free, "view->nodes[1]");
    expect_place(sim, &sim->view.jobs[2], "job a");
    expect_place(sim, &sim->view.jobs[3].state, "job first");
    expect_place(sim, &sim->view.running[1], "view->running[1]");
    expect_place(sim, &sim->view.events[2], "view->events[2]");
}

static void spoil(void *context, const struct replication *replication) {
    const struct scene *scene = context;
    struct sim *sim = (struct sim *)replication->sim;
    damage_view(sim);
    expect_check(sim, NULL, "untouched");
    spoil_jobs(sim);
    spoil_nodes(sim);
    spoil_power(sim);
    if (scene->sleeps)
        spoil_sleep(sim);
    if (sim->cluster->network.tier_count > 0) { /* a leaf has nodes 0 and 1, the other node 2 */
        SPOIL(sim->placement.types[0].switch_free[1][0], += 1, "switch 0 of tier leaf has 1 free");
        SPOIL(sim->placement.types[0].switch_free[1][1], -= 1, "switch 1 of tier leaf has 4 free");
        SPOIL(sim->committed_nw, -= 1, "power is not the sum");
    }
}

/* Three nodes of four GPUs. At 12: first is over (since 11), never was rejected, part holds 0.3 of
   a GPU of node 0, a two GPUs beside it, b the four of node 1, big waits for nine. With sleep_after
   20 nothing sleeps yet and the free GPUs of nodes 0 and 2 are to fall asleep; with 10.5 those of
   node 2 that first left at 11 are. */
Test(invariants, notices) {
    static const struct scene scenes[] = {
        {"plain", "", "", false},
        {"interference", "", ", interference: {slowdown_per_neighbour: 0.5}", false},
        {"sleep", ", sleep_w: 8, sleep_after: 20", "", true},
        {"sleeping", ", sleep_w: 8, sleep_after: 10.5", "", true},
        {"failures", "", ", pue: 1.5", false},
        {"network", "",
         ", network: {tiers: [{name: leaf, nodes: 2}, {name: spine, nodes: 4}], optics_w: 7}",
         false},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s,gpu_share\n"
                                            "part,0,1,100,0.3\n"
                                            "b,0,4,100,\n"
                                            "a,0,2,100,\n"
                                            "first,0,4,11,\n"
                                            "never,0,13,1,\n"
                                            "big,1,9,5,\n",
                                    .look = spoil,
                                    .context = (void *)&scenes[i]},
            "name: n\n"
            "horizon: 12\n"
            "policy: {name: fcfs}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400%s}], nodes: [{count: 3, gpu: g, gpus: 4, base_w: 10%s}]%s}\n" TRIAL_JOBS,
            scenes[i].type,
            strcmp(scenes[i].name, "failures") == 0 ? ", mtbf: 9000000, mttr: 1" : "",
            scenes[i].rest);
        trial_must_succeed(&t);
        trial_finish(&t);
    }
}

static void spoil_phase(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    uint32_t m = job_named(sim, "m");
    struct easim_job *job = (struct easim_job *)(uintptr_t)&sim->view.jobs[m];
    *(bool *)context = true;
    cr_assert(job->phase == 1 && job->first_config > 0);
    SPOIL(job->first_config, -= 1, "is in phase 1 with");
    SPOIL(job->first_config, += 1, "is in phase 1 with");
    SPOIL(job->config_count, += 1, "is in phase 1 with");
    SPOIL(job->phase, = 0, "is in phase 1 with");
    uint8_t kept = sim->runs[m].phase;
    for (int other = 0; other <= 2; other += 2) { /* both say so: the work does not */
        sim->runs[m].phase = job->phase = (uint8_t)other;
        const struct config_set *set = phase_set(sim, m);
        uint32_t first = job->first_config, count = job->config_count;
        job->first_config = set->first;
        job->config_count = set->count;
        expect_check(sim, other == 0 ? "is in phase 0 with" : "is in phase 2 with",
                     "another phase");
        job->first_config = first;
        job->config_count = count;
    }
    sim->runs[m].phase = kept;
    job->phase = kept;
    expect_check(sim, NULL, "the phase as it was");
}

/* At 12 s, 48 of 100 samples are done, at 4 a second: the second phase of three, until 75. */
Test(invariants, notices_phases) {
    struct trial t;
    bool looked = false;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,model,work_samples\nm,0,m,100\n",
            .models =
                "models: [{name: m, m0: 2, phi: 2, batches: [2], phases: [{until: 0.25}, {until: 0.75, phi: 3}, {until: 1, phi: 5}], gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 2, throughput_samples_s: 4, power_w_per_gpu: 100}]}}}]\n",
            .look = spoil_phase,
            .context = &looked},
        "name: n\nhorizon: 12\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 1}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_assert(looked);
    trial_finish(&t);
}

static void spoil_checkpoint(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    uint32_t m = job_named(sim, "m");
    struct easim_checkpointing *entry =
        (struct easim_checkpointing *)(uintptr_t)&sim->view.checkpointing[0];
    *(bool *)context = true;
    cr_assert_eq(sim->view.v->checkpointing_count, 1);
    SPOIL(entry->end_ns, += 1, "the view has another checkpoint of job m");
    SPOIL(entry->k, += 1, "the view has another checkpoint of job m");
    SPOIL(entry->gpu_type, += 1, "the view has another checkpoint of job m");
    SPOIL(entry->milli, = 500, "the view has another checkpoint of job m");
    SPOIL(entry->job, += 1, "the view has another checkpoint of job m");
    SPOIL(view_job(&sim->view, m)->running_slot, = 1, "the view has another checkpoint of job m");
    SPOIL(view_header(&sim->view)->checkpointing_count, = 0, "checkpoint");
    SPOIL(view_job(&sim->view, m)->held_gpu_s, += 1, "job m has held 12 GPU-seconds, not 13");
}

/* At the round of 10 x has had less: m is stopped and writes its checkpoint until 15. */
Test(invariants, notices_checkpoints) {
    struct trial t;
    bool looked = false;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\nm,0,1,100\nx,1,1,100\n",
                                .look = spoil_checkpoint,
                                .context = &looked},
        "name: n\nhorizon: 12\n"
        "policy: {name: las, params: {round_s: 10s}}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: "
        "[{gpu: g, gpus: 1}]}\n"
        "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_s: 5}}\n");
    trial_must_succeed(&t);
    cr_assert(looked);
    trial_finish(&t);
}

/* --- shared links and storage --- */

/* Half of what one has goes to the other. */
static void exchange_rates(struct sim *sim, uint32_t from, uint32_t to, const char *text) {
    struct max_min_job *jobs = sim->contention->network.jobs;
    double rate = jobs[from].rate;
    cr_assert_eq(jobs[to].rate, rate);
    jobs[from].rate = 0.5 * rate;
    jobs[to].rate = 1.5 * rate;
    expect_check(sim, text, "rates exchanged");
    jobs[from].rate = jobs[to].rate = rate;
}

static void spoil_shares(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    struct max_min *network = &sim->contention->network;
    struct one_link *storage = &sim->contention->storage;
    struct max_min_job *jobs = network->jobs;
    struct contended *readers = sim->contention->jobs;
    uint32_t j1 = job_named(sim, "j1"), j2 = job_named(sim, "j2"), f3 = job_named(sim, "f3");
    *(bool *)context = true;
    cr_assert_float_eq(max_min_load_of(network, 0), 120e6, 1);
    expect_check(sim, NULL, "untouched");
    SPOIL(jobs[j1].is_here, = false, "job j1 loads other uplinks than those between its GPUs");
    SPOIL(jobs[f3].is_here, = true, "job f3 loads other uplinks than those between its GPUs");
    SPOIL(jobs[j2].rate, *= 1.001, "uplink 0 carries 1.2006e+08 bytes/s of 1.2e+08");
    SPOIL(network->links[0].capacity, *= 0.999, "uplink 0 carries 1.2e+08 bytes/s of 1.1988e+08");
    SPOIL(jobs[j2].rate, *= 0.999, "job j1 has less of the network than its uplinks would");
    SPOIL(network->links[0].capacity, *= 1.001, "job j1 has less of the network than its uplinks");
    /* full, and j1 has less than another */
    exchange_rates(sim, j1, j2, "job j1 has less of the network than its uplinks would");
    SPOIL(readers[f3].loose, = 1, "job f3 reads from storage and does not compute");
    SPOIL(storage->level, *= 1.001, "storage gives 9.009e+07 bytes/s of 9e+07");
    SPOIL(storage->level, *= 0.999, "job j1 has less of storage than its fair share");
    SPOIL(readers[j1].most, *= 1.001,
          "job j1 does not compute at its share of network and storage");
    SPOIL(jobs[j2].most, *= 1.001, "job j2 does not compute at its share of network and storage");
}

/* As storage_of_what_the_network_leaves in ../policy/test_contention.c: at 250 s j1 and j2 have 60
   MB/s each of the uplink of node 0, and 45 MB/s of storage. */
Test(invariants, notices_shares) {
    struct trial t;
    bool looked = false;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,model,gpus,work_samples,duration_s\n"
                    "f1,0,,1,,100\nf2,0,,1,,200\nf3,0,,1,,300\n"
                    "g1,0,,2,,1000\ng2,0,,2,,1000\ng3,0,,2,,1000\n"
                    "j1,100,both,2,2700,\nj2,200,both,2,2700,\n",
            .models =
                "models: [{name: both, efficiency: none, batches: [10], sync_bytes: 100MB, storage_bytes_per_sample: 5MB, gpus: {g: {a_s: 0.3, c_s: 0.02, gamma: 1, alpha_s: 0.5, p0_w: 100, pmax_w: 400, evidence: assumed, source: by hand}}}]\n",
            .look = spoil_shares,
            .context = &looked},
        "name: n\nhorizon: 250\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{count: 4, "
        "gpu: g, gpus: 3}], network: {tiers: [{name: spine, nodes: 4, oversubscription: 3}], link: "
        "120MB/s, contention: true}}\nstorage: {bandwidth: 90MB/s}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_assert(looked);
    trial_finish(&t);
}

/* --- services --- */

/* The first replica in a phase. */
static struct replica *replica_in(struct sim *sim, enum replica_phase phase) {
    for (size_t i = 0; i < sim->services.replicas.count; i++)
        if (sim->services.replicas.at[i].phase == phase)
            return &sim->services.replicas.at[i];
    cr_assert_fail("no replica in phase %d", phase);
    return NULL;
}

static void spoil_replicas(struct sim *sim) {
    struct replica *ready = replica_in(sim, REPLICA_READY),
                   *loading = replica_in(sim, REPLICA_LOADING),
                   *reserved = replica_in(sim, REPLICA_RESERVED);
    struct easim_node *nodes = (struct easim_node *)(uintptr_t)sim->view.nodes;
    cr_assert(ready->node == 0 && loading->node == 0 && reserved->node == 1);
    cr_assert_eq(reserved->allocation.first.gpus, 1);
    SPOIL(reserved->allocation.first.gpus, = 3, "has reserved other GPUs than it wants");
    SPOIL(reserved->allocation.first.node, = 0, "has reserved other GPUs than it wants");
    SPOIL(ready->allocation.count, = 0, "has a replica on other GPUs than it should");
    SPOIL(ready->allocation.first.gpus, += 1, "has a replica on other GPUs than it should");
    SPOIL(loading->allocation.first.gpus, -= 1, "has a replica on other GPUs than it should");
    SPOIL(ready->allocation.first.node, = 1, "has a replica on other GPUs than it should");
    SPOIL(loading->node, = 1, "has a replica on other GPUs than it should");
    SPOIL(nodes[0].failed, = true, "has a replica on other GPUs than it should");
    SPOIL(ready->event, = loading->event, "has a replica that is ready at another time");
    SPOIL(loading->event, = EVENT_NONE, "has a replica that is ready at another time");
    SPOIL(ready->awake_ns, = sim->now_ns + 1, "has a replica that is ready at another time");
    BEAR(ready->awake_ns, = sim->now_ns);
    SPOIL(ready->service, = 1, "lists a replica that it has not");
    SPOIL(loading->phase, = REPLICA_GONE, "lists a replica that it has not");
    SPOIL(sim->services.reserved_gpus, += 1, "services have reserved 1 GPUs, not 2");
}

static void spoil_service(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    struct service_run *run = &sim->services.runs[0];
    struct service *spec = (struct service *)(uintptr_t)services_spec(sim, 0);
    *(bool *)context = true;
    expect_check(sim, NULL, "untouched");
    spoil_replicas(sim);
    SPOIL(run->ready, += 1, "has another number of replicas than it says");
    SPOIL(run->ready, -= 1, "has another number of replicas than it says");
    SPOIL(run->loading, += 1, "has another number of replicas than it says");
    SPOIL(run->loading, -= 1, "has another number of replicas than it says");
    SPOIL(run->reserved, += 1, "has another number of replicas than it says");
    SPOIL(run->reserved, -= 1, "has another number of replicas than it says");
    SPOIL(spec->replicas.max, = 2, "has another number of replicas than it says");
    BEAR(spec->replicas.max, = 3);
    SPOIL(run->capacity_per_s, *= 1 + 1e-8, "has another capacity than its replicas");
    BEAR(run->capacity_per_s, *= 1 + 1e-10);
    SPOIL(run->nw, += 1, "draws something else than its replicas");
    SPOIL(run->milli, -= 1, "draws something else than its replicas");
    SPOIL(run->energy, += 1, "energy of jobs, idle GPUs and nodes");
    SPOIL(run->demanded, *= 1 + 1e-8, "has not served, dropped or kept what was demanded");
    SPOIL(run->served, *= 1 - 1e-8, "has not served, dropped or kept what was demanded");
    SPOIL(run->dropped, += 1, "has not served, dropped or kept what was demanded");
    BEAR(run->demanded, *= 1 + 1e-10);
    cr_assert(run->flow != SERVICE_FLOW_EVEN);
    uint64_t events = sim->event_total;
    sim->event_total = 64; /* at powers of two it looks at the whole course */
    SPOIL(run->demand_per_s, += 1, "has another demand than its series says");
    sim->event_total = events;
    bool is_exact = run->next.is_exact;
    run->next.is_exact = true;
    BEAR(run->next_ns, = sim->now_ns);
    SPOIL(run->next_ns, = sim->now_ns - 1, "has passed the end of its backlog");
    run->next.is_exact = is_exact;
}

/* Two GPUs a replica, at most three replicas: one is ready on node 0 from the start, at 10 s, when
   9000 tokens a second are wanted of 2000, the second one loads there, and the third has the GPU of
   node 1 that job a leaves. */
Test(invariants, notices_services) {
    struct trial t;
    bool looked = false;
    temp_file_write_text("demand.csv", "time_s,tokens_per_s\n0,1000\n5,9000\n");
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,3,1000\n",
            .models =
                "models: [{name: m, unit: token, prompt: {included: true}, serving: [{gpu: g, k: 2, evidence: assumed, source: by hand, points: [{limit: 64, n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 10}}, {limit: 128, n: 30, per_s: 2000, power_w: 600, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 20}}]}]}]\n",
            .look = spoil_service,
            .context = &looked},
        "name: n\nhorizon: 12\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 60, ctx_w: 90, tdp_w: 700}], nodes: [{count: 2, "
        "gpu: g, gpus: 4}]}\n"
        "workload: {streams: [{kind: trace, file: jobs.csv, preemptible: false}, {kind: service, "
        "name: chat, model: m, demand: {file: demand.csv}, slo: {itl_ms: 60, wait_s: 100}, replicas: "
        "{min: 1, max: 3}, start_s: 20, scaling: {interval: 5}}]}\n");
    trial_must_succeed(&t);
    cr_assert(looked);
    trial_finish(&t);
}

static void turn_back(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    struct error error = {0};
    *(bool *)context = true;
    sim_push(sim, 5000000000, EVENT_TIMER, EASIM_NONE);
    cr_expect_eq(loop_run(sim, &error), ERROR_RUN);
    cr_expect_str_eq(error.text, "check: time went back (at t = 12 s)");
    sim->error = (struct error){0};
}

static void spoil_after_the_end(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    struct error error = {0};
    sim->runs[0].energy += 1;
    sim->past.events = 0; /* so that the sums are not due */
    *(bool *)context = true;
    cr_expect_eq(loop_run(sim, &error), ERROR_RUN);
    cr_expect(strstr(error.text, "energy of jobs, idle GPUs and nodes"), "%s", error.text);
    sim->runs[0].energy -= 1;
    sim->error = (struct error){0};
}

/* 1000 jobs in the system, so that sums are not looked at after each event: at the end they are. */
Test(invariants, at_the_end) {
    bool looked = false;
    struct trial t;
    struct str jobs = {0};
    str_add(&jobs, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < 1000; i++)
        str_addf(&jobs, "j%d,0,1,50\n", i);
    trial_run(
        &t,
        &(struct trial_options){.jobs = jobs.text, .look = spoil_after_the_end, .context = &looked},
        "name: n\nhorizon: 12\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect(looked);
    trial_finish(&t);
    str_finish(&jobs);
}

static void spoil_between_sums(void *context, const struct replication *replication) {
    struct sim *sim = (struct sim *)replication->sim;
    sim->finished++;
    sim->past.events = 0;
    for (*(int *)context = 1; *(int *)context < 10; ++*(int *)context) {
        invariants_check(sim);
        if (sim->error.code < 0)
            break;
    }
    cr_expect(sim->error.code < 0 && strstr(sim->error.text, "counts of job states"));
    sim->finished--;
    sim->error = (struct error){0};
}

/* Of 300 jobs the first 150 are over. Sums are due after every event for each 64 jobs that are
   there (invariants.h): what is wrong is found at the third, as 2 * 64 < 150 <= 3 * 64. */
Test(invariants, between_sums) {
    int found_at = 0;
    struct trial t;
    struct str jobs = {0};
    str_add(&jobs, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < 300; i++)
        str_addf(&jobs, "j%d,0,1,%d\n", i, i < 150 ? 11 : 50);
    trial_run(&t,
              &(struct trial_options){
                  .jobs = jobs.text, .look = spoil_between_sums, .context = &found_at},
              "name: n\nhorizon: 12\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(300) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(found_at, 3, "found at look %d", found_at);
    trial_finish(&t);
    str_finish(&jobs);
}

/* At 12 an event of 5 appears. */
Test(invariants, time_goes_back) {
    bool looked = false;
    struct trial t;
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,100\n",
                                      .look = turn_back,
                                      .context = &looked},
              "name: n\nhorizon: 12\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect(looked);
    trial_finish(&t);
}
