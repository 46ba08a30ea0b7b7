// The few CUDA names that the kernels in this folder use, written in clang's own builtins,
// so that compiling them needs no CUDA headers or libraries.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

__device__ inline int thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int block_index() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline int block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ inline int grid_size() { return __nvvm_read_ptx_sreg_nctaid_x(); }
__device__ inline int global_index() { return block_index() * block_size() + thread_index(); }
__device__ inline void sync_block() { __nvvm_bar_sync(0); }

// The last argument packs the clamp: the highest lane of the exchange.
__device__ inline int from_above(int x, int step) { return __nvvm_shfl_sync_down_i32(~0u, x, step, 31); }
__device__ inline float across(float x, int step) { return __nvvm_shfl_sync_bfly_f32(~0u, x, step, 31); }
__device__ inline unsigned ballot(bool vote) { return __nvvm_vote_ballot_sync(~0u, vote); }
