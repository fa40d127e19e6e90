/* SPDX-License-Identifier: Apache-2.0 */
/* part_compare - a report of a host's parts against what is stored. */
#include "records/inventory/part_compare.h"

#include "base/number.h"
#include "base/span.h"

/* The time of the start is the kernel's, and follows the clock as that is set. */
#define BOOT_SLACK_NS (10 * NS_PER_S)

void part_compare_done(struct part_compare *in)
{
    hashmap_done(&in->id_counts);
    hashmap_done(&in->there);
    hashmap_done(&in->arrived);
}

/* With between between them; data NULL: no memory. */
static struct span text_join(struct part_compare *in, struct span a, char between,
                             struct span b)
{
    char *text = arena_alloc(in->arena, a.size + b.size + 2);
    if (!text)
        return (struct span){ 0 };
    memcpy(text, a.data, a.size);
    text[a.size] = between;
    memcpy(text + a.size + 1, b.data, b.size);
    return (struct span){ text, a.size + 1 + b.size };
}

static uintptr_t *map_at(struct part_compare *in, struct hashmap *map, struct span a,
                         struct span b)
{
    struct span key = text_join(in, a, '\n', b);
    return key.data ? hashmap_put(map, key, NULL) : NULL;
}

static struct span slot_text(struct part_compare *in, const struct part_stay *stay)
{
    return text_join(in, stay->host, ' ', stay->slot);
}

static bool is_same_slot(const struct part_compare *in, const struct part_stay *p,
                         const struct node_part *part)
{
    return span_eq(p->host, in->report->host) && span_eq(p->slot, part->slot);
}

/* One that begins as the id of a part without a number could be that of any. */
static bool has_identity(const struct node_part *part)
{
    return part_serial_is_identity(part->serial) && part->serial.data[0] != '@';
}

/* ---- changes ---- */

static int change_add(struct part_compare *in, const struct part_stay *of,
                      const char *change, struct span before, struct span after)
{
    struct change_list *list = &in->changes;
    if (!before.data || !after.data)
        return -ENOMEM; /* of a text that was joined */
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 32;
        struct part_change *grown = arena_alloc(in->arena, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        if (list->count)
            memcpy(grown, list->changes, list->count * sizeof *grown);
        list->changes = grown;
        list->capacity = capacity;
    }
    list->changes[list->count++] = (struct part_change){
        .cluster = of->cluster,
        .part = of->part,
        .host = of->host,
        .slot = of->slot,
        .t_ns = in->report->t_ns,
        .change = span_of(change),
        .class_name = of->class_name,
        .model = of->model,
        .serial = of->serial,
        .before = before,
        .after = after,
    };
    return 0;
}

/* What a person recognises it by. */
static struct span serial_or_model(struct span serial, struct span model)
{
    return serial.size > 0 ? serial : model.data ? model : SPAN("");
}

static void stay_close(struct part_compare *in, struct stored_stay *stored,
                       const char *why)
{
    stored->stay.gone_ns = in->report->t_ns;
    stored->stay.gone_why = span_of(why);
    stored->is_changed = true;
}

/* ---- what is reported of a part ---- */

static bool is_same_start(int64_t a_ns, int64_t b_ns)
{
    return a_ns - b_ns < BOOT_SLACK_NS && b_ns - a_ns < BOOT_SLACK_NS;
}

/* Counted since the node's start, so that a smaller number is of another one. */
static void errors_add(int64_t counted, bool is_of_start, int64_t *seen, int64_t *total)
{
    if (counted < 0)
        return;
    int64_t added = is_of_start && counted >= *seen ? counted - *seen : counted;
    *total = *total > INT64_MAX - added ? INT64_MAX : *total + added;
    *seen = counted;
}

static void text_replace(struct span *field, struct span text)
{
    if (text.size > 0 || !field->data)
        *field = text;
}

