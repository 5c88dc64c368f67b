/* PRINT with arguments that do not fit their conversions. */
// clang-format off
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int64_t, second))
CONSTANT char word[4] = "abc";

KERNEL(types, in(int32_t, n), in(int64_t, w), in(float, x), in(double, d), in(pair, q), in_nd(float, 2, u), value(uint16_t, v))
{
    EACH (i) {
        quern_index k = i + 1;
        float local_copies[3] = {1.0f, 2.0f, 3.0f};
        PRINT("%d\n", x[i]); // ERROR: argument 2 of PRINT is a float, but %d takes an integer of up to 32 bits; wanted %g
        PRINT("%05x\n", d[i] * 2); // ERROR: argument 2 of PRINT is a double, but %05x takes an integer of up to 32 bits; wanted %g
        PRINT("%d %ld\n", w[i], n[i]); // ERROR: argument 2 of PRINT is an integer of 64 bits, but %d takes an integer of up to 32 bits; wanted %ld // ERROR: argument 3 of PRINT is an integer of 32 bits, but %ld takes an integer of 64 bits; wanted %d
        PRINT("%x %lu %c\n", w[i] & 1, v, w[i]); // ERROR: argument 2 of PRINT is an integer of 64 bits, but %x takes an integer of up to 32 bits; wanted %lx // ERROR: argument 3 of PRINT is an integer of 16 bits, but %lu takes an integer of 64 bits; wanted %u // ERROR: argument 4 of PRINT is an integer of 64 bits, but %c takes an integer of up to 32 bits; wanted %ld
        PRINT("%f %g\n", n[i], 3); // ERROR: argument 2 of PRINT is an integer of 32 bits, but %f takes a float or a double; wanted %d // ERROR: argument 3 of PRINT is an integer of 32 bits, but %g takes a float or a double; wanted %d
        PRINT("%d\n", i); // ERROR: argument 2 of PRINT is a quern_index, whose width differs between devices, but %d takes an integer of up to 32 bits; wanted a cast to int64_t and %ld, or to int32_t and %d
        PRINT("%ld\n", k * 2); // ERROR: argument 2 of PRINT is a quern_index, whose width differs between devices, but %ld takes an integer of 64 bits; wanted a cast to int64_t and %ld, or to int32_t and %d
        PRINT("%lu\n", RANGE); // ERROR: argument 2 of PRINT is a quern_index, whose width differs between devices, but %lu takes an integer of 64 bits; wanted a cast to uint64_t and %lu, or to uint32_t and %u
        PRINT("%d\n", EXTENT(u, 0)); // ERROR: argument 2 of PRINT is a quern_index, whose width differs between devices, but %d takes an integer of up to 32 bits; wanted a cast to int64_t and %ld, or to int32_t and %d
        PRINT("%f\n", MAX(i, 3)); // ERROR: argument 2 of PRINT is a quern_index, whose width differs between devices, but %f takes a float or a double; wanted a cast to int64_t and %ld, or to int32_t and %d
        PRINT("%d\n", sizeof(float)); // ERROR: argument 2 of PRINT is a size_t, whose width differs between devices, but %d takes an integer of up to 32 bits; wanted a cast to int64_t and %ld, or to int32_t and %d
        PRINT("%d %d\n", 5000000000, 3L); // ERROR: argument 2 of PRINT is an integer of 64 bits, but %d takes an integer of up to 32 bits; wanted %ld // ERROR: argument 3 of PRINT is an integer of 64 bits, but %d takes an integer of up to 32 bits; wanted %ld
        PRINT("%d %f %d\n", q[i].first, q[i].second, q[i]); // ERROR: argument 2 of PRINT is a float, but %d takes an integer of up to 32 bits; wanted %g // ERROR: argument 3 of PRINT is an integer of 64 bits, but %f takes a float or a double; wanted %ld // ERROR: argument 4 of PRINT is a struct, but %d takes an integer of up to 32 bits; wanted a number
        PRINT("%d %g\n", &n[0], local_copies); // ERROR: argument 2 of PRINT is an address, but %d takes an integer of up to 32 bits; wanted a number // ERROR: argument 3 of PRINT is an array, but %g takes a float or a double; wanted a number
        PRINT("%d\n", "text"); // ERROR: argument 2 of PRINT is a string, but %d takes an integer of up to 32 bits; wanted %s
        PRINT("%s\n", word); // ERROR: argument 2 of PRINT is an array, but %s takes a string literal; wanted a number
        PRINT("%s\n", UNKNOWN); // ERROR: argument 2 of PRINT is of another type, but %s takes a string literal; wanted a literal
        PRINT("\x25""d \45f\n", x[i], n[i]); // ERROR: argument 2 of PRINT is a float, but %d takes an integer of up to 32 bits; wanted %g // ERROR: argument 3 of PRINT is an integer of 32 bits, but %f takes a float or a double; wanted %d
    }
}
