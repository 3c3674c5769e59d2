/* The policy exec alone: each byte of its messages, what it asks of the host for each action, what
   it says of each bad answer, memory that runs out. The program is a shell that answers from a
   file. */
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

#define USER_0 "{'user':0,'allocated_gpus':11,'gpu_s':12.5,'as_of_s':13.25}"
#define USER_1 \
    "{'user':1,'allocated_gpus':21,'gpu_s':0.66666666666666663,'as_of_s':0.30000000000000004}"
#define FIRST_ARRIVED \
    "{'job':0,'id':'x\\u000a','user':0,'model':5,'submit_ns':1500000000,'submit_s':1.5," \
    "'deadline_s':null,'first_config':1,'config_count':2,'sla':true,'preemptible':false," \
    "'restart_s':20.75,'checkpoint_s':35.25,'checkpoint_interval_s':600}"
#define OTHER_ARRIVED(job, user) \
    "{'job':" job ",'id':'j','user':" user ",'model':null,'submit_ns':0,'submit_s':0," \
    "'deadline_s':99.5,'first_config':3,'config_count':1,'sla':false,'preemptible':true," \
    "'restart_s':0,'checkpoint_s':0,'checkpoint_interval_s':0}"
#define OTHER_JOB(job, state) \
    "{'job':" job ",'state':'" state "','remaining':7,'setup_s':0,'time_best_s':8," \
    "'edp_best_js':null,'best_config':3,'preemptions':0,'resizes':0,'held_gpu_s':0," \
    "'kept_s':0,'kept_gpu_s':0"
#define FIRST_JOB(state) \
    "{'job':0,'state':'" state "','remaining':600.125,'setup_s':12.5,'time_best_s':300.25," \
    "'edp_best_js':10000000.5,'best_config':2,'preemptions':3,'resizes':4,'held_gpu_s':" \
    "11.5,'kept_s':5.25,'kept_gpu_s':9.75"
#define FIRST_RUNS \
    FIRST_JOB("running") \
    ",'config':1,'span':1,'predicted_end_ns':99000000001,'start_s':9.5,'resized_s':null"

static void set_running(struct mock *m, uint32_t job, uint32_t config) {
    set_state(m, job, EASIM_JOB_RUNNING);
    m->jobs[job].config = config;
    m->jobs[job].span = 1;
    m->jobs[job].start_s = 9.5;
    m->jobs[job].predicted_end_ns = 99000000001;
    m->view.running_count++;
}

/* Arrivals; then actions of every kind with every answer; the jobs of those accepted are told. */
static void check_actions(struct mock *m) {
    static const int answers[] = {EASIM_OK,  EASIM_NOFIT, EASIM_OK, EASIM_INVAL,
                                  EASIM_CAP, EASIM_OK,    EASIM_OK};
    at(m, 10.5, EASIM_EVENT_ARRIVAL, 0);
    add_event(m, EASIM_EVENT_ARRIVAL, 4);
    add_event(m, EASIM_EVENT_ARRIVAL, 1);
    set_arrived(m);
    host_notes.answers = answers;
    CHECK(decide(m) == 0);
    CHECK(strcmp(host_notes.calls,
                 "start 0 1; start 1 3; wake 20.5; preempt 0 with a checkpoint; "
                 "resize 1 2; preempt 4 with a checkpoint; preempt 4 at once; ") == 0);
    CHECK_SAID(
        "{'type':'decide','message':1,'now_ns':10500000000,'now_s':10.5," NUMBERS
        "'answers':[],'events':[{'kind':'arrival','job':0},{'kind':'arrival','job':4},"
        "{'kind':'arrival','job':1}],'arrived':[" FIRST_ARRIVED
        "," OTHER_ARRIVED("4", "0") "," OTHER_ARRIVED("1", "1") "],'jobs':[" FIRST_JOB("waiting") "}," OTHER_JOB(
            "4",
            "waiting") "}," OTHER_JOB("1",
                                      "waiting") "}],'users':[" USER_0 "," USER_1 "]," TYPES
                                                 "'nodes':[{'node':0,'free':3,'failed':false},{'node':1,'free':3,'failed':false},"
                                                 "{'node':2,'free':2,'failed':false}]}");
    at(m, 12, EASIM_EVENT_TIMER, EASIM_NONE);
    set_running(m, 0, 1);
    set_state(m, 4, EASIM_JOB_CHECKPOINTING);
    m->nodes[0].free = 1;
    host_notes.answers = NULL;
    CHECK(decide(m) == 0);
    CHECK(*host_notes.calls == '\0');
    CHECK_SAID(
        "{'type':'decide','message':2,'now_ns':12000000000,'now_s':12," NUMBERS
        "'answers':['ok','nofit','ok','invalid','cap','ok','ok'],"
        "'events':[{'kind':'timer','job':null}],'arrived':[],'jobs':[" FIRST_RUNS
        "}," OTHER_JOB("4", "checkpointing") "}],'users':[" USER_0 "]," TYPES
                                             "'nodes':[{'node':0,'free':1,'failed':false}]}");
}

