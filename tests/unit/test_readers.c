/* Readers of job logs: each quirk of each format in a log of its own. Expected rows are written by
   hand as the workload CSV of the same jobs; differences of clock times are by hand too. */
#include "ingest/formats.h"
#include "ingest/logs/formats.h"
#include "support/temp_dir.h"
#include "support/trace_text.h"

#include <criterion/criterion.h>
#include <time.h>

TestSuite(readers, .init = temp_dir_enter, .fini = temp_dir_leave);

#define PHILLY      "timestamp,duration,num_gpus,gpu_time,cluster\n"
#define PHILLY_ROWS TRACE_COLUMNS ",label.gpu_time\n"
#define JSON_ROWS   TRACE_COLUMNS ",label.vc,label.status,label.attempts\n"
#define PODS \
    "name,num_gpu,gpu_milli,gpu_spec,pod_phase,creation_time,deletion_time,scheduled_time,qos\n"
#define POD_LABELS \
    ",label.gpu_milli,label.gpu_spec,label.pod_phase,label.scheduled_time,label.qos\n"
#define HELIOS      "job_id,user,vc,gpu_num,state,submit_time,start_time,end_time,duration\n"
#define HELIOS_ROWS TRACE_COLUMNS ",label.vc,label.state\n"
#define SLURM       "JobID|User|Submit|Start|ElapsedRaw|State|AllocTRES|Timelimit|ConsumedEnergyRaw\n"
#define GAVEL_ROWS \
    TRACE_COLUMNS \
    ",label.job_type,label.command,label.working_dir,label.num_steps_arg,label.needs_data_dir,label.total_steps,label.priority_weight,label.SLO\n"
#define POLLUX      "name,time,application,num_replicas,batch_size\n"
#define POLLUX_ROWS TRACE_COLUMNS ",label.batch_size\n"

/* A day and time of October 2017. */
#define ON(time) "\"2017-10-" time "\""
/* One attempt on GPUs a and b of one server. */
#define ATTEMPT(start, end) \
    "{\"start_time\": " start ", \"end_time\": " end \
    ", \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"a\", \"b\"]}]}"
#define JOB(id, submitted, attempts) \
    "{\"status\": \"Pass\", \"vc\": \"v\", \"jobid\": \"" id "\", \"attempts\": [" attempts \
    "], \"submitted_time\": " submitted ", \"user\": \"u\"}"

