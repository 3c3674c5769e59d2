/* How a figure of a model is known. */
#ifndef EASIM_MODEL_EVIDENCE_H
#define EASIM_MODEL_EVIDENCE_H

/* From strong to weak; OVERRIDE: set by model_overrides of a scenario. */
enum evidence { EVIDENCE_MEASURED, EVIDENCE_DERIVED, EVIDENCE_ASSUMED, EVIDENCE_OVERRIDE };

extern const char *const evidence_names[]; /* by enum evidence; NULL-terminated */

#define EVIDENCE_OTHERS "others" /* of a mapping by parameter: those that it does not name */

#endif