/* What has changed without an event of its own: phases, the cluster, jobs that were due. */
static void check_changes(struct mock *m) {
    at(m, 13, EASIM_EVENT_TIMER, EASIM_NONE);
    m->view.phase_changes = 1;
    m->jobs[0].phase = 1;
    m->jobs[0].first_config = 2;
    m->jobs[0].config_count = 1;
    m->jobs[0].rate_s = 0.5;
    m->jobs[0].unsaved_work = 3.25;
    m->jobs[0].resized_s = 10.25;
    m->nodes[1].failed = true;
    CHECK(decide(m) == 0);
#define SAID(number, second) \
    "{'type':'decide','message':" number ",'now_ns':" second "000000000,'now_s':" second \
    "," NUMBERS "'answers':[],"
#define RESIZED \
    FIRST_JOB("running") \
    ",'config':1,'span':1,'predicted_end_ns':99000000001,'start_s':9.5,'resized_s':10.25"
    CHECK_SAID(
        SAID("3", "13") "'events':[{'kind':'timer','job':null}],'arrived':[],'jobs':[" RESIZED
                        ",'phase':1,'first_config':2,'config_count':1,'phase_s':0.5,"
                        "'unsaved_work':3.25}," OTHER_JOB("1", "waiting") "}," OTHER_JOB(
                            "4", "checkpointing") "}],'users':[" USER_0 "," USER_1 "]," TYPES
                                                  "'nodes':[{'node':1,'free':3,'failed':true}]}");
    at(m, 14, EASIM_EVENT_TIMER, EASIM_NONE); /* nothing */
    CHECK(decide(m) == 0);
    CHECK_SAID(SAID("4", "14") "'events':[{'kind':'timer','job':null}],'arrived':[],'jobs':[],"
                               "'users':[]," TYPES "'nodes':[]}");
    at(m, 15, EASIM_EVENT_FAILURE, EASIM_NONE); /* all that it knows; back in the first phase */
    m->jobs[0].rate_s = 0;
    m->jobs[0].phase = 0;
    m->jobs[0].first_config = 1;
    m->jobs[0].config_count = 2;
    CHECK(decide(m) == 0);
    CHECK_SAID(
        SAID("5", "15") "'events':[{'kind':'cluster','job':null}],'arrived':[],'jobs':[" RESIZED
                        ",'phase':0,'first_config':1,'config_count':2"
                        "}," OTHER_JOB("1", "waiting") "}," OTHER_JOB(
                            "4", "checkpointing") "}],'users':[" USER_0 "," USER_1 "]," TYPES
                                                  "'nodes':[]}");
    at(m, 16, EASIM_EVENT_SERVICE + 1, 0); /* of a later version */
    add_event(m, EASIM_EVENT_ARRIVAL, 2);
    set_state(m, 2, EASIM_JOB_WAITING);
    CHECK(decide(m) == 0);
    CHECK_SAID(SAID(
        "6",
        "16") "'events':[{'kind':'other','job':0},{'kind':'arrival','job':2}],"
              "'arrived':[" OTHER_ARRIVED(
                  "2",
                  "0") "],'jobs':[" RESIZED
                       "}," OTHER_JOB("2", "waiting") "}," OTHER_JOB("1", "waiting") "}," OTHER_JOB(
                           "4", "checkpointing") "}],'users':[" USER_0 "," USER_1 "]," TYPES
                                                 "'nodes':[]}");
    at(m, 17, EASIM_EVENT_TIMER, EASIM_NONE); /* the first has finished, its event is to come */
    set_state(m, 0, EASIM_JOB_FINISHED);
    m->view.running_count = 0;
    CHECK(decide(m) == 0);
    CHECK_SAID(SAID(
        "7", "17") "'events':[{'kind':'timer','job':null}],'arrived':[],'jobs':["
                   "{'job':0,'state':'finished'}," OTHER_JOB("1", "waiting") "}," OTHER_JOB(
                       "2", "waiting") "}," OTHER_JOB("4", "checkpointing") "}],'users':[" USER_0
                                                                            "," USER_1 "]," TYPES
                                                                            "'nodes':[]}");
    at(m, 18, EASIM_EVENT_FINISH, 0);
    CHECK(decide(m) == 0);
    CHECK_SAID(SAID("8", "18") "'events':[{'kind':'finish','job':0}],'arrived':[],'jobs':[],"
                               "'users':[]," TYPES "'nodes':[]}");
}