static const struct {
    const char *format, *name, *text, *expected;
} good_cases[] = {
    {"philly",
     "unsorted, equal times in the order of the file, reals for integers, blank last line",
     PHILLY "2017-11-04 01:00:10,440.5,2.0,881.0,vc1\n"
            "2017-11-04 01:00:00,66.0,12,66.0,vc2\n"
            "2017-11-04 01:00:10,7,1,7,vc3\n"
            "\n",
     PHILLY_ROWS
     "2,0.0,vc2,,,66.0,,12,,,,,66.0\n1,10.0,vc1,,,440.5,,2,,,,,881.0\n3,10.0,vc3,,,7.0,,1,,,,,7\n"},
    {"philly", "equal rows are different jobs",
     PHILLY
     "2017-11-04 01:00:10,4,2,8,v\n2017-11-04 01:00:11,4,2,8,v\n2017-11-04 01:00:10,4,2,8,v\n",
     PHILLY_ROWS "1,0.0,v,,,4.0,,2,,,,,8\n"
                 "3,0.0,v,,,4.0,,2,,,,,8\n"
                 "2,1.0,v,,,4.0,,2,,,,,8\n"
                 "changed 1 at 4: the same as an earlier row (kept as a job of its own)\n"},
    {"philly",
     "end of daylight saving: 00:30 PDT, 01:30 PDT or PST, 02:00 PST are 1 h and 2.5 h apart",
     PHILLY
     "2017-11-05 02:00:00,4,2,8,v\n2017-11-05 01:30:00,4,2,8,v\n2017-11-05 00:30:00,4,2,8,v\n",
     PHILLY_ROWS "3,0.0,v,,,4.0,,2,,,,,8\n"
                 "2,3600.0,v,,,4.0,,2,,,,,8\n"
                 "1,9000.0,v,,,4.0,,2,,,,,8\n"
                 "changed 1 at 3: a local time that the clock showed twice: taken as the first\n"},
    {"philly", "begin of daylight saving: 01:30 PST, 02:30 which was skipped, 03:00 PDT",
     PHILLY
     "2018-03-11 01:30:00,4,2,8,v\n2018-03-11 02:30:00,4,2,8,v\n2018-03-11 03:00:00,4,2,8,v\n",
     PHILLY_ROWS
     "1,0.0,v,,,4.0,,2,,,,,8\n"
     "3,1800.0,v,,,4.0,,2,,,,,8\n"
     "2,3600.0,v,,,4.0,,2,,,,,8\n"
     "changed 1 at 3: a local time that the clock never showed: read as before the change\n"},
    {"philly", "a time with a zone of its own; 20:30 at -05:00 is 01:30 UTC of the next day",
     PHILLY "2017-11-05 01:30:00+00:00,4,2,8,v\n2017-11-04 20:30:01-05:00,5,2,8,v\n",
     PHILLY_ROWS "1,0.0,v,,,4.0,,2,,,,,8\n2,1.0,v,,,5.0,,2,,,,,8\n"},
    {"philly", "dropped rows; CRLF; a quoted comma; UTF-8 in the header; byte order mark",
     "\xef\xbb\xbftimestamp,duration,num_gpus,cluster,CO\u2082\r\n2017-11-04 01:00:00,4,0,\"a,b\",1\r\n"
     "2017-11-04 01:00:00,None,1,\"a,b\",2\r\n"
     "2017-11-04 01:00:00,,1,\"a,b\",2\r\n"
     "2017-11-04 01:00:01,0.0,1,\"a,b\",3\r\n"
     "2017-11-04 01:00:02,4320000,1,\"a,b\",4\r\n",
     TRACE_COLUMNS ",label.CO\u2082\n"
                   "5,0.0,\"a,b\",,,4320000.0,,1,,,,,4\n"
                   "dropped 1 at 2: no GPUs\n"
                   "dropped 2 at 3: run time unknown\n"
                   "dropped 1 at 5: duration not above 0\n"},
    /* clang-format off: text and macros by turns */
    {"philly-json",
     "the example of its README: attempts of 74 s and 193182 s on 8 and 8 GPUs, here 2 and 2",
     "[" JOB("application_1506638472019_14199", ON("07 01:11:39"),
             ATTEMPT(ON("07 01:12:09"), ON("07 01:13:23")) ",\n" ATTEMPT(ON("07 01:13:30"),
                                                                         ON("09 06:53:12"))) "]\n",
     JSON_ROWS "application_1506638472019_14199,0.0,u,,,193256.0,,2,,,,,v,Pass,2\n"},
    {"philly-json",
     "2 GPUs for 100 s, then 4 GPUs on two servers for 50 s: 400 GPU-seconds as 100 s on 4",
     "[" JOB(
         "a", ON("07 01:00:00"),
         ATTEMPT(ON("07 02:00:00"), ON("07 02:01:40")) ",{\"start_time\": " ON("07 03:00:00") ", \"end_time\": " ON(
             "07 03:00:50") ", \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"a\", \"b\", \"c\"]}, {\"ip\": \"m2\", \"gpus\": [\"]}\"]}]}") "]",
     JSON_ROWS
     "a,0.0,u,,,100.0,,4,,,,,v,Pass,2\n"
     "changed 1 at 1: attempts on different numbers of GPUs: those of the last, equal GPU-seconds\n"},
    {"philly-json",
     "attempts without times; jobs that never ran, still ran, have no submit time or no GPUs",
     "[\n" JOB("a", ON("07 01:00:00"), ATTEMPT("null", "null") "," ATTEMPT(ON("07 02:00:00"), ON("07 02:00:09"))) ",\n" JOB(
         "b", ON("07 01:00:00"),
         "") ",\n" JOB("c", ON("07 01:00:00"),
                       ATTEMPT(
                           ON("07 02:00:00"),
                           "\"None\"")) ",\n" JOB("d", "\"None\"",
                                                  ATTEMPT(
                                                      ON("07 02:00:00"),
                                                      ON("07 02:00:09"))) ",\n" JOB("e",
                                                                                    ON("07 01:00:00"),
                                                                                    "{\"start_time\": " ON("07 02:00:00") ", \"end_time\": " ON(
                                                                                        "07 02:00:01") ", \"detail\": []}") "\n]",
     JSON_ROWS
     "a,0.0,u,,,9.0,,2,,,,,v,Pass,2\n"
     "changed 1 at 2: attempts without a start or an end left out\n"
     "dropped 1 at 3: never ran (no attempt)\n"
     "dropped 1 at 4: the last attempt has no start or no end: still running, or not logged\n"
     "dropped 1 at 5: no submit time\n"
     "dropped 1 at 6: no GPUs\n"},
    {"philly-json", "an attempt over the end of daylight saving: 01:30 PDT to 02:00 PST are 90 min",
     "[" JOB("a", "\"2017-11-05 00:30:00\"",
             ATTEMPT("\"2017-11-05 01:30:00\"", "\"2017-11-05 02:00:00\"")) "]",
     JSON_ROWS "a,0.0,u,,,5400.0,,2,,,,,v,Pass,1\n"
               "changed 1 at 1: a local time that the clock showed twice: taken as the first\n"},
    {"philly-json",
     "three times of one job in the hour that comes twice are one row; a dropped job's are none",
     "[" JOB("a", "\"2017-11-05 01:00:00\"",
             ATTEMPT("\"2017-11-05 01:10:00\"",
                     "\"2017-11-05 01:20:00\"")) ",\n" JOB("b", "\"2017-11-05 01:00:00\"", "") "]",
     JSON_ROWS "a,0.0,u,,,600.0,,2,,,,,v,Pass,1\n"
               "changed 1 at 1: a local time that the clock showed twice: taken as the first\n"
               "dropped 1 at 2: never ran (no attempt)\n"},
    {"philly-json",
     "100 s on 2 GPUs behind an attempt that ends before it starts; a job of one such attempt",
     "[" JOB("a", ON("07 01:00:00"),
             ATTEMPT(ON("07 02:01:00"), ON("07 02:00:00")) "," ATTEMPT(
                 ON("07 03:00:00"), ON("07 03:01:40"))) ",\n" JOB("b", ON("07 01:00:00"),
                                                                  ATTEMPT(ON("07 02:01:00"),
                                                                          ON("07 02:00:00"))) "]",
     JSON_ROWS "a,0.0,u,,,100.0,,2,,,,,v,Pass,2\n"
               "changed 1 at 1: attempts that end before they start count as 0 s\n"
               "dropped 1 at 2: duration not above 0\n"},
    /* clang-format on */
    {"philly-json", "no job at all", "\xef\xbb\xbf [ ] \n", JSON_ROWS},
    {"alibaba-gpu-2023",
     "a share of a GPU, alternatives, empty gpu_spec, 8 GPUs; running at the end of the log",
     PODS "p0,1,1000,,Running,5,905,5,LS\n"
          "p1,1,460,V100M16|V100M32,Succeeded,6,20,10,BE\n"
          "p2,8,1000,G2,Running,6,700,100,LS\n",
     TRACE_COLUMNS ",gpu_share" POD_LABELS "p0,0.0,,,,900.0,,1,,,,,,1000,,Running,5,LS\n"
                   "p1,1.0,,,,10.0,,1,,V100M16|V100M32,,,0.46,460,V100M16|V100M32,Succeeded,10,BE\n"
                   "p2,1.0,,,,600.0,,8,,G2,,,,1000,G2,Running,100,LS\n"
                   "changed 1 at 3: part of a GPU (gpu_milli below 1000): gpu_share\n"
                   "changed 1 at 2: running when the log ended: run time up to then\n"},
    {"alibaba-gpu-2023", "pods that were never scheduled, or need no GPU, or ended as they began",
     PODS "p0,1,1000,,Pending,5,905,,LS\n"
          "p1,0,0,,Failed,6,20,10,BE\n"
          "p2,0,0,,Pending,6,20,,BE\n"
          "p3,2,1000,,Failed,7,9,9,LS\n"
          "p4,2,1000,,Failed,8,12,9,LS\n",
     TRACE_COLUMNS POD_LABELS "p4,0.0,,,,3.0,,2,,,,,1000,,Failed,9,LS\n"
                              "dropped 2 at 2: never scheduled (no scheduled_time)\n"
                              "dropped 1 at 3: no GPUs\n"
                              "dropped 1 at 5: duration not above 0\n"},
    {"alibaba-pai-2020", "num_gpu: a half GPU, 2.5 as three whole ones, a third rounded up",
     "job_id,submit_time,duration,num_gpu,user,gpu_type_spec\n"
     "j1,100.5,60,0.5,u,T4\n"
     "j2,90,61,2.5,,\n"
     "j3,90,none,1,u,\n"
     "j4,91,5,0.33333,,\n",
     TRACE_COLUMNS ",gpu_share,label.num_gpu\n"
                   "j2,0.0,,,,61.0,,3,,,,,,2.5\n"
                   "j4,1.0,,,,5.0,,1,,,,,0.334,0.33333\n"
                   "j1,10.5,u,,,60.0,,1,,T4,,,0.5,0.5\n"
                   "changed 1 at 2: part of a GPU: gpu_share\n"
                   "changed 1 at 3: part of several GPUs: whole ones\n"
                   "dropped 1 at 4: run time unknown\n"
                   "changed 1 at 5: part of a GPU, rounded up to thousandths: gpu_share\n"},
    {"alibaba-pai-2020", "plan_gpu: percent of a GPU, times instances; no ids; no GPU",
     "submit_time,duration,plan_gpu,inst_num\n10,20,50,4\n11,20,100,\n12,20,,1\n",
     TRACE_COLUMNS ",label.plan_gpu,label.inst_num\n"
                   "1,0.0,,,,20.0,,2,,,,,50,4\n"
                   "2,1.0,,,,20.0,,1,,,,,100,\n"
                   "dropped 1 at 4: no GPUs\n"},
    {"alibaba-pai-2020", "7 % of a GPU for each of 100 instances are 7 GPUs, not a bit more",
     "submit_time,duration,plan_gpu,inst_num\n10,20,7,100\n",
     TRACE_COLUMNS ",label.plan_gpu,label.inst_num\n1,0.0,,,,20.0,,7,,,,,7,100\n"},
    {"alibaba-pai-2020",
     "num_gpu is of one instance, as in the simulator: 2 x 4 and 0.5 x 6 GPUs; no number is one",
     "submit_time,duration,num_inst,num_gpu\n10,20,4,2\n10,20,6,0.5\n10,20,,3.0\n10,20,0,2\n",
     TRACE_COLUMNS ",label.num_inst,label.num_gpu\n"
                   "1,0.0,,,,20.0,,8,,,,,4,2\n"
                   "2,0.0,,,,20.0,,3,,,,,6,0.5\n"
                   "3,0.0,,,,20.0,,3,,,,,,3.0\n"
                   "dropped 1 at 5: no GPUs\n"},
    {"helios", "the example of its README; a CPU job; a job that never started",
     HELIOS
     "1425511,uXBbc,vcJkd,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848\n"
     "1425512,uVMrF,vchbv,4,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249\n"
     "1425513,u,vc,0,COMPLETED,2020-06-09 18:41:28,,,5\n"
     "1425514,u,vc,2,CANCELLED,2020-06-09 18:41:29,,,\n"
     "1425515,u,vc,2,CANCELLED,,,,7\n",
     HELIOS_ROWS "1425511,0.0,uXBbc,,,36848.0,,1,,,,,vcJkd,COMPLETED\n"
                 "1425512,26.0,uVMrF,,,249.0,,4,,,,,vchbv,FAILED\n"
                 "dropped 1 at 4: no GPUs\n"
                 "dropped 1 at 5: run time unknown\n"
                 "dropped 1 at 6: no submit time\n"},
    {"acme", "the example of its README, in Kalos: 8 s from start to end, 18 s of duration",
     HELIOS
     "dlctk696s0jbvitv,uf794,v,64.0,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,18\n",
     HELIOS_ROWS "dlctk696s0jbvitv,0.0,uf794,,,18.0,,64,,,,,v,FAILED\n"
                 "changed 1 at 2: duration is not end_time - start_time (duration kept)\n"},
    {"slurm",
     "steps, an array, a heterogeneous job, attempts, GPUs by type, time limits, unknown times",
     SLURM
     "1|ada|2026-11-23T10:00:00|2026-11-23T10:00:05|3600|COMPLETED|billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=4G,node=1|1-02:03:04|7200\n"
     "1.batch||2026-11-23T10:00:05|2026-11-23T10:00:05|3600|COMPLETED|cpu=8,gres/gpu=2|| \n"
     "2_7|bo|2026-11-23T10:00:01|2026-11-23T10:00:06|60|FAILED|gres/gpu=2K,gres/gpumem=7G|UNLIMITED|\n"
     "2_[8-9]|bo|2026-11-23T10:00:01|Unknown|0|PENDING||02:30|\n"
     "3+0|bo|2026-11-23T10:00:02|2026-11-23T10:00:06|60|CANCELLED by 7|gres/gpu:a100=1,gres/gpu:h100=2,gres/gpu=3|02:30|\n"
     "4|bo|2026-11-23T10:00:03|2026-11-23T10:00:06|5|NODE_FAIL|gres/gpu:h100=1|01:02:30|\n"
     "4|bo|2026-11-23T10:01:03|2026-11-23T10:02:06|6|RUNNING|gres/gpu:h100=1|01:02:30|\n"
     "5|bo|2026-11-23T10:00:03|2026-11-23T10:00:06|5|REQUEUED|gres/gpu=1|Partition_Limit|\n"
     "6|bo|2026-11-23T10:00:03|None|0|CANCELLED by 7||1|\n"
     "7|bo|2026-11-23T10:00:03|2026-11-23T10:00:06|5|COMPLETED|cpu=1,gres/gpu:a100=0|Partition_Limit|\n",
     TRACE_COLUMNS ",label.State,label.ConsumedEnergyRaw\n"
                   "1,0.0,ada,,,3600.0,93784.0,2,,a100,,,COMPLETED,7200\n"
                   "2_7,1.0,bo,,,60.0,,2048,,,,,FAILED,\n"
                   "3+0,2.0,bo,,,60.0,150.0,3,,,,,CANCELLED by 7,\n"
                   "4,63.0,bo,,,6.0,3750.0,1,,h100,,,RUNNING,\n"
                   "dropped 1 at 3: a step of a job\n"
                   "dropped 2 at 5: never started\n"
                   "changed 1 at 6: part of a heterogeneous job: a job of its own\n"
                   "changed 1 at 6: GPUs of several types: of any type\n"
                   "changed 1 at 8: not over when the log was written: run time up to then\n"
                   "dropped 1 at 7: an attempt before another one of the same job\n"
                   "dropped 1 at 9: an attempt that was requeued\n"
                   "dropped 1 at 11: no GPUs\n"},
    {"slurm", "minutes as a number, another name of the user, times with a zone",
     "JobIDRaw|UserName|Submit|Start|ElapsedRaw|State|AllocTRES|TimelimitRaw\n"
     "9|cy|2026-11-23T10:00:00+01:00|2026-11-23T10:00:00|1.5|TIMEOUT|gres/gpu=1|90\n",
     TRACE_COLUMNS ",label.State\n9,0.0,cy,,,1.5,5400.0,1,,,,,TIMEOUT\n"},
    {"gavel",
     "a command with blanks, % and commas; ten fields; two workers of batch 32: 3228 x 32 x 2 samples",
     "ResNet-18 (batch size 32)\tpython3 main.py --data=%s --lr 0.1,0.2\t--num_steps\t1\t3228\t2\t1\t-1.0\t1379.5\n"
     "\n"
     "A3C\tmain.py\t/work\t--max-steps\t0\t307\t1\t1.0\t2.0\t79\r\n",
     GAVEL_ROWS
     "2,0.0,,A3C,307.0,,,1,,,,,A3C,main.py,/work,--max-steps,0,307,1.0,2.0\n"
     "1,1300.5,,ResNet-18,206592.0,,,2,32.0,,,,ResNet-18 (batch size 32),\"python3 main.py --data=%s --lr 0.1,0.2\",,--num_steps,1,3228,1,-1.0\n"
     "changed 1 at 3: no batch size in the job type: a step is one sample of each GPU\n"},
    {"gavel", "no workers, no steps",
     "A (batch size 2)\tc\t-n\t0\t5\t0\t1\t-1\t3\nB (batch size x)\tc\t-n\t0\t0\t1\t1\t-1\t3\n",
     GAVEL_ROWS "dropped 1 at 1: no GPUs\ndropped 1 at 2: no steps\n"},
    {"pollux", "work of an application from the options; 2048 over 6 GPUs are 342 each",
     POLLUX
     "cifar10-0,107,cifar10,6,2048\nbert-1,110.5,bert,12,384\nncf-2,135,ncf,1,32768\ncifar10-3,99,cifar10,,\n",
     POLLUX_ROWS "cifar10-3,0.0,,cifar10,5000000.0,,,,,,,,\n"
                 "cifar10-0,8.0,,cifar10,5000000.0,,,6,342.0,,,,2048\n"
                 "bert-1,11.5,,bert,2.5,,,12,32.0,,,,384\n"
                 "changed 1 at 2: batch_size not divisible by num_replicas: batch rounded up\n"
                 "dropped 1 at 4: no work is given for the application\n"},
    {"sia", "floats as times, other columns as labels",
     "name,time,application,num_replicas,category\nx,401.0,bert,2,large\n",
     TRACE_COLUMNS ",label.category\nx,0.0,,bert,2.5,,,2,,,,,large\n"},
    {"workload", "gpu_share is kept, and 1 is a whole GPU",
     "job_id,submit_s,duration_s,gpus,gpu_share\na,0,5,1,0.25\nb,0,5,2,1\n",
     TRACE_COLUMNS ",gpu_share\na,0.0,,,,5.0,,1,,,,,0.25\nb,0.0,,,,5.0,,2,,,,,1.0\n"},
    {"itp", "label columns of any name",
     "job_id,submission_time,duration,num_gpu,\"a,b\"\nx,0,600,1,y\n",
     TRACE_COLUMNS ",\"label.a,b\"\nx,0.0,,,,600.0,,1,,,,,y\n"},
};

