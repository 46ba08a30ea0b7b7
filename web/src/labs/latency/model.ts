// The Latency lab without its picture: scenarios, guided steps, and how they are written into a link.
import type { CurvePoint, LatencyAnswer, LatencyRequest } from '../../engine/types';
import type { Asked, Judgement } from '../../lib/answer';
import { choice, integer } from '../../lib/link';

export const policies = {
  gto: 'greedy, then oldest (GTO)',
  lrr: 'loose round-robin (LRR)',
  'two-level': 'two levels',
  youngest: 'greedy, then youngest',
} as const;

/** The sim of the chapter on scheduling: 16 warps, loads of 200 cycles, 16 dependent instructions. */
export const start: LatencyRequest = {
  warps: 16,
  load_cycles: 200,
  math: 16,
  math_cycles: 4,
  loads: 1,
  divergent: false,
  registers: null,
  device: 'v100',
  scheduler: 'gto',
  group_warps: 4,
  drawn_cycles: 600,
  rounds: null,
  steady: true,
};

/** Four instructions of a warp, once: a load of 8 cycles, a multiply, an add, a store. */
const four: LatencyRequest = {
  ...start,
  load_cycles: 8,
  math: 3,
  math_cycles: 1,
  scheduler: 'lrr',
  drawn_cycles: 100,
  rounds: 1,
};

export interface Scenario {
  id: string;
  title: string;
  what: string;
  request: LatencyRequest;
}

export const scenarios: readonly [Scenario, ...Scenario[]] = [
  {
    id: 'sim',
    title: '16 warps, loads of 200 cycles',
    what: 'Each warp loads, then computes 16 dependent instructions. Sixteen such warps should fill every slot; no real scheduler quite does it.',
    request: start,
  },
  {
    id: 'one',
    title: 'One warp, once',
    what: 'A load, a multiply, an add and a store, each waiting for the one before: 4 issues in 11 cycles.',
    request: { ...four, warps: 1 },
  },
  {
    id: 'four',
    title: 'Four warps, once',
    what: 'While one waits, the others load: 16 issues in 20 cycles, and only cycles 4 to 7 stay empty.',
    request: { ...four, warps: 4 },
  },
  {
    id: 'eight',
    title: 'Eight warps, once',
    what: 'As many as the load has cycles: 32 issues in 32 cycles. One warp after the other would take 88.',
    request: { ...four, warps: 8 },
  },
  {
    id: 'seven',
    title: 'Seven warps, once',
    what: 'One short of what hides the load: one slot of 29 stays empty.',
    request: { ...four, warps: 7 },
  },
  {
    id: 'v100-thin',
    title: 'V100-like: little math',
    what: 'Loads of 375 cycles and 8 instructions for each: 46 warps would be needed, three times as many as a scheduler holds.',
    request: { ...start, load_cycles: 375, math: 8 },
  },
  {
    id: 'v100-thick',
    title: 'V100-like: more math',
    what: 'The same loads with 32 instructions for each: 16 warps are enough, at least on paper.',
    request: { ...start, load_cycles: 375, math: 32 },
  },
  {
    id: 'v100-loads',
    title: 'V100-like: four loads at a time',
    what: 'Four independent loads in flight need a quarter of the warps, or nearly.',
    request: { ...start, load_cycles: 375, math: 8, loads: 4 },
  },
];

export const bounds = {
  warps: [1, 64],
  load_cycles: [1, 1000],
  math: [0, 64],
  math_cycles: [1, 32],
  loads: [1, 8],
  registers: [1, 255],
  group_warps: [1, 64],
} as const satisfies Partial<Record<keyof LatencyRequest, readonly [number, number]>>;

/** The request that an address asks for. */
export function fromParams(params: URLSearchParams): LatencyRequest {
  const known = scenarios.find((one) => one.id === params.get('scenario'))?.request ?? start;
  const number = (key: keyof typeof bounds, otherwise: number) =>
    integer(params, key, [bounds[key][0], bounds[key][1]], otherwise);
  const registers = integer(params, 'registers', [0, bounds.registers[1]], known.registers ?? 0);
  return {
    ...known,
    warps: number('warps', known.warps),
    load_cycles: number('load_cycles', known.load_cycles),
    math: number('math', known.math),
    math_cycles: number('math_cycles', known.math_cycles),
    loads: number('loads', known.loads),
    group_warps: number('group_warps', known.group_warps),
    divergent: params.get('divergent') === '1',
    registers: registers === 0 ? null : registers,
    scheduler: params.has('scheduler')
      ? choice(params, 'scheduler', ['gto', 'lrr', 'two-level', 'youngest'])
      : known.scheduler,
    rounds: params.get('rounds') === 'all' ? null : integer(params, 'rounds', [1, 100], known.rounds ?? 0) || null,
  };
}