/* One starts and finishes by the book: no others are named. Then states that no job should have. */
static void check_ends(struct mock *m) {
    at(m, 19, EASIM_EVENT_TIMER, 4);
    CHECK(decide(m) == 0);
    CHECK(strcmp(host_notes.calls, "start 2 3; ") == 0);
    CHECK_SAID(
        SAID("9", "19") "'events':[{'kind':'timer','job':4}],'arrived':[],'jobs':[" OTHER_JOB(
            "4", "checkpointing") "}],'users':[" USER_0 "]," TYPES "'nodes':[]}");
    at(m, 20, EASIM_EVENT_TIMER, 1);
    set_running(m, 2, 3);
    m->jobs[2].unsaved_work = 5; /* told with rate_s only */
    CHECK(decide(m) == 0);
#define OK_SAID(number, second) \
    "{'type':'decide','message':" number ",'now_ns':" second "000000000,'now_s':" second \
    "," NUMBERS "'answers':['ok'],"
    CHECK_SAID(
        OK_SAID("10", "20") "'events':[{'kind':'timer','job':1}],'arrived':[],'jobs':[" OTHER_JOB(
            "1",
            "waiting") "}," OTHER_JOB("2",
                                      "running") ",'config':3,'span':1,'predicted_end_ns':99000000001,'start_s':9.5,"
                                                 "'resized_s':null}],'users':[" USER_1 "," USER_0
                                                 "]," TYPES "'nodes':[]}");
    at(m, 21, EASIM_EVENT_FINISH, 2);
    set_state(m, 2, EASIM_JOB_FINISHED);
    m->view.running_count = 0;
    CHECK(decide(m) == 0);
    CHECK_SAID(
        SAID("11", "21") "'events':[{'kind':'finish','job':2}],'arrived':[],'jobs':[" OTHER_JOB(
            "2", "finished") "}],'users':[" USER_0 "]," TYPES "'nodes':[]}");
    at(m, 22, EASIM_EVENT_FINISH, 1);
    add_event(m, EASIM_EVENT_FINISH, 4);
    set_state(m, 1, EASIM_JOB_REJECTED);
    set_state(m, 4, EASIM_JOB_REJECTED + 1); /* of a later version */
    CHECK(decide(m) == 0);
    CHECK_SAID(SAID("12", "22") "'events':[{'kind':'finish','job':1},{'kind':'finish','job':4}],"
                                "'arrived':[],'jobs':[" OTHER_JOB("1", "rejected") "}," OTHER_JOB(
                                    "4", "other") "}],'users':[" USER_1 "," USER_0 "]," TYPES
                                                  "'nodes':[]}");
    at(m, 23, EASIM_EVENT_FINISH, 4); /* which need not be the last of it */
    CHECK(decide(m) == 0);
    CHECK_SAID(
        SAID("13", "23") "'events':[{'kind':'finish','job':4}],'arrived':[],'jobs':[" OTHER_JOB(
            "4", "other") "}],'users':[" USER_0 "]," TYPES "'nodes':[]}");
}

