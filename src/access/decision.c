/* SPDX-License-Identifier: Apache-2.0 */
/* decision - whether a client may do something. */
#include "access/decision.h"

#include "base/span.h"

static bool is_account_of(const struct access_client *client, struct span account)
{
    for (size_t i = 0; i < client->account_count; i++)
        if (span_eq(client->accounts[i], account))
            return true;
    return false;
}

/* What the record does not state belongs to no client. */
static bool is_equal_text(struct span own, struct span stated)
{
    return stated.size > 0 && span_eq(own, stated);
}

/* By the person's own name or number. */
static bool is_owner(const struct access_client *client,
                     const struct access_owner *owner)
{
    if (client->cluster.size > 0 && !span_eq(client->cluster, owner->cluster))
        return false;
    return is_equal_text(client->user, owner->user) ||
           is_equal_text(client->uid, owner->uid);
}

static bool is_other(struct span own, struct span stated)
{
    return own.size > 0 && stated.size > 0 && !span_eq(own, stated);
}

/* Names and numbers are given to other people again, and two clusters may count their
 * users otherwise: where both have both, both have to be hers. */
static bool is_surely_owner(const struct access_client *client,
                            const struct access_owner *owner)
{
    return is_owner(client, owner) && !is_other(client->user, owner->user) &&
           !is_other(client->uid, owner->uid);
}

static bool owns(const struct access_client *client, const struct access_owner *owner)
{
    if (client->cluster.size > 0 && !span_eq(client->cluster, owner->cluster))
        return false;
    return is_owner(client, owner) ||
           (client->roles & NET_ROLE_MANAGER && owner->account.size > 0 &&
            is_account_of(client, owner->account));
}

enum access_verdict access_decide(const struct access_client *client,
                                  enum access_action action,
                                  const struct access_object *object)
{
    const unsigned roles = client->roles;
    const bool reads_all = roles & (NET_ROLE_READER | NET_ROLE_ADMIN);
    const bool is_user = roles & NET_ROLE_USER && access_client_is_person(client);
    bool is_permitted = false;
    switch (action) {
    case ACCESS_CALL:
        is_permitted = object->roles == 0 || roles & (object->roles | NET_ROLE_ADMIN);
        break;
    case ACCESS_READ_TOTALS:
        is_permitted = reads_all || is_user;
        break;
    case ACCESS_READ_OWN:
        is_permitted = access_client_is_person(client) && object->owner &&
                       is_surely_owner(client, object->owner);
        break;
    case ACCESS_READ_PRIVATE:
        is_permitted = roles & NET_ROLE_ADMIN ||
                       (access_client_is_person(client) && object->owner &&
                        is_surely_owner(client, object->owner));
        break;
    case ACCESS_READ_PERSON:
        is_permitted = roles & (NET_ROLE_ADMIN | NET_ROLE_SUPPORT) ||
                       (is_user && object->owner &&
                        (is_equal_text(client->user, object->owner->user) ||
                         is_equal_text(client->uid, object->owner->uid)));
        break;
    case ACCESS_READ_JOB:
        if (is_user && !reads_all && !object->owner)
            return ACCESS_PARTLY;
        is_permitted =
            reads_all || (is_user && object->owner && owns(client, object->owner));
        break;
    }
    return is_permitted ? ACCESS_PERMITTED : ACCESS_DENIED;
}
