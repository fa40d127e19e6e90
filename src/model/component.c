/* SPDX-License-Identifier: Apache-2.0 */
/* component - the path of a thing that is watched. */
#include "model/component.h"

#include "base/span.h"

#include <errno.h>

static void print_escaped(struct strbuf *out, struct span name, const char *reserved)
{
    size_t plain = 0; /* from here on nothing was written yet */
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c > 0x20 && c != 0x7F && !strchr(reserved, c))
            continue;
        strbuf_add(out, name.data + plain, i - plain);
        strbuf_addf(out, "\\x%02X", c);
        plain = i + 1;
    }
    strbuf_add_span(out, span_skip(name, plain));
}

void component_print_name(struct strbuf *out, struct span name)
{
    print_escaped(out, name, "/:*\\");
}

void component_print_level(struct strbuf *out, struct span type, struct span id)
{
    component_print_name(out, type);
    if (id.size == 0)
        return;
    strbuf_addc(out, ':');
    print_escaped(out, id, "/*\\");
}

void component_print(struct strbuf *out, const struct component *c)
{
    component_print_name(out, c->cluster);
    if (c->host.size == 0)
        return;
    strbuf_addc(out, '/');
    component_print_name(out, c->host);
    if (c->type.size == 0)
        return;
    strbuf_addc(out, '/');
    component_print_level(out, c->type, c->id);
    if (c->subtype.size == 0)
        return;
    strbuf_addc(out, '/');
    component_print_level(out, c->subtype, c->sub_id);
}

static void name_by_id(struct span *type, struct span *id)
{
    if (type->size > 0)
        return;
    *type = *id;
    *id = (struct span){ 0 };
}

void component_name_by_id(struct component *component)
{
    name_by_id(&component->type, &component->id);
    name_by_id(&component->subtype, &component->sub_id);
}

void component_parse(struct span path, struct component *ret)
{
    struct component c = { 0 };
    (void)span_cut(&path, '/', &c.cluster);
    (void)span_cut(&path, '/', &c.host);
    (void)span_cut(&path, '/', &c.id);
    c.sub_id = path;
    (void)span_cut(&c.id, ':', &c.type);
    (void)span_cut(&c.sub_id, ':', &c.subtype);
    *ret = c;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t component_unescape(struct span part, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < part.size; i++) {
        const char *at = part.data + i;
        bool is_escape = part.size - i >= 4 && at[0] == '\\' && at[1] == 'x' &&
                         hex_digit(at[2]) >= 0 && hex_digit(at[3]) >= 0;
        out[size++] =
            is_escape ? (char)(hex_digit(at[2]) * 16 + hex_digit(at[3])) : *at;
        i += is_escape ? 3 : 0;
    }
    return size;
}

int component_last_name(struct span path, struct strbuf *text, struct span *ret)
{
    struct component c;
    component_parse(path, &c);
    strbuf_clear(text);
    if (strbuf_reserve(text, path.size + 1) < 0)
        return -ENOMEM;
    struct span type = c.cluster, id = { 0 };
    if (c.host.size > 0)
        type = c.host;
    if (c.type.size > 0) {
        type = c.type;
        id = c.id;
    }
    if (c.subtype.size > 0) {
        type = c.subtype;
        id = c.sub_id;
    }
    size_t size = component_unescape(type, text->data);
    size += component_unescape(id, text->data + size);
    *ret = (struct span){ text->data, size };
    return 0;
}