/** The parameters that lead back to a request. */
export function toParams(request: LatencyRequest): Record<string, string | number | null> {
  return {
    warps: request.warps,
    load_cycles: request.load_cycles,
    math: request.math,
    math_cycles: request.math_cycles,
    loads: request.loads === 1 ? null : request.loads,
    divergent: request.divergent ? 1 : null,
    registers: request.registers,
    scheduler: request.scheduler,
    group_warps: request.scheduler === 'two-level' ? request.group_warps : null,
    rounds: request.rounds,
  };
}

/** Cycles that a window of so many pixels shows well. */
export function drawnCycles(request: LatencyRequest): number {
  if (request.rounds !== null) return 4096;
  const math = request.math * request.loads * (request.divergent ? 2 : 1);
  const round = request.load_cycles + request.math_cycles * math;
  return Math.max(60, Math.min(2000, Math.round(2.5 * round)));
}

/** A question about the sim, answered by running it. */
export interface Guide {
  id: string;
  question: string;
  asked: Asked;
  /** The runs that decide, by name. */
  runs: Record<string, LatencyRequest>;
  /** The right answer, and the explanation, from what the runs gave. */
  judge: (runs: Record<string, LatencyAnswer>) => Judgement;
  /** What is shown when it is answered. */
  show: LatencyRequest;
}

const utilization = (answer: LatencyAnswer | undefined) => answer?.report.issue_slot_utilization ?? 0;
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;

export const guides: readonly Guide[] = [
  {
    id: 'registers',
    question:
      'Each thread takes more registers, from 32 up. A scheduler has 16 384 of them and room for 16 warps. At how many registers a thread does it begin to cost?',
    asked: { unit: 'registers', tolerance: 0 },
    runs: Object.fromEntries(
      [32, 33, 64, 128].map((registers) => [String(registers), { ...start, registers }]),
    ),
    judge: (runs) => {
      const at = (registers: number) => runs[String(registers)];
      const warps = (registers: number) => at(registers)?.report.warps ?? 0;
      const costs = warps(33) < warps(32);
      const lines = [32, 33, 64, 128].map(
        (registers) => `${registers}: ${warps(registers)} warps, ${percent(utilization(at(registers)))}`,
      );
      return {
        right: costs ? 33 : 32,
        because: `16 warps of 32 threads fill the file at 32 registers each; one more leaves room for fewer warps. ${lines.join('; ')}.`,
      };
    },
    show: { ...start, registers: 33 },
  },
  {
    id: 'divergence',
    question:
      'Now the warps diverge: the math is issued twice, each time for half of the lanes. Does the share of issue slots in use go up or down?',
    asked: { words: ['up', 'down'] },
    runs: { together: start, apart: { ...start, divergent: true } },
    judge: ({ together, apart }) => {
      const [before, after] = [utilization(together), utilization(apart)];
      const useful = apart?.report.useful_lane_utilization ?? 0;
      const share = apart?.report.useful_lanes_per_issue ?? 0;
      return {
        right: after > before ? 'up' : 'down',
        because: `It goes from ${percent(before)} to ${percent(after)}: there is more to issue between two loads. But an issue now uses ${percent(share)} of the lanes, so useful work falls to ${percent(useful)} of what the slots could do. A busy scheduler is not a busy machine.`,
      };
    },
    show: { ...start, divergent: true },
  },
  {
    id: 'round-robin',
    question:
      'The scheduler changes to round-robin: every ready warp in turn. What share of the slots stays empty, in percent?',
    asked: { unit: '%', tolerance: 3 },
    runs: { greedy: start, robin: { ...start, scheduler: 'lrr' } },
    judge: ({ greedy, robin }) => {
      const empty = 1 - utilization(robin);
      return {
        right: 100 * empty,
        because: `${percent(empty)}. All warps walk in step, so they all come to their loads at about the same time and then wait together: ${percent(utilization(robin))} in use, against ${percent(utilization(greedy))} with greedy, then oldest, which lets one warp run ahead.`,
      };
    },
    show: { ...start, scheduler: 'lrr' },
  },
];

/** A line through the points of a curve, in a box of this size; y grows downwards. */
export function polyline(
  points: readonly CurvePoint[],
  value: (point: CurvePoint) => number,
  width: number,
  height: number,
  most: number,
): string {
  return points
    .map((point) => {
      const x = (point.warps / Math.max(1, most)) * width;
      return `${x.toFixed(1)},${(height - value(point) * height).toFixed(1)}`;
    })
    .join(' ');
}
