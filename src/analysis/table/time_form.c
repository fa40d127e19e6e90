/* SPDX-License-Identifier: Apache-2.0 */
/* time_form - how a table writes its times. */
#include "analysis/table/time_form.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <time.h>

#define TEXT_MAX 63
#define SECONDS_MAX 9e9 /* the year 2255 */

/* What "s", "ms" ... are in seconds; 0: another format. */
static double epoch_unit(const char *format)
{
    return strcmp(format, "s") == 0    ? 1
           : strcmp(format, "ms") == 0 ? 1e-3
           : strcmp(format, "us") == 0 ? 1e-6
           : strcmp(format, "ns") == 0 ? 1e-9
                                       : 0;
}

/* Whole ones as integers: those of ns have more digits than a double. */
static int epoch_parse(struct span text, double unit, int64_t *ret_ns)
{
    double number;
    int64_t whole;
    int64_t unit_ns = (int64_t)(unit * 1e9 + 0.5);
    if (number_parse_i64(text, &whole) == 0) {
        if (whole < 0 || (double)whole * unit >= SECONDS_MAX)
            return -EINVAL;
        *ret_ns = whole * unit_ns;
        return 0;
    }
    if (number_parse_double(text, &number) < 0 || !(number >= 0) ||
        !(number * unit < SECONDS_MAX))
        return -EINVAL;
    *ret_ns = (int64_t)(number * unit * 1e3) * NS_PER_MS;
    return 0;
}

static int epoch_fault(struct span text, struct err *err)
{
    double number;
    if (number_parse_double(text, &number) < 0 || number < 0)
        return -EINVAL;
    return err_set(err, EINVAL,
                   "'" SPAN_FMT
                   "' is not a number of seconds since 1970; set 'time_format = %s'"
                   " for other units",
                   SPAN_ARG(text),
                   number < 9e12   ? "ms"
                   : number < 9e15 ? "us"
                                   : "ns");
}

static int plain_parse(const struct time_form *form, struct span text, int64_t *ret_ns,
                       struct err *err)
{
    char longer[TEXT_MAX + 16];
    int64_t local_ns;
    if (epoch_parse(text, 1, ret_ns) == 0 || timetext_parse(text, ret_ns) == 0)
        return 0;
    if (epoch_fault(text, err) == -EINVAL && err && err->text[0])
        return -EINVAL;
    (void)snprintf(longer, sizeof longer, SPAN_FMT "%s", SPAN_ARG(text),
                   text.size == 10 ? "T00Z" : "Z");
    if (text.size > TEXT_MAX || timetext_parse(span_of(longer), &local_ns) < 0)
        return err_set(err, EINVAL,
                       "'" SPAN_FMT "' is neither RFC 3339 nor seconds since 1970; "
                       "set 'time_format' for another form",
                       (int)(text.size > TEXT_MAX ? TEXT_MAX : text.size), text.data);
    if (!form->has_zone)
        return err_set(err, EINVAL,
                       "'" SPAN_FMT
                       "' has no zone; set 'time_zone', such as 'time_zone = UTC'",
                       SPAN_ARG(text));
    *ret_ns = zone_utc_ns(&form->zone, local_ns);
    return 0;
}

/* ---- strptime ---- */

/* Decimals of a second, cut off at nine. */
static const char *fraction_take(const char *text, int64_t *ret_ns)
{
    int64_t scale = NS_PER_S / 10;
    if (*text < '0' || *text > '9')
        return NULL;
    *ret_ns = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        *ret_ns += scale * (*text - '0');
        scale /= 10;
    }
    return text;
}

/* strptime() with %f, which it does not know. */
static const char *format_match(const char *text, const char *format, struct tm *tm,
                                int64_t *ret_fraction_ns)
{
    char head[2 * TEXT_MAX];
    const char *fraction = strstr(format, "%f");
    if (!fraction)
        return strptime(text, format, tm);
    size_t size = (size_t)(fraction - format);
    if (size >= sizeof head)
        return NULL;
    memcpy(head, format, size);
    head[size] = '\0';
    text = strptime(text, head, tm);
    if (text)
        text = fraction_take(text, ret_fraction_ns);
    return text ? strptime(text, fraction + 2, tm) : NULL;
}

static bool has_own_zone(const char *format)
{
    return strstr(format, "%z") || strstr(format, "%s");
}

static int format_parse(const struct time_form *form, struct span text, int64_t *ret_ns)
{
    char copy[TEXT_MAX + 1];
    struct tm tm = { .tm_mday = 1, .tm_year = 70 };
    int64_t fraction_ns = 0;
    if (text.size > TEXT_MAX || (text.size && memchr(text.data, '\0', text.size)))
        return -EINVAL;
    memcpy(copy, text.data ? text.data : "", text.size);
    copy[text.size] = '\0';
    const char *end = format_match(copy, form->format, &tm, &fraction_ns);
    if (!end || *end)
        return -EINVAL;
    const struct tm said =
        tm; /* timegm() forgets the offset, and makes 31 February March */
    bool is_own = has_own_zone(form->format);
    const int64_t s = timegm(&tm) - (is_own ? said.tm_gmtoff : 0);
    if (s < 0 || (double)s >= SECONDS_MAX || tm.tm_mday != said.tm_mday ||
        tm.tm_mon != said.tm_mon)
        return -EINVAL;
    int64_t ns = s * NS_PER_S + fraction_ns;
    *ret_ns = is_own ? ns : zone_utc_ns(&form->zone, ns);
    return *ret_ns < 0 ? -EINVAL : 0;
}

int time_form_parse(const struct time_form *form, struct span text, int64_t *ret_ns,
                    struct err *err)
{
    int64_t t_ns;
    text = span_trim(text);
    if (!form->format) {
        int rc = plain_parse(form, text, &t_ns, err);
        if (rc == 0)
            *ret_ns = t_ns;
        return rc;
    }
    double unit = epoch_unit(form->format);
    int rc =
        unit > 0 ? epoch_parse(text, unit, &t_ns) : format_parse(form, text, &t_ns);
    if (rc < 0)
        return err_set(err, EINVAL, "'" SPAN_FMT "' is not of the form '%s'",
                       (int)(text.size > TEXT_MAX ? TEXT_MAX : text.size), text.data,
                       form->format);
    *ret_ns = t_ns;
    return 0;
}
