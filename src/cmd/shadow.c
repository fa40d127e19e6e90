/* SPDX-License-Identifier: Apache-2.0 */
/* shadow - one question to two stores, and where their answers differ. */
#include "cmd/shadow.h"

#include "base/json_reader.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ITEMS_MAX 10000
/* {"results": [[{"data": [1]}]]} */
#define LIST_DEPTH 2
#define ITEM_DEPTH 3
#define FIELD_DEPTH 4
#define VALUE_DEPTH 5

enum field {
    FIELD_NONE,
    FIELD_DATA,
    FIELD_FROM,
    FIELD_STEP,
    FIELD_ERROR,
};

struct reading {
    struct shadow_answer *answer;
    bool is_results;
    size_t place; /* in the list of one query */
    enum field field;
};

void shadow_answer_done(struct shadow_answer *answer)
{
    free(answer->items);
    free(answer->values);
    *answer = (struct shadow_answer){ 0 };
}

static int add_item(struct shadow_answer *a)
{
    if (a->item_count == ITEMS_MAX)
        return -EMSGSIZE;
    if (a->item_count == a->item_capacity) {
        size_t capacity = 2 * a->item_capacity + 64;
        struct shadow_item *items = realloc(a->items, capacity * sizeof *items);
        if (!items)
            return -ENOMEM;
        a->items = items;
        a->item_capacity = capacity;
    }
    a->items[a->item_count++] = (struct shadow_item){ .first = a->value_count };
    return 0;
}

static int add_value(struct shadow_answer *a, double value)
{
    if (a->value_count == SHADOW_POINTS_MAX)
        return -EMSGSIZE;
    if (a->value_count == a->value_capacity) {
        size_t capacity = 2 * a->value_capacity + 1024;
        double *values = realloc(a->values, capacity * sizeof *values);
        if (!values)
            return -ENOMEM;
        a->values = values;
        a->value_capacity = capacity;
    }
    a->values[a->value_count++] = value;
    a->items[a->item_count - 1].count++;
    return 0;
}

static enum field field_of(struct span key)
{
    return span_is(key, "data")         ? FIELD_DATA
           : span_is(key, "from")       ? FIELD_FROM
           : span_is(key, "resolution") ? FIELD_STEP
           : span_is(key, "error")      ? FIELD_ERROR
                                        : FIELD_NONE;
}

static int take_number(struct reading *r, struct span text, unsigned depth)
{
    struct shadow_item *item = &r->answer->items[r->answer->item_count - 1];
    double value;
    if (depth == VALUE_DEPTH && r->field == FIELD_DATA)
        return number_parse_double(text, &value) < 0 ? -EBADMSG
                                                     : add_value(r->answer, value);
    if (depth == FIELD_DEPTH && r->field == FIELD_FROM)
        return number_parse_i64(text, &item->from_s) < 0 ? -EBADMSG : 0;
    if (depth == FIELD_DEPTH && r->field == FIELD_STEP)
        return number_parse_i64(text, &item->step_s) < 0 ? -EBADMSG : 0;
    return 0;
}

static int take_in_item(struct reading *r, enum json_event event, struct span text,
                        unsigned depth)
{
    struct shadow_item *item = &r->answer->items[r->answer->item_count - 1];
    if (event == JSON_KEY && depth == ITEM_DEPTH)
        r->field = field_of(text);
    else if (event == JSON_NUMBER)
        return take_number(r, text, depth);
    else if (event == JSON_NULL && depth == VALUE_DEPTH && r->field == FIELD_DATA)
        return add_value(r->answer, NAN);
    else if (event == JSON_STRING && depth == FIELD_DEPTH && r->field == FIELD_ERROR)
        (void)snprintf(item->error, sizeof item->error, SPAN_FMT, SPAN_ARG(text));
    return 0;
}

static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct reading *r = arg;
    if (event == JSON_KEY && depth == 0)
        r->is_results = span_is(text, "results");
    if (!r->is_results || depth < LIST_DEPTH)
        return 0;
    if (event == JSON_ARRAY && depth == LIST_DEPTH) {
        r->place = 0;
        return add_item(r->answer);
    }
    if (r->answer->item_count == 0)
        return -EBADMSG;
    if (event == JSON_OBJECT && depth == ITEM_DEPTH) {
        r->answer->items[r->answer->item_count - 1].is_there = true;
        r->field = FIELD_NONE;
        r->place++;
        return 0;
    }
    return r->place == 1 ? take_in_item(r, event, text, depth) : 0;
}

int shadow_answer_parse(struct span json, struct shadow_answer *ret, struct err *err)
{
    struct reading r = { .answer = ret };
    ret->item_count = ret->value_count = 0;
    int rc = json_read(json, take_event, &r, err);
    if (rc == -EBADMSG && err && !err->text[0])
        return err_set(err, EBADMSG, "an answer that is none of /api/query");
    return rc;
}

/* ---- comparing ---- */

static bool is_near(double a, double b, const struct shadow_tolerance *t)
{
    double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return fabs(a - b) <= t->absolute + t->relative * size;
}

static void note(struct shadow_difference *d, int64_t t_s, double ours, double theirs)
{
    if (d->only_ours + d->only_theirs + d->differing > 0)
        return;
    d->first_s = t_s;
    d->ours = ours;
    d->theirs = theirs;
}

/* The point of an item that is nearest to a time; NaN: none within half a step.  One
 * that is just half a step away belongs to the time before it, whoever looks. */
static double find_near(const struct shadow_answer *a, const struct shadow_item *item,
                        int64_t t_s, int64_t bias_s)
{
    int64_t distance_s = t_s - item->from_s + bias_s;
    if (item->step_s <= 0 || distance_s < 0 ||
        (uint64_t)(distance_s / item->step_s) >= item->count)
        return NAN;
    return a->values[item->first + (size_t)(distance_s / item->step_s)];
}

static const struct shadow_item *item_at(const struct shadow_answer *a, size_t index)
{
    static const struct shadow_item none;
    return index < a->item_count ? &a->items[index] : &none;
}

static int64_t time_at(const struct shadow_item *item, size_t i)
{
    return item->from_s + (int64_t)i * item->step_s;
}

void shadow_compare(const struct shadow_answer *ours,
                    const struct shadow_answer *theirs, size_t index,
                    const struct shadow_tolerance *tolerance,
                    struct shadow_difference *ret)
{
    const struct shadow_item *mine = item_at(ours, index);
    const struct shadow_item *other = item_at(theirs, index);
    struct shadow_difference d = { 0 };
    for (size_t i = 0; i < mine->count; i++) {
        double a = ours->values[mine->first + i];
        double b = find_near(theirs, other, time_at(mine, i), other->step_s / 2);
        if (isnan(a))
            continue;
        d.compared += !isnan(b);
        if (isnan(b) || !is_near(a, b, tolerance))
            note(&d, time_at(mine, i), a, b);
        d.only_ours += isnan(b);
        d.differing += !isnan(b) && !is_near(a, b, tolerance);
    }
    for (size_t i = 0; i < other->count; i++) {
        double b = theirs->values[other->first + i];
        if (isnan(b) ||
            !isnan(find_near(ours, mine, time_at(other, i), (mine->step_s - 1) / 2)))
            continue;
        note(&d, time_at(other, i), NAN, b);
        d.only_theirs++;
    }
    d.is_shifted = d.compared > 0 && other->step_s > 0 &&
                   (other->from_s - mine->from_s) % other->step_s != 0;
    *ret = d;
}
