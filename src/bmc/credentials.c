/* SPDX-License-Identifier: Apache-2.0 */
/* credentials - a file of mode 0600 with what a section's targets are shown. */
#include "bmc/credentials.h"

#include "base/span.h"
#include "base/system/secret.h"

#define CREDENTIALS_BYTES_MAX ((size_t)1024)
#define SNMP_PASSWORD_BYTES_MIN 8 /* RFC 3414, 11.2 */

static bool has_version(const struct bmc_section *section, const char *version)
{
    return section->protocol == BMC_SNMP && strcmp(section->version_name, version) == 0;
}

static struct span line_cut(struct span *text)
{
    struct span line;
    (void)span_cut(text, '\n', &line);
    if (span_ends(line, "\r"))
        line.size--;
    return line;
}

static int credentials_check(const struct bmc_section *section, struct span user,
                             struct span password, struct span privacy, struct err *err)
{
    if (user.size == 0 || memchr(user.data, '\0', user.size) ||
        (section->protocol != BMC_SNMP && memchr(user.data, ':', user.size)) ||
        (password.size > 0 && memchr(password.data, '\0', password.size)))
        return err_set(err, EINVAL,
                       "credentials: '%s' wants a name in its first line and the "
                       "password in its second",
                       section->credentials);
    if (has_version(section, "2c") && password.size > 0)
        return err_set(err, EINVAL,
                       "credentials: '%s' has more than a community, and version 2c "
                       "has no password: is it version = 3?",
                       section->credentials);
    if (has_version(section, "3") &&
        (password.size < SNMP_PASSWORD_BYTES_MIN ||
         privacy.size < SNMP_PASSWORD_BYTES_MIN || user.size > 32 ||
         memchr(privacy.data, '\0', privacy.size)))
        return err_set(
            err, EINVAL,
            "credentials: '%s' wants the user's name (at most 32 bytes), the "
            "password of authentication and that of privacy, of at least %d "
            "bytes, in three lines",
            section->credentials, SNMP_PASSWORD_BYTES_MIN);
    return 0;
}

static int credentials_split(struct span text, struct bmc_section *section,
                             struct err *err)
{
    struct span user = line_cut(&text), password = line_cut(&text);
    struct span privacy = line_cut(&text);
    int rc = credentials_check(section, user, password, privacy, err);
    if (rc < 0)
        return rc;
    section->user = span_dup(user);
    section->password = span_dup(password);
    section->privacy_password = span_dup(privacy);
    return section->user && section->password && section->privacy_password
               ? 0
               : err_set(err, ENOMEM, "no memory");
}

int bmc_credentials_read(struct bmc_section *section, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!section->credentials[0])
        return err_set(err, EINVAL, "credentials: a file is wanted");
    int rc = secret_read(section->credentials, CREDENTIALS_BYTES_MAX, &text, err);
    if (rc < 0)
        return err_prefix(err, rc, "credentials");
    rc = credentials_split(strbuf_span(&text), section, err);
    explicit_bzero(text.data, text.capacity);
    return rc;
}

void bmc_credentials_done(struct bmc_section *section)
{
    char *const texts[] = { section->user, section->password,
                            section->privacy_password };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i])
            explicit_bzero(texts[i], strlen(texts[i]));
        free(texts[i]);
    }
    section->user = section->password = section->privacy_password = NULL;
}
