/* Calibration on rows of many systems: sizes left out, rounds, convergence, power of nodes.
   Expected values are the parameters that made the rows, or computed by hand beside them. */
#include "../support/temp_dir.h"
#include "base/rng.h"
#include "calibrate/fit_record.h"
#include "calibrate/validation.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

static void set_up(void) {
    gsl_set_error_handler_off();
    temp_dir_enter();
}

TestSuite(calibrate_sizes, .init = set_up, .fini = temp_dir_leave);

#define HEAD \
    "model,gpu,k,nodes,batch_per_gpu,grad_accum,throughput_samples_s,round,samples_to_target," \
    "node_power_w,power_scope,node_floor_w\n"

static void load(struct profile_table *profile, const char *text) {
    struct problems problems = {0};
    temp_file_write_text("p.csv", text);
    *profile = (struct profile_table){0};
    cr_assert_eq(profile_table_load(profile, "p.csv", &problems), 0, "%s",
                 problems.count ? problems.texts[0] : "");
    problems_finish(&problems);
}

static void calibrate(struct calibration *calibration, struct profile_table *profile,
                      const char *text) {
    const struct calibration_options usual = {0.04, NAN, NAN};
    load(profile, text);
    *calibration = (struct calibration){0};
    calibration_make(calibration, profile, &usual);
}

/* Time of a step by a + c b + (across nodes) beta log2(n), on nodes of 8. */
#define A    0.0163
#define C    0.000884
#define BETA 0.00217

static double rate_of(uint32_t k, double batch, double steps) {
    double nodes = ceil(k / 8.0), sync = k > 8 ? BETA * log2(nodes) : 0;
    return k * batch / (steps * (A + C * batch / steps + sync));
}

/* Adds a row; slow: times the speed. */
static void add_row(struct str *csv, uint32_t k, double global_batch, double steps,
                    const char *round, double slow) {
    str_addf(csv, "net,h,%u,%u,%.17g,%g,%.17g,%s,,,,\n", k, (k + 7) / 8, global_batch / k, steps,
             slow * rate_of(k, global_batch / k, steps), round);
}

/* Rows of seven sizes in four rounds, of which the newest has two rows. */
static void add_rows(struct str *csv) {
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 512, 2048};
    str_add(csv, HEAD);
    for (size_t i = 0; i < 7; i++)
        for (int j = 0; j < 3; j++)
            add_row(csv, sizes[i], 768 * (1 + j) * (sizes[i] > 64 ? 8 : 1), j == 2 ? 4 : 1,
                    j == 0   ? "v2.1"
                    : j == 1 ? "v9.0"
                             : "v10.0",
                    j == 0   ? 0.87
                    : j == 1 ? 0.95
                             : 1);
    add_row(csv, 64, 1536, 1, "v11.0", 1.07);
    add_row(csv, 64, 3072, 1, "v11.0", 1.07);
}

/* The parameters come back, each round's factor against v10.0 (the newest with three rows), and a
   size that was never shown is predicted exactly; the ends are not. */