static const struct trace_work work[] = {{.model = "cifar10", .samples = 5e6},
                                         {.model = "bert", .samples = 2.5}};

static int read_text(const char *format, const char *text, const char *zone, struct trace *trace,
                     struct problems *problems) {
    const struct trace_reader *reader = trace_file_find_reader(ingest_readers, format);
    temp_file_write_text("f", text);
    return reader->read("f",
                        &(struct trace_options){.time_zone = zone, .work = work, .work_count = 2},
                        trace, problems);
}

static void expect(const char *format, const char *name, const char *text, const char *zone,
                   const char *expected) {
    struct trace trace = {0};
    struct problems problems = {0};
    struct str found = {0};
    cr_assert_eq(read_text(format, text, zone, &trace, &problems), 0, "%s, %s: %s", format, name,
                 problems.count ? problems.texts[0] : "?");
    trace_text_all(&trace, &found);
    cr_assert_str_eq(found.text, expected, "%s, %s:\n%s", format, name, found.text);
    str_finish(&found);
    trace_finish(&trace);
    problems_finish(&problems);
}

Test(readers, good) {
    for (size_t i = 0; i < sizeof good_cases / sizeof *good_cases; i++)
        expect(good_cases[i].format, good_cases[i].name, good_cases[i].text, NULL,
               good_cases[i].expected);
}

