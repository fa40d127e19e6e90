/* SPDX-License-Identifier: Apache-2.0 */
/* login_message - what barod sends to the helper that checks passwords, and gets back.
 */
#include "signin/login_message.h"

#include "base/number.h"
#include "base/span.h"
#include "net/token/token.h"

#include <errno.h>
#include <string.h>

static const char *const verdict_names[] = { "ok", "denied", "expired", "unavailable" };

static bool is_field(struct span text, size_t size_max)
{
    return text.size <= size_max &&
           (text.size == 0 || !memchr(text.data, 0, text.size));
}

static void add_field(struct strbuf *out, struct span text)
{
    strbuf_add(out, text.data, text.size);
    strbuf_addc(out, '\0');
}

int login_question_print(const struct login_question *question, struct strbuf *out)
{
    bool is_good = is_field(question->address, LOGIN_ADDRESS_MAX) &&
                   is_field(question->user, LOGIN_USER_MAX) &&
                   is_field(question->password, LOGIN_PASSWORD_MAX) &&
                   question->group_count <= LOGIN_GROUPS_MAX;
    for (size_t i = 0; is_good && i < question->group_count; i++)
        is_good = is_field(question->groups[i], LOGIN_USER_MAX);
    if (!is_good)
        return -EINVAL;
    add_field(out, SPAN("1"));
    add_field(out, question->address);
    add_field(out, question->user);
    add_field(out, question->password);
    for (size_t i = 0; i < question->group_count; i++)
        add_field(out, question->groups[i]);
    return strbuf_error(out);
}

/* Up to the next NUL, which must be there. */
static bool cut_field(struct span *rest, size_t size_max, struct span *ret)
{
    const char *end = rest->size ? memchr(rest->data, 0, rest->size) : NULL;
    if (!end || (size_t)(end - rest->data) > size_max)
        return false;
    *ret = (struct span){ rest->data, (size_t)(end - rest->data) };
    *rest = span_skip(*rest, ret->size + 1);
    return true;
}

int login_question_parse(struct span text, struct login_question *ret)
{
    struct login_question question = { 0 };
    struct span version;
    if (!cut_field(&text, 8, &version) || !span_is(version, "1") ||
        !cut_field(&text, LOGIN_ADDRESS_MAX, &question.address) ||
        !cut_field(&text, LOGIN_USER_MAX, &question.user) ||
        !cut_field(&text, LOGIN_PASSWORD_MAX, &question.password))
        return -EBADMSG;
    while (text.size > 0) {
        if (question.group_count == LOGIN_GROUPS_MAX ||
            !cut_field(&text, LOGIN_USER_MAX, &question.groups[question.group_count]))
            return -EBADMSG;
        question.group_count++;
    }
    *ret = question;
    return 0;
}

void login_result_print(const struct login_result *result, struct strbuf *out)
{
    strbuf_addf(out, "%s %d %x %s\n", verdict_names[result->verdict],
                (int)result->is_known, result->groups, result->user);
}

static bool parse_groups(struct span text, uint32_t *ret)
{
    uint32_t value = 0;
    if (text.size == 0 || text.size > 8)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && !(c >= 'a' && c <= 'f'))
            return false;
        value = value << 4 | (uint32_t)(is_digit ? c - '0' : c - 'a' + 10);
    }
    *ret = value;
    return true;
}

int login_result_parse(struct span text, struct login_result *ret)
{
    struct login_result result = { .verdict = _LOGIN_VERDICT_COUNT };
    struct span word, known, groups;
    if (text.size == 0 || text.size > LOGIN_RESPONSE_BYTES_MAX ||
        text.data[text.size - 1] != '\n')
        return -EBADMSG;
    text.size--;
    if (!span_cut(&text, ' ', &word) || !span_cut(&text, ' ', &known) ||
        !span_cut(&text, ' ', &groups) || !parse_groups(groups, &result.groups) ||
        !(span_is(known, "0") || span_is(known, "1")))
        return -EBADMSG;
    for (int i = 0; i < _LOGIN_VERDICT_COUNT; i++)
        if (span_is(word, verdict_names[i]))
            result.verdict = (enum login_verdict)i;
    bool is_ok = result.verdict == LOGIN_OK;
    if (result.verdict == _LOGIN_VERDICT_COUNT || text.size > LOGIN_USER_MAX ||
        (is_ok && !token_is_name(text, LOGIN_USER_MAX)))
        return -EBADMSG;
    result.is_known = span_is(known, "1");
    memcpy(result.user, text.data, text.size);
    result.user[text.size] = '\0';
    if (memchr(result.user, 0, text.size))
        return -EBADMSG;
    *ret = result;
    return 0;
}