static void stay_update(struct part_compare *in, struct stored_stay *stored,
                        const struct node_part *part)
{
    struct part_stay *stay = &stored->stay;
    const struct node_inventory *report = in->report;
    bool is_of_start = is_same_start(stay->boot_ns, report->boot_ns);
    errors_add(part->corrected, is_of_start, &stay->corrected_seen, &stay->corrected);
    errors_add(part->uncorrected, is_of_start, &stay->uncorrected_seen,
               &stay->uncorrected);
    text_replace(&stay->vendor, part->vendor);
    text_replace(&stay->model, part->model);
    text_replace(&stay->serial, part->serial);
    text_replace(&stay->firmware, part->firmware);
    text_replace(&stay->label, part->label);
    if (part->size_bytes > 0)
        stay->size_bytes = part->size_bytes;
    stay->boot_ns = report->boot_ns;
    stay->last_ns = report->t_ns;
    stored->is_changed = stored->is_seen = true;
}

/* errors: of the part until now, wherever it was; NULL: none are known. */
static struct stored_stay *stay_begin(struct part_compare *in,
                                      const struct node_part *part, struct span id,
                                      const struct part_stay *errors)
{
    const struct node_inventory *report = in->report;
    struct part_stay stay = {
        .cluster = report->cluster,
        .part = id,
        .host = report->host,
        .slot = part->slot,
        .first_ns = report->t_ns,
        .gone_why = SPAN(""),
        .class_name = span_of(part_class_name(part->class)),
        .boot_ns = report->boot_ns,
    };
    if (errors) {
        stay.corrected = errors->corrected;
        stay.uncorrected = errors->uncorrected;
    }
    /* Put in while the node ran: what was counted until now was of another. */
    if (in->last_ns > 0 && report->boot_ns > 0 && report->boot_ns < in->last_ns) {
        stay.corrected_seen = part->corrected > 0 ? part->corrected : 0;
        stay.uncorrected_seen = part->uncorrected > 0 ? part->uncorrected : 0;
    }
    struct stored_stay *added = stay_list_add(&in->stays, &stay, in->arena);
    if (added)
        stay_update(in, added, part);
    return added;
}

/* ---- a part that was there ---- */

/* Without a number it is another where its model is. */
static bool is_replaced(const struct part_stay *stay, const struct node_part *part)
{
    return !has_identity(part) && stay->model.size > 0 && part->model.size > 0 &&
           !span_eq(stay->model, part->model);
}

static int part_stays(struct part_compare *in, struct stored_stay *stored,
                      const struct node_part *part)
{
    struct part_stay *stay = &stored->stay;
    int rc = 0;
    if (is_replaced(stay, part)) {
        stay_close(in, stored, "replaced");
        stored->is_seen = true;
        if (!stay_begin(in, part, stay->part, NULL))
            return -ENOMEM;
        return change_add(in, stay, "replaced", stay->model, part->model);
    }
    if (stay->firmware.size > 0 && part->firmware.size > 0 &&
        !span_eq(stay->firmware, part->firmware))
        rc = change_add(in, stay, "firmware", stay->firmware, part->firmware);
    stay_update(in, stored, part);
    return rc;
}

/* ---- a part that was not there ---- */

struct arrival {
    const struct node_part *part;
    struct span id;
    struct stay_list known;           /* where it was; those of this host as copies */
    const struct part_stay *own;      /* the last time in this slot */
    const struct part_stay *latest;   /* seen last, anywhere */
    const struct part_stay *from;     /* where it still was */
    const struct part_stay *together; /* where it is, too */
};

static void arrival_survey(const struct part_compare *in, struct arrival *a)
{
    for (size_t i = 0; i < a->known.count; i++) {
        const struct part_stay *stay = &a->known.stays[i]->stay;
        if (!a->latest || stay->last_ns >= a->latest->last_ns)
            a->latest = stay;
        if (stay->gone_ns > 0 && is_same_slot(in, stay, a->part))
            a->own = stay;
    }
}

/* Is it at both places, by what their hosts reported?  Only a later report moves it:
 * one that waited in a spool, or was sent with another time, shows nothing of now. */
static bool is_together(const struct part_compare *in, const struct arrival *a,
                        const struct part_stay *other)
{
    int64_t boot_ns = in->report->boot_ns;
    if (other->is_duplicate || other->last_ns >= in->report->t_ns)
        return true;
    /* It has been here since the start, and was reported there. */
    if (!part_class_is_hot(a->part->class) &&
        (boot_ns == 0 || other->last_ns > boot_ns))
        return true;
    return a->own && span_is(a->own->gone_why, "moved") &&
           a->own->last_ns == in->last_ns && boot_ns <= other->last_ns;
}