Test(calibrate_sizes, forms_and_rounds) {
    struct calibration c;
    struct profile_table p;
    struct str csv = {0};
    add_rows(&csv);
    calibrate(&c, &p, csv.text);
    cr_assert(c.count == 1 && c.models[0].count == 1);
    const struct form_choice *choice = &c.models[0].choices[0];
    const double *v = choice->fit.values;
    cr_assert(!choice->speed_by_table, "%s", choice->why);
    cr_expect(choice->form.compute == COMPUTE_AFFINE && choice->form.sync == SYNC_DOUBLING, "%s",
              choice->why);
    cr_expect(fabs(v[PARAM_A] / A - 1) < 1e-6 && fabs(v[PARAM_C] / C - 1) < 1e-6 &&
                  fabs(v[PARAM_BETA_INTER] / BETA - 1) < 1e-6,
              "%g %g %g", v[PARAM_A], v[PARAM_C], v[PARAM_BETA_INTER]);
    cr_expect(v[PARAM_ALPHA] == 0 && v[PARAM_ALPHA_INTER] == 0);
    static const char *const rounds[] = {"v2.1", "v9.0", "v10.0", "v11.0"};
    static const double levels[] = {0.87, 0.95, 1, 1.07};
    cr_assert_eq(choice->points.round_count, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(choice->points.rounds[i], rounds[i]);
        cr_expect(fabs(choice->fit.levels[i] - levels[i]) < 1e-6, "%s: %g", rounds[i],
                  choice->fit.levels[i]);
    }
    cr_assert_eq(choice->size_count, 7);
    cr_expect(isnan(choice->sizes[0].left_out) && isnan(choice->sizes[6].left_out));
    for (size_t i = 1; i < 6; i++)
        /* v11.0 is known from 64 GPUs alone: left out, it counts as v10.0, and the median of the
           five rows there is still exact. */
        cr_expect(choice->sizes[i].left_out < 1e-6, "k %u: %g", choice->sizes[i].k,
                  choice->sizes[i].left_out);
    cr_expect_eq(choice->points.gpus_per_node, 8);
    calibration_finish(&c);
    profile_table_finish(&p);
    str_finish(&csv);
}

/* A row at 0.7 of its speed counts little: without weights it moves c_s by 3 %. One below half the
 * speed of another with no fewer GPUs and no larger steps is set aside and named. */
Test(calibrate_sizes, contradicting_rows) {
    struct calibration c;
    struct profile_table p;
    struct str csv = {0};
    bool outlier = false, aside = false;
    add_rows(&csv);
    add_row(&csv, 8, 3072, 1, "v10.0", 0.7);
    add_row(&csv, 16, 3072, 1, "v10.0", 0.4);
    calibrate(&c, &p, csv.text);
    const struct form_choice *choice = &c.models[0].choices[0];
    cr_expect(fabs(choice->fit.values[PARAM_C] / C - 1) < 0.002, "%g", choice->fit.values[PARAM_C]);
    cr_expect_eq(choice->points.at.count, 24);
    cr_assert_eq(choice->points.set_aside.count, 1);
    cr_expect_eq(choice->points.set_aside.at[0].row->line, 26);
    for (size_t i = 0; i < choice->warnings.count; i++) {
        outlier |= strstr(choice->warnings.at[i], "outlier: p.csv:25: k 8, batch 384") != NULL;
        aside |= strstr(choice->warnings.at[i], "set aside: p.csv:26: k 16, batch 192") != NULL;
    }
    cr_expect(outlier && aside);
    calibration_finish(&c);
    profile_table_finish(&p);
    str_finish(&csv);
}

/* Covariance of the parameters beside free levels: the inverse of the whole normal matrix has it,
   here by differences of the residuals. */
