/* SPDX-License-Identifier: Apache-2.0 */
/* label_path - label sets as Prometheus has them, and paths of components. */
#include "model/label_path.h"

#include "base/number.h"
#include "base/span.h"
#include "model/component.h"

#include <errno.h>

#define TAGS "tags"

enum part { CLUSTER, HOST, TYPE, TYPE_ID, SUBTYPE, SUBTYPE_ID, PARTS };

static const char *const part_names[PARTS] = {
    "cluster", "hostname", "type", "type_id", "subtype", "subtype_id",
};

/* ---- sets ---- */

static bool is_label_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.size > 0;
}

int label_set_add(struct label_set *set, struct label_pair pair)
{
    size_t at = set->count;
    if (!is_label_name(pair.name) || span_is(pair.name, "__name__"))
        return -EINVAL;
    if (pair.value.size == 0)
        return 0;
    for (; at > 0; at--) {
        int order = span_compare(set->pairs[at - 1].name, pair.name);
        if (order == 0)
            return -EEXIST;
        if (order < 0)
            break;
    }
    if (set->count == LABEL_PAIRS_MAX)
        return -E2BIG;
    memmove(&set->pairs[at + 1], &set->pairs[at],
            (set->count - at) * sizeof set->pairs[0]);
    set->pairs[at] = pair;
    set->count++;
    return 0;
}

struct span label_set_get(const struct label_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (span_is(set->pairs[i].name, name))
            return set->pairs[i].value;
    return (struct span){ NULL, 0 };
}

/* ---- a set to a path ---- */

/* Which parts a path has a level for, and what goes into its tags. */
struct layout {
    struct span parts[PARTS];
    bool is_tag[PARTS]; /* has no level, or is the mark of one that is not there */
    const struct label_set *set;
    bool has_tags;
};

static int find_part(struct span name)
{
    for (int i = 0; i < PARTS; i++)
        if (span_is(name, part_names[i]))
            return i;
    return PARTS;
}

static void set_tags(struct layout *l, enum part from)
{
    for (int i = (int)from; i < PARTS; i++) {
        l->is_tag[i] = l->parts[i].size > 0;
        l->has_tags |= l->is_tag[i];
    }
}

static void lay_out(struct layout *l, const struct label_set *set,
                    const struct label_home *home)
{
    *l = (struct layout){ .set = set };
    for (size_t i = 0; i < set->count; i++) {
        int part = find_part(set->pairs[i].name);
        if (part < PARTS)
            l->parts[part] = set->pairs[i].value;
        else
            l->has_tags = true;
    }
    l->is_tag[CLUSTER] = l->parts[CLUSTER].size == 0;
    l->is_tag[HOST] = l->parts[HOST].size == 0;
    l->has_tags |= l->is_tag[CLUSTER] || l->is_tag[HOST];
    if (l->is_tag[CLUSTER])
        l->parts[CLUSTER] = home->cluster;
    if (l->is_tag[HOST])
        l->parts[HOST] = home->host;
    if (l->parts[TYPE].size == 0)
        set_tags(l, TYPE_ID);
    else if (l->parts[SUBTYPE].size == 0)
        set_tags(l, SUBTYPE_ID);
    /* The tags need the last of four levels. */
    if (l->has_tags && l->parts[SUBTYPE].size > 0)
        set_tags(l, SUBTYPE);
}

/* A comma or an equals sign in a pair is escaped, so that two sets never read the same.
 */
static void add_tag_text(struct strbuf *out, struct span s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (strchr(",=\\", s.data[i]))
            strbuf_addc(out, '\\');
        strbuf_addc(out, s.data[i]);
    }
}

static void add_tag(struct strbuf *out, struct span name, struct span value)
{
    if (out->size > 0)
        strbuf_addc(out, ',');
    add_tag_text(out, name);
    strbuf_addc(out, '=');
    add_tag_text(out, value);
}

/* In order of the names, also of those that are not in the set. */
static void print_tags(const struct layout *l, struct strbuf *out)
{
    static const enum part missing[] = { CLUSTER, HOST };
    size_t next = 0;
    for (size_t i = 0; i <= l->set->count; i++) {
        const struct label_pair *pair = &l->set->pairs[i];
        bool is_end = i == l->set->count;
        for (; next < COUNT_OF(missing); next++) {
            struct span name = span_of(part_names[missing[next]]);
            if (!is_end && span_compare(name, pair->name) > 0)
                break;
            if (l->is_tag[missing[next]])
                add_tag(out, name, (struct span){ NULL, 0 });
        }
        int part = is_end ? PARTS : find_part(pair->name);
        if (!is_end && (part == PARTS || (part > HOST && l->is_tag[part])))
            add_tag(out, pair->name, pair->value);
    }
}

static int print_layout(const struct layout *l, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf tags = STRBUF_INIT;
    struct component c = { .cluster = l->parts[CLUSTER], .host = l->parts[HOST] };
    if (!l->is_tag[TYPE]) {
        c.type = l->parts[TYPE];
        c.id = l->is_tag[TYPE_ID] ? (struct span){ 0 } : l->parts[TYPE_ID];
    }
    if (!l->is_tag[SUBTYPE] && c.type.size > 0) {
        c.subtype = l->parts[SUBTYPE];
        c.sub_id = l->is_tag[SUBTYPE_ID] ? (struct span){ 0 } : l->parts[SUBTYPE_ID];
    }
    if (l->has_tags) {
        print_tags(l, &tags);
        *(c.type.size > 0 ? &c.subtype : &c.type) = SPAN(TAGS);
        *(c.subtype.size > 0 ? &c.sub_id : &c.id) = strbuf_span(&tags);
    }
    component_print(out, &c);
    return strbuf_error(&tags) < 0 ? -ENOMEM : strbuf_error(out);
}

