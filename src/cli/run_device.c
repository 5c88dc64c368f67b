/* A kernel on one device: fresh arrays, the launch, its time, the results. */
#include "run.h"

#include "progress.h"

#include "base/error.h"

#include <inttypes.h>
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run holds on its device. */
typedef struct session {
    const quern_cli_plan *plan;
    quern_queue *queue;
    quern_buffer **buffers; /* one a parameter; NULL where there is none */
    quern_view *views;
    quern_const_view *const_views;
    quern_argument *arguments;
    double *seconds; /* one a repetition */
} session;

/* Keeps the first failure and its sentence. */
static void keep_failure(quern_cli_device_run *run, quern_status status)
{
    if (status == QUERN_SUCCESS || run->status != QUERN_SUCCESS)
        return;
    run->status = status;
    run->error = strdup(quern_last_error());
}

void quern_cli_device_run_open(quern_cli_device_run *run, const char *name)
{
    quern_device_info info;
    memset(run, 0, sizeof *run);
    snprintf(run->name, sizeof run->name, "%s", name ? name : "");
    keep_failure(run, name ? quern_device_open(name, &run->device) : quern_device_default(&run->device));
    if (run->status || name)
        return;
    keep_failure(run, quern_device_get_info(run->device, &info));
    if (!run->status)
        snprintf(run->name, sizeof run->name, "%s", info.name);
}

void quern_cli_device_run_load(quern_cli_device_run *run, const char *file, const char *kernel)
{
    if (run->status)
        return;
    quern_cli_progress("%s: compiling %s", run->name, file);
    keep_failure(run, quern_program_load(run->device, file, &run->program));
    if (!run->status)
        keep_failure(run, quern_program_kernel(run->program, kernel, &run->kernel));
}

/* The extents of the device's array: a contiguous parameter sees one dimension. */
static quern_extents device_extents(const quern_parameter *parameter, const quern_cli_array *array)
{
    return parameter->rank > 0 ? array->extents : QUERN_EXTENTS(quern_cli_array_count(array));
}

/* A host array as a span of the device array's extents. */
static quern_status host_span(const quern_parameter *parameter, const quern_cli_array *array, quern_span *span)
{
    quern_layout layout;
    quern_status status = quern_layout_packed(array->type, device_extents(parameter, array), &layout);
    return status ? status : quern_span_make(array->data, &layout, span);
}

static quern_status make_array(session *session, quern_device *device, uint32_t i)
{
    const quern_parameter *parameter = &session->plan->kernel->parameters[i];
    const quern_cli_array *array = &session->plan->bindings[i].array;
    quern_status status =
        quern_buffer_create(device, parameter->type, device_extents(parameter, array), &session->buffers[i]);
    if (!status)
        status = quern_buffer_view(session->buffers[i], &session->views[i]);
    if (status)
        return status;
    session->const_views[i] = quern_view_as_const(session->views[i]);
    session->arguments[i] = quern_cli_parameter_is_written(parameter)
                                ? quern_argument_view(&session->views[i])
                                : quern_argument_const_view(&session->const_views[i]);
    return QUERN_SUCCESS;
}

static quern_status make_argument(session *session, quern_device *device, uint32_t i)
{
    const quern_parameter *parameter = &session->plan->kernel->parameters[i];
    const quern_cli_binding *binding = &session->plan->bindings[i];
    if (quern_cli_parameter_is_array(parameter))
        return make_array(session, device, i);
    session->arguments[i] = parameter->form == QUERN_PARAMETER_VALUE
                                ? quern_argument_value(parameter->type, binding->value)
                                : quern_argument_length(binding->length);
    return QUERN_SUCCESS;
}

static quern_status session_begin(session *session, quern_device *device, const quern_cli_plan *plan)
{
    size_t count = plan->kernel->parameter_count + 1; /* never 0 */
    memset(session, 0, sizeof *session);
    session->plan = plan;
    session->buffers = calloc(count, sizeof *session->buffers);
    session->views = calloc(count, sizeof *session->views);
    session->const_views = calloc(count, sizeof *session->const_views);
    session->arguments = calloc(count, sizeof *session->arguments);
    session->seconds = calloc(plan->repeat, sizeof *session->seconds);
    if (!session->buffers || !session->views || !session->const_views || !session->arguments || !session->seconds)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the arguments of kernel %s", plan->kernel->name);
    const quern_queue_options options = {.name = "quern run"};
    quern_status status = quern_queue_create(device, &options, &session->queue);
    for (uint32_t i = 0; !status && i < plan->kernel->parameter_count; ++i)
        status = make_argument(session, device, i);
    return status;
}

static void session_end(session *session)
{
    /* After a failure too: no copy may be under way when the host's arrays are freed. */
    if (session->queue)
        quern_queue_synchronize(session->queue);
    for (uint32_t i = 0; session->buffers && i < session->plan->kernel->parameter_count; ++i)
        quern_buffer_release(session->buffers[i]);
    quern_queue_release(session->queue);
    free(session->buffers);
    free(session->views);
    free(session->const_views);
    free(session->arguments);
    free(session->seconds);
}

