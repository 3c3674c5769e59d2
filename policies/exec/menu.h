/* The menu of a program that learns: few actions, each of which is the best of its kind, and an
   observation of numbers in [-1, 1] (docs/reference/program-policy.md, "A menu"). */
#ifndef EASIM_EXEC_MENU_H
#define EASIM_EXEC_MENU_H

#include <cjson/cJSON.h>
#include <easim/policy.h>

/* GPUs of one type; its batch and limit are those of least E T^n that fit. */
struct menu_cell {
    uint32_t gpu_type, k;
    int span; /* that it would get now, or EASIM_NOFIT */
};

/* What an action would do: the job and its configuration, EASIM_NONE if it is not possible now. */
struct menu_item {
    uint32_t job, config;
};

/* Zero-initialise; release with menu_finish. On while items is not NULL. */
struct menu {
    uint32_t slots, running_slots, cell_count, level_count; /* waiting and running jobs shown */
    bool preempt, resize;
    double choose;                    /* n of E T^n */
    double cost_per_j, cost_per_s;    /* of a job's energy and time, for what never finishes */
    struct menu_cell *cells;          /* by gpu_type and k */
    uint32_t *cell_of;                /* by configuration */
    struct menu_item *items;          /* by action */
    uint32_t *running;                /* jobs of the running slots */
    uint32_t item_count, value_count; /* actions except the wait; numbers of an observation */
    uint32_t arrived;                 /* jobs that have been submitted */
    double left_j, left_s;            /* predicted of the running jobs */
    double unfinished; /* least cost of the waiting jobs where nothing runs: if they never start */
};

/* Reads {"choose": n, "cells": [[type, k], ..], ..}. Negative on failure. */
int menu_begin(struct menu *menu, const cJSON *asked, const struct easim_view *view);
void menu_finish(struct menu *menu);
/* Fills in the numbers of an observation and which actions are possible, the wait last. */
void menu_show(struct menu *menu, const struct easim_pass *pass, float *values,
               unsigned char *mask);
int menu_act(const struct menu *menu, const struct easim_pass *pass, uint32_t action);
/* Notes what has happened since the last decision. */
void menu_note(struct menu *menu, const struct easim_view *view);
/* A wait, after which nothing can happen if nothing runs and no job is to come: then it ends the
   run by rejecting who waits. Whether it does. */
bool menu_wait(struct menu *menu, const struct easim_pass *pass);

#endif
