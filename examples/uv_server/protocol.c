/*
 * What clients say: lines of text.
 *
 *     mandelbrot ROWS COLUMNS LIMIT  ->  ok CHECKSUM          the picture's, 16 hexadecimal digits
 *     anything else                  ->  error SENTENCE
 */
#include "server.h"

#include <stdio.h>
#include <string.h>

/* Decimal digits from *at on, up to the next space or the end; at goes behind them. */
static int parse_number(const char **at, const char *end, long least, long most, long *number)
{
    const char *begin;
    while (*at < end && **at == ' ')
        ++*at;
    begin = *at;
    for (*number = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        *number = 10 * *number + (**at - '0');
        if (*number > most)
            return -1;
    }
    return *at > begin && *number >= least && (*at == end || **at == ' ') ? 0 : -1;
}

int request_parse(const char *line, size_t length, request *request, char *message)
{
    static const char word[] = "mandelbrot";
    enum { MOST_CELLS = 1 << 20, MOST_ITERATIONS = 10000 };
    const char *at = line, *end = line + length;
    long rows, columns, limit;

    if (end > at && end[-1] == '\r')
        --end;
    if ((size_t)(end - at) < sizeof word || memcmp(at, word, sizeof word - 1) != 0 || at[sizeof word - 1] != ' ') {
        strcpy(message, "the line is not 'mandelbrot ROWS COLUMNS LIMIT'");
        return -1;
    }
    at += sizeof word;
    if (parse_number(&at, end, 1, MOST_CELLS, &rows) || parse_number(&at, end, 1, MOST_CELLS, &columns) ||
        parse_number(&at, end, 1, MOST_ITERATIONS, &limit) || at != end) {
        snprintf(message, 128, "mandelbrot takes three numbers, from 1 to %d, %d and %d", MOST_CELLS, MOST_CELLS,
                 MOST_ITERATIONS);
        return -1;
    }
    if (rows * columns > MOST_CELLS) {
        snprintf(message, 128, "%ld x %ld points are more than %d", rows, columns, MOST_CELLS);
        return -1;
    }
    request->rows = (size_t)rows;
    request->columns = (size_t)columns;
    request->limit = (int32_t)limit;
    return 0;
}

double request_step(const request *request)
{
    return 3.0 / (double)request->columns;
}

uint64_t checksum_of(const int32_t *numbers, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ (uint32_t)numbers[i]) * 0x100000001b3u;
    return hash;
}