Test(calibrate_sizes, covariance_beside_levels) {
    struct profile_table p;
    struct points points = {0};
    struct str csv = {0};
    struct fit fit;
    struct covariance covariance;
    str_add(&csv, HEAD);
    static const double batches[] = {8, 16, 24, 64, 96, 200},
                        noise[] = {1.01, 0.98, 1, 0.99, 1.02, 1};
    for (size_t i = 0; i < 6; i++)
        add_row(&csv, 8, 8 * batches[i], 1, i % 3 == 1 ? "v1" : "v2",
                noise[i] * (i % 3 == 1 ? 0.9 : 1));
    load(&p, csv.text);
    points_of_group(&points, &p.groups.at[0]);
    const struct form form = {.compute = COMPUTE_AFFINE, .one_node = true, .no_single = true};
    cr_assert(fit_form(&points, &form, NO_FOLD, NULL, &fit));
    fit_covariance(&points, &form, &fit, &covariance);
    /* a, c and ln of the level of v1 */
    double jacobian[6][3], residual[6], normal[3][3] = {{0}}, variance = 0, weights[6], sizes[6];
    for (size_t i = 0; i < 6; i++) {
        const struct point *point = &points.at.at[i];
        double t = fit.values[PARAM_A] + fit.values[PARAM_C] * point->at.batch;
        double ratio = fit.levels[point->round] * point->at.batch / t / point->rate;
        residual[i] = ratio - 1;
        sizes[i] = fabs(residual[i]);
        jacobian[i][0] = -ratio / t;
        jacobian[i][1] = -ratio / t * point->at.batch;
        jacobian[i][2] = point->round == 0 ? ratio : 0;
    }
    for (size_t i = 0; i < 6; i++) /* median of the sizes */
        for (size_t j = i + 1; j < 6; j++)
            if (sizes[j] < sizes[i]) {
                double larger = sizes[i];
                sizes[i] = sizes[j];
                sizes[j] = larger;
            }
    double near = 1.345 * fmax(1e-3, 1.4826 * (sizes[2] + sizes[3]) / 2);
    for (size_t i = 0; i < 6; i++) {
        weights[i] = fmin(1, near / fabs(residual[i]));
        variance += weights[i] * residual[i] * residual[i] / (6 - 3);
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++)
                normal[a][b] += weights[i] * jacobian[i][a] * jacobian[i][b];
    }
    double minor = normal[1][1] * normal[2][2] - normal[1][2] * normal[2][1];
    double determinant =
        normal[0][0] * minor -
        normal[0][1] * (normal[1][0] * normal[2][2] - normal[1][2] * normal[2][0]) +
        normal[0][2] * (normal[1][0] * normal[2][1] - normal[1][1] * normal[2][0]);
    double expected = variance * minor / determinant;
    cr_assert_eq(covariance.count, 2);
    cr_expect(fabs(covariance.matrix[0][0] / expected - 1) < 1e-6, "%g %g", covariance.matrix[0][0],
              expected);
    points_finish(&points);
    profile_table_finish(&p);
    str_finish(&csv);
}

/* Three sizes are a table. v1 ran at 8 GPUs only, beside v2: 0.8 of its speed, so that 16 GPUs with
   v1 alone count 1/0.8. Speeds of a place are means at the level of v2. */
Test(calibrate_sizes, tables_and_levels) {
    struct calibration c;
    struct profile_table p;
    calibrate(&c, &p,
              HEAD
              "net,h,8,1,4,1,100,v2,,,,\nnet,h,8,1,4,1,100,v2,,,,\nnet,h,8,1,4,1,100,v2,,,,\n"
              "net,h,8,1,4,1,80,v1,,,,\nnet,h,16,2,4,1,120,v1,,,,\nnet,h,32,4,4,1,330,v2,,,,\n");
    const struct form_choice *choice = &c.models[0].choices[0];
    cr_assert(choice->speed_by_table && choice->table.count == 3);
    cr_expect(fabs(choice->fit.levels[0] - 0.8) < 1e-9 && choice->fit.levels[1] == 1);
    const double expected[] = {100, 150, 330};
    for (size_t i = 0; i < 3; i++)
        cr_expect(fabs(choice->table.points[i].throughput_samples_s - expected[i]) < 1e-6, "%g",
                  choice->table.points[i].throughput_samples_s);
    calibration_finish(&c);
    profile_table_finish(&p);
}

/* ---- Convergence ---- */

static double samples_of(double batch) {
    return 45e6 * fmax(1, (40e3 + batch) / (40e3 + 3200));
}

static void add_runs(struct target_runs *runs, const double *batches, size_t count, gsl_rng *rng,
                     double noise) {
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < 3; j++) {
            struct target_run run = {batches[i], samples_of(batches[i]) *
                                                     exp(noise * gsl_ran_gaussian(rng, 1))};
            array_push(&runs->at, run);
        }
    target_runs_gather(runs);
}

