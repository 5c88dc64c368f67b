/* The tool's .npy reader and writer: every kind of array there and back, and every malformed file refused by name. */
#include "cli/array.c"
#include "cli/interrupt.c"
#include "cli/npy.c"
#include "cli/npy_header.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static char directory[] = "/tmp/quern-npy-XXXXXX";
static char path[64];

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/array.npy", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory); /* fails when a file was left aside */
}

static void put(const char *file, const void *bytes, size_t size)
{
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* A file of version 1 with the header text and size bytes of data, each 7. Gives its size. */
static size_t compose(unsigned char *file, const char *header, size_t size)
{
    size_t length = strlen(header);
    memcpy(file, magic, 6);
    file[6] = 1;
    file[7] = 0;
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + 10, header, length);
    memset(file + 10 + length, 7, size);
    return 10 + length + size;
}

static void expect_refused(const char *header, size_t size, const char *words)
{
    unsigned char file[1024];
    quern_cli_array array;
    put(path, file, compose(file, header, size));
    if (quern_npy_read(path, &array) != QUERN_FILE_ERROR || !strstr(quern_last_error(), words) ||
        !strstr(quern_last_error(), path))
        fail_msg("%s: wanted \"%s\", got: %s", header, words, quern_last_error());
    assert_null(array.data);
}

static void expect_accepted(const char *header, size_t size, quern_type_kind kind, uint32_t rank)
{
    unsigned char file[1024];
    quern_cli_array array;
    put(path, file, compose(file, header, size));
    if (quern_npy_read(path, &array))
        fail_msg("%s", quern_last_error());
    assert_int_equal(array.type.kind, kind);
    assert_int_equal(array.extents.rank, rank);
    assert_int_equal(quern_cli_array_bytes(&array), size);
    quern_cli_array_free(&array);
}

static void test_there_and_back(void **state)
{
    (void)state;
    const quern_extents shapes[] = {quern_extents_scalar(),
                                    QUERN_EXTENTS(13),
                                    QUERN_EXTENTS(0),
                                    QUERN_EXTENTS(7, 3),
                                    QUERN_EXTENTS(0, 5),
                                    QUERN_EXTENTS(5, 7, 11),
                                    QUERN_EXTENTS(5, 7, 3, 11),
                                    QUERN_EXTENTS(1, 2, 3, 1, 5),
                                    QUERN_EXTENTS(2, 3, 1, 5, 1, 7)};
    for (int kind = QUERN_KIND_INT8; kind < QUERN_KIND_STRUCT; ++kind)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
            quern_cli_array written, read;
            quern_type type = quern_type_scalar((quern_type_kind)kind);
            assert_int_equal(quern_cli_array_generate(type, NULL, shapes[i], QUERN_CLI_LINEAR, 0, &written), 0);
            assert_int_equal(quern_npy_write(path, &written), 0);
            if (quern_npy_read(path, &read))
                fail_msg("%s", quern_last_error());
            assert_true(quern_type_equal(read.type, type));
            assert_int_equal(read.extents.rank, shapes[i].rank);
            for (uint32_t d = 0; d < shapes[i].rank; ++d)
                assert_int_equal(read.extents.n[d], shapes[i].n[d]);
            assert_memory_equal(read.data, written.data, quern_cli_array_bytes(&written));
            quern_cli_array_free(&written);
            quern_cli_array_free(&read);
        }
}

/* To the byte what numpy.save writes. */
static void test_written_bytes(void **state)
{
    (void)state;
    static const char header[] = "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
    int16_t elements[6] = {1, -2, 3, 256, 5, -32768};
    quern_cli_array array = {quern_type_scalar(QUERN_KIND_INT16), QUERN_EXTENTS(2, 3), elements};
    unsigned char file[512];
    assert_int_equal(quern_npy_write(path, &array), 0);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    assert_int_equal(size, 128 + sizeof elements);
    assert_memory_equal(file, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < 127; ++i)
        assert_int_equal(file[i], ' ');
    assert_int_equal(file[127], '\n');
    assert_memory_equal(file + 128, elements, sizeof elements);
}

