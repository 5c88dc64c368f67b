/*
 * The arguments of a launch: number, kinds, types, shapes, pitches, devices, overlap.
 *
 * This is on the path of every launch, so each check is a few compares and the sentences are made out
 * of line.
 */
#include "arguments.h"

#include <string.h>

#include "base/error.h"
#include "device.h"

/* What the messages begin with: "argument 'x' of kernel 'saxpy'". */
#define ARGUMENT "argument '%s' of kernel '%s' "

static int is_pitched(uint32_t form)
{
    return form >= QUERN_PARAMETER_IN_ND && form <= QUERN_PARAMETER_INOUT_ND;
}

static int is_read_only(uint32_t form)
{
    return form == QUERN_PARAMETER_IN || form == QUERN_PARAMETER_IN_ND;
}

static int is_view(uint32_t form)
{
    return form <= QUERN_PARAMETER_INOUT_ND;
}

/* A view and a const view differ in the constness of the address alone; this reads either. */
typedef struct __attribute__((may_alias)) either_view {
    quern_const_span span;
    quern_device *device;
    quern_buffer *buffer;
} either_view;
_Static_assert(sizeof(either_view) == sizeof(quern_view) && sizeof(either_view) == sizeof(quern_const_view),
               "either_view has the members of both");

/* ---- sentences ---- */

static const char *kind_name(uint32_t kind)
{
    switch (kind) {
    case QUERN_ARGUMENT_VIEW:
        return "a view";
    case QUERN_ARGUMENT_CONST_VIEW:
        return "a const view";
    case QUERN_ARGUMENT_VALUE:
        return "a value";
    case QUERN_ARGUMENT_LENGTH:
        return "a length";
    default:
        return "no kind of argument that there is";
    }
}

static quern_status wrong_count(const quern_kernel *kernel, size_t count)
{
    char names[256];
    size_t used = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < kernel->parameter_count && used < sizeof names - 1; ++i) {
        const char *name = kernel->parameters[i].name;
        size_t length = strlen(name);
        if (used + length + 3 > sizeof names)
            break;
        if (i) {
            memcpy(names + used, ", ", 2);
            used += 2;
        }
        memcpy(names + used, name, length + 1);
        used += length;
    }
    return quern_fail(QUERN_INVALID_ARGUMENT, "kernel '%s' was given %zu arguments, wanted %u (%s)", kernel->name,
                      count, kernel->parameter_count, names);
}

static quern_status wrong_kind(const quern_kernel *kernel, const quern_parameter *parameter,
                               const quern_argument *argument)
{
    if (argument->kind == QUERN_ARGUMENT_CONST_VIEW && is_view(parameter->form))
        return quern_fail(QUERN_READ_ONLY, ARGUMENT "is a const view, wanted one that can be written", parameter->name,
                          kernel->name);
    const char *wanted = is_view(parameter->form)                   ? "a view"
                         : parameter->form == QUERN_PARAMETER_VALUE ? "a value"
                                                                    : "a length (elements of local memory)";
    return quern_fail(QUERN_INVALID_ARGUMENT, ARGUMENT "is %s, wanted %s", parameter->name, kernel->name,
                      kind_name(argument->kind), wanted);
}

static quern_status wrong_type(const quern_kernel *kernel, const quern_parameter *parameter, quern_type type)
{
    return quern_fail(QUERN_INVALID_TYPE, ARGUMENT "is of %s (%u bytes), wanted %s (%u bytes)", parameter->name,
                      kernel->name, quern_type_name(type), type.size, parameter->type_name, parameter->type.size);
}

/* ---- views ---- */

