/* PRINT with formats that not every language has. */
// clang-format off
#include <quern/kernel.h>

CONSTANT char word[4] = "abc";

KERNEL(lengths, in(int32_t, n), in(int64_t, w), in(float, x), in(double, d), in(int16_t, h), in(uint64_t, m))
{
    EACH (i) {
        size_t s = 3;
        long l = 3;
        ptrdiff_t p = 3;
        PRINT("%zu\n", s); // ERROR: %zu in PRINT has a length that not every language has, and its argument is a size_t, whose width differs between devices; wanted a cast to uint64_t and %lu, or to uint32_t and %u
        PRINT("%td\n", p); // ERROR: %td in PRINT has a length that not every language has, and its argument is a ptrdiff_t, whose width differs between devices; wanted a cast to int64_t and %ld, or to int32_t and %d
        PRINT("%lld %llu\n", w[i], m[i]); // ERROR: %lld in PRINT has a length that not every language has, and its argument is an integer of 64 bits; wanted %ld // ERROR: %llu in PRINT has a length that not every language has, and its argument is an integer of 64 bits; wanted %lu
        PRINT("%jd\n", l + 1); // ERROR: %jd in PRINT has a length that not every language has, and its argument is an integer of 64 bits; wanted %ld
        PRINT("%hd %hhu\n", h[i], h[i]); // ERROR: %hd in PRINT has a length that not every language has, and its argument is an integer of 16 bits; wanted %d // ERROR: %hhu in PRINT has a length that not every language has, and its argument is an integer of 16 bits; wanted %u
        PRINT("%Lf %lf %5.2lg\n", d[i], d[i], x[i]); // ERROR: %Lf in PRINT has a length that not every language has, and its argument is a double; wanted %f // ERROR: %lf in PRINT has a length that not every language has, and its argument is a double; wanted %f // ERROR: %5.2lg in PRINT has a length that not every language has, and its argument is a float; wanted %g
        PRINT("%lc %ls\n", 65, "text"); // ERROR: %lc in PRINT has a length that not every language has, and its argument is an integer of 32 bits; wanted %d // ERROR: %ls in PRINT has a length that not every language has, and its argument is a string; wanted %s
        PRINT("%llx\n", INT64_C(3)); // ERROR: %llx in PRINT has a length that not every language has; wanted %x for up to 32 bits, %lx for 64
    }
}

KERNEL(conversions, in(int32_t, n), in(float, x))
{
    EACH (i) {
        PRINT("%p\n", &n[i]); // ERROR: %p in PRINT prints an address, which differs between devices and from run to run, and its argument is an address; wanted a number
        PRINT("%n\n", &n[i]); // ERROR: %n in PRINT writes to memory, which not every language can, and its argument is an address; wanted a number
        PRINT("%F %b %v4f\n", x[i], n[i], x[i]); // ERROR: %F in PRINT is no conversion that every language has, and its argument is a float; wanted %f // ERROR: %b in PRINT is no conversion that every language has, and its argument is an integer of 32 bits; wanted %d // ERROR: %v in PRINT is no conversion that every language has, and its argument is a float; wanted %g
        PRINT("%*d\n", 3, n[i]); // ERROR: %*d in PRINT takes a width or a precision from an argument, which not every language can; wanted a number
        PRINT("%.*f\n", 3, x[i]); // ERROR: %.*f in PRINT takes a width or a precision from an argument, which not every language can; wanted a number
        PRINT("%1000d %099999999999.3f\n", n[i], x[i]); // ERROR: %1000d in PRINT has a width or a precision that not every language can; wanted at most 999 // ERROR: %099999999999.3f in PRINT has a width or a precision that not every language can; wanted at most 999
        PRINT("%.2147483648d\n", n[i]); // ERROR: %.2147483648d in PRINT has a width or a precision that not every language can; wanted at most 999
        PRINT("%'d\n", n[i]); // ERROR: %'d in PRINT has a flag that not every language has, and its argument is an integer of 32 bits; wanted %d
        PRINT("100%\n"); // ERROR: % in PRINT is no conversion; wanted %% where a % is to be printed
        PRINT("100%"); // ERROR: % in PRINT is no conversion; wanted %% where a % is to be printed
    }
}

KERNEL(counts, in(int32_t, n))
{
    EACH (i) {
        PRINT("%d\n"); // ERROR: %d in PRINT has no argument; wanted 1 behind the format
        PRINT("%d %u %x\n", n[i]); // ERROR: %u in PRINT has no argument; wanted 3 behind the format
        PRINT("%d\n", n[i], n[i], n[i]); // ERROR: argument 3 of PRINT has no conversion in the format; wanted one for each
        PRINT("%%d\n", n[i]); // ERROR: argument 2 of PRINT has no conversion in the format; wanted one for each
        PRINT("\0%d", n[i]); // ERROR: argument 2 of PRINT has no conversion in the format; wanted one for each
        PRINT(); // ERROR: PRINT has no format; wanted PRINT("…", …)
        PRINT("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", // ERROR: PRINT has more than 32 arguments behind its format; wanted several PRINT
              1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33);
        PRINT("%d %s"
              " %lld\n", // ERROR: %lld in PRINT has a length that not every language has, and its argument is an integer of 32 bits; wanted %d
              n[i],
              n[i], // ERROR: argument 3 of PRINT is an integer of 32 bits, but %s takes a string literal; wanted %d
              n[i]);
    }
}

KERNEL(formats, in(int32_t, n))
{
    EACH (i) {
        PRINT(n[i]); // ERROR: the format of PRINT is no string literal; wanted one, with the conversions in it
        PRINT(word); // ERROR: the format of PRINT is no string literal; wanted one, with the conversions in it
        PRINT(n[i] ? "yes\n" : "no\n"); // ERROR: the format of PRINT is no string literal; wanted one, with the conversions in it
        PRINT("%" PRId64 "\n", n[i]); // ERROR: the format of PRINT is no string literal; wanted one, with the conversions in it
    }
}
