/* Recursion: a cycle among the helpers' calls. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* The calls of each helper as a list: first[helper], then next[call]. */
typedef struct call_graph {
    size_t *first, *next, *open;
    unsigned char *seen;
} call_graph;

static int build_graph(const quern_checker *checker, call_graph *graph)
{
    size_t helpers = checker->signature->helper_count;
    graph->first = malloc(helpers * sizeof *graph->first);
    graph->next = malloc(checker->call_count * sizeof *graph->next);
    graph->open = malloc(helpers * sizeof *graph->open);
    graph->seen = malloc(helpers);
    if (!graph->first || !graph->next || !graph->open || !graph->seen)
        return 0;
    for (size_t i = 0; i < helpers; i++)
        graph->first[i] = QUERN_NOWHERE;
    for (size_t i = checker->call_count; i > 0; i--) {
        graph->next[i - 1] = graph->first[checker->calls[i - 1].caller];
        graph->first[checker->calls[i - 1].caller] = i - 1;
    }
    return 1;
}

/* Marks what helper calls, and what that calls, and so on. Each helper is put on the list once. */
static void reach(const quern_checker *checker, call_graph *graph, size_t helper)
{
    size_t count = 0;
    memset(graph->seen, 0, checker->signature->helper_count);
    graph->seen[helper] = 1;
    graph->open[count++] = helper;
    while (count > 0)
        for (size_t i = graph->first[graph->open[--count]]; i != QUERN_NOWHERE; i = graph->next[i]) {
            size_t callee = checker->calls[i].callee;
            if (!graph->seen[callee]) {
                graph->seen[callee] = 1;
                graph->open[count++] = callee;
            }
        }
}

static void report_cycles(quern_checker *checker, call_graph *graph)
{
    for (size_t i = 0; i < checker->call_count; i++) {
        const quern_check_call *made = &checker->calls[i];
        const char *caller = checker->signature->helpers[made->caller].name;
        const char *callee = checker->signature->helpers[made->callee].name;
        if (made->caller == made->callee) {
            quern_check_report(checker, made->where,
                               "helper '%s' calls itself; wanted a loop, OpenCL C has no recursion", caller);
            continue;
        }
        reach(checker, graph, made->callee);
        if (graph->seen[made->caller])
            quern_check_report(
                checker, made->where,
                "helper '%s' calls '%s', which calls '%s' again; wanted a loop, OpenCL C has no recursion", caller,
                callee, caller);
    }
}

void quern_check_recursion(quern_checker *checker)
{
    if (!checker->call_count)
        return;
    call_graph graph = {NULL, NULL, NULL, NULL};
    if (build_graph(checker, &graph))
        report_cycles(checker, &graph);
    else
        checker->out_of_memory = 1;
    free(graph.first);
    free(graph.next);
    free(graph.open);
    free(graph.seen);
}