/* Three local times of a row, of which the clock of Los Angeles showed two twice, are one changed
 * row. */
Test(readers, clock_changes_of_a_row) {
    expect(
        "helios", "once",
        HELIOS "1,u,v,1,COMPLETED,2017-11-05 00:59:00,2017-11-05 01:10:00,2017-11-05 01:20:00,600\n"
               "2,u,v,1,CANCELLED,2017-11-05 01:10:00,,,\n",
        "PST8PDT,M3.2.0,M11.1.0",
        HELIOS_ROWS "1,0.0,u,,,600.0,,1,,,,,v,COMPLETED\n"
                    "changed 1 at 2: a local time that the clock showed twice: taken as the first\n"
                    "dropped 1 at 3: run time unknown\n");
}

/* Many rows of one instant, then rows of earlier instants: the repeats are counted by comparing
 * each line with all before it. */
Test(readers, repeats) {
    struct str text = {0}, lines[120];
    struct trace trace = {0};
    struct problems problems = {0};
    uint64_t repeats = 0;
    str_add(&text, PHILLY);
    for (int i = 0; i < 120; i++) {
        int second = i < 50 ? 7 : i < 90 ? i / 3 : i % 40;
        lines[i] = (struct str){0};
        str_addf(&lines[i], "2017-11-04 01:00:%02d,%d,1,1,v\n", second, 1 + i * i % 19);
        str_add(&text, lines[i].text);
        bool repeated = false;
        for (int j = 0; j < i; j++)
            repeated = repeated || strcmp(lines[i].text, lines[j].text) == 0;
        repeats += repeated;
    }
    temp_file_write_text("log", text.text);
    cr_assert_eq(
        trace_file_find_reader(ingest_readers, "philly")->read("log", NULL, &trace, &problems), 0);
    cr_assert_eq(trace.notes.count, 1);
    cr_expect_eq(trace.notes.at[0].rows, repeats);
    for (int i = 0; i < 120; i++)
        str_finish(&lines[i]);
    str_finish(&text);
    trace_finish(&trace);
    problems_finish(&problems);
}

