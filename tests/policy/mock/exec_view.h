/* A view in which no two members are equal by chance, and what exec says of it first; ' stands for
   ". */
#ifndef EASIM_TESTS_MOCK_EXEC_VIEW_H
#define EASIM_TESTS_MOCK_EXEC_VIEW_H

#include "policy_mock.h"

static void set_cluster(struct mock *m) {
    mock_gpu_type(m, (struct easim_gpu_type){.name = "a\"1",
                                             .idle_w = 61.25,
                                             .ctx_w = 98.5,
                                             .tdp_w = 401,
                                             .memory_gib = 80.75,
                                             .failed = 1,
                                             .asleep = 2});
    mock_gpu_type(m, (struct easim_gpu_type){.name = "b",
                                             .idle_w = 7,
                                             .ctx_w = 8,
                                             .tdp_w = 9,
                                             .memory_gib = 0.1,
                                             .failed = 13,
                                             .asleep = 14});
    mock_node(m, 0, 4);
    mock_node(m, 1, 3);
    mock_node(m, 0, 2);
    mock_user(m, "u \x1f\x7f\xc3\xbc", 1.5);
    mock_user(m, "t\tq\"\\", 1.0 / 3);
    m->users[0].allocated_gpus = 11;
    m->users[0].gpu_s = 12.5;
    m->users[0].as_of_s = 13.25;
    m->users[1].allocated_gpus = 21;
    m->users[1].gpu_s = 2.0 / 3;
    m->users[1].as_of_s = 0.1 + 0.2;
    mock_config(m, (struct easim_config){.k = 1,
                                         .batch = 0.5,
                                         .gpu_type = 0,
                                         .extrapolated = true,
                                         .power_limit_w = 275,
                                         .goodput = {2},
                                         .power_w = {200}});
    mock_config(m, (struct easim_config){.k = 4,
                                         .batch = 16,
                                         .gpu_type = 0,
                                         .span_count = 3,
                                         .goodput = {3.5, 3.25},
                                         .power_w = {180.5, 181}});
    mock_config(m,
                (struct easim_config){
                    .k = 6, .batch = 8, .gpu_type = 0, .goodput = {4, 5}, .power_w = {170, 171}});
    mock_config(m, (struct easim_config){
                       .k = 2, .batch = 0, .gpu_type = 1, .goodput = {1, 1}, .power_w = {9, 9}});
    m->configs[0].goodput[1] = 0; /* not known across nodes */
    m->configs[2].goodput[0] = 0; /* nor inside one */
}

static const char hello[] =
    "{'type':'hello','message':0,'protocol':2,'abi':[3,0],'gpu_types':["
    "{'name':'a\\'1','gpus':6,'node_gpus_max':4,'idle_w':61.25,'ctx_w':98.5,'tdp_w':401,"
    "'memory_gib':80.75},"
    "{'name':'b','gpus':3,'node_gpus_max':3,'idle_w':7,'ctx_w':8,'tdp_w':9,'memory_gib':0.1}],"
    "'nodes':[{'gpu_type':0,'gpus':4},{'gpu_type':1,'gpus':3},{'gpu_type':0,'gpus':2}],"
    "'users':[{'name':'u \\u001f\x7f\xc3\xbc','weight':1.5},"
    "{'name':'t\\u0009q\\'\\\\','weight':0.33333333333333331}],'forecast_hours':0,'configs':["
    "{'k':1,'batch':0.5,'gpu_type':0,'empty_span':0,'extrapolated':true,'goodput':[2,null],"
    "'power_w':[200,null],'power_limit_w':275},"
    "{'k':4,'batch':16,'gpu_type':0,'empty_span':0,'extrapolated':false,"
    "'goodput':[3.5,3.25,null],'power_w':[180.5,181,null],'power_limit_w':null},"
    "{'k':6,'batch':8,'gpu_type':0,'empty_span':1,'extrapolated':false,'goodput':[null,5],"
    "'power_w':[null,171],'power_limit_w':null},"
    "{'k':2,'batch':0,'gpu_type':1,'empty_span':0,'extrapolated':false,'goodput':[1,1],"
    "'power_w':[9,9],'power_limit_w':null}]}";

/* Parts of every message. */
#define NUMBERS \
    "'power_w':1234.5,'power_cap_w':5000,'price_per_mwh':0.1,'carbon_g_per_kwh':null," \
    "'energy_j':77.25,'free_gpus':8,"
#define TYPES \
    "'checkpointing':[{'job':4,'end_ns':98000000001}],'gpu_types':[{'free':5,'node_free_max':3,'failed':1,'asleep':2}," \
    "{'free':3,'node_free_max':3,'failed':13,'asleep':14}],"

static void set_state(struct mock *m, uint32_t job, uint32_t state) {
    m->jobs[job].state = state;
    m->jobs[job].here = state >= EASIM_JOB_WAITING && state <= EASIM_JOB_CHECKPOINTING;
}

/* Jobs 0, 1 and 4. */
static void set_arrived(struct mock *m) {
    set_state(m, 0, EASIM_JOB_WAITING);
    set_state(m, 1, EASIM_JOB_WAITING);
    set_state(m, 4, EASIM_JOB_WAITING);
}

/* Five jobs, of which number 3 never arrives. */
static void set_jobs(struct mock *m) {
    for (uint32_t i = 0; i < 5; i++) {
        mock_job(m, (struct easim_job){.id = "j", .user = i % 2, .config_count = 1});
        set_state(m, i, EASIM_JOB_PENDING);
    }
    m->view.event_count = 0;
    struct easim_job *job = &m->jobs[0];
    job->id = "x\n";
    job->model = 5;
    job->submit_ns = 1500000000;
    job->submit_s = 1.5;
    job->deadline_s = INFINITY;
    job->first_config = 1;
    job->config_count = 2;
    job->sla = true;
    job->remaining = 600.125;
    job->setup_s = 12.5;
    job->time_best_s = 300.25;
    job->edp_best_js = 1e7 + 0.5;
    job->best_config = 2;
    job->preemptions = 3;
    job->resizes = 4;
    job->held_gpu_s = 11.5;
    job->kept_s = 5.25;
    job->kept_gpu_s = 9.75;
    job->restart_s = 20.75;
    job->checkpoint_s = 35.25;
    job->checkpoint_interval_s = 600;
    for (uint32_t i = 1; i < 5; i++) {
        m->jobs[i].model = EASIM_NONE;
        m->jobs[i].deadline_s = 99.5;
        m->jobs[i].first_config = 3;
        m->jobs[i].preemptible = true;
        m->jobs[i].remaining = 7;
        m->jobs[i].time_best_s = 8;
        m->jobs[i].edp_best_js = INFINITY;
        m->jobs[i].best_config = 3;
    }
    const struct easim_checkpointing entry = {.job = 4, .end_ns = 98000000001};
    MOCK_APPEND(m, checkpointing, m->view.checkpointing_count, entry);
    m->view.energy_j = 77.25;
    m->view.power_w = 1234.5;
    m->view.power_cap_w = 5000;
    m->view.price_per_mwh = 0.1;
    m->view.free_gpus = 8;
    m->gpu_types[0].free = 5;
    m->gpu_types[0].node_free_max = 3;
    m->nodes[0].free = 3;
}

#endif
