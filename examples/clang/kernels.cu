// Five kernels for clang's own PTX back end, which differs from nvcc's in the instructions
// and the shapes of control flow it prefers.

#include "device.h"

// The dot product of two integer vectors: a grid-stride loop, shuffles, one atomic per warp.
extern "C" __global__ void dot(int n, const int* a, const int* b, int* sum)
{
    int own = 0;
    for (int i = global_index(); i < n; i += grid_size() * block_size())
        own += a[i] * b[i];
    for (int step = 16; step > 0; step /= 2)
        own += from_above(own, step);
    if (thread_index() % 32 == 0)
        __nvvm_atom_add_gen_i(sum, own);
}

// Greatest common divisors by Euclid: a loop with a different trip count in every lane.
extern "C" __global__ void gcd(int n, const unsigned* a, const unsigned* b, unsigned* out)
{
    int i = global_index();
    if (i >= n)
        return;
    unsigned x = a[i];
    unsigned y = b[i];
    while (y != 0) {
        unsigned rest = x % y;
        x = y;
        y = rest;
    }
    out[i] = x;
}

// Scales each row of 32 to length one. A warp per row: butterfly shuffles, square root, division.
extern "C" __global__ void unit_rows(const float* in, float* out)
{
    int i = global_index();
    float x = in[i];
    float sum = x * x;
    for (int step = 1; step < 32; step *= 2)
        sum += across(sum, step);
    out[i] = x / __builtin_sqrtf(sum);
}

// Moves the non-zero bytes of each block's 128 to the front, keeping their order: ballots,
// population counts, shared memory, barriers, 8-bit accesses.
extern "C" __global__ void pack_bytes(const unsigned char* in, unsigned char* out, int* counts)
{
    __shared__ int before_warp[5];
    int t = thread_index();
    int base = block_index() * 128;
    unsigned char byte = in[base + t];
    unsigned votes = ballot(byte != 0);
    if (t % 32 == 0)
        before_warp[t / 32 + 1] = __builtin_popcount(votes);
    sync_block();
    if (t == 0) {
        before_warp[0] = 0;
        for (int w = 1; w <= 4; ++w)
            before_warp[w] += before_warp[w - 1];
        counts[block_index()] = before_warp[4];
    }
    sync_block();
    if (byte != 0) {
        unsigned below = votes & ((1u << t % 32) - 1);
        out[base + before_warp[t / 32] + __builtin_popcount(below)] = byte;
    }
}

// A little stack machine per thread, fed by a program in memory: a switch in a loop.
// Every thread starts with its index; opcodes 1 to 5 add, multiply, XOR, turn bits round,
// or skip the next instruction if the value is odd, so that lanes fall out of step.
extern "C" __global__ void interpret(const unsigned* program, int length, unsigned long long* out)
{
    int i = global_index();
    unsigned long long value = i;
    for (int at = 0; at < length; ++at) {
        unsigned word = program[at];
        unsigned operand = word >> 8;
        switch (word & 255) {
        case 1: value += operand; break;
        case 2: value *= operand; break;
        case 3: value ^= operand; break;
        case 4: value = __builtin_bitreverse64(value) + __builtin_popcountll(value); break;
        case 5: at += value & 1; break;
        default: value = ~value;
        }
    }
    out[i] = value;
}
