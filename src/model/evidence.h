/* How a figure of a model is known. */
#ifndef EASIM_MODEL_EVIDENCE_H
#define EASIM_MODEL_EVIDENCE_H

enum evidence { EVIDENCE_MEASURED, EVIDENCE_DERIVED, EVIDENCE_ASSUMED };

extern const char *const evidence_names[]; /* by enum evidence; NULL-terminated */

#endif