static quern_status check_owner(const quern_device *device, const quern_kernel *kernel,
                                const quern_parameter *parameter, const either_view *view)
{
    if (!view->buffer)
        return quern_fail(QUERN_INVALID_ARGUMENT, ARGUMENT "is a view of no buffer, wanted a view made from one",
                          parameter->name, kernel->name);
#ifdef QUERN_DEBUG
    if (quern_object_check((const quern_object *)view->buffer, QUERN_MARK_BUFFER, "buffer") != QUERN_SUCCESS)
        return quern_fail(QUERN_RELEASED, ARGUMENT "is a view of a buffer that has been released, wanted a held one",
                          parameter->name, kernel->name);
#endif
    if (view->device != device) {
        if (quern_device_check(view->device, "view.device") != QUERN_SUCCESS)
            return quern_fail(QUERN_INVALID_ARGUMENT, ARGUMENT "is a view of no device, wanted one of %s",
                              parameter->name, kernel->name, device->info.name);
        return quern_fail(QUERN_WRONG_DEVICE, ARGUMENT "lives on %s, wanted memory of the queue's device %s",
                          parameter->name, kernel->name, view->device->info.name, device->info.name);
    }
    if (view->buffer->host_only)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          ARGUMENT
                          "lies in %s memory, which kernels of %s do not reach, wanted device or unified memory",
                          parameter->name, kernel->name, view->buffer->kind == QUERN_MEMORY_PINNED ? "pinned" : "host",
                          device->info.name);
    return QUERN_SUCCESS;
}

static quern_status bad_pitch(const quern_kernel *kernel, const quern_parameter *parameter, const quern_layout *layout,
                              uint32_t d)
{
    ptrdiff_t pitch = layout->pitches[d];
    if (d + 1 == layout->rank)
        return quern_fail(QUERN_INVALID_SHAPE,
                          ARGUMENT "has an innermost pitch of %td bytes, wanted %u, the element's size",
                          parameter->name, kernel->name, pitch, layout->type.size);
    if (pitch % layout->type.alignment)
        return quern_fail(QUERN_INVALID_SHAPE,
                          ARGUMENT "has a pitch of %td bytes along dimension %u, wanted a multiple of %u, the "
                                   "element's alignment",
                          parameter->name, kernel->name, pitch, d, (unsigned)layout->type.alignment);
    return quern_fail(QUERN_INVALID_SHAPE,
                      ARGUMENT "has a pitch of %td bytes along dimension %u, wanted at least %zu (extent %zu times "
                               "pitch %td inside it)",
                      parameter->name, kernel->name, pitch, d, layout->extents[d + 1] * (size_t)layout->pitches[d + 1],
                      layout->extents[d + 1], layout->pitches[d + 1]);
}

static quern_status check_pitched(const quern_kernel *kernel, const quern_parameter *parameter,
                                  const quern_layout *layout)
{
    uint32_t rank = layout->rank;
    if (rank != parameter->rank)
        return quern_fail(QUERN_INVALID_SHAPE, ARGUMENT "has rank %u, wanted rank %u", parameter->name, kernel->name,
                          rank, parameter->rank);
    if (layout->pitches[rank - 1] != (ptrdiff_t)layout->type.size)
        return bad_pitch(kernel, parameter, layout, rank - 1);
    for (uint32_t d = rank - 1; d-- > 0;) {
        ptrdiff_t pitch = layout->pitches[d], inside;
        int misaligned = (pitch & (ptrdiff_t)(layout->type.alignment - 1)) != 0; /* a power of two */
        if (layout->extents[d] <= 1 && !misaligned)
            continue;
        if (misaligned ||
            quern_multiply_overflows((ptrdiff_t)layout->extents[d + 1], layout->pitches[d + 1], &inside) ||
            pitch < inside)
            return bad_pitch(kernel, parameter, layout, d);
    }
    return QUERN_SUCCESS;
}

static quern_status check_contiguous(const quern_kernel *kernel, const quern_parameter *parameter,
                                     const quern_layout *layout)
{
    size_t inside = layout->type.size;
    for (uint32_t d = layout->rank; d-- > 0;) {
        if (layout->extents[d] > 1 && layout->pitches[d] != (ptrdiff_t)inside)
            return quern_fail(QUERN_INVALID_SHAPE,
                              ARGUMENT "is not contiguous (pitch %td along dimension %u, wanted %zu); an %s_nd "
                                       "parameter takes any pitches",
                              parameter->name, kernel->name, layout->pitches[d], d, inside,
                              parameter->form == QUERN_PARAMETER_IN    ? "in"
                              : parameter->form == QUERN_PARAMETER_OUT ? "out"
                                                                       : "inout");
        inside *= layout->extents[d];
    }
    return QUERN_SUCCESS;
}