static void test_messages(void) {
    struct mock m;
    mock_init(&m, &easim_policy);
    memset(&host_notes, 0, sizeof host_notes);
    set_cluster(&m);
    set_jobs(&m);
    set_program(&m, "{\"ready\": 2} \t\r\n"
                    "{\"actions\": [{\"start\": 0, \"config\": 1}, {\"config\": 3, \"start\": 1}, "
                    "{\"wake_at\": 20.5}, {\"preempt\": 0}, {\"resize\": 1, \"config\": 2}, "
                    "{\"preempt\": 4, \"at_once\": false}, {\"preempt\": 4, \"at_once\": true}]}\n"
                    "{\"actions\": []}\n{\"actions\": []}\n{\"actions\": []}\n{\"actions\": []}\n"
                    "{\"actions\": []}\n{\"actions\": []}\n{\"actions\": []}\n"
                    "{\"actions\": [{\"start\": 2, \"config\": 3}]}\n{\"actions\": []}\n"
                    "{\"actions\": []}\n{\"actions\": []}\n{\"actions\": []}\n");
    CHECK(start(&m) == 0);
    CHECK_SAID(hello);
    check_actions(&m);
    check_changes(&m);
    check_ends(&m);
    mock_finish(&m);
    CHECK_SAID("{'type':'finish','message':14,'now_s':23,'energy_j':77.25}");
    CHECK(*host_notes.failure == '\0');
    CHECK(memory.live == 0);
}

/* Told at first, and when an hour has begun. */
static void test_forecasts(void) {
    static const struct easim_forecast_hour hours[] = {
        {0, INFINITY, -0.5, 100.25}, {3600, 900, NAN, 80}, {7200, 900, 0, 0.1}};
    struct mock m;
    mock_init(&m, &easim_policy);
    memset(&host_notes, 0, sizeof host_notes);
    set_cluster(&m);
    set_jobs(&m);
    set_program(&m, "{\"ready\": 2}\n{\"actions\": []}\n{\"actions\": []}\n{\"actions\": []}\n");
    CHECK(start(&m) == 0);
    mock_forecast(&m, hours[0]);
    mock_forecast(&m, hours[1]);
    at(&m, 13, EASIM_EVENT_TIMER, EASIM_NONE);
    CHECK(decide(&m) == 0);
    CHECK_SAID(SAID("1", "13") "'events':[{'kind':'timer','job':null}],'forecast':["
                               "{'from_s':0,'power_cap_w':null,'price_per_mwh':-0.5,"
                               "'carbon_g_per_kwh':100.25},"
                               "{'from_s':3600,'power_cap_w':900,'price_per_mwh':null,"
                               "'carbon_g_per_kwh':80}],"
                               "'arrived':[],'jobs':[],'users':[]," TYPES
                               "'nodes':[{'node':0,'free':3,'failed':false},"
                               "{'node':1,'free':3,'failed':false},"
                               "{'node':2,'free':2,'failed':false}]}");
    at(&m, 14, EASIM_EVENT_TIMER, EASIM_NONE);
    CHECK(decide(&m) == 0);
    CHECK_SAID(SAID("2", "14") "'events':[{'kind':'timer','job':null}],'arrived':[],'jobs':[],"
                               "'users':[]," TYPES "'nodes':[]}");
    m.forecast.hour_count = 0;
    mock_forecast(&m, hours[1]);
    mock_forecast(&m, hours[2]);
    at(&m, 3600, EASIM_EVENT_TIMER, EASIM_NONE);
    CHECK(decide(&m) == 0);
    CHECK_SAID(SAID("3", "3600") "'events':[{'kind':'timer','job':null}],'forecast':["
                                 "{'from_s':3600,'power_cap_w':900,'price_per_mwh':null,"
                                 "'carbon_g_per_kwh':80},"
                                 "{'from_s':7200,'power_cap_w':900,'price_per_mwh':0,"
                                 "'carbon_g_per_kwh':0.1}],"
                                 "'arrived':[],'jobs':[],'users':[]," TYPES "'nodes':[]}");
    mock_finish(&m);
    CHECK(*host_notes.failure == '\0');
    CHECK(memory.live == 0);
}

