/*
 * Quern: how a backend for a device calls a kernel that its own compiler made from text ("opencl", "cuda").
 *
 * Shared by what `quern compile` writes for devices and by those backends; not for users. The entry of
 * kernel NAME is quern_k_NAME. Its first argument is a struct by value that holds `quern_index w[n]`, the words;
 * behind it comes one argument for every parameter, in order:
 *
 *     in … inout_nd   the memory that the view lies in, a pointer to bytes (the view's own place in it is a word)
 *     value           the value
 *     local           OpenCL: local memory of length × size bytes. CUDA: nothing; the word says where it begins
 *
 * The words are signed integers as wide as an index (QUERN_INDEX_BITS, 32 or 64), in this order:
 *
 *     0  items of the ndrange                    1  piece: items that an item of the grid takes in the linear layout
 *     2  rank of the ndrange                     3 …  four for each dimension, x (the fastest) first:
 *                                                     extent, offset, piece (items that one takes on the grid), groups
 *                                                for as many dimensions as the kernel's rank; 6 when that is any (-1)
 *     then for every parameter in order:
 *     in, out, inout            bytes from the memory's begin to the view's
 *     in_nd, out_nd, inout_nd   the same, then the rank extents, then the rank pitches in bytes, slowest first
 *     local                     OpenCL: nothing. CUDA: bytes from the begin of the group's dynamic memory
 *     value                     nothing
 *
 * Macros that the backend defines when it compiles the text:
 *
 *     QUERN_INDEX_BITS   32 or 64
 *     QUERN_LINEAR       1: EACH visits the ndrange by linear numbers (the linear layout); 0: on the grid
 *     QUERN_CONTIGUOUS   1: an item of the grid takes `piece` neighbours (CPUs); 0: items a grid's width apart (GPUs),
 *                        until the ndrange is covered, so that a grid of any size will do
 *
 * The grid: a kernel without groups runs on at least ceil(extent / piece) items along each dimension (strided: any
 * number), more are fine. A group kernel runs on exactly groups × group items, in groups of exactly the group's size.
 */
#ifndef QUERN_DIALECT_DEVICE_ABI_H
#define QUERN_DIALECT_DEVICE_ABI_H

enum {
    QUERN_WORD_ITEMS = 0,
    QUERN_WORD_PIECE = 1,
    QUERN_WORD_RANK = 2,
    QUERN_WORD_DIMENSIONS = 3, /* the first of them */
    QUERN_WORDS_PER_DIMENSION = 4,
    QUERN_WORD_EXTENT = 0, /* within a dimension */
    QUERN_WORD_OFFSET = 1,
    QUERN_WORD_DIMENSION_PIECE = 2,
    QUERN_WORD_GROUPS = 3
};

#endif
