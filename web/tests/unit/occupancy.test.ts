import { describe, expect, it } from 'vitest';
import type { OccupancyAnswer } from '../../src/engine/types';
import { stepLine, stores } from '../../src/labs/occupancy/picture';

/** A V100 with 512 threads of 65 registers: 65 x 32 = 2080, rounded up to 2304 a warp. */
const answer: OccupancyAnswer = {
  sm: {
    warp_width: 32,
    warps: 64,
    blocks: 32,
    threads_per_block: 1024,
    registers: 65536,
    registers_per_thread: 255,
    register_unit: 256,
    partitions: 4,
    shared_bytes: 98304,
    shared_per_block_bytes: 98304,
    shared_unit_bytes: 256,
    shared_reserved_bytes: 0,
  },
  held: {
    blocks_per_sm: 1,
    warps_per_block: 16,
    warps_per_sm: 16,
    theoretical_occupancy: 0.25,
    occupancy_limiter: 'registers',
    limits: { warps: 4, registers: 1, shared_memory: null, blocks: 32, barriers: null, cluster: null },
    rounded_registers: 2304,
    rounded_registers_per_thread: 72,
    rounded_shared_bytes: 0,
    shared_carve_out_bytes: 0,
  },
  refused: null,
  gain: null,
  over_threads: [],
  over_registers: [],
  over_shared: [],
};

describe('the picture of an SM', () => {
  const request = { device: 'v100', threads: 512, registers: 65, shared_bytes: 0 };

  it('shows what a block takes, and what rounding added', () => {
    const [warps, registers] = stores(request, answer);
    expect(warps).toMatchObject({ perBlock: 16, capacity: 64, limit: 4, limits: false });
    expect(registers).toMatchObject({ perBlock: 16 * 2304, limits: true, limit: 1 });
    // 16 warps of 2304 against 512 threads of 65.
    expect(registers?.roundingPerBlock).toBe(36864 - 33280);
  });

  it('has no block slots where a chip has no limit', () => {
    const free = { ...answer, sm: { ...answer.sm, blocks: null } };
    expect(stores(request, free).map((store) => store.id)).toEqual(['warps', 'registers', 'shared_memory']);
  });
});

describe('a step line', () => {
  it('covers the whole width', () => {
    const steps = [
      { from: 0, to: 4, warps_per_sm: 64 },
      { from: 5, to: 9, warps_per_sm: 16 },
    ];
    expect(stepLine(steps, 64)).toEqual([
      { x: 0, width: 0.5, y: 1 },
      { x: 0.5, width: 0.5, y: 0.25 },
    ]);
    expect(stepLine([], 64)).toEqual([]);
  });
});
