// What the engine takes and gives: the types of crates/warploom-web, said again.

export interface Remark {
  severity: 'error' | 'warning';
  message: string;
  label: string;
  help: string | null;
  origin: string | null;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

export interface Refusal {
  message: string;
  unsupported: boolean;
  diagnostics: Remark[];
}

export type Divergence = 'ipdom' | 'its';
export type Kind = 'common' | 'then' | 'else' | 'loop' | 'case' | 'where';

export interface LessonRequest {
  view: string;
  text: string;
  divergence: Divergence;
}

export interface PtxRequest extends LessonRequest {
  device: string;
  kernel: string | null;
  grid: string;
  block: string;
  shared_bytes: number;
  args: string[];
}

export interface LineRecord {
  number: number;
  kind: Kind;
  depth: number;
  issues: boolean;
}

/** A column each; masks in hexadecimal, a digit for four lanes. */
export interface Issues {
  block: number[];
  warp: number[];
  line: number[];
  active: string[];
  executing: string[];
  live: string[];
}

export interface Failure {
  kind: string;
  message: string;
  file?: string;
  line?: number;
}

export interface Recorded {
  lesson: boolean;
  title: string;
  warp_width: number;
  threads: number;
  blocks: number;
  divergence: Divergence;
  device: string;
  outcome: 'ok' | 'fault' | 'limit' | 'unsupported' | 'expectation';
  error: Failure | null;
  lines: LineRecord[];
  issues: Issues;
}

export interface Part {
  lanes: string;
  line: number;
}

export interface Level {
  join_line: number | null;
  members: string;
  waiting: string;
  parts: Part[];
}

export interface Values {
  name: string;
  type: string;
  values: string[];
}

export interface Access {
  kind: string;
  space: string;
  bytes: number;
  buffer: string | null;
  offsets: (number | null)[];
  sectors: number;
}

export interface Counts {
  issues: number;
  lanes_used: number;
  lane_slots: number;
  simt_efficiency: number;
}

export interface State {
  position: number;
  block: number;
  warp: number;
  live: string;
  stack: Level[];
  registers: Values[];
  arrays: Values[];
  accesses: Access[];
  all: Counts;
  own: Counts;
}

export interface DeviceName {
  name: string;
  product: string;
  architecture: string;
  vendor: string;
  warp_width: number;
  sms: number;
}

export interface OccupancyRequest {
  device: string;
  threads: number;
  registers: number;
  shared_bytes: number;
}

export type Limiter =
  | 'warps'
  | 'registers'
  | 'shared_memory'
  | 'blocks'
  | 'barriers'
  | 'cluster';

export interface Occupancy {
  blocks_per_sm: number;
  warps_per_block: number;
  warps_per_sm: number;
  theoretical_occupancy: number;
  occupancy_limiter: Limiter;
  limits: Record<Limiter, number | null>;
  rounded_registers: number;
  rounded_registers_per_thread: number;
  rounded_shared_bytes: number;
  shared_carve_out_bytes: number;
}

export interface Step {
  from: number;
  to: number;
  blocks_per_sm: number;
  warps_per_sm: number;
}

export interface Sm {
  warp_width: number;
  warps: number;
  blocks: number | null;
  threads_per_block: number;
  registers: number;
  registers_per_thread: number;
  register_unit: number;
  partitions: number;
  shared_bytes: number;
  shared_per_block_bytes: number;
  shared_unit_bytes: number;
  shared_reserved_bytes: number;
}

export interface OccupancyAnswer {
  sm: Sm;
  held: Occupancy | null;
  refused: { limiter: Limiter; message: string; needed: number; available: number; help: string } | null;
  gain: {
    blocks_per_sm: number | null;
    registers: number | null;
    shared_bytes: number | null;
    threads: number | null;
  } | null;
  over_threads: Step[];
  over_registers: Step[];
  over_shared: Step[];
}

export type Policy = 'gto' | 'lrr' | 'two-level' | 'youngest';

export interface LatencyRequest {
  warps: number;
  load_cycles: number;
  math: number;
  math_cycles: number;
  loads: number;
  divergent: boolean;
  registers: number | null;
  device: string;
  scheduler: Policy;
  group_warps: number;
  drawn_cycles: number;
  rounds: number | null;
  /** Look for the steady state, which may take long. */
  steady: boolean;
}

export interface LatencyAnswer {
  report: {
    warps: number;
    loop_cycles: number;
    loop_instructions: number;
    warps_needed: number;
    ideal_utilization: number;
    issue_slot_utilization?: number;
    round_robin_utilization?: number;
    useful_lanes_per_issue: number;
    useful_lane_utilization: number;
  };
  cap: number | null;
  /** By warp, a letter per cycle: `L` load, `M` math, `.` waits for a load, `-` for math, `p` passed over. */
  timeline: string[];
  drawn_issues: number;
  drawn_cycles: number;
}

export interface CurvePoint {
  warps: number;
  ideal: number;
  simulated: number;
}

export interface PatternRequest {
  device: string;
  formula: string;
  bytes: number;
}

export interface PatternAnswer {
  addresses: number[];
  global: {
    line_bytes: number;
    sector_bytes: number;
    lines: { address: number; sectors: boolean[] }[];
    sectors: number;
    ideal_sectors: number;
    used_bytes: number;
    efficiency: number;
    l1_cycles: number;
  };
  shared: {
    banks: number;
    bank_bytes: number;
    passes: number;
    ideal_passes: number;
    words: number[][];
  };
}

export interface Figure {
  path: string;
  value: string;
  meaning: string;
  sources: string[];
  estimated: boolean;
}

export interface MemoryLevel {
  name: string;
  capacity_bytes: number;
  count: number;
  latency_cycles: Figure | null;
  latency_ns: number | null;
  bytes_per_s: number | null;
  bandwidth: Figure | null;
  capacity: Figure;
  word_pj: number | null;
}

export interface Sheet {
  device: DeviceName;
  clock_mhz: number;
  dram_bytes_per_s: number;
  peaks: { precision: string; matrix: boolean; per_s: number; ridge: number; formula: string }[];
  figures: Figure[];
}

export type Bound = 'memory' | 'compute';

export interface RoofRecord {
  device: string;
  flop_per_s: number | null;
  bytes_per_s: number;
  ridge: number | null;
  attainable: number | null;
  bound: Bound | null;
}

export interface GemmRequest {
  device: string;
  precision: string;
  m: number;
  n: number;
  k: number;
  threads: number;
  stages: number;
}

export interface GemmAnswer {
  report: {
    macs_per_element: number;
    flop_per_byte: number;
    elements_per_step: number;
    macs_per_step: number;
    accumulator_registers: number;
    registers_per_thread: number;
    registers_estimated: boolean;
    stage_bytes: number;
    shared_bytes: number;
    compute_cycles: number | null;
    levels: {
      level: 'l2' | 'dram';
      latency_cycles: number;
      bytes_per_cycle: number;
      load_cycles: number;
      step_cycles: number;
      bound: Bound;
      stages_needed: number;
      bytes_in_flight_needed: number;
    }[];
  };
  blocks_per_sm: number;
  warps_per_sm: number;
  theoretical_occupancy: number;
  limiter: Limiter;
  refused: string | null;
}

export interface MatrixAnswer {
  rates: {
    device: string;
    architecture: string;
    vendor: string;
    vector_per_cycle: number;
    matrix_per_cycle: number;
    ratio: number;
  }[];
  overheads: {
    instruction: string;
    does: string;
    math_pj: number;
    over_math: number;
    over_total: number;
    published: number;
  }[];
}

/** By method: what it takes, what it gives. */
export interface Methods {
  devices: [null, DeviceName[]];
  lesson: [LessonRequest, Recorded];
  ptx: [PtxRequest, Recorded];
  state: [{ view: string; position: number }, State];
  occupancy: [OccupancyRequest, OccupancyAnswer];
  latency: [LatencyRequest, LatencyAnswer];
  latency_point: [LatencyRequest, CurvePoint];
  pattern: [PatternRequest, PatternAnswer];
  hierarchy: [{ device: string }, MemoryLevel[]];
  sheet: [{ device: string }, Sheet];
  roofline: [{ devices: string[]; precision: string; flop_per_byte: number }, RoofRecord[]];
  gemm: [GemmRequest, GemmAnswer];
  matrix: [null, MatrixAnswer];
}
