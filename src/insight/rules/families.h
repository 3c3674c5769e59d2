/* The rules of all families, each in the file of its family. */
#ifndef EASIM_INSIGHT_RULES_FAMILIES_H
#define EASIM_INSIGHT_RULES_FAMILIES_H

#include "insight/rules/rule.h"

/* fairness.c */
extern const struct rule rule_hog;

#endif
