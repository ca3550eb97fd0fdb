/* SPDX-License-Identifier: Apache-2.0
 * config_file.c: the configuration file.
 *
 *   line    = blank [ name blank "=" blank value ] blank [ "#" anything ]
 * The value runs to the end of the line, or to a '#' behind a blank. Names stand once; those of lists may repeat.
 * A wrong line is an error that names file and line: a server that ignores half of its file helps nobody. */
#include "config_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_FILE_BYTES_MAX ((size_t)1024 * 1024)

static bool read_line(td_config_reader *reader, const char *place, td_slice line, bool *seen);
static td_slice trim(td_slice text);
static bool is_blank(uint8_t byte);
static bool is_printable(td_slice text);
static size_t comment_at(td_slice line);

bool td_config__read_text(td_config_reader *reader, const char *path, td_slice text)
{
    bool seen[TD_CONFIG_OPTION_COUNT] = {false};
    unsigned number = 1;
    for (size_t at = 0; at < text.len; number++) {
        const uint8_t *line = text.ptr + at;
        const uint8_t *end = memchr(line, '\n', text.len - at);
        size_t len = end == NULL ? text.len - at : (size_t)(end - line);
        char place[512];
        snprintf(place, sizeof(place), "%s:%u", path, number);
        if (!read_line(reader, place, td_slice_of(line, len), seen)) return false;
        at += len + 1;
    }
    return true;
}

bool td_config__read_file(td_config_reader *reader, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    td_buf text;
    td_buf_init(&text, CONFIG_FILE_BYTES_MAX + 1);
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0 && text.len <= CONFIG_FILE_BYTES_MAX) {
        size_t room = CONFIG_FILE_BYTES_MAX + 1 - text.len < 4096 ? CONFIG_FILE_BYTES_MAX + 1 - text.len : 4096;
        uint8_t *place = td_buf_reserve(&text, room);
        got = place == NULL ? 0 : read(fd, place, room);
        if (got > 0) td_buf_commit(&text, (size_t)got);
    }
    bool is_good = false;
    if (got < 0) {
        td_buf_append_format(reader->says, "the configuration file %s cannot be read: %s", path, strerror(errno));
    } else if (td_buf_has_failed(&text) || text.len > CONFIG_FILE_BYTES_MAX) {
        td_buf_append_format(reader->says, "the configuration file %s is larger than 1 MiB", path);
    } else {
        is_good = td_config__read_text(reader, path, td_buf_contents(&text));
    }
    if (fd >= 0) close(fd);
    td_buf_done(&text);
    return is_good;
}

static bool read_line(td_config_reader *reader, const char *place, td_slice line, bool *seen)
{
    line = trim(td_slice_of(line.ptr, comment_at(line)));
    if (line.len == 0) return true;
    const uint8_t *equals = memchr(line.ptr, '=', line.len);
    if (equals == NULL) {
        td_buf_append_format(reader->says, "%s: a line must be \"name = value\"", place);
        return false;
    }
    td_slice name = trim(td_slice_of(line.ptr, (size_t)(equals - line.ptr)));
    td_slice value = trim(td_slice_of(equals + 1, (size_t)(line.ptr + line.len - equals) - 1));
    if (!is_printable(name) || !is_printable(value)) {
        td_buf_append_format(reader->says, "%s: the line holds a control character", place);
        return false;
    }
    int option = td_config__option_find(name);
    if (option < 0) {
        td_slice nearest = td_config__option_nearest(name);
        td_buf_append_format(reader->says, "%s: unknown option %.*s", place, (int)(name.len < 100 ? name.len : 100),
                             (const char *)name.ptr);
        if (nearest.len > 0) {
            td_buf_append_format(reader->says, "; did you mean %.*s?", (int)nearest.len, (const char *)nearest.ptr);
        }
        return false;
    }
    td_config_option row = td_config__option_at((size_t)option);
    if (option == TD_CONFIG_AT_config) {
        td_buf_append_format(reader->says, "%s: a configuration file cannot name another", place);
        return false;
    }
    if (seen[option] && row.kind != TD_CONFIG_KIND_list) {
        td_buf_append_format(reader->says, "%s: %s is given twice", place, row.name);
        return false;
    }
    seen[option] = true;
    char said_as[600];
    snprintf(said_as, sizeof(said_as), "%s: %s", place, row.name);
    return td_config__set(reader, option, TD_CONFIG_FROM_FILE, said_as, value);
}

static td_slice trim(td_slice text)
{
    while (text.len > 0 && is_blank(text.ptr[0])) {
        text = td_slice_of(text.ptr + 1, text.len - 1);
    }
    while (text.len > 0 && is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

static bool is_printable(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 0x20 || text.ptr[i] == 0x7f) return false;
    }
    return true;
}

/* Where the comment begins, or the line's length. */
static size_t comment_at(td_slice line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '#' && (i == 0 || is_blank(line.ptr[i - 1]))) return i;
    }
    return line.len;
}
