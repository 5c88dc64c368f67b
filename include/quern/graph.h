/*
 * Quern: graphs: a sequence of commands of one or more queues, recorded once and replayed with one call.
 *
 *     quern_graph_begin(queues, 2);
 *     … launches, copies, fills, host functions, events and waits on these queues: recorded, not run …
 *     quern_graph_end(queues[0], &graph);
 *     for (…) quern_graph_launch(graph);
 *
 * Capturing. Between begin and end the queues are captured: what is submitted to them, from whatever thread (a task may
 * change its thread), becomes part of the graph and is checked as always, but does not run. Values are copied; host
 * memory of copies and the arguments of host functions are used by every replay and must stay valid. What makes no
 * sense meanwhile gives BUSY: quern_queue_synchronize and quern_queue_query of a captured queue, buffers that belong to
 * its order (those made before may be used), native memory for it, replaying a graph that has a part on it. Other
 * queues are not touched. Blocking queues cannot be captured. What a caller puts into the native queue is not recorded.
 *
 * Events. An event that is recorded on a captured queue stands for a point of the graph: the queues of the same capture
 * may wait for it, and nothing else can be done with it but release it (INVALID_ARGUMENT). An event from outside that a
 * captured queue waits for is waited for by every replay, which is nothing once it has completed; if it failed, the
 * queue fails in each replay.
 *
 * Replaying. Every command goes to the queue that it was recorded on, in the order of the recording; a replay is
 * ordered against all other commands, of other replays too, as if the commands were submitted one by one: by the queue,
 * by what they do with buffers, and by the events inside the graph. So a graph may be replayed while an earlier replay
 * still runs, and by several threads, whose replays then come one after another. A failure sticks to its queue as that
 * of any command; what fails when it is submitted is returned, and the commands behind it are not submitted. A device
 * that can replay by itself (CUDA) gets consecutive launches, copies inside its memory and fills of one queue as one
 * command, which begins when all that any of them waits for outside has come, and is named "a graph" in messages.
 *
 * A graph holds its queues, buffers, events and programs. It stays usable when its queue has failed and been
 * synchronised.
 */
#ifndef QUERN_GRAPH_H
#define QUERN_GRAPH_H

#include <quern/event.h>
#include <quern/launch.h>

typedef struct quern_graph quern_graph;

QUERN_BEGIN_DECLARATIONS

/* Captures count queues, of any devices, from now on. BUSY when one is captured already; INVALID_ARGUMENT for none, for
 * one twice, for a blocking queue. Then none is captured. */
QUERN_API quern_status quern_graph_begin(quern_queue *const *queues, size_t count);

/* Ends the capture that the queue is part of, for all its queues. INVALID_ARGUMENT when it is not captured; after
 * another failure (OUT_OF_MEMORY, or what a device says to its part) the capture goes on, and can be abandoned. */
QUERN_API quern_status quern_graph_end(quern_queue *queue, quern_graph **graph);

/* Ends it and throws away what was recorded. */
QUERN_API quern_status quern_graph_abandon(quern_queue *queue);

/* While it is captured: the number of the command that was recorded last on the queue. Every call counts as one, from 0
 * on, over all queues of the capture; also one that does nothing, as an empty copy. NOT_FOUND before the first. */
QUERN_API quern_status quern_graph_last_command(quern_queue *queue, size_t *command);

/* The commands that were recorded. */
QUERN_API quern_status quern_graph_count(quern_graph *graph, size_t *count);

/* Submits all commands; the host goes on. INVALID_ARGUMENT from within a host function of one of its queues, BUSY while
 * one of them is captured. */
QUERN_API quern_status quern_graph_launch(quern_graph *graph);

/*
 * Replaces an argument of a launch from the next replay on: command as quern_graph_last_command gave it, argument from
 * 0. The value is copied, the view's buffer held. Checked together with the launch's other arguments, with the statuses
 * of quern_launch; INVALID_ARGUMENT when there is no such command or argument, or the command is no launch. Replays
 * that were submitted are not changed. On a device that replays by itself the part is recorded anew at the next replay.
 */
QUERN_API quern_status quern_graph_set_argument(quern_graph *graph, size_t command, size_t argument,
                                                const quern_argument *value);

QUERN_API quern_status quern_graph_retain(quern_graph *graph);

/* NULL is fine. Replays that have been submitted are finished all the same; release never waits. */
QUERN_API quern_status quern_graph_release(quern_graph *graph);

QUERN_END_DECLARATIONS

#endif