/* On a clock that is never changed, 01:30 to 02:00 are half an hour. */
Test(readers, time_zone) {
    static const char text[] = PHILLY "2017-11-05 02:00:00,4,2,8,v\n2017-11-05 01:30:00,4,2,8,v\n";
    expect("philly", "UTC", text, "UTC",
           PHILLY_ROWS "2,0.0,v,,,4.0,,2,,,,,8\n1,1800.0,v,,,4.0,,2,,,,,8\n");
}

static const struct {
    const char *format, *text, *problems;
} bad_cases[] = {
    {"philly", "timestamp,duration,num_gpus\n", "f:1: column \"cluster\" is missing\n"},
    {"philly", PHILLY "2017-11-04 25:00:00,soon,1.5,1,v\n2017-11-04,5,1,1\n",
     "f:2:1: timestamp: expected YYYY-MM-DD HH:MM:SS of 1970..2096, got \"2017-11-04 25:00:00\"\n"
     "f:2:21: duration: expected seconds -4e9..4e9, got \"soon\"\n"
     "f:2:26: num_gpus: expected integer 0..2^30, got \"1.5\"\n"
     "f:3:1: expected 5 fields as in the header, found 4\n"},
    {"philly-json", "{\"jobs\": []}", "f:1: expected a JSON array of jobs\n"},
    {"philly-json",
     "[" JOB("a", "null", "") ",\n" JOB("a", "\"yesterday\"", "") ",\n5, {\"user\": 3}]",
     "f:2: jobid: job \"a\" is listed twice\n"
     "f:2: submitted_time: expected YYYY-MM-DD HH:MM:SS of 1970..2096, got \"yesterday\"\n"
     "f:3: expected a job as a JSON object, got something else\n"
     "f:3: jobid: expected a job id\n"},
    {"philly-json", "[" JOB("a", "null", "") ",\n{\"jobid\": \"b\"",
     "f:2: the file ends within this job\n"},
    {"philly-json", "[" JOB("a", "null", ""), "f:1: expected a comma or ] after a job\n"},
    {"philly-json", "[" JOB("a", "null", "") "\n,\n]", "f:3: expected a job after the comma\n"},
    {"philly-json", "[]\n\n[]", "f:3: expected the end of the file after the array of jobs\n"},
    {"philly-json", "[{\"jobid\": b}]",
     "f:1: expected a job as valid JSON, nested at most 512 deep\n"},
    {"philly-json", "[" JOB("a", "null", "") ",\n{\"user\": \"a\tb\"}]",
     "f:2: expected a job as valid JSON, nested at most 512 deep\n"},
    {"alibaba-gpu-2023", PODS "p0,1,1001,,Running,5,905,5,LS\np1,1,,,Running,-5,905,5,LS\n",
     "f:2:6: gpu_milli: expected integer 1..1000, got \"1001\"\n"
     "f:3:16: creation_time: expected seconds 0..4e9, got \"-5\"\n"
     "f:3:6: gpu_milli: expected integer 1..1000, got \"\"\n"},
    {"alibaba-pai-2020", "submit_time,duration,plan_gpu,inst_num\n10,20,1e9,1e9\n",
     "f:2:11: inst_num: expected at most 2^30 GPUs of all instances, got \"1e9\"\n"},
    {"alibaba-pai-2020", "submit_time,duration,num_gpu\n10,20,inf\n10,inf,1\n10,20,nan\n10,20,-1\n",
     "f:2:7: num_gpu: expected GPUs 0..2^30, got \"inf\"\n"
     "f:3:4: duration: expected seconds -4e9..4e9, got \"inf\"\n"
     "f:4:7: num_gpu: expected GPUs 0..2^30, got \"nan\"\n"
     "f:5:7: num_gpu: expected GPUs 0..2^30, got \"-1\"\n"},
    {"helios", HELIOS ",u,v,1,X,2020-06-09 18:41:01,,,5\n",
     "f:2:1: job_id: expected a job id, got \"\"\n"},
    {"gavel", "A\tb\tc\nB (batch size 1)\tc\t-n\t0\tx\t1.5\t1\t-1\t-3\n",
     "f:1:1: expected 9 or 10 fields separated by tabs, found 3\n"
     "f:2:25: total_steps: expected steps 0..2^53, got \"x\"\n"
     "f:2:27: scale_factor: expected integer 0..2^30, got \"1.5\"\n"
     "f:2:36: arrival_time: expected seconds 0..4e9, got \"-3\"\n"},
    {"slurm",
     SLURM
     "|u|Unknowable|x|6x|C|gres/gpu=-1|5|\n8|u|2026-11-23T10:00:00|2026-11-23T10:00:00|6|C|gres/gpu:a100|1:2:3:4|\n",
     "f:2:4: Submit: expected YYYY-MM-DD HH:MM:SS of 1970..2096, got \"Unknowable\"\n"
     "f:2:15: Start: expected YYYY-MM-DD HH:MM:SS of 1970..2096, got \"x\"\n"
     "f:2:17: ElapsedRaw: expected seconds -4e9..4e9, got \"6x\"\n"
     "f:2:34: Timelimit: expected a time limit [D-]HH:MM:SS or UNLIMITED, got \"5\"\n"
     "f:2:22: AllocTRES: expected gres/gpu=0..2^30, got \"gres/gpu=-1\"\n"
     "f:2:1: JobID: expected a job id, got \"\"\n"
     "f:3:63: Timelimit: expected a time limit [D-]HH:MM:SS or UNLIMITED, got \"1:2:3:4\"\n"
     "f:3:49: AllocTRES: expected gres/gpu=0..2^30, got \"gres/gpu:a100\"\n"},
    {"sia", "name,time\n", "f:1: column \"application\" is missing\n"},
};

