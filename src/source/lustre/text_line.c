/* SPDX-License-Identifier: Apache-2.0 */
/* text_line - what a line of a text from lctl is, by its look alone. */
#include "source/lustre/text_line.h"

#include "base/cleanup.h"
#include "base/span.h"

#define PARAM_NAME_BYTES_MAX 256
#define JOB_STATS ".job_stats"

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.';
}

static size_t count_blanks(struct span s)
{
    size_t n = 0;
    while (n < s.size && (s.data[n] == ' ' || s.data[n] == '\t'))
        n++;
    return n;
}

bool text_line_field(struct span line, struct text_field *ret)
{
    struct span s = span_skip(line, count_blanks(line));
    size_t n = 0;
    while (n < s.size && is_name_byte(s.data[n]))
        n++;
    struct span name = { s.data, n };
    s = span_skip(s, n);
    size_t blanks = count_blanks(s);
    s = span_skip(s, blanks);
    if (n == 0 || s.size == 0 || *s.data != ':')
        return false;
    s = span_skip(s, 1);
    ret->name = name;
    ret->blank_before_colon = blanks > 0;
    ret->value = span_skip(s, count_blanks(s));
    return true;
}

bool text_line_field_is_op(const struct text_field *field)
{
    return field->value.size > 0 && *field->value.data == '{';
}

/* Names hold the addresses of clients, too: "exports.10.0.0.1@tcp.uuid". */
static bool is_param_byte(char c)
{
    return is_name_byte(c) || c == '@' || c == ':' || c == '+' || c == '*' || c == '/';
}

bool text_line_param(struct span line, struct span *ret_name, struct span *ret_value)
{
    size_t n = 0;
    while (n < line.size && n < PARAM_NAME_BYTES_MAX && is_param_byte(line.data[n]))
        n++;
    if (n == 0 || n == line.size || line.data[n] != '=')
        return false;
    *ret_name = (struct span){ line.data, n };
    *ret_value = span_skip(line, n + 1);
    return true;
}

bool text_line_is_job_stats(struct span name)
{
    if (!span_ends(name, JOB_STATS))
        return false;
    return memchr(name.data, '.', name.size - strlen(JOB_STATS)) != NULL;
}

bool text_line_target(struct span name, struct span *ret_target,
                      enum target_kind *ret_kind)
{
    struct span device, target = name;
    struct target_name parts;
    (void)span_cut(&target, '.', &device);
    target.size -= strlen(JOB_STATS);
    bool is_good = target.size <= TARGET_BYTES_MAX;
    for (size_t i = 0; is_good && i < target.size; i++)
        is_good = is_name_byte(target.data[i]);
    *ret_target = (struct span){ target.data, is_good ? target.size : 0 };
    if (span_is(device, "mdt")) {
        *ret_kind = TARGET_MDT;
        return true;
    }
    if (span_is(device, "obdfilter") || span_is(device, "ofd")) {
        *ret_kind = TARGET_OST;
        return true;
    }
    if (target_parse(*ret_target, &parts) < 0)
        return false;
    *ret_kind = parts.kind;
    return true;
}

bool text_line_is_other(struct span line)
{
    struct span s = span_trim(line);
    static const char *const words[] = { "healthy", "NOT HEALTHY", "LBUG" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (span_is(s, words[i]))
            return true;
    if (span_starts(s, "snapshot_time "))
        return span_ends(s, "secs.usecs") || span_ends(s, "secs.nsecs");
    return s.size > 0 && memmem(s.data, s.size, " samples [", strlen(" samples ["));
}
