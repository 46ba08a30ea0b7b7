// How resident blocks fill an SM: what is drawn, without drawing it.
import type { OccupancyAnswer, OccupancyRequest } from '../../engine/types';

/** A store of the SM and who has how much of it. */
export interface Store {
  id: 'warps' | 'registers' | 'shared_memory' | 'blocks';
  title: string;
  /** All of it, and one block's part. */
  capacity: number;
  perBlock: number;
  /** Of one block's part, what rounding added. */
  roundingPerBlock: number;
  unit: string;
  /** Blocks that this store alone would hold. */
  limit: number | null;
  limits: boolean;
}

export function stores(request: OccupancyRequest, answer: OccupancyAnswer): Store[] {
  const { sm, held } = answer;
  const warps = Math.ceil(request.threads / sm.warp_width);
  const registers = held ? held.rounded_registers * warps : request.registers * warps * sm.warp_width;
  const shared = held ? held.rounded_shared_bytes : request.shared_bytes;
  const limiter = held?.occupancy_limiter ?? answer.refused?.limiter;
  const one = (store: Omit<Store, 'limit' | 'limits'>): Store => ({
    ...store,
    limit: held?.limits[store.id] ?? null,
    limits: limiter === store.id,
  });
  const found = [
    one({
      id: 'warps',
      title: 'Warp slots',
      capacity: sm.warps,
      perBlock: warps,
      roundingPerBlock: 0,
      unit: 'warps',
    }),
    one({
      id: 'registers',
      title: 'Register file',
      capacity: sm.registers,
      perBlock: registers,
      roundingPerBlock: registers - request.registers * request.threads,
      unit: 'registers',
    }),
    one({
      id: 'shared_memory',
      title: 'Shared memory',
      capacity: sm.shared_bytes,
      perBlock: shared,
      roundingPerBlock: shared - request.shared_bytes,
      unit: 'bytes',
    }),
  ];
  if (sm.blocks !== null) {
    found.push(
      one({
        id: 'blocks',
        title: 'Block slots',
        capacity: sm.blocks,
        perBlock: 1,
        roundingPerBlock: 0,
        unit: 'blocks',
      }),
    );
  }
  return found;
}

/** What a parameter does to residency, as points of a step line in 0…1. */
export function stepLine(
  steps: readonly { from: number; to: number; warps_per_sm: number }[],
  warps: number,
): { x: number; width: number; y: number }[] {
  const first = steps[0]?.from ?? 0;
  const last = steps.at(-1)?.to ?? 1;
  const span = Math.max(1, last + 1 - first);
  return steps.map((step) => ({
    x: (step.from - first) / span,
    width: (step.to + 1 - step.from) / span,
    y: step.warps_per_sm / Math.max(1, warps),
  }));
}
