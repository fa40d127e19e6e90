/* SPDX-License-Identifier: Apache-2.0 */
/* view - what a dataset changes in the environment of a command that selects it by a
 * name. */
#include "dataset/view/view.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SET "set"
#define PREPEND "prepend"

static int shown(struct span text)
{
    return (int)(text.size < 100 ? text.size : 100);
}

int view_name_check(struct span name, struct err *err)
{
    bool is_valid = name.size > 0 && name.size <= VIEW_NAME_MAX &&
                    name.data[0] != '-' && !span_is(name, "none");
    for (size_t i = 0; is_valid && i < name.size; i++)
        is_valid = name.data[i] && (isalnum((unsigned char)name.data[i]) ||
                                    strchr("._-+", name.data[i]));
    return is_valid ? 0
                    : err_set(err, EINVAL,
                              "view '%.*s': letters, digits and ._-+ only, at most %u "
                              "of them, and not 'none'",
                              shown(name), name.data, VIEW_NAME_MAX);
}

/* ---- variables ---- */

/* What makes every program of a command load or run something else than it states
 * (decision 0596), what a shell reads before it does anything, and what states for whom
 * a process runs, and in which job. */
static const char *const refused[] = {
    "LD_*",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "MALLOC_*",
    "HOSTALIASES",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "NIS_PATH",
    "RESOLV_*",
    "BASH_ENV",
    "ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "BASH_FUNC_*",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "ZDOTDIR",
    "IFS",
    "HOME",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "USER",
    "LOGNAME",
    "SHELL",
    "UID",
    "EUID",
    "PWD",
    "TMPDIR",
    "SLURM*",
    "SPANK*",
    "_SLURM*",
    "BARO_*",
    "SUDO_*",
    "SSH_*",
    "KRB5*",
    "XDG_RUNTIME_DIR",
};

static bool name_fits(struct span name, const char *pattern)
{
    size_t size = strlen(pattern);
    if (pattern[size - 1] == '*')
        return name.size >= size - 1 && memcmp(name.data, pattern, size - 1) == 0;
    return span_is(name, pattern);
}

static bool is_refused(struct span name)
{
    if (span_is(name, "LD_LIBRARY_PATH") || span_is(name, "LD_RUN_PATH"))
        return false;
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        if (name_fits(name, refused[i]))
            return true;
    return false;
}

static int variable_check(struct span name, struct err *err)
{
    bool is_valid = name.size > 0 && name.size <= VIEW_VARIABLE_MAX &&
                    !isdigit((unsigned char)name.data[0]);
    for (size_t i = 0; is_valid && i < name.size; i++)
        is_valid = isalnum((unsigned char)name.data[i]) || name.data[i] == '_';
    if (!is_valid)
        return err_set(err, EBADMSG,
                       "'%.*s' is not a name of a variable (letters, digits and _, at "
                       "most %u)",
                       shown(name), name.data, VIEW_VARIABLE_MAX);
    return is_refused(name) ? err_set(err, EPERM, "%.*s: no view may change this one",
                                      shown(name), name.data)
                            : 0;
}

static int value_check(const struct view_change *change, struct err *err)
{
    struct span value = change->value;
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if (c < ' ' || c == 0x7f)
            return err_set(err, EBADMSG, "%.*s: a byte that is no character",
                           shown(change->name), change->name.data);
        if (c != '%')
            continue;
        if (++i == value.size || (value.data[i] != 'm' && value.data[i] != '%'))
            return err_set(err, EBADMSG,
                           "%.*s: write %%m for where the dataset is mounted, %%%% for "
                           "a percent sign",
                           shown(change->name), change->name.data);
    }
    return change->is_prepend && value.size == 0
               ? err_set(err, EBADMSG, "%.*s: nothing to prepend", shown(change->name),
                         change->name.data)
               : 0;
}

/* ---- lines ---- */

static int change_read(struct span line, struct view_change *ret, struct err *err)
{
    struct view_change change = { 0 };
    struct span word, all = line;
    (void)span_cut(&line, ' ', &word);
    change.is_prepend = span_is(word, PREPEND);
    if ((!change.is_prepend && !span_is(word, SET)) || all.size > VIEW_LINE_MAX ||
        !memchr(line.data, '=', line.size))
        return err_set(err, EBADMSG, "'%.*s': write set or prepend, and VARIABLE=VALUE",
                       shown(all), all.data);
    (void)span_cut(&line, '=', &change.name);
    change.value = line;
    int rc = variable_check(change.name, err);
    if (rc == 0)
        rc = value_check(&change, err);
    if (rc == 0)
        *ret = change;
    return rc;
}