/* S0, m0 and phi that made the runs; with noise, within three of their standard errors. */
Test(calibrate_sizes, convergence) {
    static const double batches[] = {408, 1600, 3200, 6528, 13056, 35840, 67456};
    const double expected[] = {45e6, 3200, 40e3};
    for (int noisy = 0; noisy < 2; noisy++) {
        struct target_runs runs = {0};
        gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(rng, 7);
        add_runs(&runs, batches, 7, rng, noisy ? 0.01 : 0);
        struct convergence c = convergence_of(&runs);
        cr_expect(c.m0_told && c.phi_told);
        for (int i = 0; i < CONVERGENCE_ALL; i++) {
            double off = fabs(c.values[i] - expected[i]);
            cr_expect(off < (noisy ? 3 * sqrt(c.covariance[i][i]) : 1e-3 * expected[i]), "%s: %g",
                      convergence_parameter_names[i], c.values[i]);
        }
        if (!noisy)
            cr_expect(convergence_score(&c, &runs).most < 1e-3);
        gsl_rng_free(rng);
        target_runs_finish(&runs);
    }
}

/* Runs that do not tell: all above m0 (any smaller m0 with a larger S0 fits the same); fewer
   samples at larger batches; one batch. */
Test(calibrate_sizes, convergence_not_told) {
    static const double large[] = {6528, 13056, 67456}, one[] = {512};
    struct target_runs runs = {0}, falling = {0}, single = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    add_runs(&runs, large, 3, rng, 0);
    struct convergence c = convergence_of(&runs);
    cr_expect(!c.m0_told && c.values[CONVERGENCE_M0] == 6528);
    cr_expect(fabs(c.values[CONVERGENCE_PHI] / 40e3 - 1) < 1e-3);
    cr_expect(fabs(c.values[CONVERGENCE_SAMPLES] / samples_of(6528) - 1) < 1e-6);
    cr_expect(isnan(c.covariance[CONVERGENCE_M0][CONVERGENCE_M0]));
    array_push(&falling.at, ((struct target_run){8, 4000}));
    array_push(&falling.at, ((struct target_run){16, 3000}));
    array_push(&falling.at, ((struct target_run){64, 2000}));
    target_runs_gather(&falling);
    c = convergence_of(&falling);
    cr_expect(!c.phi_told && c.values[CONVERGENCE_PHI] == PHI_MOST);
    cr_expect(fabs(c.values[CONVERGENCE_SAMPLES] / cbrt(4000.0 * 3000 * 2000) - 1) < 1e-12);
    cr_expect(fabs(convergence_samples(&c, 1e6) / convergence_samples(&c, 8) - 1) < 1e-8);
    add_runs(&single, one, 1, rng, 0.1);
    c = convergence_of(&single);
    cr_expect(!c.m0_told && !c.phi_told && c.values[CONVERGENCE_M0] == 512);
    target_runs_finish(&runs);
    target_runs_finish(&falling);
    target_runs_finish(&single);
    gsl_rng_free(rng);
}

/* Rows of all GPU types count, with a weight of 1; the median of a batch of even number is the mean
   of the middle two. */
Test(calibrate_sizes, target_runs) {
    struct profile_table p;
    struct target_runs runs = {0};
    load(&p, HEAD
         "net,h,8,1,4,1,100,v2,500,,,\nnet,g,16,1,2,1,100,v2,700,,,\n"
         "net,h,8,1,8,1,100,v2,900,,,\nother,h,8,1,8,1,100,v2,1,,,\nnet,h,8,1,8,1,100,v2,,,,\n");
    target_runs_of_model(&runs, &p, p.rows.at[0].model);
    cr_assert(runs.at.count == 3 && runs.batches.count == 2);
    cr_expect(runs.batches.at[0].global_batch == 32 && runs.batches.at[0].samples == 600);
    cr_expect(runs.batches.at[1].global_batch == 64 && runs.batches.at[1].rows == 1);
    cr_expect_eq(convergence_constant(&runs), 750);
    target_runs_finish(&runs);
    profile_table_finish(&p);
}

/* ---- Power of nodes ---- */