/* A job that has just come is one that it knows; of the nodes it hears all at first. */
static void test_first_job(void) {
    struct mock m;
    mock_init(&m, &easim_policy);
    memset(&host_notes, 0, sizeof host_notes);
    set_cluster(&m);
    set_jobs(&m);
    set_program(&m, "{\"ready\": 2}\n{\"actions\": []}\n{\"actions\": []}\n");
    CHECK(start(&m) == 0);
    at(&m, 13, EASIM_EVENT_ARRIVAL, 0);
    set_state(&m, 0, EASIM_JOB_WAITING);
    m.nodes[1].failed = true;
    m.nodes[1].free = m.nodes[2].free = 0;
    CHECK(decide(&m) == 0);
    CHECK_SAID(SAID(
        "1",
        "13") "'events':[{'kind':'arrival','job':0}],'arrived':[" FIRST_ARRIVED
              "],'jobs':[" FIRST_JOB(
                  "waiting") "}],'users':[" USER_0 "]," TYPES
                             "'nodes':[{'node':0,'free':3,'failed':false},{'node':1,'free':0,'failed':true},"
                             "{'node':2,'free':0,'failed':false}]}");
    at(&m, 14, EASIM_EVENT_PRICE, EASIM_NONE);
    m.nodes[1].failed = false;
    m.nodes[2].free = 1;
    CHECK(decide(&m) == 0);
    CHECK_SAID(SAID("2", "14") "'events':[{'kind':'cluster','job':null}],'arrived':[],'jobs':[" FIRST_JOB(
        "waiting") "}],'users':[" USER_0 "]," TYPES
                   "'nodes':[{'node':1,'free':0,'failed':false},{'node':2,'free':1,'failed':false}]}");
    mock_finish(&m);
    CHECK(memory.live == 0);
}

/* --- answers that end the run --- */

/* Jobs 0, 1 and 4 of the five have arrived; the answer to that is this one. */
static int ask_once(struct mock *m, const char *ready, const char *answer) {
    char answers[8000];
    mock_init(m, &easim_policy);
    set_cluster(m);
    set_jobs(m);
    at(m, 10.5, EASIM_EVENT_ARRIVAL, 0);
    add_event(m, EASIM_EVENT_ARRIVAL, 1);
    add_event(m, EASIM_EVENT_ARRIVAL, 4);
    set_arrived(m);
    snprintf(answers, sizeof answers, "%s\n%s\n{\"actions\": []}\n", ready, answer);
    set_program(m, answers);
    const int *kept = host_notes.answers;
    memset(&host_notes, 0, sizeof host_notes);
    host_notes.answers = kept;
    return start(m) < 0 ? -1 : decide(m) < 0 ? -2 : 0;
}

#define ONE "{\"wake_at\": 1}, "

struct answer_case {
    const char *ready, *answer, *failure; /* without failure it is a good answer */
};

static void check_answer(const struct answer_case *c) {
    struct mock m;
    char expected[300] = "";
    int r = ask_once(&m, c->ready, c->answer);
    int wanted = !c->failure ? 0 : *c->answer ? -2 : -1;
    if (c->failure)
        snprintf(expected, sizeof expected, "program \"%s\" %s", command, c->failure);
    if (r != wanted || strcmp(host_notes.failure, expected) != 0) {
        printf("%s %s: %d \"%s\", expected %d \"%s\"\n", c->ready, c->answer, r, host_notes.failure,
               wanted, expected);
        checks_failed++;
    }
    mock_finish(&m);
    CHECK(memory.live == 0);
}