static void test_header_forms(void **state)
{
    (void)state;
    expect_accepted("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   \n", 12, QUERN_KIND_FLOAT32, 1);
    expect_accepted("{'shape':(3,5),'fortran_order':False,'descr':'<f8'}", 120, QUERN_KIND_FLOAT64, 2);
    expect_accepted("{ \"descr\" : \"|u1\" , 'fortran_order': False, 'shape': ( 3 , 5 , ) , }\n", 15, QUERN_KIND_UINT8,
                    2);
    expect_accepted("{'descr': '=i4', 'fortran_order': False, 'shape': ()}\n", 4, QUERN_KIND_INT32, 0);
    expect_accepted("{'descr': '>i1', 'fortran_order': False, 'shape': (3L, 2L)}\n", 6, QUERN_KIND_INT8, 2);
    expect_accepted("{'descr': '<u8', 'fortran_order': False, 'shape': (0, 9223372036854775807)}\n", 0,
                    QUERN_KIND_UINT64, 2);
}

static void test_versions(void **state)
{
    (void)state;
    static const char header[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n";
    for (unsigned char version = 2; version <= 3; ++version) {
        unsigned char file[256] = {0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, sizeof header - 1, 0, 0, 0};
        const int32_t elements[2] = {-5, 7};
        quern_cli_array array;
        memcpy(file + 12, header, sizeof header - 1);
        memcpy(file + 12 + sizeof header - 1, elements, sizeof elements);
        put(path, file, 12 + sizeof header - 1 + sizeof elements);
        assert_int_equal(quern_npy_read(path, &array), 0);
        assert_memory_equal(array.data, elements, sizeof elements);
        quern_cli_array_free(&array);
    }
}

#define DICTIONARY(type, order, shape) "{'descr': " type ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static void test_refused_types(void **state)
{
    (void)state;
    expect_refused(DICTIONARY("'|b1'", "False", "(3,)"), 3, "bool");
    expect_refused(DICTIONARY("'<c8'", "False", "(3,)"), 24, "complex");
    expect_refused(DICTIONARY("'<f2'", "False", "(3,)"), 6, "float of another width");
    expect_refused(DICTIONARY("'<f16'", "False", "(3,)"), 48, "float of another width");
    expect_refused(DICTIONARY("'<U5'", "False", "(3,)"), 60, "text");
    expect_refused(DICTIONARY("'|S5'", "False", "(3,)"), 15, "byte strings");
    expect_refused(DICTIONARY("'|O'", "False", "(3,)"), 24, "Python objects");
    expect_refused(DICTIONARY("'<M8[s]'", "False", "(3,)"), 24, "dates");
    expect_refused(DICTIONARY("'|V12'", "False", "(3,)"), 36, "records");
    expect_refused(DICTIONARY("'<q9'", "False", "(3,)"), 27, "'<q9' (unknown)");
    expect_refused(DICTIONARY("''", "False", "(3,)"), 27, "unknown");
    expect_refused(DICTIONARY("[('x', '<f4')]", "False", "(3,)"), 12, "records");
    expect_refused(DICTIONARY("'>f4'", "False", "(3,)"), 12, "big endian");
    expect_refused(DICTIONARY("'|f4'", "False", "(3,)"), 12, "byte order");
    expect_refused(DICTIONARY("'a name that is longer than any that there is'", "False", "(3,)"), 12, "malformed");
}

static void test_refused_orders_and_shapes(void **state)
{
    (void)state;
    expect_refused(DICTIONARY("'<f4'", "True", "(3, 5)"), 60, "Fortran order");
    expect_refused(DICTIONARY("'<f4'", "0", "(3, 5)"), 60, "neither True nor False");
    expect_refused(DICTIONARY("'<f4'", "False", "(3)"), 12, "no tuple");
    expect_refused(DICTIONARY("'<f4'", "False", "3"), 12, "no tuple");
    expect_refused(DICTIONARY("'<f4'", "False", "(,)"), 12, "no tuple");
    expect_refused(DICTIONARY("'<f4'", "False", "(3,,5)"), 60, "no tuple");
    expect_refused(DICTIONARY("'<f4'", "False", "(3.0,)"), 12, "no tuple");
    expect_refused(DICTIONARY("'<f4'", "False", "(-3,)"), 12, "negative");
    expect_refused(DICTIONARY("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1)"), 4, "more than 6 dimensions");
    expect_refused(DICTIONARY("'<f4'", "False", "(99999999999999999999,)"), 12, "does not fit 63 bits");
    expect_refused(DICTIONARY("'<f4'", "False", "(18446744073709551615,)"), 12, "does not fit 63 bits");
    expect_refused(DICTIONARY("'<f8'", "False", "(2147483648, 2147483648, 4)"), 12, "do not fit 63 bits");
    expect_refused(DICTIONARY("'<f8'", "False", "(4294967296, 4294967296)"), 0, "do not fit 63 bits");
    /* 32 GiB in a file of a hundred bytes is refused before any memory is asked for. */
    expect_refused(DICTIONARY("'<f8'", "False", "(4, 32768, 32768)"), 16, "cut short");
}

static void test_refused_dictionaries(void **state)
{
    (void)state;
    expect_refused("", 0, "begin with '{'");
    expect_refused("{}", 0, "missing");
    expect_refused("{'descr': '<f4', 'shape': (1,)}", 4, "missing");
    expect_refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "twice");
    expect_refused("{'descr': '<f4', 'order': False, 'shape': (1,)}", 4, "besides");
    expect_refused("{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "':'");
    expect_refused("{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", 4, "','");
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, "'}'");
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} and", 4, "after the '}'");
    expect_refused("{'descr': '<f4", 4, "no end");
    expect_refused("{descr: '<f4'}", 4, "wanted a key");
    expect_refused("[1, 2]", 4, "begin with '{'");
}

