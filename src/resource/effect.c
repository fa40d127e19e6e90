/* SPDX-License-Identifier: Apache-2.0 */
/* effect - the one function that makes the health of a component out of what is stated.
 */
#include "resource/effect.h"

#include "base/span.h"

bool resource_is_opinion(const struct resource_statement *s)
{
    return resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_USER;
}

bool resource_is_worse(const struct resource_statement *a,
                       const struct resource_statement *b)
{
    if (a->health != b->health)
        return a->health > b->health;
    bool is_of_bmc = span_is(a->source, RESOURCE_SOURCE_BMC);
    if (a->health == RESOURCE_UNKNOWN &&
        is_of_bmc != span_is(b->source, RESOURCE_SOURCE_BMC))
        return is_of_bmc;
    return a->t_ns < b->t_ns;
}

int resource_decide(const struct resource_statement *statements, size_t count)
{
    int worst = -1;
    /* Drained, which administrators alone state, is the worst of all. */
    for (size_t i = 0; i < count; i++)
        if (!resource_is_opinion(&statements[i]) &&
            (worst < 0 || resource_is_worse(&statements[i], &statements[worst])))
            worst = (int)i;
    return worst;
}

bool resource_is_confirmed(const struct resource_statement *opinion,
                           const struct resource_statement *statements, size_t count)
{
    if (!resource_is_opinion(opinion) || opinion->health <= RESOURCE_UNKNOWN)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!resource_is_opinion(&statements[i]) &&
            statements[i].health >= opinion->health)
            return true;
    return false;
}

enum resource_health resource_of_part(enum resource_health part,
                                      enum resource_health down)
{
    switch (part) {
    case RESOURCE_DOWN:
        return down;
    case RESOURCE_DEGRADED:
    case RESOURCE_DRAINED:
        return down < RESOURCE_DEGRADED ? down : RESOURCE_DEGRADED;
    default:
        return RESOURCE_UP;
    }
}

enum resource_health resource_of_enclosure(enum resource_health enclosure,
                                           enum resource_health down)
{
    if (enclosure == RESOURCE_DRAINED)
        return RESOURCE_DRAINED;
    return enclosure == RESOURCE_DOWN ? down : RESOURCE_UP;
}

bool resource_is_usable(enum resource_health health)
{
    return health != RESOURCE_DOWN && health != RESOURCE_DRAINED;
}
