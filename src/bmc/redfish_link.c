/* SPDX-License-Identifier: Apache-2.0 */
/* redfish_link - whether a link in a BMC's document is one that may be followed. */
#include "bmc/redfish_link.h"

#include "base/span.h"

#define ROOT "/redfish/"

static bool has_odd_byte(struct span link)
{
    for (size_t i = 0; i < link.size; i++) {
        unsigned char byte = (unsigned char)link.data[i];
        if (byte <= ' ' || byte >= 0x7F || byte == '\\' || byte == '#')
            return true;
    }
    return false;
}

/* Of the path alone, without its query. */
static const char *form_check(struct span path)
{
    if (memmem(path.data, path.size, "/../", 4) || span_ends(path, "/..") ||
        memmem(path.data, path.size, "//", 2) || memchr(path.data, '%', path.size))
        return "its path is not in one form";
    return NULL;
}

const char *bmc_path_check(struct span link)
{
    struct span path, query = link;
    if (link.size == 0)
        return "it is empty";
    if (link.size >= REDFISH_LINK_BYTES)
        return "it is longer than 255 bytes";
    if (has_odd_byte(link))
        return "it has a byte that no path has";
    (void)span_cut(&query, '?', &path);
    if (!span_starts(path, "/"))
        return "it does not begin with /";
    return form_check(path);
}

const char *redfish_link_check(struct span link)
{
    struct span path = link, query = link;
    if (memmem(link.data, link.size, "://", 3) || span_starts(link, "//"))
        return "it leads to another host";
    const char *why = bmc_path_check(link);
    (void)span_cut(&query, '?', &path);
    if (link.size > 0 && link.size < REDFISH_LINK_BYTES && !has_odd_byte(link) &&
        !span_starts(path, ROOT))
        return "it is not below " ROOT;
    return why;
}