/* Element count, 0 for an empty view; fails when the shape cannot be one. */
static quern_status check_extents(const quern_kernel *kernel, const quern_parameter *parameter,
                                  const quern_layout *layout, size_t *elements)
{
    size_t count = 1;
    if (layout->rank > QUERN_MAX_RANK)
        return quern_fail(QUERN_INVALID_SHAPE, ARGUMENT "has rank %u, wanted at most %d", parameter->name, kernel->name,
                          layout->rank, QUERN_MAX_RANK);
    for (uint32_t d = 0; d < layout->rank; ++d)
        if (quern_multiply_overflows(count, layout->extents[d], &count) || count > PTRDIFF_MAX)
            return quern_fail(QUERN_OVERFLOW, ARGUMENT "has extents whose product passes 2^63 - 1", parameter->name,
                              kernel->name);
    *elements = count;
    return QUERN_SUCCESS;
}

/* 1 when the view is the buffer's own, whose shape was looked at when it was made. */
static int is_whole(const either_view *view)
{
    const quern_buffer *buffer = view->buffer;
    const quern_layout *layout = &view->span.layout;
    if (view->span.address != buffer->address || layout->rank != buffer->layout.rank)
        return 0;
    for (uint32_t d = 0; d < layout->rank; ++d)
        if (layout->extents[d] != buffer->layout.extents[d] || layout->pitches[d] != buffer->layout.pitches[d])
            return 0;
    return 1;
}

/* The long way, for sub-views and for what will be refused: sets *elements and the use's box. */
static quern_status check_shape(const quern_kernel *kernel, const quern_parameter *parameter, const either_view *view,
                                size_t *elements, quern_buffer_use *use)
{
    const quern_layout *layout = &view->span.layout;
    quern_status status = check_extents(kernel, parameter, layout, elements);
    if (status == QUERN_SUCCESS)
        status = is_pitched(parameter->form) ? check_pitched(kernel, parameter, layout)
                                             : check_contiguous(kernel, parameter, layout);
    if (status != QUERN_SUCCESS)
        return status;
    if ((uintptr_t)view->span.address & (uintptr_t)(parameter->type.alignment - 1)) /* a power of two */
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          ARGUMENT "lies at %p, wanted a multiple of %u, the element's alignment", parameter->name,
                          kernel->name, view->span.address, (unsigned)parameter->type.alignment);
    if (*elements && !view->span.address)
        return quern_fail(QUERN_INVALID_ARGUMENT, ARGUMENT "has elements but no address", parameter->name,
                          kernel->name);
    if (*elements && !quern_buffer_holds(view->buffer, view->span.address, layout))
        return quern_fail(QUERN_INVALID_SHAPE,
                          ARGUMENT "reaches outside the %zu bytes of its buffer, wanted a view inside", parameter->name,
                          kernel->name, view->buffer->bytes);
    quern_box_set(&use->box, &view->buffer->layout, view->buffer->address, view->span.address, layout->rank,
                  layout->extents);
    return QUERN_SUCCESS;
}

static quern_status check_view(const quern_device *device, const quern_kernel *kernel, const quern_parameter *parameter,
                               const either_view *view, size_t *elements, quern_buffer_use *use)
{
    const quern_layout *layout = &view->span.layout;
    quern_status status = check_owner(device, kernel, parameter, view);
    if (status != QUERN_SUCCESS)
        return status;
    if (!quern_type_equal(layout->type, parameter->type))
        return wrong_type(kernel, parameter, layout->type);
    const quern_buffer *buffer = view->buffer;
    int regular =
        is_pitched(parameter->form) ? buffer->regular && layout->rank == parameter->rank : buffer->packed != 0;
    if (!regular || !is_whole(view))
        return check_shape(kernel, parameter, view, elements, use);
    use->box.whole = 1;
    *elements = buffer->elements;
    return QUERN_SUCCESS;
}

