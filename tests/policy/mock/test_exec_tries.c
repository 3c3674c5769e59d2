/* Protocol 3 of the policy exec alone: what it says beyond protocol 2, byte for byte, what it asks
   of the host for each try and action, memory that runs out, and what it says of each bad answer.
 */
#include "policy_mock.h"

#include "../../../policies/exec/message.h"
#include "../../support/temp_dir.h"
#include "check.h"
#include "counted_memory.h"
#include "exec_program.h"
#include "exec_view.h"
#include "noting_host.h"
#include <cjson/cJSON.h>
#include <unistd.h>

#define READY "{\"ready\": 3, \"capabilities\": [\"uniform\"]}"
#define UNIFORM \
    "'uniform':[0,0.0625,0.125,0.1875,0.25,0.3125,0.375,0.4375,0.5,0.5625,0.625,0.6875,0.75," \
    "0.8125,0.875,0.9375],"

/* Jobs 0, 1 and 4 have arrived; the program answers hello and then each message with these lines.
 */
static int ask(struct mock *m, const char *answers) {
    const int *kept = host_notes.answers;
    mock_init(m, &easim_policy);
    set_cluster(m);
    set_jobs(m);
    at(m, 10.5, EASIM_EVENT_ARRIVAL, 0);
    add_event(m, EASIM_EVENT_ARRIVAL, 1);
    add_event(m, EASIM_EVENT_ARRIVAL, 4);
    set_arrived(m);
    m->jobs[1].started_before = true;
    m->jobs[4].saved_at_s = 9.25;
    m->view.usage_half_life_s = 3600.5;
    set_program(m, answers);
    memset(&host_notes, 0, sizeof host_notes);
    host_notes.answers = kept;
    return start(m) < 0 ? -1 : decide(m) < 0 ? -2 : 0;
}

static void finish(struct mock *m) {
    mock_finish(m);
    CHECK(memory.live == 0);
    host_notes.answers = NULL;
}

/* --- what it says --- */

/* The first decide message: what never changes, random numbers, more of each job. */
static void test_first_message(void) {
    struct mock m;
    CHECK(ask(&m, READY "\n{\"actions\": []}\n") == 0);
    CHECK_SAID(
        "{'type':'decide','message':1,'now_ns':10500000000,'now_s':10.5," NUMBERS
        "'job_count':5,'usage_half_life_s':3600.5," UNIFORM
        "'answers':[],'events':[{'kind':'arrival','job':0,'node':null},{'kind':'arrival','job':1,'node':null},"
        "{'kind':'arrival','job':4,'node':null}],'arrived':["
        "{'job':0,'id':'x\\u000a','user':0,'model':5,'submit_ns':1500000000,'submit_s':1.5,"
        "'deadline_s':null,'first_config':1,'config_count':2,'sla':true,'preemptible':false,"
        "'restart_s':20.75,'checkpoint_s':35.25,'checkpoint_interval_s':600},"
        "{'job':1,'id':'j','user':1,'model':null,'submit_ns':0,'submit_s':0,'deadline_s':99.5,"
        "'first_config':3,'config_count':1,'sla':false,'preemptible':true,'restart_s':0,"
        "'checkpoint_s':0,'checkpoint_interval_s':0},"
        "{'job':4,'id':'j','user':0,'model':null,'submit_ns':0,'submit_s':0,'deadline_s':99.5,"
        "'first_config':3,'config_count':1,'sla':false,'preemptible':true,'restart_s':0,"
        "'checkpoint_s':0,'checkpoint_interval_s':0}],'jobs':["
        "{'job':0,'state':'waiting','remaining':600.125,'setup_s':12.5,'time_best_s':300.25,"
        "'edp_best_js':10000000.5,'best_config':2,'preemptions':3,'resizes':4,'held_gpu_s':11.5,"
        "'kept_s':5.25,'kept_gpu_s':9.75,'started_before':false},"
        "{'job':1,'state':'waiting','remaining':7,'setup_s':0,'time_best_s':8,'edp_best_js':null,"
        "'best_config':3,'preemptions':0,'resizes':0,'held_gpu_s':0,'kept_s':0,'kept_gpu_s':0,"
        "'started_before':true},"
        "{'job':4,'state':'waiting','remaining':7,'setup_s':0,'time_best_s':8,'edp_best_js':null,"
        "'best_config':3,'preemptions':0,'resizes':0,'held_gpu_s':0,'kept_s':0,'kept_gpu_s':0,"
        "'started_before':false,'saved_at_s':9.25}],"
        "'users':[{'user':0,'allocated_gpus':11,'gpu_s':12.5,'as_of_s':13.25},"
        "{'user':1,'allocated_gpus':21,'gpu_s':0.66666666666666663,'as_of_s':0.30000000000000004}]," TYPES
        "'nodes':[{'node':0,'free':3,'failed':false},{'node':1,'free':3,'failed':false},"
        "{'node':2,'free':2,'failed':false}]}");
    finish(&m);
    CHECK(ask(&m, "{\"ready\": 3}\n{\"actions\": []}\n") == 0);
    CHECK(*host_notes.failure == '\0' && *host_notes.calls == '\0');
    finish(&m);
}

