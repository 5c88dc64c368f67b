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

/* A device, or a backend. */
typedef struct entry {
    const char *name;
    quern_status status;
    char *reason;           /* malloc'ed; NULL when it works */
    quern_device_info info; /* of a device that works */
} entry;

typedef struct entry_list {
    entry *backends, *devices; /* behind the devices come those that cannot be used */
    size_t backend_count, device_count;
} entry_list;

static void print_help(void)
{
    fputs("usage: quern devices [--plugin PATH]… [--json]\n"
          "\n"
          "Lists the backends and their devices with their limits, with the reason of each that does not work.\n"
          "\n" QUERN_CLI_PLUGIN_HELP
          "  --json                 print an array of objects: device (or backend that does not work), name, status\n"
          "                         (\"success\" when it works), reason, limits\n"
          "\n"
          "Exit status: 0; 1 when no device works or a backend cannot be loaded; 2 when the command line is wrong.\n"
          "\n"
          "example: QUERN_CPU_DEVICES=2 quern devices\n",
          stdout);
}

/* Asked once: a backend that had no memory may work at the next question. */
static void read_backend(size_t index, entry *entry)
{
    const char *reason = "";
    entry->name = "";
    if (quern_backend_status(index, &entry->name, &entry->status, &reason)) {
        entry->status = QUERN_INTERNAL;
        reason = quern_last_error();
    }
    if (entry->status)
        entry->reason = strdup(reason[0] ? reason : quern_status_text(entry->status));
}

static void read_device(size_t index, entry *entry)
{
    quern_device *device = NULL;
    entry->name = "";
    entry->status = quern_device_name(index, &entry->name);
    if (!entry->status)
        entry->status = quern_device_open(entry->name, &device);
    if (!entry->status)
        entry->status = quern_device_get_info(device, &entry->info);
    if (entry->status)
        entry->reason = strdup(quern_last_error());
    quern_device_release(device);
}

static void read_unusable(size_t index, entry *entry)
{
    const char *reason = "";
    entry->name = "";
    if (quern_device_unusable(index, &entry->name, &entry->status, &reason)) {
        entry->status = QUERN_INTERNAL;
        reason = quern_last_error();
    }
    entry->reason = strdup(reason);
}

