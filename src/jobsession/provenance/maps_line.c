/* SPDX-License-Identifier: Apache-2.0 */
/* maps_line - a line of /proc/PID/maps: a piece of a file in a process's memory. */
#include "jobsession/provenance/maps_line.h"

#include "base/number.h"
#include "base/span.h"

bool maps_path_is_deleted(struct span *path)
{
    static const char word[] = " (deleted)";
    if (!span_ends(*path, word))
        return false;
    path->size -= sizeof word - 1;
    return true;
}

/* The kernel escapes the line end alone, and not the backslash. */
void maps_path_print(struct span path, struct strbuf *out)
{
    while (path.size > 0) {
        bool is_end = span_starts(path, "\\012");
        strbuf_addc(out, is_end ? '\n' : path.data[0]);
        path = span_skip(path, is_end ? 4 : 1);
    }
}

bool maps_line_parse(struct span line, struct maps_line *ret)
{
    struct span range, mode, offset, device, inode;
    struct maps_line got = { 0 };
    if (!span_cut(&line, ' ', &range) || !span_cut(&line, ' ', &mode) ||
        !span_cut(&line, ' ', &offset) || !span_cut(&line, ' ', &device) ||
        !span_cut(&line, ' ', &inode) || mode.size != 4 ||
        number_parse_u64(inode, &got.inode) < 0 || got.inode == 0 ||
        got.inode > INT64_MAX)
        return false;
    while (line.size > 0 && line.data[0] == ' ')
        line = span_skip(line, 1);
    got.path = line;
    got.is_deleted = maps_path_is_deleted(&got.path);
    if (got.path.size == 0 || got.path.data[0] != '/')
        return false;
    got.is_executed = mode.data[2] == 'x';
    got.is_written = mode.data[1] == 'w' && mode.data[3] == 's';
    *ret = got;
    return true;
}