static int other_add(struct part_compare *in, struct stored_stay *stored)
{
    if (stored->is_changed)
        return 0;
    stored->is_changed = true;
    struct stored_stay *added = stay_list_add(&in->others, &stored->stay, in->arena);
    if (!added)
        return -ENOMEM;
    added->is_changed = true;
    return 0;
}

/* One place where the part still was. */
static int arrival_other(struct part_compare *in, struct arrival *a,
                         struct stored_stay *known)
{
    struct part_stay *other = &known->stay;
    if (span_eq(other->host, in->report->host)) {
        uintptr_t *at = map_at(in, &in->there, other->part, other->slot);
        struct stored_stay *stored = at ? (struct stored_stay *)*at : NULL;
        if (!at)
            return -ENOMEM;
        if (!stored || stored->is_seen)
            return 0;
        stay_close(in, stored, "moved"); /* to another slot */
        stored->is_seen = true;
        a->from = other;
        return 0;
    }
    if (is_together(in, a, other)) {
        other->is_duplicate = true;
        a->together = other;
        return other_add(in, known);
    }
    other->gone_ns = in->report->t_ns;
    other->gone_why = SPAN("moved");
    a->from = other;
    return other_add(in, known);
}

static int arrival_change(struct part_compare *in, const struct arrival *a,
                          const struct part_stay *stay)
{
    const struct part_stay *from = a->from ? a->from : a->latest;
    if (a->together)
        return change_add(in, stay, "duplicate", slot_text(in, a->together),
                          slot_text(in, stay));
    if (from && is_same_slot(in, from, a->part))
        return change_add(in, stay, "returned", SPAN(""), slot_text(in, stay));
    if (from)
        return change_add(in, stay, "moved", slot_text(in, from), slot_text(in, stay));
    /* With the first report of a host nothing has changed. */
    return change_add(in, stay, in->last_ns > 0 ? "appeared" : "found", SPAN(""),
                      slot_text(in, stay));
}

static int part_arrives(struct part_compare *in, const struct node_part *part,
                        struct span id, struct err *err)
{
    struct arrival a = { .part = part, .id = id };
    int rc = stay_list_of_part(in->reader, in->report->cluster, id, in->arena, &a.known,
                               err);
    if (rc == 0)
        arrival_survey(in, &a);
    for (size_t i = 0; i < a.known.count && rc == 0; i++)
        if (a.known.stays[i]->stay.gone_ns == 0)
            rc = arrival_other(in, &a, a.known.stays[i]);
    if (rc < 0)
        return rc;
    struct stored_stay *stored = stay_begin(in, part, id, a.latest);
    if (!stored)
        return -ENOMEM;
    stored->stay.is_duplicate = a.together != NULL;
    return arrival_change(in, &a, &stored->stay);
}

/* ---- a part that is missing ---- */

/* One of two with the same number: the other is it, and had moved there where both were
 * not seen at once. */
static int duplicate_leaves(struct part_compare *in, struct stored_stay *stored,
                            bool *ret_has_moved, struct err *err)
{
    struct part_stay *gone = &stored->stay;
    struct stay_list known = { 0 };
    struct stored_stay *left = NULL;
    size_t count = 0;
    int rc = stay_list_of_part(in->reader, gone->cluster, gone->part, in->arena, &known,
                               err);
    for (size_t i = 0; i < known.count; i++) {
        struct part_stay *stay = &known.stays[i]->stay;
        if (stay->gone_ns == 0 &&
            !(span_eq(stay->host, gone->host) && span_eq(stay->slot, gone->slot))) {
            left = known.stays[i];
            count++;
        }
    }
    if (rc < 0 || count != 1)
        return rc;
    left->stay.is_duplicate = false;
    rc = other_add(in, left);
    if (rc == 0 && left->stay.first_ns > gone->last_ns) {
        *ret_has_moved = true;
        rc = change_add(in, &left->stay, "moved", slot_text(in, gone),
                        slot_text(in, &left->stay));
    }
    return rc;
}