static void test_bad_answers(void) {
    static const struct answer_case cases[] = {
        {"{\"ready\": 2.0}", "{\"actions\": []}", NULL},
        {"{\"ready\": 1}", "", "sent ready: expected 2 or 3, the number of the protocol"},
        {"{\"ready\": 0}", "", "sent ready: expected 2 or 3, the number of the protocol"},
        {"{\"ready\": 2.5}", "", "sent ready: expected 2 or 3, the number of the protocol"},
        {"{\"ready\": true}", "", "sent ready: expected 2 or 3, the number of the protocol"},
        {"{\"ready\": \"1\"}", "", "sent ready: expected 2 or 3, the number of the protocol"},
        {"{\"Ready\": 1}", "", "sent an unknown member \"Ready\", expected \"ready\""},
        {"{\"ready\": 2, \"name\": \"p\"}", "",
         "sent an unknown member \"name\", expected \"ready\""},
        {"{\"fail\": \"no\"}", "", "gives up: no"},
        {"{\"ready\": 2, \"fail\": \"no\"}", "", "gives up: no"},
        {"{\"fail\": 3}", "", "sent an unknown member \"fail\", expected \"ready\""},
        {"{}", "", "sent a line without \"ready\""},
        {"[] x", "", "sent text behind the JSON value: \"x\""},
        {"{\"ready\": 2} {", "", "sent text behind the JSON value: \"{\""},
        {"{\"ready\": 2} \xc3\xbc", "", "sent text behind the JSON value: \"\xc3\xbc\""},
        {"7", "", "sent a line that is not a JSON object: \"7\""},
        {"{ \"ready\": ", "", "sent a line that is not a JSON object: \"{ \"ready\": \""},
        {"{\"ready\": 2}", "{\"ready\": 2}",
         "sent an unknown member \"ready\", expected \"actions\""},
        {"{\"ready\": 2}", "{\"actions\": 3}", "sent actions: expected a list"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "[]]}",
         "sent actions[1]: expected an object such as {\"start\": 0, \"config\": 3}"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE ONE "{}]}",
         "sent actions[2]: expected an object such as {\"start\": 0, \"config\": 3}"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"Start\": 0}]}",
         "sent actions[1]: expected start, preempt, resize, reject, exchange, scale_up, scale_down or wake_at, got \"Start\""},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"wake_at\": 1, \"job\": 0}]}",
         "sent actions[1]: wake_at takes no \"job\""},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"wake_at\": null}]}",
         "sent actions[1].wake_at: expected a time in seconds"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"resize\": 0, \"at_once\": true}]}",
         "sent actions[1]: resize takes no \"at_once\""},
        {"{\"ready\": 2}", "{\"actions\":[{\"scale_up\":0,\"k\":1}]}",
         "sent actions[0]: scale_up takes no \"k\""},
        {"{\"ready\": 2}", "{\"actions\": [{\"preempt\": 0, \"config\": 0}]}",
         "sent actions[0]: preempt takes no \"config\""},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"preempt\": 0, \"at_once\": 1}]}",
         "sent actions[1].at_once: expected true or false"},
        {"{\"ready\": 2}", "{\"actions\": [{\"preempt\": 0, \"at_once\": null}]}",
         "sent actions[0].at_once: expected true or false"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"start\": 3, \"config\": 0}]}",
         "sent actions[1].start: expected the number of a job that has arrived"},
        {"{\"ready\": 2}", "{\"actions\": [{\"resize\": 5, \"config\": 0}]}",
         "sent actions[0].resize: expected the number of a job that has arrived"},
        {"{\"ready\": 2}", "{\"actions\": [{\"preempt\": -1}]}",
         "sent actions[0].preempt: expected the number of a job that has arrived"},
        {"{\"ready\": 2}", "{\"actions\": [{\"start\": 0.5, \"config\": 0}]}",
         "sent actions[0].start: expected the number of a job that has arrived"},
        {"{\"ready\": 2}", "{\"actions\": [{\"start\": 1e300, \"config\": 0}]}",
         "sent actions[0].start: expected the number of a job that has arrived"},
        {"{\"ready\": 2}", "{\"actions\": [{\"start\": \"0\", \"config\": 0}]}",
         "sent actions[0].start: expected the number of a job that has arrived"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"start\": 0, \"config\": 4}]}",
         "sent actions[1].config: expected 0..3"},
        {"{\"ready\": 2}", "{\"actions\": [{\"resize\": 0, \"config\": -1}]}",
         "sent actions[0].config: expected 0..3"},
        {"{\"ready\": 2}", "{\"actions\": [{\"resize\": 0}]}",
         "sent actions[0].config: expected 0..3"},
        {"{\"ready\": 2}", "{\"actions\": [{\"reject\": 0, \"reason\": \"x\"}]}", NULL},
        {"{\"ready\": 2}",
         "{\"actions\": [{\"exchange\": [{\"preempt\": 0, \"at_once\": true}, "
         "{\"start\": 4, \"config\": 3}, {\"resize\": 1, \"config\": 2}]}]}",
         NULL},
        {"{\"ready\": 2}", "{\"actions\": [{\"start\": 4, \"config\": 3}]}", NULL},
        {"{\"ready\": 2}", "{\"actions\": [{\"start\": -0.0, \"config\": 0.0}]}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_answer(&cases[i]);
}