/* A job that writes a checkpoint keeps its configuration; no numbers unless it asks for them. */
static void test_checkpoint(void) {
    struct mock m;
    CHECK(ask(&m, "{\"ready\": 3}\n{\"actions\": []}\n{\"actions\": []}\n") == 0);
    at(&m, 12, EASIM_EVENT_TIMER, 4);
    set_state(&m, 4, EASIM_JOB_CHECKPOINTING);
    m.jobs[4].config = 3;
    m.jobs[4].span = 1;
    m.jobs[4].start_s = 10.75;
    CHECK(decide(&m) == 0);
    CHECK_SAID("{'type':'decide','message':2,'now_ns':12000000000,'now_s':12," NUMBERS
               "'answers':[],'events':[{'kind':'timer','job':4,'node':null}],'arrived':[],'jobs':["
               "{'job':4,'state':'checkpointing','remaining':7,'setup_s':0,'time_best_s':8,"
               "'edp_best_js':null,'best_config':3,'preemptions':0,'resizes':0,'held_gpu_s':0,"
               "'kept_s':0,'kept_gpu_s':0,'started_before':false,'config':3,'span':1,"
               "'start_s':10.75,'saved_at_s':9.25}],"
               "'users':[{'user':0,'allocated_gpus':11,'gpu_s':12.5,'as_of_s':13.25}]," TYPES
               "'nodes':[]}");
    finish(&m);
}

/* --- tries and actions --- */

#define TRIES \
    "{\"message\": 1, \"try\": [{\"start\": 0, \"config\": 1}, {\"start\": 0, \"config\": 2}, " \
    "{\"start\": 1, \"config\": 3}, {\"resize\": 1, \"config\": 3}, {\"start\": 4, \"config\": " \
    "3}, {\"remaining\": 1}, {\"remaining\": 4}, {\"job_nodes\": 0}, {\"job_nodes\": 1}, {\"exchange\": [{\"preempt\": 4, \"at_once\": " \
    "true}, {\"start\": 0, \"config\": 1}]}, {\"exchange\": [{\"preempt\": 1}]}]}"

/* Answers and powers in the order of what was tried; a resize of a job that waits is invalid
   without asking the host. Then the same decision has its actions, and the next message their
   answers. */
