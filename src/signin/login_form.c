/* SPDX-License-Identifier: Apache-2.0 */
/* login_form - what a browser submits to sign in, and the page it does it on. */
#include "signin/login_form.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

/* ---- the form ---- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Errors: -EINVAL; what was decoded is erased. */
static int value_decode(struct span text, char *out, size_t size_max)
{
    size_t size = 0;
    bool is_good = true;
    for (size_t i = 0; is_good && i < text.size; i++) {
        char c = text.data[i];
        if (c == '+') {
            c = ' ';
        } else if (c == '%' && text.size - i > 2) {
            int high = digit_of(text.data[i + 1]), low = digit_of(text.data[i + 2]);
            c = (char)(high < 0 || low < 0 ? 0 : high << 4 | low);
            i += 2;
        } else if (c == '%') {
            c = '\0';
        }
        is_good = c != '\0' && size < size_max;
        if (is_good)
            out[size++] = c;
    }
    out[size] = '\0';
    if (is_good)
        return 0;
    explicit_bzero(out, size_max);
    return -EINVAL;
}

int login_form_parse(struct span text, struct login_form *ret, struct err *err)
{
    const struct {
        const char *name;
        char *value;
        size_t size_max;
    } fields[] = {
        { "user", ret->user, sizeof ret->user - 1 },
        { "password", ret->password, sizeof ret->password - 1 },
        { "form", ret->secret, sizeof ret->secret - 1 },
        { "next", ret->next, sizeof ret->next - 1 },
    };
    bool was_seen[COUNT_OF(fields)] = { false };
    bool has_more = text.size > 0;
    *ret = (struct login_form){ 0 };
    while (has_more) {
        struct span pair, name;
        has_more = span_cut(&text, '&', &pair);
        if (!span_cut(&pair, '=', &name))
            continue;
        for (size_t i = 0; i < COUNT_OF(fields); i++) {
            if (!span_is(name, fields[i].name))
                continue;
            if (was_seen[i] ||
                value_decode(pair, fields[i].value, fields[i].size_max) < 0) {
                explicit_bzero(ret, sizeof *ret);
                return err_set(err, EINVAL,
                               "%s: twice, over %zu bytes, or not encoded as a form is",
                               fields[i].name, fields[i].size_max);
            }
            was_seen[i] = true;
        }
    }
    if (!login_next_is_ours(span_of(ret->next)))
        ret->next[0] = '\0';
    return 0;
}

bool login_next_is_ours(struct span path)
{
    if (!span_starts(path, "/v1/") || path.size > LOGIN_NEXT_MAX)
        return false;
    for (size_t i = 0; i < path.size; i++) {
        unsigned char c = (unsigned char)path.data[i];
        if (c <= ' ' || c >= 0x7f || strchr("\\\"'<>", c))
            return false;
    }
    return true;
}

void login_name_fold(const char *name, char out[static LOGIN_USER_MAX + 1])
{
    size_t size = 0;
    for (; size < LOGIN_USER_MAX && name[size]; size++) {
        char c = name[size];
        out[size] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    out[size] = '\0';
}

bool login_name_is_same(const char *a, const char *b)
{
    char folded_a[LOGIN_USER_MAX + 1], folded_b[LOGIN_USER_MAX + 1];
    login_name_fold(a, folded_a);
    login_name_fold(b, folded_b);
    return strcmp(folded_a, folded_b) == 0;
}

bool login_secret_is(const char *own, struct span other)
{
    size_t size = strlen(own);
    return size == LOGIN_SECRET_SIZE - 1 && other.size == size &&
           CRYPTO_memcmp(own, other.data, size) == 0;
}

/* ---- the page ---- */

const char login_page_policy[] =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'";

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Sign in - Barograph</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--ground:#fff;--line:#8a929c;"
    "--accent:#0b5cad;--bad:#a4161a}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--ground:#14171a;"
    "--line:#7b848e;--accent:#7ab8ff;--bad:#ff8a80}}\n"
    "body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);"
    "background:var(--ground)}\n"
    "main{max-width:22rem;margin:12vh auto 2rem;padding:0 1rem}\n"
    "h1{font-size:1.4rem;margin:0 0 1rem}\n"
    "label{display:block;margin:0 0 1rem}\n"
    "input,button{box-sizing:border-box;width:100%;font:inherit;padding:.6rem .7rem;"
    "border:1px solid var(--line);border-radius:4px;color:inherit;background:inherit}\n"
    "button{background:var(--accent);border-color:var(--accent);color:var(--ground);"
    "font-weight:600;cursor:pointer}\n"
    "input:focus-visible,button:focus-visible{outline:3px solid var(--accent);"
    "outline-offset:2px}\n"
    ".bad{color:var(--bad)}\n"
    "</style>\n</head>\n<body>\n<main>\n<h1>Barograph</h1>\n";

static void text_print(struct strbuf *out, struct span text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        switch (c) {
        case '&':
            strbuf_adds(out, "&amp;");
            break;
        case '<':
            strbuf_adds(out, "&lt;");
            break;
        case '>':
            strbuf_adds(out, "&gt;");
            break;
        case '"':
            strbuf_adds(out, "&quot;");
            break;
        case '\'':
            strbuf_adds(out, "&#39;");
            break;
        default:
            strbuf_addc(out, c);
        }
    }
}

static void signed_in_print(const struct login_page *page, struct strbuf *out)
{
    strbuf_adds(out, "<p>Signed in as <strong>");
    text_print(out, page->user);
    strbuf_addf(out, "</strong> (%s)", page->roles);
    if (*page->expires)
        strbuf_addf(out, " until %s", page->expires);
    strbuf_adds(out, ".</p>\n<form method=\"post\" action=\"/v1/logout\">\n"
                     "<button>Sign out</button>\n</form>\n");
}

static void form_print(const struct login_page *page, struct strbuf *out)
{
    if (page->message)
        strbuf_addf(out, "<p class=\"bad\" role=\"alert\">%s</p>\n", page->message);
    strbuf_addf(out,
                "<form method=\"post\" action=\"/v1/login\">\n"
                "<input type=\"hidden\" name=\"form\" value=\"%s\">\n"
                "<input type=\"hidden\" name=\"next\" value=\"",
                page->secret);
    text_print(out, page->next);
    strbuf_addf(
        out,
        "\">\n<label>User name\n<input name=\"user\" autocomplete=\"username\" "
        "autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"%d\" required "
        "autofocus></label>\n"
        "<label>Password\n<input type=\"password\" name=\"password\" "
        "autocomplete=\"current-password\" maxlength=\"%d\" required></label>\n"
        "<button>Sign in</button>\n</form>\n",
        LOGIN_USER_MAX, LOGIN_PASSWORD_MAX);
}

void login_page_print(const struct login_page *page, struct strbuf *out)
{
    strbuf_adds(out, head);
    if (page->user.size > 0)
        signed_in_print(page, out);
    else
        form_print(page, out);
    strbuf_adds(out, "</main>\n</body>\n</html>\n");
}
