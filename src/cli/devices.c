/* `quern devices`: the backends and devices of this machine. */
#include "cli.h"
#include "json.h"

#include <getopt.h>
#include <inttypes.h>
#include <quern/device.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line: a device, or a backend that does not work. */
typedef struct entry {
    const char *device;
    quern_status status;
    char *reason; /* malloc'ed; NULL when it works */
    quern_device_info info;
} entry;

typedef struct entry_list {
    entry *entries;
    size_t count;
} entry_list;

static void print_help(void)
{
    fputs("usage: quern devices [--json]\n"
          "\n"
          "Lists the devices of all backends with their limits, and the backends that do not work with the reason.\n"
          "\n"
          "  --json  an array of objects: device, name, status (\"success\" when it works), reason, limits\n"
          "\n"
          "Exit status: 0; 1 when no device works; 2 when the command line is wrong.\n"
          "\n"
          "example: QUERN_CPU_DEVICES=2 quern devices\n",
          stdout);
}

static void add_backends(entry_list *list, size_t backends)
{
    for (size_t i = 0; i < backends; ++i) {
        quern_status state = QUERN_SUCCESS;
        const char *name = "", *reason = "";
        entry *entry = &list->entries[list->count];
        if (quern_backend_status(i, &name, &state, &reason)) {
            state = QUERN_INTERNAL;
            reason = quern_last_error();
        }
        if (!state)
            continue;
        entry->device = name;
        entry->status = state;
        entry->reason = strdup(reason);
        ++list->count;
    }
}

static void add_devices(entry_list *list, size_t devices)
{
    for (size_t i = 0; i < devices; ++i) {
        entry *entry = &list->entries[list->count++];
        quern_device *device = NULL;
        entry->status = quern_device_name(i, &entry->device);
        if (!entry->status)
            entry->status = quern_device_open(entry->device, &device);
        else
            entry->device = "";
        if (!entry->status)
            entry->status = quern_device_get_info(device, &entry->info);
        if (entry->status)
            entry->reason = strdup(quern_last_error());
        quern_device_release(device);
    }
}

/* RIGHT, or WRONG after a message. */
static int collect(entry_list *list)
{
    size_t backends = 0, devices = 0;
    if (quern_backend_count(&backends) || quern_device_count(&devices)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    list->entries = calloc(backends + devices + 1, sizeof *list->entries);
    if (!list->entries) {
        quern_cli_error("no memory for a list of %zu devices", devices);
        return QUERN_CLI_WRONG;
    }
    add_devices(list, devices);
    add_backends(list, backends);
    return QUERN_CLI_RIGHT;
}

static void release(entry_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->entries[i].reason);
    free(list->entries);
}

/* Bytes with a binary unit, "?" when unknown. */
static const char *bytes_text(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    int unit = 0;
    while (number >= 1024 && unit < 6) {
        number /= 1024;
        ++unit;
    }
    if (bytes == 0)
        return strcpy(text, "?");
    snprintf(text, 32, "%.*f %s", number < 100 && number != (double)(uint64_t)number ? 1 : 0, number, units[unit]);
    return text;
}

static const char *features_text(const quern_device_info *info, char text[96])
{
    const struct {
        uint32_t has;
        const char *word;
    } features[] = {{info->fp64, "fp64"},
                    {info->fp16, "fp16"},
                    {info->atomics64, "atomics64"},
                    {info->unified_memory, "unified"},
                    {info->host_accessible, "host"}};
    int used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i)
        if (features[i].has)
            used += snprintf(text + used, (size_t)(96 - used), "%s%s", used > 0 ? " " : "", features[i].word);
    return text;
}