Test(readers, bad) {
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        struct trace trace = {0};
        struct problems problems = {0};
        struct str found = {0};
        cr_assert_eq(read_text(bad_cases[i].format, bad_cases[i].text, NULL, &trace, &problems),
                     ERROR_INPUT);
        trace_text_problems(&problems, &found);
        cr_assert_str_eq(found.text, bad_cases[i].problems);
        str_finish(&found);
        trace_finish(&trace);
        problems_finish(&problems);
    }
}

/* Work that grows with the square of a file's size would take minutes here: 8 MB of one line, a
   million columns, a million brackets, a job of a million attempts. All are refused or read within
   20 s of processor time. */
Test(readers, hostile_files, .timeout = 600) {
    static const char *const formats[] = {
        "workload",         "swf",    "itp",   "philly", "philly-json", "alibaba-gpu-2023",
        "alibaba-pai-2020", "helios", "gavel", "pollux", "slurm"};
    static const struct {
        const char *before, *again, *after;
        int count;
    } files[] = {{"", "x", "\n", 8000000},
                 {"", "a,", "\n", 1000000},
                 {"", "a\t", "\n", 1000000},
                 {"[", "[", "", 1000000},
                 {"[{\"a\":", "[", "", 1000000},
                 {"[{\"jobid\": \"a\", \"attempts\": [", "{},", "{}]}]", 1000000}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct str text = {0};
        str_add(&text, files[i].before);
        for (int n = 0; n < files[i].count; n++)
            str_add(&text, files[i].again);
        str_add(&text, files[i].after);
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            struct trace trace = {0};
            struct problems problems = {0};
            int status = read_text(formats[f], text.text, NULL, &trace, &problems);
            cr_assert(status == 0 || problems.count > 0, "%s", formats[f]);
            cr_assert_eq(trace.rows.count, 0, "%s, file %zu", formats[f], i);
            trace_finish(&trace);
            problems_finish(&problems);
        }
        str_finish(&text);
    }
    cr_expect_lt((double)clock() / CLOCKS_PER_SEC, 20);
}