/* RIGHT, or WRONG after a message. */
static int collect(entry_list *list)
{
    if (quern_backend_count(&list->backend_count)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    list->backends = calloc(list->backend_count + 1, sizeof *list->backends);
    for (size_t i = 0; list->backends && i < list->backend_count; ++i)
        read_backend(i, &list->backends[i]);
    size_t works = 0, unusable = 0;
    if (quern_device_count(&works) || quern_device_unusable_count(&unusable)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    list->device_count = works + unusable;
    list->devices = calloc(list->device_count + 1, sizeof *list->devices);
    if (!list->backends || !list->devices) {
        quern_cli_error("no memory for a list of %zu devices", list->device_count);
        return QUERN_CLI_WRONG;
    }
    for (size_t i = 0; i < works; ++i)
        read_device(i, &list->devices[i]);
    for (size_t i = 0; i < unusable; ++i)
        read_unusable(i, &list->devices[works + i]);
    return QUERN_CLI_RIGHT;
}

static void release(entry_list *list)
{
    for (size_t i = 0; list->backends && i < list->backend_count; ++i)
        free(list->backends[i].reason);
    for (size_t i = 0; list->devices && i < list->device_count; ++i)
        free(list->devices[i].reason);
    free(list->backends);
    free(list->devices);
}

/* How many devices the backend has; *first is the first of them. */
static size_t count_devices(const entry_list *list, const entry *backend, const entry **first)
{
    size_t count = 0;
    for (size_t i = 0; i < list->device_count; ++i)
        if (strcmp(list->devices[i].info.backend, backend->name) == 0 && count++ == 0)
            *first = &list->devices[i];
    return count;
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
    printf("%s%s%s\n", entry->name, info->description[0] ? "  " : "", info->description);
    if (info->vendor[0])
        print_limit("vendor", "%s", info->vendor);
    print_limit("compute units", "%" PRIu32, info->compute_units);
    if (info->instruction_set[0])
        print_limit("instruction set", "%s", info->instruction_set);
    if (info->simd_bytes > 0)
        print_limit("SIMD", "%" PRIu32 " bytes", info->simd_bytes);
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

/* A sentence behind what was printed; the further lines of a longer text stand below its begin. */
static void print_below(const char *begin, const char *text, int column)
{
    text = text ? text : "";
    size_t length = strcspn(text, "\n");
    printf("%s%.*s\n", begin, (int)length, text);
    while (text[length] == '\n' && text[length + 1]) {
        text += length + 1;
        length = strcspn(text, "\n");
        printf("%*s%.*s\n", column, "", (int)length, text);
    }
}

/* "2 devices: cpu:0, cpu:1"; of many the first and the last. */
static void print_device_names(const entry *first, size_t count)
{
    printf("%zu device%s: %s", count, count == 1 ? "" : "s", first[0].name);
    if (count > 4)
        printf(" to %s", first[count - 1].name);
    for (size_t i = 1; i < count && count <= 4; ++i)
        printf(", %s", first[i].name);
    putchar('\n');
}

/* Every backend with its devices, or with the reason why it has none. */
static void print_backends(const entry_list *list)
{
    int width = 0;
    for (size_t i = 0; i < list->backend_count; ++i)
        if ((int)strlen(list->backends[i].name) > width)
            width = (int)strlen(list->backends[i].name);
    for (size_t i = 0; i < list->backend_count; ++i) {
        const entry *backend = &list->backends[i], *first = NULL;
        size_t count = count_devices(list, backend, &first);
        printf("%-*s  ", width, backend->name);
        if (count)
            print_device_names(first, count);
        else
            print_below("does not work: ", backend->reason, width + 2);
    }
}

static int print_text(const entry_list *list)
{
    print_backends(list);
    for (size_t i = 0; i < list->device_count; ++i) {
        const entry *device = &list->devices[i];
        putchar('\n');
        if (device->status)
            printf("%s  does not work: %s\n", device->name, device->reason ? device->reason : "");
        else
            print_device(device);
    }
    return QUERN_CLI_RIGHT;
}

/* WRONG after a message when there is nothing to compute on. */
static int check_any(const entry_list *list)
{
    for (size_t i = 0; i < list->device_count; ++i)
        if (!list->devices[i].status)
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
        json_pack("{s:o, s:o, s:o, s:o}", "device", quern_cli_json_text(entry->name), "name",
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
    const entry *first;
    for (size_t i = 0; i < list->device_count; ++i)
        json_array_append_new(array, entry_json(&list->devices[i]));
    for (size_t i = 0; i < list->backend_count; ++i)
        if (!count_devices(list, &list->backends[i], &first))
            json_array_append_new(array, entry_json(&list->backends[i]));
    return quern_cli_json_print(array);
}

/* RIGHT or MISUSE after a message; help is 1 when it is asked for. */
static int read_options(int argc, char **argv, quern_cli_plugins *plugins, int *json, int *help)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"plugin", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int option, status = QUERN_CLI_RIGHT;
    optind = 0;
    opterr = 0;
    while (!status && !*help && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (option == 'h')
            *help = 1;
        else if (option == 'j')
            *json = 1;
        else if (option == 'p')
            status = quern_cli_plugin_add(plugins, "devices", optarg);
        else if (option == ':')
            status = quern_cli_misuse("devices", "the option %s wants a value", argv[optind - 1]);
        else
            status =
                quern_cli_misuse("devices", "the options are --plugin and --json, and %s is given", argv[optind - 1]);
    }
    if (!status && !*help && optind < argc)
        status = quern_cli_misuse("devices", "there is nothing to be named, and '%s' is given", argv[optind]);
    return status;
}

int quern_cli_devices(int argc, char **argv)
{
    quern_cli_plugins plugins = {0};
    entry_list list = {0};
    int json = 0, help = 0, status = read_options(argc, argv, &plugins, &json, &help);
    if (!status && help) {
        print_help();
        return QUERN_CLI_RIGHT;
    }
    if (!status && json)
        status = quern_cli_json_check();
    if (!status)
        status = quern_cli_plugins_load(&plugins);
    if (!status)
        status = collect(&list);
    if (!status)
        status = json ? print_json(&list) : print_text(&list);
    if (!status)
        status = check_any(&list);
    release(&list);
    return status;
}
