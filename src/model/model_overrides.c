/* Overrides are made in the tree of the model files, before it is bound: so they are held against
   the same tables, and what is written as models.yaml is what was run. */
#include "model/model_overrides.h"

#include "model/override_derived.h"
#include "model/override_values.h"

/* What had no effect somewhere: an error if a name or the whole entry was meant, else a note. */
static void conclude(const struct override *o, struct override_notes *notes) {
    for (size_t i = 0; i < o->count; i++) {
        struct override_assignment *a = &o->assignments[i];
        bool named =
            !override_is_any(o->entry.model) && (!override_is_any(o->entry.gpu) || a->made == 0);
        if (a->skipped.length > 0 && named)
            override_refuse(o, &a->value, "of no effect on %s", override_skipped(o, a));
        else if (a->skipped.length > 0)
            array_push(&notes->texts,
                       arena_printf(o->binding->arena, "%s: of no effect on %s",
                                    override_value_path(o, &a->value), override_skipped(o, a)));
        else if (a->made == 0)
            override_refuse(o, &a->value, "matches nothing: %s on no GPU type%s",
                            override_is_any(o->entry.model)
                                ? "the models run"
                                : arena_printf(o->binding->arena, "%s runs", o->entry.model),
                            a->value.parameter.derived ? " of the cluster" : "");
    }
}

/* A GPU type that the cluster does not have is a name that decides nothing. */
static void note_foreign_gpu(const struct override *o, struct override_notes *notes) {
    if (!override_is_any(o->entry.gpu) && !override_type_in_use(o->cluster, o->entry.gpu))
        array_push(&notes->texts,
                   arena_printf(o->binding->arena,
                                "%s: of no effect, no node of the cluster has GPUs of type %s",
                                o->path, o->entry.gpu));
}

static void apply_entry(struct override *o, struct override_notes *notes) {
    size_t before = o->binding->problems->count;
    if (override_entry_bind(o) < 0)
        return;
    override_each_place(o, false, override_assign_to_model);
    override_each_place(o, true, override_assign_to_gpu);
    override_each_place(o, true, override_derive);
    if (o->binding->problems->count == before) {
        conclude(o, notes);
        note_foreign_gpu(o, notes);
    }
    override_entry_finish(o);
}

int model_overrides_apply(const struct override_target *target, const struct yaml_node *overrides,
                          const struct binding *binding) {
    size_t before = binding->problems->count;
    if (!overrides)
        return 0;
    if (overrides->kind != YAML_NODE_SEQUENCE || overrides->count == 0)
        return schema_wrong(binding, overrides, "model_overrides", "a list of mappings");
    if (target->tree->count == 0) {
        problems_add(binding->problems, overrides->where, "model_overrides",
                     "expected models, of which the scenario has none");
        return ERROR_INPUT;
    }
    for (size_t i = 0; i < overrides->count; i++) {
        struct override o = {.tree = target->tree,
                             .cluster = target->cluster,
                             .binding = binding,
                             .node = overrides->items[i]};
        o.path = arena_printf(binding->arena, "model_overrides[%zu]", i);
        o.set_path = arena_printf(binding->arena, "%s.set", o.path);
        apply_entry(&o, target->notes);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}
