/* What the snippets of cases.list stand on: functions that state the least they need, and a typed launch. */
#include <quern/quern.h>

#ifdef __cplusplus
#include <type_traits>
#else
#include <stdbool.h>
#endif

void take_source(quern_source source);
void take_const_span(quern_const_span span);
void take_span(quern_span span);
void take_const_view(quern_const_view view);
void take_view(quern_view view);
void take_type(quern_type type);
void take_extents(quern_extents extents);
quern_view make_view(void);

/* As `quern compile` writes them. */
quern_status saxpy(quern_queue *queue, quern_range range, quern_const_view x, quern_view y, float a);

enum colour { RED, GREEN };

struct holder {
    quern_view view;
    quern_const_view const_view;
};

/* For quern_adapt. */
struct part {
    quern_buffer *buffer, *const fixed;
    quern_span span;
    float decay;
};
struct whole {
    struct part part, *parts;
    struct holder holder;
    quern_buffer **buffers;
    quern_view *views;
    size_t count;
    int number;
};
QUERN_ADAPT_FIELDS(part_fields, struct part, QUERN_ADAPT_BUFFER(struct part, buffer));
