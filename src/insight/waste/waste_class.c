/* Names and groups of the classes: see waste_class.h. */
#include "insight/waste/waste_class.h"

const char *const waste_class_names[WASTE_CLASSES] = {
    [WASTE_BASE] = "base",
    [WASTE_NETWORK] = "network",
    [WASTE_ASLEEP] = "asleep",
    [WASTE_FAILED_NODE] = "failed node",
    [WASTE_RESERVED] = "reserved",
    [WASTE_HELD_BACK] = "held back",
    [WASTE_FRAGMENTED] = "fragmented",
    [WASTE_IDLE] = "idle",
    [WASTE_SET_UP] = "set-up",
    [WASTE_RECONFIGURED] = "reconfigured",
    [WASTE_FAILED] = "failed",
    [WASTE_SLOWED] = "slowed",
    [WASTE_SPREAD] = "spread",
    [WASTE_BATCH] = "batch",
    [WASTE_OVER_SCALED] = "over-scaled",
    [WASTE_MISPLACED] = "misplaced",
    [WASTE_CROWDED_OUT] = "crowded out",
    [WASTE_UNDERUSED] = "underused",
    [WASTE_USEFUL] = "useful",
};

const char *const waste_group_names[WASTE_GROUPS] = {
    [WASTE_GROUP_USEFUL] = "useful",           [WASTE_GROUP_IDLE] = "idle",
    [WASTE_GROUP_OVERHEAD] = "overhead",       [WASTE_GROUP_CHOICE] = "lost by choice",
    [WASTE_GROUP_CROWDED_OUT] = "crowded out", [WASTE_GROUP_BASE] = "base",
};

enum waste_group waste_class_group(enum waste_class class) {
    static const enum waste_group groups[WASTE_CLASSES] = {
        [WASTE_BASE] = WASTE_GROUP_BASE,
        [WASTE_NETWORK] = WASTE_GROUP_BASE,
        [WASTE_ASLEEP] = WASTE_GROUP_IDLE,
        [WASTE_FAILED_NODE] = WASTE_GROUPS,
        [WASTE_RESERVED] = WASTE_GROUP_IDLE,
        [WASTE_HELD_BACK] = WASTE_GROUP_IDLE,
        [WASTE_FRAGMENTED] = WASTE_GROUP_IDLE,
        [WASTE_IDLE] = WASTE_GROUP_IDLE,
        [WASTE_SET_UP] = WASTE_GROUP_OVERHEAD,
        [WASTE_RECONFIGURED] = WASTE_GROUP_OVERHEAD,
        [WASTE_FAILED] = WASTE_GROUP_OVERHEAD,
        [WASTE_SLOWED] = WASTE_GROUP_OVERHEAD,
        [WASTE_SPREAD] = WASTE_GROUP_CHOICE,
        [WASTE_BATCH] = WASTE_GROUP_CHOICE,
        [WASTE_OVER_SCALED] = WASTE_GROUP_CHOICE,
        [WASTE_MISPLACED] = WASTE_GROUP_CHOICE,
        [WASTE_CROWDED_OUT] = WASTE_GROUP_CROWDED_OUT,
        [WASTE_UNDERUSED] = WASTE_GROUP_CHOICE,
        [WASTE_USEFUL] = WASTE_GROUP_USEFUL,
    };
    return groups[class];
}
