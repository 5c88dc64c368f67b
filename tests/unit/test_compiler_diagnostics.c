/* What the signature pass refuses: each with the file, the line and what is wrong. */
#include "compiler_test.h"

typedef struct mistake {
    const char *text, *wanted;
} mistake;

/* The text begins at line 11 of header.h. */
static void assert_refused(const mistake *m)
{
    quern_signature signature;
    quern_diagnostics diagnostics;
    char text[8192];
    snprintf(text, sizeof text, "# 11 \"header.h\"\n%s", m->text);
    assert_success(read_signature(text, &signature, &diagnostics));
    if (!diagnostics.text || !strstr(diagnostics.text, m->wanted))
        fail_msg("'%s'\n  was to give '%s'\n  but gave '%s'", m->text, m->wanted,
                 diagnostics.text ? diagnostics.text : "");
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
}

#define BODY " { EACH (i) ; }"

static void mistakes_are_named_at_their_line(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        /* forms */
        {"KERNEL(k,\n texture(float, x))" BODY, "header.h:12: error: kernel 'k': unknown parameter form 'texture'"},
        {"KERNEL(k, source(float, x))" BODY,
         "header.h:11: error: kernel 'k': the parameter form source(…) is not supported yet"},
        {"KERNEL(k, float *x)" BODY, "kernel 'k': 'float * x' is no parameter"},
        {"KERNEL(k, in)" BODY, "kernel 'k': 'in' is no parameter"},
        {"KERNEL(k, in(float, x) y)" BODY, "kernel 'k'"},
        {"KERNEL(k, in(float, x), )" BODY, "kernel 'k': a parameter is missing here"},
        {"KERNEL(k, in(float))" BODY, "in takes a type and a name, but this is 'in ( float )'"},
        {"KERNEL(k, in(float, 2, x))" BODY, "in takes a type and a name"},
        {"KERNEL(k, in(, x))" BODY, "in takes a type and a name"},
        {"KERNEL(k, in_nd(float, x))" BODY, "in_nd takes a type, a rank and a name"},
        {"KERNEL(k, in(float, *x))" BODY, "'* x' is no name for a parameter"},
        {"KERNEL(k, in(float, 3))" BODY, "a parameter's name must be a name, but is '3'"},
        /* names */
        {"KERNEL(class, in(float, x))" BODY, "a kernel's name cannot be 'class': that is a keyword of C++"},
        {"KERNEL(while, in(float, x))" BODY, "a kernel's name cannot be 'while': that is a keyword of C"},
        {"KERNEL(k, in(float, kernel))" BODY, "a parameter's name cannot be 'kernel': that is a keyword of OpenCL C"},
        {"KERNEL(k, in(float, threadIdx))" BODY, "a parameter's name cannot be 'threadIdx': that is a keyword of CUDA"},
        {"KERNEL(k, in(float, GROUP_SIZE))" BODY, "that is a word of the dialect"},
        {"KERNEL(unix, in(float, x))" BODY, "a kernel's name cannot be 'unix': that is a macro of gcc and clang"},
        {"KERNEL(k, in(float, linux))" BODY, "a parameter's name cannot be 'linux': that is a macro of gcc and clang"},
        {"STRUCT(s, field(int, i386))", "a field's name cannot be 'i386': that is a macro of gcc and clang"},
        {"KERNEL(k, in(float, M_PI))" BODY,
         "a parameter's name cannot be 'M_PI': that is a constant that C's headers bring"},
        {"KERNEL(k, in(float, quern_x))" BODY, "that is one of Quern's own names"},
        {"KERNEL(QUERN_X, in(float, x))" BODY, "that is one of Quern's own names"},
        {"KERNEL(k, in(float, __x))" BODY, "begin with two underscores"},
        {"KERNEL(k, in(float, int32_t))" BODY, "that is the name of a type"},
        {"STRUCT(s, field(int, new))", "a field's name cannot be 'new': that is a keyword of C++"},
        {"STRUCT(local, field(int, x))", "a STRUCT's name cannot be 'local'"},
        {"DEVICE float sin(float x) { return x; }",
         "a helper function's name cannot be 'sin': that is a function of the dialect"},
        {"DEVICE int f(int x) { return x; }\nKERNEL(k, in(float, gr\\U000000f6\\U000000dfe))" BODY,
         "header.h:12: error: a name has a character that is none of a to z"},
        {"KERNEL(k, in(float, gr\xc3\xb6\xc3\x9f))" BODY,
         "header.h:11: error: a name has a character that is none of a to z"},
        {"DEVICE int template(int x) { return x; }", "a helper function's name cannot be 'template'"},
        /* twice */
        {"KERNEL(k, in(int, x))" BODY "\nKERNEL(k, in(int, x))" BODY,
         "header.h:12: error: there are two kernels named 'k', the first at header.h:11"},
        {"KERNEL(k, in(int, x),\nout(int, x))" BODY, "header.h:12: error: kernel 'k' has two parameters named 'x'"},
        {"STRUCT(s, field(int, a))\nSTRUCT(s, field(int, a))",
         "header.h:12: error: STRUCT 's' is declared twice, first at header.h:11"},
        {"STRUCT(s, field(int, a),\nfield(int, a))", "header.h:12: error: STRUCT 's' has two fields named 'a'"},
        {"STRUCT(s, field(int, a)) KERNEL(s, in(int, x))" BODY, "kernel 's' has the name of a STRUCT"},
        {"STRUCT(s, field(int, a)) KERNEL(k, in(int, s))" BODY, "parameter 's' has the name of a STRUCT"},
        {"DEVICE int k(int x) { return x; }\nKERNEL(k, in(int, x))" BODY,
         "header.h:12: error: kernel 'k' has the name of the helper function at header.h:11"},
        {"KERNEL(k, in(int, x))" BODY "\nDEVICE int k(int x) { return x; }",
         "header.h:12: error: helper function 'k' has the name of the kernel at header.h:11"},
        /* bodies */
        {"KERNEL(k, in(int, x))", "header.h:11: error: kernel 'k' has no body"},
        {"KERNEL(k, in(int, x));", "kernel 'k' has no body"},
        {"GROUP_KERNEL(k, 7, in(int, x)) int y;", "kernel 'k' has no body"},
        {"KERNEL(k, in(int, x)) { EACH (i) ;", "header.h:11: error: the body of kernel 'k' is not closed"},
        {"KERNEL(k, in(int, x) { EACH (i) ; }", "the '(' of this KERNEL is not closed"},
        {"KERNEL(k, in(int, x)) { x[0] = 1; }", "kernel 'k' has no EACH"},
        {"KERNEL(k, in(int, x)) { EACH (i) ;\nEACH2 (y, x) ; }",
         "header.h:12: error: kernel 'k': EACH and EACH2 in one kernel have different ranks"},
        {"KERNEL(k, in(int, x)) { EACH_INDEX (i) ; EACH3 (a, b, c) ; }", "EACH_INDEX and EACH3 in one kernel"},
        {"int f(void) {\nKERNEL(k, in(int, x)) { EACH (i) ; } }", "header.h:12: error: KERNEL stands inside braces"},
        {"KERNEL(, in(int, x))" BODY, "KERNEL needs a name first"},
        {"KERNEL()" BODY, "KERNEL needs a name first"},
        {"STRUCT(s)", "STRUCT 's' has no fields"},
        {"STRUCT()", "STRUCT needs a name and fields"},
        {"STRUCT(s, int a)", "STRUCT 's': 'int a' is no field(type, name)"},
        {"STRUCT(s, field(int))", "a field is field(type, name) or field(type, name, length)"},
        {"STRUCT(s, field(int, a, 0))", "field 'a': the length must be a positive integer constant, but is '0'"},
        {"STRUCT(s, field(int, a, n))", "the length must be a positive integer constant, but is 'n'"},
        {"STRUCT(s, field(int, a, 2, 3))", "the length must be a positive integer constant"},
        {"DEVICE int f(int x) { return x;", "the body of helper function 'f' is not closed"},
        {"static int t[] = {1, 2;", "'{' is not closed"},
        /* ranks and group sizes */
        {"KERNEL(k, in_nd(float, (2), x))" BODY,
         "the rank must be a plain number from 1 to 6 (or a macro that is one), but is '( 2 )'"},
        {"KERNEL(k, in_nd(float, 0, x))" BODY,
         "the rank must be a plain number from 1 to 6 (or a macro that is one), but is '0'"},
        {"KERNEL(k, in_nd(float, 7, x))" BODY,
         "the rank must be a plain number from 1 to 6 (or a macro that is one), but is '7'"},
        {"KERNEL(k, in_nd(float, n, x))" BODY,
         "the rank must be a plain number from 1 to 6 (or a macro that is one), but is 'n'"},
        {"KERNEL(k, in_nd(float, 1.0, x))" BODY, "the rank must be"},
        {"GROUP_KERNEL(k, 0, in(int, x)) {}", "the group size must be positive integer constants or ANY, but is '0'"},
        {"GROUP_KERNEL(k, -4, in(int, x)) {}",
         "the group size must be positive integer constants or ANY, but is '- 4'"},
        {"GROUP_KERNEL(k, n, in(int, x)) {}", "the group size must be positive integer constants or ANY, but is 'n'"},
        {"GROUP_KERNEL(k, 4 / 0, in(int, x)) {}", "the group size must be"},
        {"GROUP_KERNEL(k, 1 << 63, in(int, x)) {}", "the group size must be"},
        {"GROUP_KERNEL(k, 5000000000, in(int, x)) {}", "the group size must be"},
        {"GROUP_KERNEL(k, 3 +, in(int, x)) {}", "the group size must be"},
        {"GROUP_KERNEL(k, (4, ), in(int, x)) {}", "the group size must be"},
        {"GROUP_KERNEL(k, (65536, 65536), in(int, x)) {}", "a group has more than 2147483647 items"},
        {"GROUP_KERNEL(k, (1, 2, 3, 4), in(int, x)) {}", "a group has at most 3 dimensions"},
        {"GROUP_KERNEL(k, (4, ANY), in(int, x)) {}", "ANY stands for all sizes of a group or for none"},
        {"GROUP_KERNEL(k) {}", "GROUP_KERNEL needs a group size"},
        /* types */
        {"KERNEL(k, in(bool, x))" BODY, "kernel 'k', parameter 'x': type 'bool' is no type that all backends pass"},
        {"KERNEL(k, in(_Bool, x))" BODY, "type '_Bool' is no type that all backends pass"},
        {"KERNEL(k, in(size_t, x))" BODY, "type 'size_t' has not the same size everywhere"},
        {"KERNEL(k, in(unsigned long, x))" BODY, "type 'unsigned long' has not the same size everywhere"},
        {"KERNEL(k, value(long long, x))" BODY, "type 'long long' has not the same size everywhere"},
        {"KERNEL(k, in(float *, x))" BODY, "type 'float *' is a pointer"},
        {"KERNEL(k, in(quern_index, x))" BODY, "type 'quern_index' has not the same size on every backend"},
        {"KERNEL(k, in(void, x))" BODY, "type 'void' is no type of an element"},
        {"KERNEL(k, in(const float, x))" BODY, "type 'const float' is const"},
        {"KERNEL(k, in(mystery, x))" BODY, "type 'mystery' is not declared before"},
        {"KERNEL(k, in(struct mystery, x))" BODY, "is a struct that is not defined before"},
        {"KERNEL(k, in(enum e, x))" BODY, "is an enumeration"},
        {"KERNEL(k, in(union u, x))" BODY, "is a union"},
        {"KERNEL(k, in(long double, x))" BODY, "type 'long double'"},
        {"KERNEL(k, in(short char, x))" BODY, "type 'short char' is no type of the dialect"},
        {"KERNEL(k, in(float float, x))" BODY, "type 'float float' is no type of the dialect"},
        {"KERNEL(k, local(size_t, x))" BODY, "type 'size_t'"},
        {"typedef float *pointer; KERNEL(k, in(pointer, x))" BODY, "type 'pointer' is a pointer"},
        {"typedef float four[4]; KERNEL(k, in(four, x))" BODY, "type 'four' is an array"},
        {"typedef long big; KERNEL(k, in(big, x))" BODY, "type 'big' has not the same size everywhere"},
        {"typedef t t; KERNEL(k, in(t, x))" BODY, "type 't' is not declared before"},
        {"STRUCT(s, field(double *, p))", "field 'p': type 'double *' is a pointer"},
        {"STRUCT(s, field(s, p))", "field 'p': type 's' is not declared before"},
        {"typedef struct { int a; } nameless; KERNEL(k, value(nameless, x))" BODY,
         "host code has no name for the struct"},
        {"KERNEL(k, in(struct { int a; }, x))" BODY, "host code has no name for the struct"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
        assert_refused(&mistakes[i]);
}

static void sixty_five_parameters_are_too_many(void **state)
{
    (void)state;
    char text[4096] = "KERNEL(k";
    for (int i = 0; i < 65; ++i)
        sprintf(text + strlen(text), ", in(float, x%d)", i);
    strcat(text, ")" BODY);
    assert_refused(&(mistake){text, "header.h:11: error: kernel 'k' has 65 parameters; 64 are the most"});
}

static void all_are_reported_at_once_but_no_more_than_fifty(void **state)
{
    (void)state;
    quern_signature signature;
    quern_diagnostics diagnostics;
    char text[8192] = "";
    for (int i = 0; i < 61; ++i)
        sprintf(text + strlen(text), "KERNEL(k%d, in(long, x))" BODY "\n", i);
    assert_success(read_signature(text, &signature, &diagnostics));
    assert_int_equal(diagnostics.errors, 61);
    assert_contains(diagnostics.text, "file.k.c:50: error: kernel 'k49'");
    assert_null(strstr(diagnostics.text, "k50"));
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
}

static void deep_nesting_ends_in_a_message(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 100);
    char *end = text + sprintf(text, "GROUP_KERNEL(k, ");
    memset(end, '(', DEPTH);
    end[DEPTH] = '1';
    memset(end + DEPTH + 1, ')', DEPTH);
    strcpy(end + 2 * DEPTH + 1, ", in(int, x)) {}");
    quern_signature signature;
    quern_diagnostics diagnostics;
    assert_success(read_signature(text, &signature, &diagnostics));
    assert_int_equal(diagnostics.errors, 1);
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_at_their_line),
        cmocka_unit_test(sixty_five_parameters_are_too_many),
        cmocka_unit_test(all_are_reported_at_once_but_no_more_than_fifty),
        cmocka_unit_test(deep_nesting_ends_in_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
