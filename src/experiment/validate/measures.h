/* The measures of a validation, and the files of data that they come from. */
#ifndef EASIM_EXPERIMENT_VALIDATE_MEASURES_H
#define EASIM_EXPERIMENT_VALIDATE_MEASURES_H

#include "experiment/validate/case.h"

/* Binds the figures; measured values may be in a table of facts. Data and jobs are bound. */
int validate_measures_bind(struct validate_case *validation, const struct yaml_node *node,
                           const struct binding *binding) MUST_CHECK;
/* Every figure that a table of jobs allows. */
void validate_measures_of_log(struct validate_case *validation, double tolerance);

/* --- validate_data: the files of data of a validation: where they are, and who uses them --- */

/* Binds NAME: FILE and looks for each file: from the folder of the validation, then from
   $EASIM_DATA. validation->missing is the first that is nowhere. */
int validate_data_bind(struct validate_case *validation, const struct yaml_node *node,
                       const struct binding *binding) MUST_CHECK;
/* The file that a value names; NULL after a problem. */
struct validate_data *validate_data_use(struct validate_case *validation,
                                        const struct yaml_node *node, const char *path,
                                        const struct binding *binding);
/* {COLUMN: TEXT} as a list in the arena; node may be NULL. */
int validate_where_bind(const struct yaml_node *node, const char *path,
                        const struct job_condition **ret_where, size_t *ret_count,
                        const struct binding *binding) MUST_CHECK;
/* Binds the values that are set, with paths of files in place of ${NAME}. */
int validate_sets_bind(struct validate_case *validation, const struct yaml_node *node,
                       const struct binding *binding) MUST_CHECK;
/* A file that nothing uses is a problem: its absence would have no effect. */
int validate_data_check(const struct validate_case *validation,
                        const struct binding *binding) MUST_CHECK;

extern const struct field measured_forms[]; /* of the section measured */
#endif
