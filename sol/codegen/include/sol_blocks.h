/* Dot products of four vectors with one: 16 lanes in four blocks, one for each of the four, so that sums need few shuffles. */
#ifndef SOL_BLOCKS_H
#define SOL_BLOCKS_H
#include "sol_simd.h"

#if SOL_LANES == 16 && defined(__AVX512F__)
typedef struct __attribute__((packed, may_alias)) { uint32_t word[4]; } sol_block;

/* Four words, each with two numbers of bfloat16, in each block. */
SOL_INLINE vf vf_of_block(const void *p)
{
    vf v;
    __asm__("vbroadcastf32x4 %1, %0" : "=v"(v) : "m"(*(const sol_block *)p));
    return v;
}
/* The numbers with even and with odd places. */
SOL_INLINE vf vf_even(vf v) { return (vf)((vi)v << 16); }
SOL_INLINE vf vf_odd(vf v) { return (vf)((vi)v & (int32_t)0xffff0000u); }
/* A vector that stays in a register, while others take it as an operand. */
SOL_INLINE vf vf_load_kept(const float *p)
{
    vf v = vf_load(p);
    __asm__("" : "+v"(v));
    return v;
}
#ifdef __clang__
#define SOL_OF_BLOCKS(a, b, i, j, k, l) \
    (vf) __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8, l + 8, i + 12, j + 12, k + 12, l + 12)
#else
#define SOL_OF_BLOCKS(a, b, i, j, k, l) \
    __builtin_shuffle(a, b, (vi){i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8, l + 8, i + 12, j + 12, k + 12, l + 12})
#endif
/* In each block, half sums of a and b by turns. */
SOL_INLINE vf sol_block_pair(vf a, vf b) { return SOL_OF_BLOCKS(a, b, 0, 16, 1, 17) + SOL_OF_BLOCKS(a, b, 2, 18, 3, 19); }
/* In each block, the sums of this block in a, b, c and d. */
SOL_INLINE vf sol_block_sums(vf a, vf b, vf c, vf d)
{
    const vf u = sol_block_pair(a, b), w = sol_block_pair(c, d);
    return SOL_OF_BLOCKS(u, w, 0, 1, 16, 17) + SOL_OF_BLOCKS(u, w, 2, 3, 18, 19);
}
/* Each block at its place, stride numbers after the one before. */
SOL_INLINE void vf_store_blocks(float *p, int64_t stride, vf v)
{
    typedef float quad __attribute__((vector_size(16)));
    const quad b0 = {v[0], v[1], v[2], v[3]}, b1 = {v[4], v[5], v[6], v[7]}, b2 = {v[8], v[9], v[10], v[11]}, b3 = {v[12], v[13], v[14], v[15]};
    memcpy(p, &b0, sizeof b0);
    memcpy(p + stride, &b1, sizeof b1);
    memcpy(p + 2 * stride, &b2, sizeof b2);
    memcpy(p + 3 * stride, &b3, sizeof b3);
}
#endif
#endif