static void test_refused_sizes(void **state)
{
    (void)state;
    unsigned char file[256];
    quern_cli_array array;
    expect_refused(DICTIONARY("'<f4'", "False", "(3,)"), 11, "cut short");
    expect_refused(DICTIONARY("'<f4'", "False", "(3,)"), 0, "cut short");
    expect_refused(DICTIONARY("'<f4'", "False", "(3,)"), 13, "something follows");
    expect_refused(DICTIONARY("'<f4'", "False", "(0,)"), 1, "something follows");
    size_t size = compose(file, DICTIONARY("'<f4'", "False", "(3,)"), 12);
    file[9] = 1; /* the header would take 256 bytes more than there are */
    put(path, file, size);
    assert_int_equal(quern_npy_read(path, &array), QUERN_FILE_ERROR);
    assert_non_null(strstr(quern_last_error(), "the header is said to have"));
    file[6] = 4;
    put(path, file, size);
    assert_int_equal(quern_npy_read(path, &array), QUERN_FILE_ERROR);
    assert_non_null(strstr(quern_last_error(), "version 4.0"));
    file[0] = 'P';
    put(path, file, size);
    assert_int_equal(quern_npy_read(path, &array), QUERN_FILE_ERROR);
    assert_non_null(strstr(quern_last_error(), "no .npy file"));
    put(path, file, 0);
    assert_int_equal(quern_npy_read(path, &array), QUERN_FILE_ERROR);
    assert_non_null(strstr(quern_last_error(), "cut short"));
    assert_int_equal(quern_npy_read("/no/such/file.npy", &array), QUERN_FILE_ERROR);
    assert_non_null(strstr(quern_last_error(), "/no/such/file.npy"));
    assert_int_equal(quern_npy_read(directory, &array), QUERN_FILE_ERROR);
}