/* ---- a path to a set ---- */

/* "name=value," without its escapes, in place: it only gets shorter.  False: the text
 * has another form. */
static bool read_tag(struct span *rest, char *text, struct label_pair *ret,
                     size_t *ret_size)
{
    size_t size = 0, name_size = SIZE_MAX, i = 0;
    for (; i < rest->size && rest->data[i] != ','; i++) {
        char c = rest->data[i];
        if (c == '=') {
            if (name_size != SIZE_MAX)
                return false;
            name_size = size;
            continue;
        }
        if (c == '\\' && (++i == rest->size || !strchr(",=\\", rest->data[i])))
            return false;
        text[size++] = rest->data[i];
    }
    if (name_size == SIZE_MAX || i + 1 == rest->size)
        return false;
    *rest = span_skip(*rest, i + 1);
    *ret = (struct label_pair){ { text, name_size },
                                { text + name_size, size - name_size } };
    *ret_size = size;
    return true;
}

/* What parts there are: pairs of them in the tags go over those of levels. */
static bool read_tags(struct span tags, char *text, struct span parts[PARTS],
                      struct label_set *set)
{
    struct label_pair pair;
    size_t size = 0;
    while (tags.size > 0) {
        if (!read_tag(&tags, text, &pair, &size))
            return false;
        text += size;
        int part = find_part(pair.name);
        if (part <= HOST && pair.value.size == 0)
            parts[part] = (struct span){ NULL, 0 };
        else if (part < PARTS && parts[part].size == 0)
            parts[part] = pair.value;
        else if (part < PARTS || pair.value.size == 0 || label_set_add(set, pair) < 0)
            return false;
    }
    return true;
}

static void add_parts(struct label_set *set, const struct span parts[PARTS])
{
    for (int i = 0; i < PARTS; i++)
        (void)label_set_add(set,
                            (struct label_pair){ span_of(part_names[i]), parts[i] });
}

/* As lay_out(), so that it is read as this set again. */
static void lay_out_readable(struct layout *l, const struct label_set *set,
                             const struct label_home *home);

/* The set whose path this is, if the last level is one of tags.  levels stand in text,
 * which is changed. */
static bool read_set(struct span path, const struct span levels[PARTS], char *text,
                     struct label_set *ret)
{
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct span parts[PARTS];
    struct layout l;
    int last = levels[SUBTYPE].size > 0 ? SUBTYPE : TYPE;
    if (!span_is(levels[last], TAGS) || levels[last + 1].size == 0)
        return false;
    memcpy(parts, levels, sizeof parts);
    parts[last] = parts[last + 1] = (struct span){ NULL, 0 };
    ret->count = 0;
    text += levels[last + 1].data - text;
    if (!read_tags(levels[last + 1], text, parts, ret))
        return false;
    add_parts(ret, parts);
    lay_out_readable(&l, ret, &(struct label_home){ levels[CLUSTER], levels[HOST] });
    return l.has_tags && print_layout(&l, &again) == 0 &&
           span_eq(strbuf_span(&again), path);
}

/* The parts of a path as they are, into text. */
static void read_levels(struct span path, char *text, struct span ret[PARTS])
{
    struct component c;
    size_t size = 0;
    component_parse(path, &c);
    const struct span raw[PARTS] = {
        c.cluster, c.host, c.type, c.id, c.subtype, c.sub_id,
    };
    for (int i = 0; i < PARTS; i++) {
        ret[i] = (struct span){ text + size, component_unescape(raw[i], text + size) };
        size += ret[i].size;
    }
}

void label_path_read(struct span path, char *text, struct label_set *ret)
{
    struct span levels[PARTS];
    path.size = path.size < LABEL_TEXT_MAX ? path.size : LABEL_TEXT_MAX;
    read_levels(path, text, levels);
    if (memmem(path.data, path.size, "/" TAGS ":", sizeof TAGS + 1)) {
        if (read_set(path, levels, text, ret))
            return;
        read_levels(path, text, levels);
    }
    ret->count = 0;
    add_parts(ret, levels);
}

/* A type of this name without other labels would be read as tags.  The path that is
 * read here is shorter than the one that it came out of: this ends. */
static bool is_read_otherwise(const struct layout *l)
{
    AUTO(strbuf_done) struct strbuf plain = STRBUF_INIT;
    char text[LABEL_TEXT_MAX];
    struct span levels[PARTS];
    struct label_set set;
    if (l->has_tags ||
        (!span_is(l->parts[TYPE], TAGS) && !span_is(l->parts[SUBTYPE], TAGS)) ||
        print_layout(l, &plain) < 0 || plain.size > LABEL_TEXT_MAX)
        return false;
    read_levels(strbuf_span(&plain), text, levels);
    return read_set(strbuf_span(&plain), levels, text, &set);
}

static void lay_out_readable(struct layout *l, const struct label_set *set,
                             const struct label_home *home)
{
    lay_out(l, set, home);
    if (!is_read_otherwise(l))
        return;
    l->has_tags = true;
    set_tags(l, span_is(l->parts[SUBTYPE], TAGS) ? SUBTYPE : TYPE);
}

int label_path_print(struct strbuf *out, const struct label_set *set,
                     const struct label_home *home)
{
    struct layout l;
    lay_out_readable(&l, set, home);
    return print_layout(&l, out);
}
