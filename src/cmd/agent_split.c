/* SPDX-License-Identifier: Apache-2.0 */
/* agent_split - a batch that is too large for the server, cut into two.
 *
 * Only the form that agent_batch writes is understood: the text is cut between entries,
 * and what an entry says is not looked at.
 */
#include "base/number.h"
#include "cmd/agent.h"
#include "wire/wire.h"

/* Where one entry of one target stands in the text. */
struct place {
    struct span target; /* {"target":...,"entries":[ */
    struct span entry;
};

struct places {
    struct place *items;
    size_t count, room;
};

static void places_done(struct places *places)
{
    free(places->items);
}
DEFINE_AUTO_DONE(struct places, places_done);

static int places_add(struct places *places, struct span target, struct span entry)
{
    if (places->count == places->room) {
        size_t room = places->room ? places->room * 2 : 1024;
        void *bigger = realloc(places->items, room * sizeof places->items[0]);
        if (!bigger)
            return -ENOMEM;
        places->items = bigger;
        places->room = room;
    }
    places->items[places->count++] = (struct place){ target, entry };
    return 0;
}

/* The text up to and with the literal, out of *rest.  False: it does not come. */
static bool take_until(struct span *rest, const char *literal, struct span *ret)
{
    size_t size = strlen(literal);
    const char *at = memmem(rest->data, rest->size, literal, size);
    if (!at)
        return false;
    *ret = (struct span){ rest->data, (size_t)(at - rest->data) + size };
    *rest = span_skip(*rest, ret->size);
    return true;
}

/* One object out of *rest: braces counted, texts jumped over. */
static bool take_object(struct span *rest, struct span *ret)
{
    size_t depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < rest->size; i++) {
        char c = rest->data[i];
        if (in_text && c == '\\')
            i++;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text && c == '{')
            depth++;
        else if (!in_text && c == '}' && --depth == 0) {
            *ret = (struct span){ rest->data, i + 1 };
            *rest = span_skip(*rest, i + 1);
            return true;
        }
        if (i == 0 && depth == 0)
            return false;
    }
    return false;
}

static bool take_char(struct span *rest, char c)
{
    if (rest->size == 0 || rest->data[0] != c)
        return false;
    *rest = span_skip(*rest, 1);
    return true;
}

static int find_places(struct span rest, struct places *places)
{
    do {
        struct span target, entry;
        if (!take_until(&rest, "\"entries\":[", &target))
            return -EBADMSG;
        while (take_object(&rest, &entry)) {
            int rc = places_add(places, target, entry);
            if (rc < 0)
                return rc;
            (void)take_char(&rest, ',');
        }
        if (!take_char(&rest, ']') || !take_char(&rest, '}'))
            return -EBADMSG;
    } while (take_char(&rest, ','));
    return 0;
}

/* A text member of the batch's head: "agent":"...".  Valid escapes pass through. */
static bool find_member(struct span head, const char *key, struct span *ret)
{
    struct span before;
    if (!take_until(&head, key, &before))
        return false;
    size_t size = 0;
    while (size < head.size && head.data[size] != '"' && head.data[size] != ',')
        size++;
    *ret = (struct span){ head.data, size };
    return true;
}

static void write_half(struct strbuf *out, struct span head, const struct uuid *agent,
                       const struct place *places, size_t count)
{
    char text[UUID_TEXT_SIZE];
    struct span before = { "", 0 };
    uuid_print(text, agent);
    (void)take_until(&head, "\"agent\":\"", &before);
    strbuf_add_span(out, before);
    strbuf_adds(out, text);
    strbuf_add_span(out, span_skip(head, UUID_TEXT_SIZE - 1));
    for (size_t i = 0; i < count; i++) {
        bool is_new = i == 0 || places[i].target.data != places[i - 1].target.data;
        if (is_new && i)
            strbuf_adds(out, "]},");
        else if (i)
            strbuf_addc(out, ',');
        if (is_new)
            strbuf_add_span(out, places[i].target);
        strbuf_add_span(out, places[i].entry);
    }
    strbuf_adds(out, "]}]}");
}

int agent_split(struct span json, struct strbuf *first, struct strbuf *second)
{
    AUTO(places_done) struct places places = { 0 };
    struct span rest = json, head, text;
    struct uuid agent, half;
    if (!take_until(&rest, "\"targets\":[", &head) ||
        !find_member(head, "\"agent\":\"", &text) || uuid_parse(text, &agent) < 0)
        return -EBADMSG;
    int rc = find_places(rest, &places);
    if (rc < 0)
        return rc;
    if (places.count < 2)
        return -ENODATA;
    size_t middle = places.count / 2;
    /* The halves are batches of their own, known again when they come twice. */
    rc = uuid_v5(&agent, SPAN("first half"), SPAN(""), &half);
    if (rc < 0)
        return rc;
    write_half(first, head, &half, places.items, middle);
    rc = uuid_v5(&agent, SPAN("second half"), SPAN(""), &half);
    if (rc < 0)
        return rc;
    write_half(second, head, &half, places.items + middle, places.count - middle);
    return strbuf_error(first) ? strbuf_error(first) : strbuf_error(second);
}
