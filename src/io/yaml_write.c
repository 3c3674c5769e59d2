/* Nodes to YAML text, by libyaml's emitter: it knows which text needs quotes. */
#include "io/yaml_write.h"

#include "base/mem.h"
#include "io/yaml_text.h"

#include <yaml.h>

struct writer {
    yaml_emitter_t emitter;
    const struct yaml_replace *replace;
    struct str *out;
};

static int append_text(void *context, unsigned char *bytes, size_t length) {
    str_add_bytes(((struct writer *)context)->out, (const char *)bytes, length);
    return 1;
}

/* The emitter takes the event over, whether it likes it or not. */
static bool emit_event(struct writer *writer, yaml_event_t *event, int made) {
    bool good = made && yaml_emitter_emit(&writer->emitter, event);
    if (!good && writer->emitter.error == YAML_MEMORY_ERROR)
        mem_exhausted(0);
    return good;
}

static bool write_scalar(struct writer *writer, const struct yaml_node *node, bool is_key) {
    yaml_event_t event;
    struct str text = {0};
    bool plain = is_key ? yaml_is_plain(node->text)
                        : yaml_scalar_text(node, &text); /* a key is text whatever it says */
    if (is_key)
        str_add(&text, node->text);
    int made = yaml_scalar_event_initialize(
        &event, NULL, NULL, (const yaml_char_t *)text.text, (int)text.length, 1, 1,
        plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    str_finish(&text);
    return emit_event(writer, &event, made);
}

static bool emit_node(struct writer *w, const struct yaml_node *node);

static bool write_items(struct writer *writer, const struct yaml_node *node) {
    bool good = true;
    for (size_t i = 0; i < node->count && good; i++) {
        if (node->kind == YAML_NODE_MAPPING)
            good = write_scalar(writer, node->keys[i], true);
        good = good && emit_node(writer, node->items[i]);
    }
    return good;
}

static bool emit_node(struct writer *writer, const struct yaml_node *node) {
    yaml_event_t event;
    const struct yaml_node *other =
        writer->replace ? writer->replace->with(writer->replace->context, node) : NULL;
    node = other ? other : node;
    switch (node->kind) {
    case YAML_NODE_SEQUENCE:
        return emit_event(writer, &event,
                          yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
                                                               YAML_BLOCK_SEQUENCE_STYLE)) &&
               write_items(writer, node) &&
               emit_event(writer, &event, yaml_sequence_end_event_initialize(&event));
    case YAML_NODE_MAPPING:
        return emit_event(writer, &event,
                          yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                                              YAML_BLOCK_MAPPING_STYLE)) &&
               write_items(writer, node) &&
               emit_event(writer, &event, yaml_mapping_end_event_initialize(&event));
    default:
        return write_scalar(writer, node, false);
    }
}

static bool write_document(struct writer *writer, const struct yaml_node *root) {
    yaml_event_t event;
    return emit_event(writer, &event,
                      yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING)) &&
           emit_event(writer, &event,
                      yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1)) &&
           emit_node(writer, root) &&
           emit_event(writer, &event, yaml_document_end_event_initialize(&event, 1)) &&
           emit_event(writer, &event, yaml_stream_end_event_initialize(&event));
}

int yaml_write(const struct yaml_node *root, const struct yaml_replace *replace, struct str *out,
               struct error *reterr) {
    struct writer w = {.replace = replace, .out = out};
    if (!yaml_emitter_initialize(&w.emitter))
        mem_exhausted(0);
    yaml_emitter_set_output(&w.emitter, append_text, &w);
    yaml_emitter_set_unicode(&w.emitter, 1);
    yaml_emitter_set_width(&w.emitter, -1);
    bool good = write_document(&w, root);
    int r = good ? 0
                 : error_set(reterr, ERROR_IO, "cannot write YAML: %s",
                             w.emitter.problem ? w.emitter.problem
                                               : "text that is not UTF-8, or too long");
    yaml_emitter_delete(&w.emitter);
    return r;
}