/* 7000 W at 8 GPUs and 2000 W at rest: at 64 GPUs, of the speed ratio q, 2000 + 5000 q W a node. */
Test(calibrate_sizes, power_from_the_floor) {
    struct calibration c;
    struct profile_table p;
    struct str csv = {0};
    add_rows(&csv);
    str_addf(&csv, "net,h,8,1,96,1,%.17g,v10.0,,7000,node_ac,2000\n", rate_of(8, 96, 1));
    str_addf(&csv, "net,h,64,8,12,1,%.17g,v10.0,,6000,node_ac,2100\n", rate_of(64, 12, 1));
    /* other nodes of the type drew more, so that no pmax_w is above what was seen */
    str_add(&csv, "other,h,8,1,4,1,100,v10.0,,9000,node_ac,\n");
    calibrate(&c, &p, csv.text);
    const struct form_choice *choice = &c.models[0].choices[0];
    const double *v = choice->fit.values;
    cr_assert(choice->power_derived && !choice->power_by_table, "%s", choice->why);
    cr_expect(fabs(v[PARAM_P0] - 250) < 1e-9);
    double q = rate_of(64, 12, 1) / 64 / (rate_of(8, 96, 1) / 8), c8 = C * rate_of(8, 96, 1) / 8;
    cr_expect(fabs(v[PARAM_PMAX] / (250 + 625 / c8) - 1) < 1e-6);
    for (size_t i = 0; i < choice->points.at.count; i++)
        if (choice->points.at.at[i].power_w == 750)
            cr_expect(fabs(choice->predictions[i].power_w / (250 + 625 * q) - 1) < 1e-6, "%g",
                      choice->predictions[i].power_w);
    cr_expect(fabs(choice->left_out.mape[POWER] / fabs((250 + 625 * q) / 750 - 1) - 1) < 1e-5);
    calibration_finish(&c);
    profile_table_finish(&p);
    str_finish(&csv);
}

/* Where pmax_w would be far above all that was metered, power is a table of the same line, cut at
   what was metered. */
Test(calibrate_sizes, implausible_power) {
    struct calibration c;
    struct profile_table p;
    struct str csv = {0};
    add_rows(&csv);
    str_addf(&csv, "net,h,8,1,96,1,%.17g,v10.0,,7000,node_ac,2000\n", rate_of(8, 96, 1));
    calibrate(&c, &p, csv.text);
    const struct form_choice *choice = &c.models[0].choices[0];
    struct interpolation_value value;
    cr_assert(!choice->speed_by_table && choice->power_by_table, "%s", choice->why);
    cr_assert(interpolation_find(&choice->table, 16, 48, EASIM_ACROSS_NODES, &value));
    double q = rate_of(16, 48, 1) / 16 / (rate_of(8, 96, 1) / 8);
    cr_expect(fabs(value.power_w / (250 + 625 * q) - 1) < 1e-6, "%g", value.power_w);
    cr_assert(interpolation_find(&choice->table, 8, 192, EASIM_ONE_NODE, &value));
    cr_expect_eq(value.power_w, 875);
    cr_assert(interpolation_find(&choice->table, 8, 192, EASIM_ACROSS_NODES, &value));
    calibration_finish(&c);
    profile_table_finish(&p);
    str_finish(&csv);
}

/* A floor of the own GPU type goes before a lower one of another. */
Test(calibrate_sizes, floors) {
    struct profile_table p;
    load(&p, HEAD "net,h,8,1,4,1,100,v2,,7000,node,2000\nnet,h,8,1,4,1,100,v2,,7000,node,1900\n"
                  "net,g,8,1,4,1,100,v2,,7000,node,2500\nnet,b,8,1,4,1,100,v2,,9000,node,\n");
    struct node_floor of_g = node_floor_of(&p, p.groups.at[1].gpu),
                      of_b = node_floor_of(&p, p.groups.at[2].gpu);
    cr_expect(of_g.floor_w == 2500 && of_g.gpu == p.groups.at[1].gpu && of_g.most_w == 875);
    cr_expect(of_b.floor_w == 1900 && of_b.gpu == p.groups.at[0].gpu && of_b.most_w == 1125);
    profile_table_finish(&p);
}
