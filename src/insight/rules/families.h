/* The rules of all families, each in the file of its family. */
#ifndef EASIM_INSIGHT_RULES_FAMILIES_H
#define EASIM_INSIGHT_RULES_FAMILIES_H

/* placement.c */
extern const struct rule rule_frag, rule_hol;
/* deadlines.c */
extern const struct rule rule_miss, rule_infeas;
/* cap.c */
extern const struct rule rule_power_cap, rule_cap_slack, rule_cap_breach;
/* interruptions.c */
extern const struct rule rule_preempt, rule_thrash;
/* overheads.c */
extern const struct rule rule_idle, rule_tail;
/* users.c */
extern const struct rule rule_starve, rule_unfair;
/* users.c */
extern const struct rule rule_hog;
/* gpu_choice.c */
extern const struct rule rule_wasted_fast, rule_slow_cheap;
/* scaling.c, scaling.c */
extern const struct rule rule_overscale, rule_underscale;
/* batches.c */
extern const struct rule rule_batch, rule_mem_strand;
/* communication.c */
extern const struct rule rule_spread, rule_comm;
/* balance.c */
extern const struct rule rule_imbalance;
/* overheads.c */
extern const struct rule rule_short;
/* steady.c */
extern const struct rule rule_queue, rule_warmup;
/* carbon.c */
extern const struct rule rule_carbon;
/* trust.c */
extern const struct rule rule_model_extrapolated, rule_seed_noise;
/* serving.c */
extern const struct rule rule_slo_replicas;

#endif
