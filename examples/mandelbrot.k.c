/*
 * The Mandelbrot set: work that differs from item to item.
 *
 *     quern run examples/mandelbrot.k.c mandelbrot left=-2.2 top=1.2 step=0.00234375 limit=200 \
 *         iterations=zeros:1024x1280 -o iterations=iterations.npy
 */
#include <quern/kernel.h>

/* The number of steps of z = z² + c, from 0, until |z| > 2; at most limit. */
DEVICE int32_t escape_time(double c_real, double c_imaginary, int32_t limit)
{
    double real = 0, imaginary = 0;
    int32_t n = 0;
    while (n < limit && real * real + imaginary * imaginary <= 4.0) {
        double next = real * real - imaginary * imaginary + c_real;
        imaginary = 2 * real * imaginary + c_imaginary;
        real = next;
        ++n;
    }
    return n;
}

/* iterations = the escape times of the points left + x step, top - y step. */
KERNEL(mandelbrot, value(double, left), value(double, top), value(double, step), value(int32_t, limit),
       out_nd(int32_t, 2, iterations))
{
    EACH2 (y, x)
        AT(iterations, y, x) = escape_time(left + (double)x * step, top - (double)y * step, limit);
}