int view_next(struct span *text, struct view_change *ret, struct err *err)
{
    struct span rest = *text, line;
    if (rest.size == 0)
        return 0;
    if (!span_cut(&rest, '\n', &line))
        return err_set(err, EBADMSG, "a line of a view has no end");
    int rc = change_read(line, ret, err);
    if (rc < 0)
        return rc;
    *text = rest;
    return 1;
}

int view_check(struct span text, struct err *err)
{
    struct view_change change;
    unsigned count = 0;
    int rc = text.size > VIEW_TEXT_MAX ? -E2BIG : 1;
    while (rc > 0) {
        rc = view_next(&text, &change, err);
        count += rc > 0;
        if (count > VIEW_CHANGES_MAX)
            rc = -E2BIG;
    }
    if (rc == -E2BIG)
        return err_set(err, E2BIG, "a view has at most %u changes in %u bytes",
                       VIEW_CHANGES_MAX, VIEW_TEXT_MAX);
    return rc == 0 && count == 0 ? err_set(err, EBADMSG, "a view without a change")
                                 : rc;
}

int view_add(bool is_prepend, struct span assignment, char text[static VIEW_TEXT_MAX],
             size_t *size, struct err *err)
{
    const char *word = is_prepend ? PREPEND : SET;
    char line[VIEW_LINE_MAX + 2];
    struct view_change change;
    int length = assignment.size < VIEW_LINE_MAX
                     ? snprintf(line, sizeof line, "%s %.*s\n", word,
                                (int)assignment.size, assignment.data)
                     : (int)sizeof line;
    if ((size_t)length >= sizeof line || (size_t)length > VIEW_TEXT_MAX - *size)
        return err_set(err, E2BIG, "'%.*s': a line has at most %u bytes, a view %u",
                       shown(assignment), assignment.data, VIEW_LINE_MAX,
                       VIEW_TEXT_MAX);
    struct span rest = { line, (size_t)length };
    int rc = view_next(&rest, &change, err);
    if (rc > 0 && rest.size)
        rc = err_set(err, EBADMSG, "'%.*s': a line's end in a value", shown(assignment),
                     assignment.data);
    if (rc < 0)
        return rc;
    memcpy(text + *size, line, (size_t)length);
    *size += (size_t)length;
    return 0;
}

/* ---- values ---- */

/* False: it has no space for it, and a NUL. */
static bool value_put(char *out, size_t *used, const char *data, size_t size)
{
    if (size >= VIEW_VALUE_SIZE - *used)
        return false;
    memcpy(out + *used, data, size);
    *used += size;
    out[*used] = '\0';
    return true;
}

int view_value(const struct view_change *change, const char *mount, const char *old,
               char out[static VIEW_VALUE_SIZE], struct err *err)
{
    size_t used = 0;
    bool has_space = true;
    out[0] = '\0';
    for (size_t i = 0; has_space && i < change->value.size; i++) {
        const char *text = change->value.data;
        bool is_mount = text[i] == '%' && text[i + 1] == 'm';
        i += text[i] == '%'; /* another character is behind it: value_check() */
        has_space = is_mount ? value_put(out, &used, mount, strlen(mount))
                             : value_put(out, &used, &text[i], 1);
    }
    if (has_space && change->is_prepend && old && *old)
        has_space =
            value_put(out, &used, ":", 1) && value_put(out, &used, old, strlen(old));
    return has_space ? 0
                     : err_set(err, E2BIG, "%.*s: its value is too long",
                               shown(change->name), change->name.data);
}

int view_add_texts(char *const *texts, int count, char text[static VIEW_TEXT_MAX],
                   size_t *size, struct err *err)
{
    bool is_prepend = false, has_verb = false;
    int rc = 0;
    for (int i = 0; rc == 0 && i < count; i++) {
        bool is_verb = !strcmp(texts[i], "set") || !strcmp(texts[i], "prepend");
        if (!is_verb && !has_verb)
            return err_set(err, EINVAL, "'%s': write set or prepend first", texts[i]);
        has_verb = true;
        if (is_verb)
            is_prepend = texts[i][0] == 'p';
        else
            rc = view_add(is_prepend, span_of(texts[i]), text, size, err);
    }
    return rc;
}