/* The most common argument, and nothing wrong with it: a whole buffer of one dimension, for in, out or inout. */
static inline int is_plain(const quern_device *device, const quern_parameter *parameter, const either_view *view)
{
    const quern_buffer *buffer = view->buffer;
    const quern_layout *layout = &view->span.layout;
    if (!buffer || view->device != device || parameter->form > QUERN_PARAMETER_INOUT)
        return 0;
#ifdef QUERN_DEBUG
    if (quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer") != QUERN_SUCCESS)
        return 0;
#endif
    return layout->rank == 1 && buffer->layout.rank == 1 && layout->extents[0] == buffer->layout.extents[0] &&
           layout->pitches[0] == (ptrdiff_t)parameter->type.size && view->span.address == buffer->address &&
           quern_type_equal(layout->type, parameter->type) && buffer->packed && !buffer->host_only && buffer->elements;
}

/* ---- overlap ---- */

/* Bytes from the first element's begin to the last one's end; the view lies in its buffer, so nothing overflows. */
static size_t reach_of(const quern_backend_argument *argument)
{
    size_t last = argument->size;
    for (uint32_t d = 0; d < argument->rank; ++d)
        last += (argument->extents[d] - 1) * (size_t)argument->pitches[d];
    return last;
}

/* Exact for boxes of one buffer; by the bytes from first to last element otherwise: buffers may share wrapped memory.
 */
static int overlap(const quern_buffer_use *a, const quern_backend_argument *x, const quern_buffer_use *b,
                   const quern_backend_argument *y)
{
    const char *x_begin = x->address, *y_begin = y->address;
    if (x_begin >= y_begin + reach_of(y) || y_begin >= x_begin + reach_of(x))
        return 0;
    return a->buffer != b->buffer || quern_boxes_intersect(&a->box, &b->box);
}

static quern_status check_overlap(const quern_kernel *kernel, const quern_checked_arguments *checked,
                                  const uint8_t *positions)
{
    const quern_buffer_use *end = checked->uses + checked->use_count;
    for (const quern_buffer_use *a = checked->uses; a < end; ++a) {
        const quern_buffer *own = a->buffer;
        if (!a->write)
            continue;
        for (const quern_buffer_use *b = checked->uses; b < end; ++b) {
            if (b->buffer != own && own->free_memory && b->buffer->free_memory)
                continue;                      /* each has an allocation of its own */
            if (b == a || (b < a && b->write)) /* a pair of written ones is looked at once */
                continue;
            uint8_t x = positions[a - checked->uses], y = positions[b - checked->uses];
            if (overlap(a, &checked->arguments[x], b, &checked->arguments[y]))
                return quern_fail(QUERN_OVERLAP,
                                  ARGUMENT "is written and overlaps argument '%s', wanted memory of its own",
                                  kernel->parameters[x].name, kernel->name, kernel->parameters[y].name);
        }
    }
    return QUERN_SUCCESS;
}

/* ---- all ---- */

static quern_status check_value(const quern_kernel *kernel, const quern_parameter *parameter,
                                const quern_argument *argument, quern_backend_argument *result)
{
    if (!quern_type_equal(argument->type, parameter->type))
        return wrong_type(kernel, parameter, argument->type);
    if (!argument->data)
        return quern_fail(QUERN_INVALID_ARGUMENT, ARGUMENT "has NULL data, wanted the address of its value",
                          parameter->name, kernel->name);
    result->form = QUERN_PARAMETER_VALUE;
    result->size = parameter->type.size;
    result->address = (void *)argument->data;
    result->memory = NULL;
    result->extents = NULL;
    result->pitches = NULL;
    result->rank = 0;
    result->length = 1;
    return QUERN_SUCCESS;
}

static quern_status check_local(const quern_kernel *kernel, const quern_parameter *parameter,
                                const quern_argument *argument, quern_backend_argument *result, uint64_t *local_bytes)
{
    uint64_t bytes;
    if (argument->length > PTRDIFF_MAX ||
        quern_multiply_overflows((uint64_t)argument->length, (uint64_t)parameter->type.size, &bytes) ||
        quern_add_overflows(bytes, 63u, &bytes) ||
        quern_add_overflows(*local_bytes, bytes & ~(uint64_t)63, local_bytes))
        return quern_fail(QUERN_OVERFLOW, ARGUMENT "has a length of %zu elements, whose bytes pass 2^63 - 1",
                          parameter->name, kernel->name, argument->length);
    result->form = QUERN_PARAMETER_LOCAL;
    result->size = parameter->type.size;
    result->address = NULL;
    result->memory = NULL;
    result->extents = NULL;
    result->pitches = NULL;
    result->rank = 0;
    result->length = argument->length;
    return QUERN_SUCCESS;
}

quern_status quern_arguments_check(const quern_device *device, const quern_kernel *kernel,
                                   const quern_argument *arguments, size_t count, quern_checked_arguments *checked)
{
    uint8_t positions[QUERN_MAX_PARAMETERS]; /* of the uses among the arguments */
    checked->use_count = 0;
    checked->local_bytes = 0;
    if (count != kernel->parameter_count)
        return wrong_count(kernel, count);
    if (count > QUERN_MAX_PARAMETERS)
        return quern_fail(QUERN_INVALID_ARGUMENT, "kernel '%s' has %zu parameters, wanted at most %d", kernel->name,
                          count, QUERN_MAX_PARAMETERS);
    if (count && !arguments)
        return quern_fail(QUERN_INVALID_ARGUMENT, "arguments is NULL, wanted %zu arguments for kernel '%s'", count,
                          kernel->name);
    int written = 0;
    const quern_parameter *parameter = kernel->parameters;
    const quern_argument *argument = arguments;
    quern_backend_argument *result = checked->arguments;
    quern_buffer_use *use = checked->uses;
    for (size_t i = 0; i < count; ++i, ++parameter, ++argument, ++result) {
        quern_status status = QUERN_SUCCESS;
        if (is_view(parameter->form)) {
            if (argument->kind != QUERN_ARGUMENT_VIEW &&
                !(argument->kind == QUERN_ARGUMENT_CONST_VIEW && is_read_only(parameter->form)))
                return wrong_kind(kernel, parameter, argument);
            if (!argument->data)
                return quern_fail(QUERN_INVALID_ARGUMENT, ARGUMENT "has NULL data, wanted a view", parameter->name,
                                  kernel->name);
            const either_view *view = argument->data;
            size_t elements;
            if (is_plain(device, parameter, view)) {
                use->box.whole = 1;
                elements = view->buffer->elements;
            } else {
                elements = 0;
                status = check_view(device, kernel, parameter, view, &elements, use);
            }
            use->buffer = view->buffer;
            use->write = !is_read_only(parameter->form);
            result->form = parameter->form;
            result->size = parameter->type.size;
            result->address = (void *)view->span.address;
            result->memory = status == QUERN_SUCCESS ? view->buffer->address : NULL; /* a refused view may have none */
            result->extents = view->span.layout.extents;
            result->pitches = view->span.layout.pitches;
            result->rank = view->span.layout.rank;
            result->length = elements;
            if (elements) {
                positions[use - checked->uses] = (uint8_t)i;
                written |= use->write;
                ++use;
            }
        } else if (parameter->form == QUERN_PARAMETER_VALUE) {
            status = argument->kind == QUERN_ARGUMENT_VALUE ? check_value(kernel, parameter, argument, result)
                                                            : wrong_kind(kernel, parameter, argument);
        } else {
            status = argument->kind == QUERN_ARGUMENT_LENGTH
                         ? check_local(kernel, parameter, argument, result, &checked->local_bytes)
                         : wrong_kind(kernel, parameter, argument);
        }
        if (status != QUERN_SUCCESS)
            return status;
    }
    checked->use_count = (size_t)(use - checked->uses);
    return written && checked->use_count > 1 ? check_overlap(kernel, checked, positions) : QUERN_SUCCESS;
}
