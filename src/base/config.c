/* SPDX-License-Identifier: Apache-2.0 */
/* config - the one file an administrator edits.
 *
 * Everything is checked while the file is read, so that config_fill() cannot fail over
 * a value: an error always has the line where it stands.
 */
#include "base/config.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"

#include <stdio.h>
#include <stdlib.h>

#define CONFIG_BYTES_MAX ((size_t)4 << 20)

struct item {
    const struct config_section *section;
    const char *name;             /* of [kind NAME]; NULL */
    const struct config_key *key; /* NULL: the section's heading itself */
    const char *value;
    unsigned line;
    bool is_override; /* by config_set: takes the place of what the file says */
};

struct config {
    const struct config_section *sections;
    size_t section_count;
    const char *file;
    struct item *items; /* in the file's order */
    size_t item_count;
    char **texts; /* every string that items point to */
    size_t text_count;
    const char ***lists; /* handed out by config_fill */
    size_t list_count;
};

void config_free(struct config *config)
{
    if (!config)
        return;
    for (size_t i = 0; i < config->text_count; i++)
        free(config->texts[i]);
    for (size_t i = 0; i < config->list_count; i++)
        free(config->lists[i]);
    free(config->lists);
    free(config->texts);
    free(config->items);
    free(config);
}

static const char *keep_text(struct config *config, struct span text)
{
    char **grown = realloc(config->texts, (config->text_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    config->texts = grown;
    char *copy = span_dup(text);
    if (copy)
        grown[config->text_count++] = copy;
    return copy;
}

static int add_item(struct config *config, const struct item *item)
{
    struct item *grown =
        realloc(config->items, (config->item_count + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    grown[config->item_count++] = *item;
    config->items = grown;
    return 0;
}

/* ---- values ---- */

union value {
    bool flag;
    uint64_t u64;
    int64_t i64;
};

static int parse_bool(struct span text, bool *ret)
{
    static const char *const words[] = { "no", "false", "off", "yes", "true", "on" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (span_is(text, words[i])) {
            *ret = i >= COUNT_OF(words) / 2;
            return 0;
        }
    return -EINVAL;
}

static const char *wanted(enum config_type type)
{
    switch (type) {
    case CONFIG_BOOL:
        return "yes or no";
    case CONFIG_COUNT:
        return "a whole number";
    case CONFIG_DURATION:
        return "a length of time with its unit, such as 10s, 2m or 7d";
    case CONFIG_SIZE:
        return "a size with its unit, such as 64MiB";
    default:
        return "a text";
    }
}

static int parse_value(enum config_type type, struct span text, union value *ret)
{
    switch (type) {
    case CONFIG_BOOL:
        return parse_bool(text, &ret->flag);
    case CONFIG_COUNT:
        return number_parse_u64(text, &ret->u64);
    case CONFIG_DURATION:
        return number_parse_duration(text, &ret->i64);
    case CONFIG_SIZE:
        return number_parse_size(text, &ret->u64);
    default:
        return 0;
    }
}

static void print_limit(enum config_type type, int64_t value, char *out, size_t size)
{
    if (type == CONFIG_DURATION)
        number_print_duration(out, size, value);
    else if (type == CONFIG_SIZE)
        figure_print_bytes(out, size, (double)value);
    else
        (void)snprintf(out, size, "%lld", (long long)value);
}

static bool is_in_range(const struct config_key *key, const union value *value)
{
    if (key->min == 0 && key->max == 0)
        return true;
    if (key->type == CONFIG_DURATION)
        return value->i64 >= key->min && value->i64 <= key->max;
    if (key->type == CONFIG_COUNT || key->type == CONFIG_SIZE)
        return value->u64 >= (uint64_t)key->min && value->u64 <= (uint64_t)key->max;
    return true;
}

static int check_value(const struct config_key *key, struct span text, struct err *err)
{
    union value value = { 0 };
    if (parse_value(key->type, text, &value) < 0)
        return err_set(err, EINVAL, "%s: '" SPAN_FMT "' is not %s", key->name,
                       SPAN_ARG(text), wanted(key->type));
    if (is_in_range(key, &value))
        return 0;
    char min[32], max[32];
    print_limit(key->type, key->min, min, sizeof min);
    print_limit(key->type, key->max, max, sizeof max);
    return err_set(err, EINVAL, "%s: '" SPAN_FMT "' is not in %s .. %s", key->name,
                   SPAN_ARG(text), min, max);
}

/* ---- reading ---- */

static const struct config_section *find_section(const struct config *config,
                                                 struct span kind)
{
    for (size_t i = 0; i < config->section_count; i++)
        if (span_is(kind, config->sections[i].kind))
            return &config->sections[i];
    return NULL;
}

static const struct config_key *find_key(const struct config_section *section,
                                         struct span name)
{
    for (size_t i = 0; i < section->key_count; i++)
        if (span_is(name, section->keys[i].name))
            return &section->keys[i];
    return NULL;
}

static int unknown_key(const struct config_section *section, struct span name,
                       struct err *err)
{
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < section->key_count && used + 1 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i ? ", " : "", section->keys[i].name);
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; i < section->key_count; i++)
        suggest_offer(&suggest, span_of(section->keys[i].name));
    int rc = err_set(err, EINVAL, SPAN_FMT ": there is no such key in [%s]; it has: %s",
                     SPAN_ARG(name), section->kind, known);
    return suggest_add(&suggest, "", rc, err);
}

static int unknown_section(const struct config *config, struct span kind,
                           struct err *err)
{
    struct suggest suggest;
    suggest_init(&suggest, kind);
    for (size_t i = 0; i < config->section_count; i++)
        suggest_offer(&suggest, span_of(config->sections[i].kind));
    int rc = err_set(err, EINVAL, "[" SPAN_FMT "]: there is no such section",
                     SPAN_ARG(kind));
    return suggest_add(&suggest, "", rc, err);
}

static bool has_heading(const struct config *config,
                        const struct config_section *section, const char *name)
{
    for (size_t i = 0; i < config->item_count; i++) {
        const struct item *item = &config->items[i];
        if (!item->key && item->section == section &&
            (!name || (item->name && strcmp(item->name, name) == 0)))
            return true;
    }
    return false;
}

/* "[kind]" or "[kind NAME]": *current becomes the pattern for the items that follow. */
static int read_heading(struct config *config, struct span line, unsigned line_number,
                        struct item *current, struct err *err)
{
    if (!span_ends(line, "]"))
        return err_set(err, EINVAL, "a section ends with ]");
    struct span inside = span_trim((struct span){ line.data + 1, line.size - 2 });
    struct span kind;
    (void)span_cut(&inside, ' ', &kind);
    inside = span_trim(inside);
    const struct config_section *section = find_section(config, kind);
    if (!section)
        return unknown_section(config, kind, err);
    if (section->is_named != (inside.size > 0))
        return err_set(err, EINVAL,
                       section->is_named ? "[%s] wants a name: [%s NAME]"
                                         : "[%s] has no name: write [%s]",
                       section->kind, section->kind);
    *current = (struct item){ .section = section, .line = line_number };
    if (section->is_named) {
        current->name = keep_text(config, inside);
        if (!current->name)
            return -ENOMEM;
        if (has_heading(config, section, current->name))
            return err_set(err, EINVAL, "[%s %s] stands in the file twice",
                           section->kind, current->name);
    }
    return add_item(config, current);
}

static bool is_repeated(const struct config *config, const struct item *item)
{
    for (size_t i = 0; i < config->item_count; i++) {
        const struct item *other = &config->items[i];
        bool same_name =
            item->name == other->name ||
            (item->name && other->name && strcmp(item->name, other->name) == 0);
        if (other->key == item->key && other->section == item->section && same_name &&
            other->is_override == item->is_override)
            return true;
    }
    return false;
}

static int read_assignment(struct config *config, struct span line, struct item item,
                           struct err *err)
{
    struct span name;
    if (!span_cut(&line, '=', &name))
        return err_set(err, EINVAL, "neither [section] nor key = value");
    if (!item.section)
        return err_set(err, EINVAL, "a key stands before the first [section]");
    name = span_trim(name);
    struct span value = span_trim(line);
    item.key = find_key(item.section, name);
    if (!item.key)
        return unknown_key(item.section, name, err);
    if (item.key->type != CONFIG_LIST && is_repeated(config, &item))
        return err_set(err, EINVAL, "%s: is set twice; only one can hold",
                       item.key->name);
    int rc = check_value(item.key, value, err);
    if (rc < 0)
        return rc;
    item.value = keep_text(config, value);
    return item.value ? add_item(config, &item) : -ENOMEM;
}

static int read_text(struct config *config, const char *name, struct span text,
                     struct err *err)
{
    struct item current = { 0 };
    for (unsigned line_number = 1; text.size; line_number++) {
        struct span line;
        (void)span_cut(&text, '\n', &line);
        line = span_trim(line);
        int rc = 0;
        if (memchr(line.data, '\0', line.size))
            rc = err_set(err, EINVAL, "a NUL byte");
        else if (span_starts(line, "["))
            rc = read_heading(config, line, line_number, &current, err);
        else if (line.size && line.data[0] != '#') {
            struct item item = current;
            item.line = line_number;
            rc = read_assignment(config, line, item, err);
        }
        if (rc == -ENOMEM)
            return err_set(err, ENOMEM, "%s: out of memory", name);
        if (rc < 0)
            return err_prefix(err, rc, "%s:%u", name, line_number);
    }
    return 0;
}

int config_parse(const char *name, struct span text,
                 const struct config_section *sections, size_t count,
                 struct config **ret, struct err *err)
{
    AUTO(config_free) struct config *config = calloc(1, sizeof *config);
    if (!config)
        return err_set(err, ENOMEM, "%s: out of memory", name);
    config->sections = sections;
    config->section_count = count;
    config->file = keep_text(config, span_of(name));
    if (!config->file)
        return err_set(err, ENOMEM, "%s: out of memory", name);
    int rc = text.data ? read_text(config, name, text, err) : 0;
    if (rc < 0)
        return rc;
    *ret = TAKE(config);
    return 0;
}

int config_load(const char *path, const struct config_section *sections, size_t count,
                struct config **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, CONFIG_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    return config_parse(path, strbuf_span(&text), sections, count, ret, err);
}

/* ---- asking ---- */

static void store_value(const struct config_key *key, const char *text, void *opts)
{
    void *field = (char *)opts + key->offset;
    union value value = { 0 };
    if (key->type == CONFIG_TEXT) {
        *(const char **)field = text;
        return;
    }
    if (!text || parse_value(key->type, span_of(text), &value) < 0)
        value = (union value){ 0 }; /* no default */
    if (key->type == CONFIG_BOOL)
        *(bool *)field = value.flag;
    else
        *(uint64_t *)field = value.u64;
}

static bool item_is_of(const struct item *item, const struct config_section *section,
                       const char *name, const struct config_key *key)
{
    bool same_name = !name || (item->name && strcmp(item->name, name) == 0);
    return item->section == section && item->key == key && same_name;
}

static int fill_list(struct config *config, const struct config_section *section,
                     const char *name, const struct config_key *key, void *opts)
{
    const char **items = calloc(config->item_count + 1, sizeof *items);
    const char ***grown =
        realloc(config->lists, (config->list_count + 1) * sizeof *grown);
    if (grown)
        config->lists = grown;
    if (!items || !grown) {
        free(items);
        return -ENOMEM;
    }
    config->lists[config->list_count++] = items;
    struct config_list *list = (void *)((char *)opts + key->offset);
    *list = (struct config_list){ items, 0 };
    for (size_t i = 0; i < config->item_count; i++)
        if (item_is_of(&config->items[i], section, name, key))
            items[list->count++] = config->items[i].value;
    if (list->count == 0 && key->value)
        items[list->count++] = key->value;
    return 0;
}

int config_fill(const struct config *config, const char *kind, const char *name,
                void *opts, struct err *err)
{
    const struct config_section *section = find_section(config, span_of(kind));
    if (!section || (name && !has_heading(config, section, name)))
        return err_set(err, ENOENT, "there is no [%s%s%s]", kind, name ? " " : "",
                       name ? name : "");
    for (size_t k = 0; k < section->key_count; k++) {
        const struct config_key *key = &section->keys[k];
        if (key->type == CONFIG_LIST) {
            /* Lists live as long as config, which is not otherwise changed. */
            int rc =
                fill_list((struct config *)(uintptr_t)config, section, name, key, opts);
            if (rc < 0)
                return err_set(err, ENOMEM, "out of memory");
            continue;
        }
        const char *value = key->value;
        bool overridden = false;
        for (size_t i = 0; i < config->item_count; i++) {
            const struct item *item = &config->items[i];
            if (item_is_of(item, section, name, key) &&
                !(overridden && !item->is_override)) {
                value = item->value;
                overridden = item->is_override;
            }
        }
        store_value(key, value, opts);
    }
    return 0;
}

size_t config_name_count(const struct config *config, const char *kind)
{
    size_t count = 0;
    while (config_name(config, kind, count))
        count++;
    return count;
}

const char *config_name(const struct config *config, const char *kind, size_t index)
{
    const struct config_section *section = find_section(config, span_of(kind));
    for (size_t i = 0; i < config->item_count; i++) {
        const struct item *item = &config->items[i];
        if (!item->key && item->section == section && item->name && index-- == 0)
            return item->name;
    }
    return NULL;
}

void config_print_place(const struct config *config, const char *kind, const char *name,
                        struct strbuf *out)
{
    const struct config_section *section = find_section(config, span_of(kind));
    for (size_t i = 0; i < config->item_count; i++) {
        const struct item *item = &config->items[i];
        if (item->key || item->section != section || !item->name ||
            strcmp(item->name, name) != 0)
            continue;
        strbuf_addf(out, "%s:%u", config->file, item->line);
        return;
    }
}

void config_print_key_line(const struct config *config, const char *kind,
                           const char *name, const char *key, struct strbuf *out)
{
    const struct config_section *section = find_section(config, span_of(kind));
    for (size_t i = 0; i < config->item_count; i++) {
        const struct item *item = &config->items[i];
        if (!item->key || item->section != section || !item->name ||
            strcmp(item->name, name) != 0 || strcmp(item->key->name, key) != 0)
            continue;
        strbuf_addf(out, "%s:%u", config->file, item->line);
        return;
    }
    config_print_place(config, kind, name, out);
}

bool config_has(const struct config *config, const char *kind)
{
    const struct config_section *section = find_section(config, span_of(kind));
    for (size_t i = 0; section && i < config->item_count; i++)
        if (config->items[i].section == section)
            return true;
    return false;
}

bool config_has_key(const struct config *config, const char *kind, const char *key)
{
    const struct config_section *section = find_section(config, span_of(kind));
    for (size_t i = 0; section && i < config->item_count; i++) {
        const struct item *item = &config->items[i];
        if (item->section == section && item->key && strcmp(item->key->name, key) == 0)
            return true;
    }
    return false;
}

int config_set(struct config *config, struct span assignment, struct err *err)
{
    struct span key = assignment, kind;
    struct item item = { .is_override = true };
    if (!span_cut(&key, '.', &kind))
        return err_set(err, EINVAL, "'" SPAN_FMT "' is not section.key=value",
                       SPAN_ARG(assignment));
    item.section = find_section(config, span_trim(kind));
    if (!item.section || item.section->is_named)
        return err_set(err, EINVAL, "[" SPAN_FMT "] cannot be set from here",
                       SPAN_ARG(kind));
    return read_assignment(config, key, item, err);
}

void config_describe(const struct config_section *sections, size_t count,
                     struct strbuf *out)
{
    for (size_t s = 0; s < count; s++) {
        const struct config_section *section = &sections[s];
        strbuf_addf(out, "%s# %s\n%s[%s%s]\n", s ? "\n" : "", section->help,
                    section->is_named ? "# " : "", section->kind,
                    section->is_named ? " NAME" : "");
        for (size_t k = 0; k < section->key_count; k++) {
            const struct config_key *key = &section->keys[k];
            strbuf_addf(out, "# %s\n# %s =%s%s\n", key->help, key->name,
                        key->value ? " " : "", key->value ? key->value : "");
        }
    }
}