/* A file cut anywhere is refused. */
static void test_cut_everywhere(void **state)
{
    (void)state;
    unsigned char file[256];
    quern_cli_array array;
    size_t size = compose(file, DICTIONARY("'<i8'", "False", "(2, 3)"), 48);
    for (size_t cut = 0; cut < size; ++cut) {
        put(path, file, cut);
        assert_int_equal(quern_npy_read(path, &array), QUERN_FILE_ERROR);
        assert_null(array.data);
    }
    put(path, file, size);
    assert_int_equal(quern_npy_read(path, &array), QUERN_SUCCESS);
    quern_cli_array_free(&array);
}

static uint32_t random_word(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Files with a few bytes changed: read or refused, never more memory touched than there is (the sanitizers look), and
 * what is read has the size that its shape says. */
static void test_mutations(void **state)
{
    (void)state;
    static const char letters[] = "{}()[],:'\"<>=|-0123456789LTFue \n\0\xff";
    uint32_t seed = 20231;
    unsigned read = 0;
    for (int round = 0; round < 4000; ++round) {
        unsigned char file[256];
        quern_cli_array array;
        size_t size = compose(file, DICTIONARY("'<i2'", "False", "(2, 3, 5)"), 60);
        for (uint32_t n = 1 + random_word(&seed) % 4; n > 0; --n) {
            size_t place = random_word(&seed) % (size - 56);
            file[place] = random_word(&seed) % 4 ? (unsigned char)letters[random_word(&seed) % (sizeof letters - 1)]
                                                 : (unsigned char)random_word(&seed);
        }
        if (random_word(&seed) % 8 == 0)
            size = random_word(&seed) % size;
        put(path, file, size);
        quern_status status = quern_npy_read(path, &array);
        if (status) {
            assert_int_equal(status, QUERN_FILE_ERROR);
            assert_null(array.data);
            continue;
        }
        ++read;
        assert_true(quern_cli_array_bytes(&array) <= size);
        quern_cli_array_free(&array);
    }
    assert_true(read > 0 && read < 4000);
}

static void test_writing_is_whole_or_not(void **state)
{
    (void)state;
    struct stat info;
    quern_cli_array array;
    char missing[128], link[128];
    assert_int_equal(quern_cli_array_generate(quern_type_scalar(QUERN_KIND_INT32), NULL, QUERN_EXTENTS(7, 3),
                                              QUERN_CLI_LINEAR, 0, &array),
                     0);
    snprintf(missing, sizeof missing, "%s/no/array.npy", directory);
    assert_int_equal(quern_npy_write(missing, &array), QUERN_FILE_ERROR);
    assert_non_null(strstr(quern_last_error(), missing));
    assert_int_equal(quern_npy_write(directory, &array), QUERN_FILE_ERROR);

    /* The permissions stay, and so does a symbolic link. */
    put(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    snprintf(link, sizeof link, "%s/link.npy", directory);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(quern_npy_write(link, &array), 0);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(info.st_size, 128 + 84);
    unlink(link);

    /* A device is written to, not replaced. */
    assert_int_equal(quern_npy_write("/dev/null", &array), 0);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(quern_npy_write("/dev/full", &array), QUERN_FILE_ERROR);

    array.type = quern_type_struct(4, 4);
    assert_int_equal(quern_npy_write(path, &array), QUERN_INVALID_TYPE);
    quern_cli_array_free(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_written_bytes),
        cmocka_unit_test(test_header_forms),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_refused_types),
        cmocka_unit_test(test_refused_orders_and_shapes),
        cmocka_unit_test(test_refused_dictionaries),
        cmocka_unit_test(test_refused_sizes),
        cmocka_unit_test(test_cut_everywhere),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_writing_is_whole_or_not),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
