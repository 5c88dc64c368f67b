/*
 * Quern: the preprocessor tools that every dialect is built with: joining names, counting and
 * visiting macro arguments, and the normal form of a parameter.
 *
 * A parameter such as in(float, x) is no macro call of its own: QUERN_PARAMETER_ is pasted in front
 * of it, which leaves QUERN_PARAMETER_in(float, x). So "in", "out", "value", … stay ordinary names
 * everywhere else in a kernel file.
 */
#ifndef QUERN_DIALECT_WORDS_H
#define QUERN_DIALECT_WORDS_H

/* Joins what its arguments expand to. */
#define QUERN_JOIN(a, b) QUERN_JOIN_(a, b)
#define QUERN_JOIN_(a, b) a##b
#define QUERN_JOIN3(a, b, c) QUERN_JOIN3_(a, b, c)
#define QUERN_JOIN3_(a, b, c) a##b##c

#define QUERN_FIRST(...) QUERN_FIRST_(__VA_ARGS__, ~)
#define QUERN_FIRST_(a, ...) a

/*
 * The normal form of a parameter: how it is passed, its type, its rank, its name. The quern_ names
 * are only ever pasted behind the name of a dialect's macro.
 */
#define QUERN_PARAMETER_in(T, x) quern_flat, const T, 1, x
#define QUERN_PARAMETER_out(T, x) quern_flat, T, 1, x
#define QUERN_PARAMETER_inout(T, x) quern_flat, T, 1, x
#define QUERN_PARAMETER_in_nd(T, rank, x) quern_pitched, const T, rank, x
#define QUERN_PARAMETER_out_nd(T, rank, x) quern_pitched, T, rank, x
#define QUERN_PARAMETER_inout_nd(T, rank, x) quern_pitched, T, rank, x
#define QUERN_PARAMETER_value(T, x) quern_value, T, 0, x
#define QUERN_PARAMETER_local(T, x) quern_local, T, 1, x

/* The name of the layout that goes with an N-d parameter. */
#define QUERN_LAYOUT(x) QUERN_JOIN(quern_layout_of_, x)

/*
 * A struct whose fields Quern knows: STRUCT(affine, field(float, scale), field(float, table, 4)).
 * The type is affine, or struct affine.
 */
#define STRUCT(...) QUERN_STRUCT_(QUERN_FIRST(__VA_ARGS__), __VA_ARGS__)
#define QUERN_STRUCT_(name, ...)                                                                                       \
    typedef struct name name;                                                                                          \
    struct name {                                                                                                      \
        QUERN_VISIT(QUERN_FIELD, __VA_ARGS__)                                                                          \
    };
#define QUERN_FIELD(k, f) QUERN_FIELD_##f
#define QUERN_FIELD_field(T, ...) QUERN_JOIN(QUERN_FIELD_, QUERN_COUNT(__VA_ARGS__))(T, __VA_ARGS__)
#define QUERN_FIELD_1(T, name) T name;
#define QUERN_FIELD_2(T, name, n) T name[n];

/*
 * The size of a group, given as 256, (256), (4, 64) or (2, 4, 64), as macro(before, z, y, x, after):
 * QUERN_GROUP_SIZE(macro, size, before, after). Sizes that are not given are 1. before and after are
 * one argument each.
 */
#define QUERN_GROUP_SIZE(macro, size, before, after)                                                                   \
    QUERN_CALL(macro, before, QUERN_JOIN(QUERN_SIZES_, QUERN_IS_TUPLE(size))(size), after)
#define QUERN_CALL(macro, ...) macro(__VA_ARGS__)
#define QUERN_SIZES_0(x) 1, 1, x
#define QUERN_SIZES_1(tuple) QUERN_SIZES_OF tuple
#define QUERN_SIZES_OF(...) QUERN_JOIN(QUERN_SIZES_OF_, QUERN_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define QUERN_SIZES_OF_1(x) 1, 1, x
#define QUERN_SIZES_OF_2(y, x) 1, y, x
#define QUERN_SIZES_OF_3(z, y, x) z, y, x

/* 1 when the argument is parenthesised, else 0: only then is the probe called, and gives a second argument. */
#define QUERN_IS_TUPLE(size) QUERN_SECOND(QUERN_TUPLE_PROBE size, 0, ~)
#define QUERN_TUPLE_PROBE(...) ~, 1
#define QUERN_SECOND(...) QUERN_SECOND_(__VA_ARGS__)
#define QUERN_SECOND_(a, b, ...) b

/* The number of arguments, 1 to 66. */
#define QUERN_COUNT(...)                                                                                               \
    QUERN_COUNT_(__VA_ARGS__, 66, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45,  \
                 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,   \
                 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define QUERN_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,   \
                     a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40,    \
                     a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59,    \
                     a60, a61, a62, a63, a64, a65, a66, n, ...)                                                        \
    n

/*
 * QUERN_VISIT(macro, first, a, b, …): macro(0, a) macro(1, b) …, one after another without commas; first is
 * dropped, so that nothing may follow it. The number k of a parameter is a constant expression, (65 - 64).
 * At most 64 are visited.
 */