/* Copies the arrays to the device; those that are only read stay as they are after the first time. */
static quern_status upload(session *session, int first_time)
{
    const quern_kernel *kernel = session->plan->kernel;
    quern_status status = QUERN_SUCCESS;
    for (uint32_t i = 0; !status && i < kernel->parameter_count; ++i) {
        const quern_parameter *parameter = &kernel->parameters[i];
        quern_span span;
        if (!quern_cli_parameter_is_array(parameter) || (!first_time && !quern_cli_parameter_is_written(parameter)))
            continue;
        status = host_span(parameter, &session->plan->bindings[i].array, &span);
        if (!status)
            status = quern_copy_from_host(session->queue, session->views[i], quern_span_as_const(span));
    }
    return status ? status : quern_queue_synchronize(session->queue);
}

/* One launch between two events. */
static quern_status launch(session *session, quern_kernel *kernel, double *seconds)
{
    quern_event *begin = NULL, *end = NULL;
    quern_status status = quern_event_record(session->queue, &begin);
    if (!status)
        status =
            quern_launch(session->queue, kernel, &session->plan->range, session->arguments, kernel->parameter_count);
    if (!status)
        status = quern_event_record(session->queue, &end);
    if (!status)
        status = quern_queue_synchronize(session->queue);
    if (!status)
        status = quern_event_elapsed(begin, end, seconds);
    quern_event_release(begin);
    quern_event_release(end);
    return status;
}

static quern_status download(session *session, quern_cli_array *results)
{
    const quern_kernel *kernel = session->plan->kernel;
    quern_status status = QUERN_SUCCESS;
    for (uint32_t i = 0; !status && i < kernel->parameter_count; ++i) {
        const quern_parameter *parameter = &kernel->parameters[i];
        const quern_cli_array *array = &session->plan->bindings[i].array;
        quern_span span;
        if (!quern_cli_parameter_is_written(parameter))
            continue;
        status = quern_cli_array_allocate(array->type, array->extents, &results[i]);
        if (!status)
            status = host_span(parameter, &results[i], &span);
        if (!status)
            status = quern_copy_to_host(session->queue, span, session->const_views[i]);
    }
    if (!status)
        status = quern_queue_synchronize(session->queue);
    for (uint32_t i = 0; !status && i < kernel->parameter_count; ++i)
        if (results[i].data)
            quern_cli_array_clear_padding(&results[i], kernel->parameters[i].fields);
    return status;
}

static int compare_seconds(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static double median(double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, compare_seconds);
    return count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

static int range_is_empty(const quern_cli_plan *plan)
{
    size_t items = 1;
    quern_extents_count(plan->range.extents, &items);
    return items == 0;
}

static quern_status run_session(session *session, quern_cli_device_run *run)
{
    const quern_cli_plan *plan = session->plan;
    uint64_t checksum = 0;
    quern_status status = QUERN_SUCCESS;
    if (!range_is_empty(plan)) { /* the device's compiler is no part of the kernel's time */
        quern_cli_progress("%s: %s is compiled", run->name, plan->kernel->name);
        status = quern_kernel_prepare(run->kernel, run->device);
    }
    /* Once more than asked for: the first time may hold what a driver compiles for the group size that it meets, and is
     * not counted. */
    for (uint64_t i = 0; !status && i <= plan->repeat; ++i) {
        quern_cli_progress("%s: %s, %llu of %llu", run->name, plan->kernel->name, (unsigned long long)i,
                           (unsigned long long)plan->repeat);
        status = upload(session, i == 0);
        if (!status)
            status = launch(session, run->kernel, &session->seconds[i ? i - 1 : 0]);
    }
    if (!status)
        status = download(session, run->results);
    if (!status)
        status = quern_cli_checksum(run->results, plan->kernel->parameter_count, &checksum);
    if (status)
        return status;
    if (quern_cli_has_checksum())
        snprintf(run->checksum, sizeof run->checksum, "%016" PRIx64, checksum);
    run->seconds = median(session->seconds, plan->repeat);
    run->gb_per_s = run->seconds > 0 && !range_is_empty(plan) ? (double)plan->array_bytes / run->seconds / 1e9 : 0;
    return QUERN_SUCCESS;
}

void quern_cli_device_run_execute(quern_cli_device_run *run, const quern_cli_plan *plan)
{
    session session = {0};
    if (run->status)
        return;
    run->results = calloc(plan->kernel->parameter_count + 1, sizeof *run->results);
    if (!run->results) {
        keep_failure(run,
                     quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the results of kernel %s", plan->kernel->name));
        return;
    }
    keep_failure(run, session_begin(&session, run->device, plan));
    if (!run->status)
        keep_failure(run, run_session(&session, run));
    session_end(&session);
}

void quern_cli_device_run_close(quern_cli_device_run *run, size_t parameter_count)
{
    for (size_t i = 0; run->results && i < parameter_count; ++i)
        quern_cli_array_free(&run->results[i]);
    free(run->results);
    free(run->error);
    quern_program_release(run->program);
    quern_device_release(run->device);
    memset(run, 0, sizeof *run);
}
