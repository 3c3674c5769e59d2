/* decisions.csv, row by row: a row for each action and for each job that is turned away, none else.
 */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(decisions, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Two GPUs. a holds both until b, which is due at 20, displaces it at 5; a goes on at 15. z wants
   three GPUs: nothing of the cluster can serve it. */
Test(decisions, row_by_row) {
    struct trial t;
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s,deadline_s\n"
                                              "a,0,2,100,\n"
                                              "z,2,3,1,\n"
                                              "b,5,1,10,20\n",
                                      .decisions = true,
                                      .strict = true},
              "name: n\nhorizon: drain\npolicy: {name: aurachronos}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_str_eq(
        t.decisions_csv.text,
        "aurachronos,1,0.0,start,a,g,2,,ok,\n"
        "aurachronos,1,2.0,reject,z,,,,\"needs 3 GPUs of one type, the largest allowed type has 2\",\n"
        "aurachronos,1,5.0,preempt,a,,,,ok,\n"
        "aurachronos,1,5.0,start,b,g,1,,ok,\n"
        "aurachronos,1,15.0,start,a,g,2,,ok,\n");
    trial_finish(&t);
}
