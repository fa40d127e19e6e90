/* SPDX-License-Identifier: Apache-2.0 */
/* hostset - sets of host names: "oss[01-08],mds1". */
#include "model/hostset.h"

#include "base/arena.h"
#include "base/number.h"
#include "base/span.h"

#include <stdint.h>

#define HOST_BYTES_MAX 255

struct hostset {
    struct arena arena; /* the names */
    const char **hosts;
    const char **sorted; /* the same names, for looking one up */
    size_t count, capacity;
};

/* One word being unfolded: what stands before the bracket that is worked on. */
struct unfold {
    struct hostset *set;
    struct span word; /* for messages */
    struct err *err;
    char name[HOST_BYTES_MAX + 1];
};

void hostset_free(struct hostset *set)
{
    if (!set)
        return;
    arena_done(&set->arena);
    free(set->hosts);
    free(set->sorted);
    free(set);
}

size_t hostset_count(const struct hostset *set)
{
    return set->count;
}

const char *hostset_at(const struct hostset *set, size_t index)
{
    return set->hosts[index];
}

static int name_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int host_compare(const void *key, const void *name)
{
    const struct span *host = key;
    struct span other = span_of(*(const char *const *)name);
    int rc = memcmp(host->data, other.data,
                    host->size < other.size ? host->size : other.size);
    return rc != 0 ? rc : (host->size > other.size) - (host->size < other.size);
}

bool hostset_has(const struct hostset *set, struct span host)
{
    if (host.size == 0)
        return false;
    return bsearch(&host, set->sorted, set->count, sizeof *set->sorted, host_compare) !=
           NULL;
}

static int host_add(struct hostset *set, struct span host)
{
    if (set->count == HOSTSET_HOSTS_MAX)
        return -E2BIG;
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? set->capacity * 2 : 16;
        void *grown = realloc(set->hosts, capacity * sizeof *set->hosts);
        if (!grown)
            return -ENOMEM;
        set->hosts = grown;
        set->capacity = capacity;
    }
    char *copy = arena_dup(&set->arena, host);
    if (!copy)
        return -ENOMEM;
    set->hosts[set->count++] = copy;
    return 0;
}

static int word_error(const struct unfold *u, const char *what)
{
    return err_set(u->err, EINVAL, "host set: '" SPAN_FMT "': %s", SPAN_ARG(u->word),
                   what);
}

static bool is_host_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_' || c == '.' || c == ':';
}

static int unfold(struct unfold *u, size_t size, struct span rest);

/* All numbers first .. last, as wide as first is written, each with the rest. */
static int unfold_range(struct unfold *u, size_t size, struct span range,
                        struct span rest)
{
    struct span first_text, last_text = range;
    uint64_t first = 0, last = 0;
    if (!span_cut(&last_text, '-', &first_text))
        last_text = first_text;
    if (number_parse_u64(first_text, &first) < 0 ||
        number_parse_u64(last_text, &last) < 0 || first_text.size > NUMBER_DIGITS_MAX)
        return word_error(u, "a bracket holds numbers and ranges, as [01-08,12]");
    if (first > last)
        return word_error(u, "a range ends before it begins");
    if (last - first >= HOSTSET_HOSTS_MAX)
        return err_set(u->err, E2BIG, "host set: '" SPAN_FMT "': over %d hosts",
                       SPAN_ARG(u->word), HOSTSET_HOSTS_MAX);
    for (uint64_t n = first;; n++) {
        char digits[NUMBER_DIGITS_MAX];
        size_t count = number_print_u64(digits, n);
        size_t zeros = first_text.size > count ? first_text.size - count : 0;
        if (size + zeros + count > HOST_BYTES_MAX)
            return word_error(u, "a name is over 255 bytes");
        memset(u->name + size, '0', zeros);
        memcpy(u->name + size + zeros, digits, count);
        int rc = unfold(u, size + zeros + count, rest);
        if (rc < 0 || n == last)
            return rc;
    }
}

