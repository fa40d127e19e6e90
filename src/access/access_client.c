/* SPDX-License-Identifier: Apache-2.0 */
/* access_client - who makes a request. */
#include "access/access_client.h"

#include "base/number.h"

unsigned access_roles_expand(unsigned roles)
{
    if (roles & NET_ROLE_API)
        roles |= NET_ROLE_SCHEDULER;
    if (roles & (NET_ROLE_SCHEDULER | NET_ROLE_SUPPORT))
        roles |= NET_ROLE_READER;
    if (roles & NET_ROLE_MANAGER)
        roles |= NET_ROLE_USER;
    return roles;
}

const char *access_roles_name(unsigned roles)
{
    static const enum net_role by_weight[] = {
        NET_ROLE_ADMIN,  NET_ROLE_API,     NET_ROLE_SCHEDULER, NET_ROLE_SUPPORT,
        NET_ROLE_READER, NET_ROLE_MANAGER, NET_ROLE_USER,      NET_ROLE_AGENT,
    };
    for (size_t i = 0; i < COUNT_OF(by_weight); i++)
        if (roles & by_weight[i])
            return net_role_name(by_weight[i]);
    return net_role_name(NET_ROLE_NONE);
}

void access_roles_list(unsigned roles, struct strbuf *out)
{
    static const enum net_role all[] = {
        NET_ROLE_USER,      NET_ROLE_MANAGER, NET_ROLE_READER, NET_ROLE_SUPPORT,
        NET_ROLE_SCHEDULER, NET_ROLE_API,     NET_ROLE_AGENT,  NET_ROLE_ADMIN,
    };
    const char *comma = "";
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (!(access_roles_expand(all[i]) & (roles | NET_ROLE_ADMIN)))
            continue;
        strbuf_addf(out, "%s%s", comma, net_role_name(all[i]));
        comma = ", ";
    }
}

bool access_client_is_person(const struct access_client *client)
{
    return client->user.size > 0 || client->uid.size > 0;
}
