/* Color and marker of each shipped policy in figures and reports, for display alone; the last rows
   are for policies of others. Markers are gnuplot's numbers of filled ones: 5 square, 7 circle, 9
   triangle, 11 triangle down, 13 diamond. */
#ifndef EASIM_POLICIES_COLORS_H
#define EASIM_POLICIES_COLORS_H

/* clang-format off */
#define POLICY_COLORS(X) \
    X("allox", "#FFADFC", 9) \
    X("aurachronos", "#FDBF07", 13) \
    X("charon", "#881242", 7) \
    X("chronos", "#A58056", 5) \
    X("deferral", "#FDB5CD", 7) \
    X("easy", "#0F9DB0", 11) \
    X("exec", "#04192A", 5) \
    X("fcfs", "#938685", 5) \
    X("goodput", "#262D69", 13) \
    X("green", "#255666", 9) \
    X("greenflow", "#EDC467", 7) \
    X("hades", "#5B2200", 11) \
    X("las", "#000067", 5) \
    X("lean", "#F74600", 13) \
    X("max_min", "#0000B5", 9) \
    X("pollux", "#2A72B5", 7) \
    X("replay", "#F7BC9C", 5) \
    X("sia", "#0F04F9", 11) \
    X("themis", "#375EFF", 13) \
    X("tiresias", "#3DBDFE", 5) \
    X("zeus", "#B4020B", 9) \
    X("", "#C73DFF", 7) \
    X("", "#0B47B4", 11) \
    X("", "#091C00", 11)
/* clang-format on */

#endif
