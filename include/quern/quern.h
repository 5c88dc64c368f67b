/*
 * Quern: the whole host interface.
 *
 * Write a compute kernel once, in C (see <quern/kernel.h>), and launch it on every processor of the
 * machine. This header is for host code; a kernel file includes <quern/kernel.h> alone.
 */
#ifndef QUERN_QUERN_H
#define QUERN_QUERN_H

#include <quern/adapt.h>
#include <quern/buffer.h>
#include <quern/copy.h>
#include <quern/device.h>
#include <quern/event.h>
#include <quern/graph.h>
#include <quern/launch.h>
#include <quern/layout.h>
#include <quern/levels.h>
#include <quern/native.h>
#include <quern/program.h>
#include <quern/queue.h>
#include <quern/range.h>
#include <quern/source.h>
#include <quern/span.h>
#include <quern/status.h>
#include <quern/task.h>
#include <quern/type.h>
#include <quern/view.h>

#endif