/* Every answer repeats the number of its message. */
static void test_numbers_of_messages(void) {
    static const struct answer_case cases[] = {
        {"{ \"ready\": 2}", "",
         "sent a line without \"message\": expected 0, the number of the message that is answered"},
        {"{ \"ready\": 2, \"message\": 1}", "", "answered message 1 instead of 0"},
        {"{ \"ready\": 2, \"message\": null}", "",
         "sent a \"message\" that is no number: expected 0, the number of the message that is answered"},
        {"{\"ready\": 2}", "{ \"actions\": []}",
         "sent a line without \"message\": expected 1, the number of the message that is answered"},
        {"{\"ready\": 2}", "{ \"actions\": [], \"message\": 0}", "answered message 0 instead of 1"},
        {"{\"ready\": 2}", "{ \"actions\": [], \"message\": 1.5}",
         "answered message 1.5 instead of 1"},
        {"{\"ready\": 2}", "{ \"actions\": [], \"message\": 4294967297}",
         "answered message 4294967297 instead of 1"},
        {"{\"ready\": 2}", "{ \"actions\": [], \"message\": \"1\"}",
         "sent a \"message\" that is no number: expected 1, the number of the message that is answered"},
        {"{\"ready\": 2}", "{ \"actions\": [], \"message\": 1}", NULL},
        {"{\"ready\": 2}", "{ \"message\": 7, \"fail\": \"no\"}", "gives up: no"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_answer(&cases[i]);
}

/* What stands behind a bad action is not tried, and the failure stays one. */
static void test_first_bad_action(void) {
    struct mock m;
    CHECK(ask_once(&m, "{\"ready\": 2}",
                   "{\"actions\": [" ONE
                   "{\"start\": 3, \"config\": 0}, {\"wake_at\": 2}]}") == -2);
    CHECK(strcmp(host_notes.calls, "wake 1; ") == 0);
    mock_finish(&m);
    CHECK(memory.live == 0);
}

/* Parts are asked for in order and have one answer; where it is ok their jobs are told of next. */
static void check_exchange(const int *answers, const char *said) {
    struct mock m;
    host_notes.answers = answers;
    CHECK(ask_once(
              &m, "{\"ready\": 2}",
              "{\"actions\": [{\"exchange\": [{\"preempt\": 4, \"at_once\": true}, {\"start\": 0, "
              "\"config\": 1}]}, {\"reject\": 1, \"reason\": \"too large\"}]}") == 0);
    CHECK(strcmp(host_notes.calls, "exchange 1:4:0 at once 0:0:1; reject 1 too large; ") == 0);
    at(&m, 14, EASIM_EVENT_TIMER, EASIM_NONE);
    host_notes.answers = NULL;
    CHECK(decide(&m) == 0);
    CHECK_SAID(said);
    mock_finish(&m);
}

static void test_exchange(void) {
#define TIMER_AT_14 "'events':[{'kind':'timer','job':null}],'arrived':[],'jobs':["
#define SAID_AT_14  "{'type':'decide','message':2,'now_ns':14000000000,'now_s':14," NUMBERS
    check_exchange((const int[]){EASIM_OK, EASIM_NOFIT}, SAID_AT_14
                   "'answers':['ok','nofit']," TIMER_AT_14 OTHER_JOB("4", "waiting") "}," FIRST_JOB(
                       "waiting") "}],'users':[" USER_0 "]," TYPES "'nodes':[]}");
    check_exchange((const int[]){EASIM_CAP, EASIM_INVAL}, SAID_AT_14
                   "'answers':['cap','invalid']," TIMER_AT_14 "],'users':[]," TYPES "'nodes':[]}");
}

/* An object that has a member twice: which of the two counts? */
static void test_members_twice(void) {
    static const struct {
        const char *ready, *answer, *name;
    } cases[] = {
        {"{\"ready\": 0, \"ready\": 2}", "", "ready"},
        {"{\"ready\": 2}", "{\"actions\": [], \"actions\": []}", "actions"},
        {"{\"ready\": 2}", "{\"actions\": [" ONE "{\"wake_at\": 1, \"wake_at\": 2}]}", "wake_at"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mock m;
        char expected[80];
        CHECK(ask_once(&m, cases[i].ready, cases[i].answer) < 0);
        snprintf(expected, sizeof expected, "sent \"%s\" twice in one object", cases[i].name);
        CHECK(strstr(host_notes.failure, expected) != NULL);
        mock_finish(&m);
        CHECK(memory.live == 0);
    }
}

/* More actions than the first list of them holds. */
static void test_many_actions(void) {
    enum { ACTIONS = 200 };
    char answer[20 * ACTIONS] = "{\"actions\": [";
    struct mock m;
    for (int i = 0; i < ACTIONS; i++)
        strcat(answer, i == 0 ? "{\"preempt\":0}" : ",{\"preempt\":1}");
    strcat(answer, "]}");
    CHECK(ask_once(&m, "{\"ready\": 2}", answer) == 0);
    at(&m, 13, EASIM_EVENT_TIMER, EASIM_NONE);
    CHECK(decide(&m) == 0);
    mock_finish(&m);
    CHECK(memory.live == 0);
}

/* --- memory --- */

/* Whichever allocation of the policy fails, the run fails, says why, and leaves nothing. */
static void test_memory(void) {
    int r = -1;
    long before = 0;
    for (; r < 0 && before < 500; before++) {
        struct mock m;
        memory.until_fail = before + 1;
        r = ask_once(&m, "{\"ready\": 2}", "{\"actions\": [{\"start\": 0, \"config\": 1}]}");
        r = r == 0 ? decide(&m) : r; /* what ran out in the last one is said in this one */
        if (memory.until_fail == 0 && !strstr(host_notes.failure, "out of memory") &&
            !strstr(host_notes.failure, "Cannot allocate memory")) {
            printf("allocation %ld: \"%s\"\n", before, host_notes.failure);
            checks_failed++;
        }
        r = memory.until_fail > 0 ? 0 : r; /* there were not so many */
        memory.until_fail = 0;
        mock_finish(&m);
        CHECK(memory.live == 0);
    }
    CHECK(r == 0 && before > 10);
}

/* Texts that end at every place of a block. */
static void test_lengths(void) {
    struct text text = {0};
    char expected[1200] = "";
    text_add(&text, "");
    CHECK(!text.failed && text.length == 0 && *text.at == '\0');
    for (int i = 0; i < 300; i++) {
        text_add(&text, "a");
        text_printf(&text, "%s", i % 2 ? "bc" : "d");
        strcat(expected, i % 2 ? "abc" : "ad");
        CHECK(!text.failed && strcmp(text.at, expected) == 0 && text.length == strlen(expected));
        struct text other = {0};
        text_printf(&other, "%s", expected);
        text_add(&other, expected);
        CHECK(!other.failed && other.length == 2 * strlen(expected));
        CHECK(strncmp(other.at, expected, strlen(expected)) == 0 &&
              strcmp(other.at + strlen(expected), expected) == 0);
        free(other.at);
    }
    free(text.at);
    CHECK(memory.live == 0);
}

/* --- parameters --- */

static void test_parameters(void) {
    struct mock m;
    mock_init(&m, &easim_policy);
    CHECK(m.policy->param_count == 9);
    for (uint32_t i = 1; i < 3; i++) {
        const struct easim_param *p = &m.policy->params[i];
        CHECK(p->type == EASIM_PARAM_DURATION && p->min == 1 && p->max == 1e6 && !p->may_be_off);
        CHECK(*(double *)((char *)m.params + p->offset) == (i == 1 ? 10 : 60));
    }
    *(const char **)m.params = " \t\n";
    memset(&host_notes, 0, sizeof host_notes);
    CHECK(start(&m) < 0);
    CHECK(strcmp(host_notes.failure, "the parameter command is empty: expected a program") == 0);
    *(const char **)m.params = command;
    *(const char **)((char *)m.params + m.policy->params[4].offset) = "there";
    CHECK(start(&m) < 0);
    CHECK(!strcmp(host_notes.failure, "the parameters command and socket: expected one of them"));
    mock_finish(&m);
    CHECK(memory.live == 0);
}

int main(void) {
    cJSON_Hooks hooks = {memory_take, __wrap_free};
    cJSON_InitHooks(&hooks);
    temp_dir_enter();
    test_parameters();
    test_messages();
    test_forecasts();
    test_first_job();
    test_bad_answers();
    test_numbers_of_messages();
    test_members_twice();
    test_first_bad_action();
    test_exchange();
    test_many_actions();
    test_memory();
    test_lengths();
    temp_dir_leave();
    return checks_failed > 0;
}