static int stay_leaves(struct part_compare *in, struct stored_stay *stored,
                       struct err *err)
{
    struct part_stay *stay = &stored->stay;
    bool has_moved = false;
    int rc = stay->is_duplicate ? duplicate_leaves(in, stored, &has_moved, err) : 0;
    uintptr_t *at = map_at(in, &in->arrived, stay->class_name, stay->slot);
    if (rc < 0 || !at)
        return rc < 0 ? rc : -ENOMEM;
    const struct node_part *part = *at ? &in->report->parts[*at - 1] : NULL;
    stay_close(in, stored, has_moved ? "moved" : part ? "replaced" : "gone");
    stay->is_duplicate = false;
    if (has_moved)
        return 0;
    return change_add(in, stay, part ? "replaced" : "gone",
                      serial_or_model(stay->serial, stay->model),
                      part ? serial_or_model(part->serial, part->model) : SPAN(""));
}

static bool is_read(const struct part_compare *in, struct span class_name)
{
    enum part_class class;
    return part_class_parse(class_name, &class) < 0 ||
           !(in->report->unread & 1U << class);
}

static int missing_leave(struct part_compare *in, size_t stored_count, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < stored_count && rc == 0; i++) {
        struct stored_stay *stored = in->stays.stays[i];
        if (stored->stay.gone_ns == 0 && !stored->is_seen &&
            is_read(in, stored->stay.class_name))
            rc = stay_leaves(in, stored, err);
    }
    return rc;
}

/* ---- a report ---- */

static struct span id_make(struct part_compare *in, const struct node_part *part)
{
    struct span class_name = span_of(part_class_name(part->class));
    if (has_identity(part))
        return text_join(in, class_name, ' ', part->serial);
    struct span at = text_join(in, SPAN(""), '@', in->report->host);
    struct span stay = at.data ? text_join(in, at, ' ', part->slot) : at;
    return stay.data ? text_join(in, class_name, ' ', stay) : stay;
}

/* A number that two parts of one node have is none. */
static int ids_make(struct part_compare *in)
{
    const struct node_inventory *report = in->report;
    in->ids = arena_alloc(in->arena, (report->part_count + 1) * sizeof *in->ids);
    if (!in->ids)
        return -ENOMEM;
    for (size_t i = 0; i < report->part_count; i++) {
        in->ids[i] = id_make(in, &report->parts[i]);
        uintptr_t *count =
            in->ids[i].data ? hashmap_put(&in->id_counts, in->ids[i], NULL) : NULL;
        uintptr_t *at =
            map_at(in, &in->arrived, span_of(part_class_name(report->parts[i].class)),
                   report->parts[i].slot);
        if (!count || !at)
            return -ENOMEM;
        ++*count;
        *at = i + 1;
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const uintptr_t *count = hashmap_get(&in->id_counts, in->ids[i]);
        struct node_part nameless = report->parts[i];
        nameless.serial = SPAN("");
        if (count && *count > 1)
            in->ids[i] = id_make(in, &nameless);
        if (!in->ids[i].data)
            return -ENOMEM;
    }
    return 0;
}

int part_compare_begin(struct part_compare *in)
{
    for (size_t i = 0; i < in->stays.count; i++) {
        struct stored_stay *stored = in->stays.stays[i];
        const struct part_stay *stay = &stored->stay;
        /* One that another host reported as its own is no report of this one. */
        bool is_of_host =
            stay->gone_ns > stay->last_ns && !span_is(stay->gone_why, "moved");
        int64_t seen_ns = is_of_host ? stay->gone_ns : stay->last_ns;
        in->last_ns = seen_ns > in->last_ns ? seen_ns : in->last_ns;
        if (stay->gone_ns > 0)
            continue;
        uintptr_t *at = map_at(in, &in->there, stay->part, stay->slot);
        if (!at)
            return -ENOMEM;
        *at = (uintptr_t)stored;
    }
    return 0;
}

int part_compare_run(struct part_compare *in, struct err *err)
{
    size_t stored_count = in->stays.count;
    int rc = ids_make(in);
    for (size_t i = 0; i < in->report->part_count && rc == 0; i++) {
        const struct node_part *part = &in->report->parts[i];
        const uintptr_t *at = map_at(in, &in->there, in->ids[i], part->slot);
        rc = !at   ? -ENOMEM
             : *at ? part_stays(in, (struct stored_stay *)*at, part)
                   : part_arrives(in, part, in->ids[i], err);
    }
    return rc < 0 ? rc : missing_leave(in, stored_count, err);
}
