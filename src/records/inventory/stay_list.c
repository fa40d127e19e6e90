/* SPDX-License-Identifier: Apache-2.0 */
/* stay_list - stored places of a host's parts or of one part. */
#include "records/inventory/stay_list.h"

#include "base/span.h"
#include "records/records_private.h"
#include "records/submitted.h"

struct list_fill {
    struct stay_list *list;
    struct arena *arena;
};

static int texts_dup(struct part_stay *stay, struct arena *arena)
{
    struct span *const texts[] = { &stay->cluster,  &stay->part,     &stay->host,
                                   &stay->slot,     &stay->gone_why, &stay->class_name,
                                   &stay->vendor,   &stay->model,    &stay->serial,
                                   &stay->firmware, &stay->label };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        texts[i]->data = arena_dup(arena, *texts[i]);
        if (!texts[i]->data)
            return -ENOMEM;
    }
    return 0;
}

struct stored_stay *stay_list_add(struct stay_list *list, const struct part_stay *stay,
                                  struct arena *arena)
{
    struct stored_stay *added = arena_alloc(arena, sizeof *added);
    if (added && list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct stored_stay **grown = arena_alloc(arena, capacity * sizeof(void *));
        if (!grown)
            return NULL;
        if (list->count)
            memcpy(grown, list->stays, list->count * sizeof(void *));
        list->stays = grown;
        list->capacity = capacity;
    }
    if (!added)
        return NULL;
    added->stay = *stay;
    list->stays[list->count++] = added;
    return added;
}

static int on_stored_stay(void *arg, const struct scalar *row)
{
    const struct list_fill *fill = arg;
    struct part_stay stay;
    part_stay_of_row(row, &stay);
    if (texts_dup(&stay, fill->arena) < 0 ||
        !stay_list_add(fill->list, &stay, fill->arena))
        return -ENOMEM;
    return 0;
}

static int stays_read(struct records_reader *reader, const struct ledger_terms *terms,
                      size_t limit, struct arena *arena, struct stay_list *ret,
                      struct err *err)
{
    struct list_fill fill = { ret, arena };
    const struct ledger_query query = { .ledger = &ledger_part_stays,
                                        .terms = terms->terms,
                                        .term_count = terms->count,
                                        .order = "start_ns DESC, position, part",
                                        .limit = limit };
    int rc = ledger_read(reader, &query, on_stored_stay, &fill, err);
    for (size_t i = 0; rc == 0 && i < ret->count / 2; i++) {
        struct stored_stay *other = ret->stays[ret->count - 1 - i];
        ret->stays[ret->count - 1 - i] = ret->stays[i];
        ret->stays[i] = other;
    }
    return rc;
}

int stay_list_of_host(struct records_reader *reader, struct span cluster,
                      struct span host, struct arena *arena, struct stay_list *ret,
                      struct err *err)
{
    struct ledger_terms terms = { 0 };
    terms_add_text(&terms, "cluster = @", cluster);
    terms_add_text(&terms, "host = @", host);
    return stays_read(reader, &terms, RECORDS_STAYS_OF_HOST_MAX, arena, ret, err);
}

int stay_list_of_part(struct records_reader *reader, struct span cluster,
                      struct span part, struct arena *arena, struct stay_list *ret,
                      struct err *err)
{
    struct ledger_terms terms = { 0 };
    terms_add_text(&terms, "cluster = @", cluster);
    terms_add_text(&terms, "part = @", part);
    return stays_read(reader, &terms, RECORDS_STAYS_OF_PART_MAX, arena, ret, err);
}