static void test_tries(void) {
    static const int answers[] = {EASIM_ACROSS_NODES, EASIM_CAP,   EASIM_NOFIT, EASIM_INVAL,
                                  EASIM_OK,           EASIM_NOFIT, EASIM_OK,    EASIM_NOFIT,
                                  EASIM_OK,           EASIM_OK,    EASIM_OK};
    struct mock m;
    host_notes.answers = answers;
    CHECK(ask(&m,
              READY "\n" TRIES "\n{\"message\": 2, \"actions\": [{\"start\": 0, \"config\": 1}, "
                    "{\"exchange\": [{\"start\": 1, \"config\": 3}]}, "
                    "{\"count\": \"late starts\", \"name\": \"x\"}, {\"count\": \"others\"}, "
                    "{\"reason\": 0, \"text\": \"told nobody\"}, {\"wake_clear\": true}]}\n"
                    "{\"message\": 3, \"actions\": []}\n") == 0);
    CHECK(strcmp(host_notes.calls,
                 "try 0 1; try 0 2; try 1 3; try 4 3; try exchange of 2, first of 4; "
                 "try exchange of 1, first of 1; start 0 1; exchange 0:1:3; "
                 "count late starts: x; count others: none; wake clear; ") == 0);
    CHECK_SAID("{'type':'tried','message':2,'answers':["
               "{'answer':'ok','span':1,'power_w':1100.5},{'answer':'cap','power_w':1200.5},"
               "{'answer':'nofit'},{'answer':'invalid'},{'answer':'invalid'},"
               "{'answer':'ok','remaining':13.5},{'answer':'invalid','remaining':null},"
               "{'answer':'ok','nodes':[]},{'answer':'ok','nodes':[{'node':7,'gpus':1}]},"
               "{'answer':'ok','power_w':2000.25},{'answer':'nofit','part':0}]}");
    host_notes.answers = NULL;
    at(&m, 11, EASIM_EVENT_TIMER, EASIM_NONE);
    CHECK(decide(&m) == 0);
    CHECK_SAID("{'type':'decide','message':3,'now_ns':11000000000,'now_s':11," NUMBERS UNIFORM
               "'answers':[{'answer':'ok'},{'answer':'nofit','part':null},{'answer':'ok'},"
               "{'answer':'ok'},{'answer':'ok'},{'answer':'ok'}],"
               "'events':[{'kind':'timer','job':null,'node':null}],'arrived':[],'jobs':["
               "{'job':0,'state':'waiting','remaining':600.125,'setup_s':12.5,'time_best_s':300.25,"
               "'edp_best_js':10000000.5,'best_config':2,'preemptions':3,'resizes':4,"
               "'held_gpu_s':11.5,'kept_s':5.25,'kept_gpu_s':9.75,'started_before':false}],"
               "'users':[{'user':0,'allocated_gpus':11,'gpu_s':12.5,'as_of_s':13.25}]," TYPES
               "'nodes':[]}");
    finish(&m);
}

static void note_reason(struct easim_plan *plan, uint32_t job, const char *why) {
    char text[200];
    (void)plan;
    snprintf(text, sizeof text, "reason %u %s", job, why);
    note_call(text);
}

/* While the story of job 1 is told, the program hears so, and its words about that job are passed
 * on.
 */
static void test_reason(void) {
    struct mock m;
    CHECK(ask(&m, "{\"ready\": 3}\n{\"actions\": []}\n{\"actions\": [{\"reason\": 0, \"text\": "
                  "\"no\"}, {\"reason\": 1, \"text\": \"it is late\"}]}\n") == 0);
    struct easim_host telling = noting_host;
    struct easim_pass pass = pass_of(&m);
    telling.reason = note_reason;
    pass.host = &telling;
    pass.told = 1;
    at(&m, 14, EASIM_EVENT_TIMER, EASIM_NONE);
    CHECK(easim_policy.decide(&pass) == 0);
    CHECK(strcmp(host_notes.calls, "reason 1 it is late; ") == 0);
    CHECK_SAID(
        "{'type':'decide','message':2,'now_ns':14000000000,'now_s':14," NUMBERS
        "'told':1,'answers':[],'events':[{'kind':'timer','job':null,'node':null}],'arrived':[],"
        "'jobs':[],'users':[]," TYPES "'nodes':[]}");
    finish(&m);
}

/* Whichever allocation fails, the run fails and leaves nothing. */
static void test_memory(void) {
    int r = -1;
    long before = 0;
    for (; r < 0 && before < 500; before++) {
        struct mock m;
        memory.until_fail = before + 1;
        r = ask(
            &m, READY
            "\n" TRIES
            "\n{\"message\": 2, \"actions\": [{\"count\": \"x\"}]}\n{\"message\": 3, \"actions\": []}\n");
        r = r == 0 ? decide(&m) : r;
        if (memory.until_fail == 0 && !strstr(host_notes.failure, "out of memory") &&
            !strstr(host_notes.failure, "Cannot allocate memory")) {
            printf("allocation %ld: \"%s\"\n", before, host_notes.failure);
            checks_failed++;
        }
        r = memory.until_fail > 0 ? 0 : r;
        memory.until_fail = 0;
        finish(&m);
    }
    CHECK(r == 0 && before > 10);
}

int main(void) {
    cJSON_Hooks hooks = {memory_take, __wrap_free};
    cJSON_InitHooks(&hooks);
    temp_dir_enter();
    test_first_message();
    test_checkpoint();
    test_tries();
    test_reason();
    test_memory();
    temp_dir_leave();
    return checks_failed > 0;
}
