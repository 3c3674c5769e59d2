/* What else one job could have had, for its story: see regret_tables.h. */
#include "base/units.h"
#include "output/regret/regret_tables.h"

static void add_start(const struct regret *regret, const struct regret_row *chosen,
                      struct str *out) {
    str_add(out, "  at ");
    str_add_ns(out, chosen->time_ns);
    str_add(out, " s, in place of ");
    regret_story_action(regret, chosen, out);
    str_add(out, ":\n");
}

void regret_what_if(const struct regret *regret, struct str *out) {
    const struct regret_row *rows = regret->rows.at.at, *chosen = NULL;
    str_add(out,
            "\nWhat if? Simulated to the end of the run, by the same policy with the same random "
            "numbers\n");
    if (regret->rows.at.count == 0)
        str_add(out, "  It was never started: there is nothing to put in the place of it.\n");
    for (size_t i = 0; i < regret->rows.at.count; i++) {
        if (rows[i].action == REGRET_CHOSEN) {
            chosen = &rows[i];
            add_start(regret, chosen, out);
            if (i + 1 == regret->rows.at.count || rows[i + 1].action == REGRET_CHOSEN)
                str_add(out, "      that could not be had then\n");
            continue;
        }
        str_add(out, "      ");
        regret_story_action(regret, &rows[i], out);
        str_add(out, ": ");
        if (rows[i].known)
            regret_story_effects(regret, &rows[i], chosen, out);
        else
            str_add_visible(out, text_places_at(&regret->rows.texts, rows[i].failure));
        str_add_char(out, '\n');
    }
}

cJSON *regret_what_if_json(const struct regret *regret) {
    const struct regret_row *rows = regret->rows.at.at;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < regret->rows.at.count; i++) {
        cJSON *object = regret_action_json(regret, &rows[i]);
        json_add_real(object, "time_s", units_s(rows[i].time_ns));
        json_add_int(object, "decision", (int64_t)rows[i].decision);
        if (rows[i].known && rows[i].action != REGRET_CHOSEN) {
            json_add_real(object, "own_change_s", rows[i].others.own_s);
            json_add_int(object, "sooner", rows[i].others.sooner);
            json_add_int(object, "later", rows[i].others.later);
        }
        json_add_text(object, "failure", text_places_at(&regret->rows.texts, rows[i].failure));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}