/* Two P100 nodes of 2 GPUs, one of 8 GPUs of a type that YAML must see in quotes, one without GPUs.
 */
Test(readers, nodes) {
    struct trace notes = {0};
    struct problems problems = {0};
    struct str found = {0};
    temp_file_write_text("f", "sn,cpu_milli,memory_mib,gpu,model\n"
                              "n0,64000,262144,2,P100\n"
                              "n1,1,1,8,G: '2\n"
                              "n2,1,1,2,P100\n"
                              "n3,1,1,0,\n");
    cr_assert_eq(alibaba_nodes_read("f", &found, &notes, &problems), 0);
    trace_text_notes(&notes, &found);
    cr_assert_str_eq(found.text,
                     "# Nodes of f. Power is not in the list: add idle_w and tdp_w of each type.\n"
                     "cluster:\n"
                     "  gpu_types:\n"
                     "    - {name: \"P100\"}\n"
                     "    - {name: \"G: '2\"}\n"
                     "  nodes:\n"
                     "    - {count: 2, gpu: \"P100\", gpus: 2}\n"
                     "    - {count: 1, gpu: \"G: '2\", gpus: 8}\n"
                     "dropped 1 at 5: nodes without GPUs\n",
                     "%s", found.text);
    str_finish(&found);
    trace_finish(&notes);
    problems_finish(&problems);
}
