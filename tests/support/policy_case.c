/* Scenarios worked by hand: see policy_case.h. */
#include "policy_case.h"

#include <criterion/criterion.h>
#include <math.h>

/* Rates are given as measured points, so that they are whole numbers. "flat": 1, 1.6 and 2
   samples/s on 1, 2 and 4 GPUs of 100 W each; "costly": the same with restart_s 2 and checkpoint_s
   1, on demand; "lossy": 0.1, 1.6 and 2 samples/s, a checkpoint of 30 s every 600 s; "wide": 1 and
   3 on 2 and 4 GPUs of one node, 1 on 4 GPUs across nodes (and 1 on 2 across). */
static const char models[] =
    "models:\n"
    "  - name: flat\n"
    "    m0: 1000000\n"
    "    phi: 1\n"
    "    batches: [1]\n"
    "    gpus: {g: {evidence: assumed, source: by hand, lookup: [\n"
    "      {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100},\n"
    "      {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100},\n"
    "      {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}\n"
    "  - name: costly\n"
    "    m0: 1000000\n"
    "    phi: 1\n"
    "    batches: [1]\n"
    "    restart_s: 2\n"
    "    checkpoint_s: 1\n"
    "    gpus: {g: {evidence: assumed, source: by hand, lookup: [\n"
    "      {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100},\n"
    "      {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100},\n"
    "      {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}\n"
    "  - name: lossy\n"
    "    m0: 1000000\n"
    "    phi: 1\n"
    "    batches: [1]\n"
    "    checkpoint_s: 30\n"
    "    checkpoint_interval_s: 600\n"
    "    gpus: {g: {evidence: assumed, source: by hand, lookup: [\n"
    "      {k: 1, batch: 1, throughput_samples_s: 0.1, power_w_per_gpu: 100},\n"
    "      {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100},\n"
    "      {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}\n"
    "  - name: wide\n"
    "    m0: 1000000\n"
    "    phi: 1\n"
    "    batches: [1]\n"
    "    gpus: {g: {evidence: assumed, source: by hand, lookup: [\n"
    "      {k: 2, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100},\n"
    "      {k: 4, batch: 1, throughput_samples_s: 3, power_w_per_gpu: 100},\n"
    "      {k: 2, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100, across_nodes: true},\n"
    "      {k: 4, batch: 1, throughput_samples_s: 0.5, power_w_per_gpu: 100, across_nodes: true}]}}\n"
    "  - name: pair\n" /* the same speed on two GPU types, unlike power */
    "    m0: 1000000\n"
    "    phi: 1\n"
    "    batches: [1]\n"
    "    gpus:\n"
    "      g: {evidence: assumed, source: by hand, lookup: [\n"
    "        {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}]}\n"
    "      h: {evidence: assumed, source: by hand, lookup: [\n"
    "        {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 80}]}\n";

static void run_case(const struct policy_case *c) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = c->jobs, .models = models, .strict = true},
              "name: policies\n"
              "horizon: drain\n"
              "models: models.yaml\n"
              "%sworkload: {kind: trace, file: jobs.csv%s}\n"
              "policy: %s\n",
              c->cluster, c->limits ? c->limits : "", c->policy);
    cr_assert_eq(t.status, 0, "%s: %s", c->name, t.failure);
    for (const struct expected *e = c->expected; e->id; e++) {
        const struct trial_job *job = trial_find(&t, e->id);
        cr_expect_eq(job->start_ns, llround(e->start_s * 1e9), "%s: %s starts at %.9f s, not %.9f",
                     c->name, e->id, (double)job->start_ns / 1e9, e->start_s);
        cr_expect_eq(job->finish_ns, llround(e->finish_s * 1e9), "%s: %s ends at %.9f s, not %.9f",
                     c->name, e->id, (double)job->finish_ns / 1e9, e->finish_s);
        cr_expect(job->k == e->k && job->gpu_type == e->gpu_type,
                  "%s: %s ran on %u GPUs of type %u", c->name, e->id, job->k, job->gpu_type);
    }
    trial_finish(&t);
}

void policy_cases_run(const struct policy_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        run_case(&cases[i]);
}
