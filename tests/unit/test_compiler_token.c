/* Tokens of preprocessed C: kinds, texts, positions, and texts that are broken. */
#include "compiler_test.h"

static quern_token_list list;

static void read_tokens(const char *text)
{
    assert_success(quern_tokens_read("a.c", text, strlen(text), &list));
}

/* The tokens, each with a blank behind it. */
static void assert_tokens(const char *text, const char *wanted)
{
    char joined[1024] = "";
    read_tokens(text);
    for (size_t i = 0; i < list.count; ++i) {
        strcat(joined, list.tokens[i].text);
        strcat(joined, " ");
    }
    assert_string_equal(joined, wanted);
    assert_int_equal(list.tokens[list.count].kind, QUERN_TOKEN_END);
    assert_string_equal(list.tokens[list.count].text, "");
    quern_tokens_free(&list);
}

static void splits_into_the_longest_tokens(void **state)
{
    (void)state;
    assert_tokens("a+++b", "a ++ + b ");
    assert_tokens("x<<=y>>=z->w...", "x <<= y >>= z -> w ... ");
    assert_tokens("a<b>c<=d>=e==f!=g&&h||i", "a < b > c <= d >= e == f != g && h || i ");
    assert_tokens("1.5e-3f+.5-0x1p+4*12ULL/1e+", "1.5e-3f + .5 - 0x1p+4 * 12ULL / 1e+ ");
    assert_tokens("0x1e+3", "0x1e+3 "); /* one preprocessing number, as the standard has it */
    assert_tokens("s[i]={.x=1};", "s [ i ] = { . x = 1 } ; ");
    assert_tokens("<% <: :> %>", "{ [ ] } ");
    assert_tokens("\\ @ `", "\\ @ ` ");
    assert_tokens("", "");
    assert_tokens(" \t\n\v\f\r", "");
}

static void knows_strings_characters_and_comments(void **state)
{
    (void)state;
    assert_tokens("\"a\\\"b\" 'c' '\\'' L\"w\" u8\"x\" U'y' uv\"z\"",
                  "\"a\\\"b\" 'c' '\\'' L\"w\" u8\"x\" U'y' uv \"z\" ");
    assert_tokens("a/*b\nc*/d//e\nf", "a d f ");
    assert_tokens("a/b*c", "a / b * c ");
    assert_tokens("\"/*no comment*/\"", "\"/*no comment*/\" ");
    read_tokens("\"s\" 'c' n 1 + ");
    static const quern_token_kind kinds[] = {QUERN_TOKEN_STRING, QUERN_TOKEN_CHARACTER,  QUERN_TOKEN_NAME,
                                             QUERN_TOKEN_NUMBER, QUERN_TOKEN_PUNCTUATOR, QUERN_TOKEN_END};
    for (size_t i = 0; i < 6; ++i)
        assert_int_equal(list.tokens[i].kind, kinds[i]);
    assert_true(quern_token_is(&list.tokens[2], "n"));
    assert_false(quern_token_is(&list.tokens[0], "\"s\""));
    quern_tokens_free(&list);
}

static void names_may_hold_utf8_and_dollars(void **state)
{
    (void)state;
    assert_tokens("gr\xc3\xb6\xc3\x9f"
                  "e$1 = \xe2\x88\x9e;",
                  "gr\xc3\xb6\xc3\x9f"
                  "e$1 = \xe2\x88\x9e ; ");
}

static void a_nul_byte_separates(void **state)
{
    (void)state;
    static const char text[] = "a\0b \"s\0t\" c";
    assert_success(quern_tokens_read("a.c", text, sizeof text - 1, &list));
    assert_int_equal(list.count, 4);
    assert_string_equal(list.tokens[1].text, "b");
    assert_string_equal(list.tokens[3].text, "c");
    quern_tokens_free(&list);
}

static void assert_place(size_t i, const char *text, const char *file, int line, int from_system)
{
    assert_string_equal(list.tokens[i].text, text);
    assert_string_equal(list.tokens[i].file, file);
    assert_int_equal(list.tokens[i].line, line);
    assert_int_equal(list.tokens[i].from_system, from_system);
}

static void line_markers_set_the_place(void **state)
{
    (void)state;
    read_tokens(
        "a\nb\n# 12 \"dir/we\\\\ird \\\"q\\\" \\303\\266.h\" 1 3 4\nc\n\nd\n#line 7 \"a.c\"\ne \\\nf\n# 3 \"b.c\" 2\n"
        "g /*\n\n*/ h\n#ident \"x\"\ni \"s\\\nt\" j\n");
    assert_place(0, "a", "a.c", 1, 0);
    assert_place(1, "b", "a.c", 2, 0);
    assert_place(2, "c", "dir/we\\ird \"q\" \303\266.h", 12, 1);
    assert_place(3, "d", "dir/we\\ird \"q\" \303\266.h", 14, 1);
    assert_place(4, "e", "a.c", 7, 0);
    assert_place(5, "f", "a.c", 8, 0);
    assert_place(6, "g", "b.c", 3, 0);
    assert_place(7, "h", "b.c", 5, 0);
    assert_place(8, "i", "b.c", 7, 0);
    assert_int_equal(list.tokens[10].line, 8);
    assert_int_equal(list.tokens[list.count].line, 9);
    quern_tokens_free(&list);
}