#define QUERN_VISIT(macro, ...) QUERN_VISIT_(macro, QUERN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define QUERN_VISIT_(macro, n, ...) QUERN_JOIN(QUERN_VISIT_, n)(macro, n, __VA_ARGS__)
#define QUERN_VISIT_1(m, n, first)
#define QUERN_VISIT_2(m, n, first, a) m((n - 2), a)
#define QUERN_VISIT_3(m, n, first, a, ...) m((n - 3), a) QUERN_VISIT_2(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_4(m, n, first, a, ...) m((n - 4), a) QUERN_VISIT_3(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_5(m, n, first, a, ...) m((n - 5), a) QUERN_VISIT_4(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_6(m, n, first, a, ...) m((n - 6), a) QUERN_VISIT_5(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_7(m, n, first, a, ...) m((n - 7), a) QUERN_VISIT_6(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_8(m, n, first, a, ...) m((n - 8), a) QUERN_VISIT_7(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_9(m, n, first, a, ...) m((n - 9), a) QUERN_VISIT_8(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_10(m, n, first, a, ...) m((n - 10), a) QUERN_VISIT_9(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_11(m, n, first, a, ...) m((n - 11), a) QUERN_VISIT_10(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_12(m, n, first, a, ...) m((n - 12), a) QUERN_VISIT_11(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_13(m, n, first, a, ...) m((n - 13), a) QUERN_VISIT_12(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_14(m, n, first, a, ...) m((n - 14), a) QUERN_VISIT_13(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_15(m, n, first, a, ...) m((n - 15), a) QUERN_VISIT_14(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_16(m, n, first, a, ...) m((n - 16), a) QUERN_VISIT_15(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_17(m, n, first, a, ...) m((n - 17), a) QUERN_VISIT_16(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_18(m, n, first, a, ...) m((n - 18), a) QUERN_VISIT_17(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_19(m, n, first, a, ...) m((n - 19), a) QUERN_VISIT_18(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_20(m, n, first, a, ...) m((n - 20), a) QUERN_VISIT_19(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_21(m, n, first, a, ...) m((n - 21), a) QUERN_VISIT_20(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_22(m, n, first, a, ...) m((n - 22), a) QUERN_VISIT_21(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_23(m, n, first, a, ...) m((n - 23), a) QUERN_VISIT_22(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_24(m, n, first, a, ...) m((n - 24), a) QUERN_VISIT_23(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_25(m, n, first, a, ...) m((n - 25), a) QUERN_VISIT_24(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_26(m, n, first, a, ...) m((n - 26), a) QUERN_VISIT_25(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_27(m, n, first, a, ...) m((n - 27), a) QUERN_VISIT_26(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_28(m, n, first, a, ...) m((n - 28), a) QUERN_VISIT_27(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_29(m, n, first, a, ...) m((n - 29), a) QUERN_VISIT_28(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_30(m, n, first, a, ...) m((n - 30), a) QUERN_VISIT_29(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_31(m, n, first, a, ...) m((n - 31), a) QUERN_VISIT_30(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_32(m, n, first, a, ...) m((n - 32), a) QUERN_VISIT_31(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_33(m, n, first, a, ...) m((n - 33), a) QUERN_VISIT_32(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_34(m, n, first, a, ...) m((n - 34), a) QUERN_VISIT_33(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_35(m, n, first, a, ...) m((n - 35), a) QUERN_VISIT_34(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_36(m, n, first, a, ...) m((n - 36), a) QUERN_VISIT_35(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_37(m, n, first, a, ...) m((n - 37), a) QUERN_VISIT_36(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_38(m, n, first, a, ...) m((n - 38), a) QUERN_VISIT_37(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_39(m, n, first, a, ...) m((n - 39), a) QUERN_VISIT_38(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_40(m, n, first, a, ...) m((n - 40), a) QUERN_VISIT_39(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_41(m, n, first, a, ...) m((n - 41), a) QUERN_VISIT_40(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_42(m, n, first, a, ...) m((n - 42), a) QUERN_VISIT_41(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_43(m, n, first, a, ...) m((n - 43), a) QUERN_VISIT_42(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_44(m, n, first, a, ...) m((n - 44), a) QUERN_VISIT_43(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_45(m, n, first, a, ...) m((n - 45), a) QUERN_VISIT_44(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_46(m, n, first, a, ...) m((n - 46), a) QUERN_VISIT_45(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_47(m, n, first, a, ...) m((n - 47), a) QUERN_VISIT_46(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_48(m, n, first, a, ...) m((n - 48), a) QUERN_VISIT_47(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_49(m, n, first, a, ...) m((n - 49), a) QUERN_VISIT_48(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_50(m, n, first, a, ...) m((n - 50), a) QUERN_VISIT_49(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_51(m, n, first, a, ...) m((n - 51), a) QUERN_VISIT_50(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_52(m, n, first, a, ...) m((n - 52), a) QUERN_VISIT_51(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_53(m, n, first, a, ...) m((n - 53), a) QUERN_VISIT_52(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_54(m, n, first, a, ...) m((n - 54), a) QUERN_VISIT_53(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_55(m, n, first, a, ...) m((n - 55), a) QUERN_VISIT_54(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_56(m, n, first, a, ...) m((n - 56), a) QUERN_VISIT_55(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_57(m, n, first, a, ...) m((n - 57), a) QUERN_VISIT_56(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_58(m, n, first, a, ...) m((n - 58), a) QUERN_VISIT_57(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_59(m, n, first, a, ...) m((n - 59), a) QUERN_VISIT_58(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_60(m, n, first, a, ...) m((n - 60), a) QUERN_VISIT_59(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_61(m, n, first, a, ...) m((n - 61), a) QUERN_VISIT_60(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_62(m, n, first, a, ...) m((n - 62), a) QUERN_VISIT_61(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_63(m, n, first, a, ...) m((n - 63), a) QUERN_VISIT_62(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_64(m, n, first, a, ...) m((n - 64), a) QUERN_VISIT_63(m, n, first, __VA_ARGS__)
#define QUERN_VISIT_65(m, n, first, a, ...) m((n - 65), a) QUERN_VISIT_64(m, n, first, __VA_ARGS__)

#endif