static int unfold(struct unfold *u, size_t size, struct span rest)
{
    while (rest.size && rest.data[0] != '[') {
        if (!is_host_byte(rest.data[0]))
            return word_error(u, "a name has letters, digits, '-', '_', '.' and ':'");
        if (size == HOST_BYTES_MAX)
            return word_error(u, "a name is over 255 bytes");
        u->name[size++] = rest.data[0];
        rest = span_skip(rest, 1);
    }
    if (rest.size == 0) {
        int rc = host_add(u->set, (struct span){ u->name, size });
        return rc == -E2BIG ? err_set(u->err, E2BIG, "host set: over %d hosts",
                                      HOSTSET_HOSTS_MAX)
                            : rc;
    }
    rest = span_skip(rest, 1);
    struct span inside;
    if (!span_cut(&rest, ']', &inside))
        return word_error(u, "a bracket is not closed");
    bool more = true;
    while (more) {
        struct span range;
        more = span_cut(&inside, ',', &range);
        int rc = unfold_range(u, size, range, rest);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The comma that ends the first word: one outside of brackets. */
static struct span word_cut(struct span *text)
{
    size_t depth = 0, i = 0;
    for (; i < text->size; i++) {
        char c = text->data[i];
        depth += c == '[';
        depth -= c == ']' && depth > 0;
        if (c == ',' && depth == 0)
            break;
    }
    struct span word = { text->data, i };
    *text = span_skip(*text, i + 1);
    return word;
}

/* Brackets multiply: every one more is a level of recursion, and few names have two. */
#define BRACKETS_MAX 4

int hostset_parse(struct span text, struct hostset **ret, struct err *err)
{
    AUTO(hostset_free) struct hostset *set = calloc(1, sizeof *set);
    if (!set)
        return -ENOMEM;
    arena_init(&set->arena, 0);
    struct span rest = span_trim(text);
    if (rest.size == 0)
        return err_set(err, EINVAL, "host set: it is empty");
    if (rest.data[rest.size - 1] == ',')
        return err_set(err, EINVAL, "host set: it ends in a comma");
    while (rest.size) {
        struct unfold u = { .set = set, .err = err };
        u.word = span_trim(word_cut(&rest));
        size_t brackets = 0;
        for (size_t i = 0; i < u.word.size; i++)
            brackets += u.word.data[i] == '[';
        if (u.word.size == 0)
            return err_set(err, EINVAL, "host set: a name is missing between commas");
        if (brackets > BRACKETS_MAX)
            return word_error(&u, "more than four brackets in a name");
        int rc = unfold(&u, 0, u.word);
        if (rc < 0)
            return rc;
    }
    set->sorted = malloc(set->count * sizeof *set->sorted);
    if (!set->sorted)
        return -ENOMEM;
    memcpy(set->sorted, set->hosts, set->count * sizeof *set->sorted);
    qsort(set->sorted, set->count, sizeof *set->sorted, name_compare);
    *ret = TAKE(set);
    return 0;
}

/* ---- printing ---- */

/* A name's last run of digits, of at most 18: the part that a bracket can hold. */
struct host_parts {
    struct span head, digits, tail;
    uint64_t number;
};

static struct host_parts host_split(struct span host)
{
    size_t end = host.size;
    while (end > 0 && (host.data[end - 1] < '0' || host.data[end - 1] > '9'))
        end--;
    size_t start = end;
    while (start > 0 && end - start < 18 && host.data[start - 1] >= '0' &&
           host.data[start - 1] <= '9')
        start--;
    struct host_parts p = { .head = { host.data, start },
                            .digits = { host.data + start, end - start },
                            .tail = { host.data + end, host.size - end } };
    (void)number_parse_u64(p.digits, &p.number);
    return p;
}

static bool same_family(const struct host_parts *a, const struct host_parts *b)
{
    return a->digits.size && b->digits.size && span_eq(a->head, b->head) &&
           span_eq(a->tail, b->tail) && a->digits.size == b->digits.size;
}

void hostset_print(const struct hostset *set, struct strbuf *out)
{
    for (size_t i = 0; i < set->count;) {
        struct host_parts first = host_split(span_of(set->hosts[i]));
        size_t family = i + 1;
        for (; family < set->count; family++) {
            struct host_parts p = host_split(span_of(set->hosts[family]));
            if (!same_family(&first, &p))
                break;
        }
        if (i > 0)
            strbuf_addc(out, ',');
        if (family == i + 1) {
            strbuf_adds(out, set->hosts[i++]);
            continue;
        }
        strbuf_add_span(out, first.head);
        strbuf_addc(out, '[');
        for (size_t k = i; k < family;) {
            struct host_parts low = host_split(span_of(set->hosts[k])), high = low;
            size_t next = k + 1;
            for (; next < family; next++) {
                struct host_parts p = host_split(span_of(set->hosts[next]));
                if (p.number != high.number + 1)
                    break;
                high = p;
            }
            if (k > i)
                strbuf_addc(out, ',');
            strbuf_add_span(out, low.digits);
            if (next > k + 1) {
                strbuf_addc(out, '-');
                strbuf_add_span(out, high.digits);
            }
            k = next;
        }
        strbuf_addc(out, ']');
        strbuf_add_span(out, first.tail);
        i = family;
    }
}