static void a_pragma_is_one_token(void **state)
{
    (void)state;
    read_tokens("a\n  #  pragma quern fp(fast) \nb # c\n#pragma\n");
    assert_int_equal(list.tokens[1].kind, QUERN_TOKEN_PRAGMA);
    assert_string_equal(list.tokens[1].text, "#  pragma quern fp(fast) ");
    assert_int_equal(list.tokens[1].line, 2);
    assert_true(quern_token_is(&list.tokens[3], "#")); /* not where a line begins */
    assert_int_equal(list.tokens[5].kind, QUERN_TOKEN_PRAGMA);
    quern_tokens_free(&list);
}

static void what_is_not_ended_is_an_error_at_its_line(void **state)
{
    (void)state;
    static const char *const texts[] = {"a\nb /* c\nd", "a\n\"b\nc", "a\n'b", "a\nx \"b\\"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        assert_fails(QUERN_COMPILE_FAILED, quern_tokens_read("a.c", texts[i], strlen(texts[i]), &list));
        assert_contains(quern_last_error(), "a.c:2: error: ");
        assert_null(list.tokens);
    }
}

static void brackets_are_matched_by_kind(void **state)
{
    (void)state;
    read_tokens("( a [ b { c } ] ) ( ] { ( }");
    assert_int_equal(quern_tokens_closing(&list, 0), 8);
    assert_int_equal(quern_tokens_closing(&list, 2), 7);
    assert_int_equal(quern_tokens_closing(&list, 4), 6);
    assert_int_equal(quern_tokens_closing(&list, 1), list.count);  /* no bracket */
    assert_int_equal(quern_tokens_closing(&list, 8), list.count);  /* a closing one */
    assert_int_equal(quern_tokens_closing(&list, 9), list.count);  /* closed by another kind */
    assert_int_equal(quern_tokens_closing(&list, 11), list.count); /* never closed */
    assert_int_equal(quern_tokens_closing(&list, 1000), list.count);
    quern_tokens_free(&list);
}

/* Every beginning of a text, and the text with every byte changed, is read or refused, and nothing worse. */
static void broken_texts_do_no_harm(void **state)
{
    (void)state;
    static const char text[] =
        "# 1 \"f.c\" 3\nKERNEL(k, in(float, x), in_nd(int, 3, y)) { EACH (i) y[i] = 'c' + \"s\\n\"[0]; }\n"
        "#pragma quern fp(fast)\nSTRUCT(s, field(float, a, 1 + 2)) /* c */ typedef struct t { int q; } t;\n"
        "GROUP_KERNEL(g, (2, ANY), value(s, v)) { LOCAL(int, l, 7); } DEVICE int h(int z) { return z; }\n";
    static const char bytes[] = "\0\n\"'()[]{}#,\\/*;a0.\xff";
    char changed[sizeof text];
    for (size_t i = 0; i < sizeof text; ++i)
        for (size_t b = 0; b <= sizeof bytes; ++b) {
            quern_signature signature;
            quern_diagnostics diagnostics;
            size_t size = b == sizeof bytes ? i : sizeof text - 1;
            memcpy(changed, text, sizeof text);
            if (b < sizeof bytes)
                changed[i] = bytes[b];
            char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a read beyond */
            memcpy(exact, changed, size);
            quern_diagnostics_init(&diagnostics);
            if (quern_tokens_read("f.c", exact, size, &list) == QUERN_SUCCESS &&
                quern_signature_read(list, &signature, &diagnostics) == QUERN_SUCCESS)
                quern_signature_free(&signature);
            quern_diagnostics_free(&diagnostics);
            free(exact);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_into_the_longest_tokens),
        cmocka_unit_test(knows_strings_characters_and_comments),
        cmocka_unit_test(names_may_hold_utf8_and_dollars),
        cmocka_unit_test(a_nul_byte_separates),
        cmocka_unit_test(line_markers_set_the_place),
        cmocka_unit_test(a_pragma_is_one_token),
        cmocka_unit_test(what_is_not_ended_is_an_error_at_its_line),
        cmocka_unit_test(brackets_are_matched_by_kind),
        cmocka_unit_test(broken_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