static void print_limit(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print_limit(const char *name, const char *format, ...)
{
    va_list arguments;
    printf("  %-18s", name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

static void print_device(const entry *entry)
{
    const quern_device_info *info = &entry->info;
    char text[96], other[32];
    printf("%s  %s\n", entry->device, info->description);
    if (info->vendor[0])
        print_limit("vendor", "%s", info->vendor);
    print_limit("compute units", "%" PRIu32, info->compute_units);
    print_limit("SIMD", "%" PRIu32 " bytes%s%s", info->simd_bytes, info->instruction_set[0] ? ", " : "",
                info->instruction_set);
    if (info->subgroup_width > 0)
        print_limit("sub-group", "%" PRIu32 " items", info->subgroup_width);
    print_limit("memory", "%s", bytes_text(info->memory_bytes, other));
    print_limit("largest buffer", "%s", bytes_text(info->largest_allocation, other));
    print_limit("local memory", "%s a group", bytes_text(info->local_memory_bytes, other));
    print_limit("largest group", "%" PRIu64 " items, at most %" PRIu64 " x %" PRIu64 " x %" PRIu64,
                info->largest_group_items, info->largest_group[0], info->largest_group[1], info->largest_group[2]);
    print_limit("row alignment", "%" PRIu32 " bytes", info->preferred_alignment);
    print_limit("features", "%s", features_text(info, text));
}

static int print_text(const entry_list *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        const entry *entry = &list->entries[i];
        if (i > 0)
            putchar('\n');
        if (entry->status)
            printf("%s  does not work: %s\n", entry->device,
                   entry->reason && entry->reason[0] ? entry->reason : quern_status_text(entry->status));
        else
            print_device(entry);
    }
    return QUERN_CLI_RIGHT;
}

/* WRONG after a message when there is nothing to compute on. */
static int check_any(const entry_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        if (!list->entries[i].status)
            return QUERN_CLI_RIGHT;
    quern_cli_error("no device works here");
    return QUERN_CLI_WRONG;
}

static json_t *limits_json(const quern_device_info *info)
{
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:[I, I, I], s:b, s:b, s:b, s:b, s:b, s:o}",
                     "backend", quern_cli_json_text(info->backend), "vendor", quern_cli_json_text(info->vendor),
                     "memory_bytes", (json_int_t)info->memory_bytes, "largest_allocation",
                     (json_int_t)info->largest_allocation, "compute_units", (json_int_t)info->compute_units,
                     "simd_bytes", (json_int_t)info->simd_bytes, "subgroup_width", (json_int_t)info->subgroup_width,
                     "preferred_alignment", (json_int_t)info->preferred_alignment, "local_memory_bytes",
                     (json_int_t)info->local_memory_bytes, "largest_group_items", (json_int_t)info->largest_group_items,
                     "largest_group", (json_int_t)info->largest_group[0], (json_int_t)info->largest_group[1],
                     (json_int_t)info->largest_group[2], "fp64", info->fp64 != 0, "fp16", info->fp16 != 0, "atomics64",
                     info->atomics64 != 0, "unified_memory", info->unified_memory != 0, "host_accessible",
                     info->host_accessible != 0, "instruction_set", quern_cli_json_text(info->instruction_set));
}

static json_t *entry_json(const entry *entry)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o}", "device", quern_cli_json_text(entry->device), "name",
                  quern_cli_json_text(entry->info.description), "status", quern_cli_json_status(entry->status),
                  "reason", quern_cli_json_text(entry->reason ? entry->reason : ""));
    json_t *limits = entry->status ? NULL : limits_json(&entry->info);
    if (object && limits)
        json_object_update(object, limits);
    json_decref(limits);
    return object;
}

static int print_json(const entry_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; ++i)
        json_array_append_new(array, entry_json(&list->entries[i]));
    return quern_cli_json_print(array);
}

int quern_cli_devices(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int option, json = 0;
    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return QUERN_CLI_RIGHT;
        }
        if (option != 'j')
            return quern_cli_misuse("devices", "the only option is --json, and %s is given", argv[optind - 1]);
        json = 1;
    }
    if (optind < argc)
        return quern_cli_misuse("devices", "there is nothing to be named, and '%s' is given", argv[optind]);
    entry_list list = {NULL, 0};
    int status = json ? quern_cli_json_check() : QUERN_CLI_RIGHT;
    if (!status)
        status = collect(&list);
    if (!status)
        status = json ? print_json(&list) : print_text(&list);
    if (!status)
        status = check_any(&list);
    release(&list);
    return status;
}
