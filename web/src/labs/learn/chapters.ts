// The chapters: short texts, a situation to open, and a question that the machine answers.
import type { EngineClient } from '../../engine/client';
import type { Asked, Judgement } from '../../lib/answer';
import { write } from '../../lib/link';
import { count } from '../../lib/mask';
import { start } from '../latency/model';

export interface Chapter {
  id: string;
  title: string;
  text: string[];
  /** Places to look, by what is to be seen there. */
  links: [string, string][];
  question: string;
  asked: Asked;
  judge: (engine: EngineClient) => Promise<Judgement>;
}

const lanes = (scenario: string, at = 0) => write('lanes', { scenario, at: at || null });
/** The launch that this lab runs, among those the engine keeps. */
const VIEW = 'learn';

async function lesson(engine: EngineClient, text: string) {
  return engine.request('lesson', { view: VIEW, text, divergence: 'ipdom' });
}

export const chapters: readonly [Chapter, ...Chapter[]] = [
  {
    id: 'grid',
    title: 'From the grid to a lane',
    text: [
      'A kernel is one program for very many threads. The launch puts them into blocks, and the blocks into a grid. A block is given to one SM and stays there; its threads can share memory and wait for each other. Threads of different blocks cannot count on each other at all, and that is why a chip with more SMs finishes the same grid sooner.',
      'Inside the SM a block falls into warps: threads 0 to 31 are the first, 32 to 63 the second, and so on. A warp has one instruction stream. Its threads are its lanes. An SM has four partitions, each with a scheduler of its own, and a warp belongs to one of them for life.',
      'When a block is no multiple of 32, its last warp has lanes without a thread. It takes a whole place all the same.',
    ],
    links: [['Step eight warps that share a scheduler', lanes('11-eight-warps')]],
    question: 'A block has 100 threads. How many lanes of its last warp have a thread?',
    asked: { unit: 'lanes', tolerance: 0 },
    judge: async (engine) => {
      const run = await lesson(engine, 'threads 100\nx = i\n');
      const last = run.issues.live.at(-1) ?? '';
      const warps = run.issues.warp.length;
      return {
        right: count(last),
        because: `100 threads are ${warps} warps: three full ones and the rest. Each of the ${warps} issues every line, the last with ${count(last)} of 32 lanes.`,
      };
    },
  },
  {
    id: 'mask',
    title: 'One instruction, many lanes, one mask',
    text: [
      'A warp issues an instruction once, and all active lanes execute it. Which lanes are active is a mask of one bit each. At a branch the lanes may disagree; then the warp goes one way with those lanes, and after that the other way with the rest. At the point where both ways meet, the mask is whole again.',
      'So a branch that parts a warp costs both sides. A branch on which all lanes agree costs one, whatever the other warps do. What counts is how lanes are spread over warps, not how often a condition is true.',
    ],
    links: [
      ['Half a warp each way', lanes('02-divergent', 5)],
      ['The same branch between warps', lanes('05-warp-uniform')],
      ['A branch inside a branch', lanes('06-nested', 8)],
    ],
    question: 'Two lines in common, two in each side, one after the join. Lane 0 alone takes the first side. How many lines does the warp issue?',
    asked: { unit: 'issues', tolerance: 0 },
    judge: async (engine) => {
      const run = await lesson(
        engine,
        'threads 32\nx = i\nif i == 0\n  x = 1\n  x = 2\nelse\n  x = 3\n  x = 4\nend\nx = x + 1\n',
      );
      const issues = run.issues.line.length;
      return {
        right: issues,
        because: `${issues}: one lane is enough to make the warp go both ways. It costs as much as sixteen lanes would.`,
      };
    },
  },
  {
    id: 'latency',
    title: 'Resident, eligible, issued',
    text: [
      'A load takes hundreds of cycles, and nothing in a warp makes it faster. The SM hides it: it holds many warps with all their registers at once, and in each cycle a scheduler picks one whose next instruction has what it needs. Warps that are there are resident; those that could issue now are eligible; one per scheduler is issued.',
      'Changing from one warp to another costs nothing, since nothing is saved or restored. Slots stay empty only when no warp is eligible. How many are needed follows from Little’s law: the cycles of a round, divided by what a warp issues in it.',
    ],
    links: [
      ['Four warps, and the gap they leave', write('latency', { scenario: 'four' })],
      ['Sixteen warps and a real scheduler', write('latency', { scenario: 'sim' })],
    ],
    question: 'A warp loads, 8 cycles, and then issues three more instructions of one cycle each. How many such warps fill every slot?',
    asked: { unit: 'warps', tolerance: 0 },
    judge: async (engine) => {
      const once = { ...start, load_cycles: 8, math: 3, math_cycles: 1, scheduler: 'lrr' as const, rounds: 1, drawn_cycles: 200 };
      const runs = await Promise.all([7, 8].map((warps) => engine.request('latency', { ...once, warps })));
      const said = runs.map((run) => `${run.timeline.length} warps: ${run.drawn_issues} issues in ${run.drawn_cycles} cycles`);
      const full = runs.find((run) => run.drawn_issues === run.drawn_cycles);
      return {
        right: full?.timeline.length ?? 0,
        because: `${said.join('; ')}. While one warp waits its 8 cycles, the others have their loads to issue, one a cycle.`,
      };
    },
  },
  {
    id: 'occupancy',
    title: 'Room for warps',
    text: [
      'Warps stay resident because their registers do. The register file is large, and every register more that a thread takes leaves room for fewer threads. Whole blocks move in: a block that does not fit with all its warps does not come at all. So residency falls in steps, and one register can cost half of it.',
      'More warps are not always better. They matter as long as latency is to be hidden; a thread with many registers and many independent loads hides it with fewer.',
    ],
    links: [
      ['The file, exactly full', write('occupancy', { device: 'v100', threads: 512, regs: 64 })],
      ['One register more', write('occupancy', { device: 'v100', threads: 512, regs: 65 })],
    ],
    question: 'On a V100, blocks of 512 threads with 64 registers each are resident two at a time. How many are with 65?',
    asked: { unit: 'blocks', tolerance: 0 },
    judge: async (engine) => {
      const found = await engine.request('occupancy', { device: 'v100', threads: 512, registers: 65, shared_bytes: 0 });
      const blocks = found.held?.blocks_per_sm ?? 0;
      return {
        right: blocks,
        because: `${blocks}. A warp’s 65 × 32 registers are rounded up to ${found.held?.rounded_registers ?? 0}; 28 such warps fit, and a block has 16.`,
      };
    },
  },
  {
    id: 'memory',
    title: 'An address for every lane',
    text: [
      'A load of a warp carries 32 addresses. Memory moves sectors of 32 bytes, so what counts is how many sectors those addresses touch. Neighbouring lanes on neighbouring words are four. A stride leaves part of each sector unused; from eight words on, every lane has a sector for itself.',
      'Shared memory has 32 banks of one word each, and word number modulo 32 is the bank. Lanes that want different words of one bank are served one after the other; lanes that want the same word share it.',
    ],
    links: [
      ['Side by side', write('memory', { formula: 'lane * 4', bytes: 4 })],
      ['Down a column, 32 passes', write('memory', { formula: 'lane * 128', bytes: 4 })],
      ['The same with padding', write('memory', { formula: 'lane * 132', bytes: 4 })],
    ],
    question: 'Each lane loads 4 bytes, and takes every fourth word. How many sectors move?',
    asked: { unit: 'sectors', tolerance: 0 },
    judge: async (engine) => {
      const { global } = await engine.request('pattern', { device: 'h100', formula: 'lane * 16', bytes: 4 });
      return {
        right: global.sectors,
        because: `${global.sectors}: two lanes share a sector of eight words. ${global.used_bytes} of ${global.sectors * global.sector_bytes} bytes that move are used, ${100 * global.efficiency} %.`,
      };
    },
  },
  {
    id: 'roofline',
    title: 'Which roof a kernel meets',
    text: [
      'A chip does a certain number of operations a second and moves a certain number of bytes. Divide one by the other and you have its ridge: a kernel that does fewer operations with each byte is bound by memory, however well it is written.',
      'Reuse is what raises that number. A tile of a matrix product reads each element once into shared memory and uses it for m·n / (m + n) multiply-adds. Generating one token of a language model uses each weight once, so no chip gets near its peak there.',
    ],
    links: [
      ['Decode at batch 1', write('roofline', { precision: 'fp16', intensity: 0 })],
      ['A tile of 128 × 128', write('roofline', { precision: 'fp16', intensity: 181 })],
    ],
    question: 'A kernel does one operation with each byte. What share of its 16-bit peak can an H100 reach, in percent?',
    asked: { unit: '%', tolerance: 0.2 },
    judge: async (engine) => {
      const [h100] = await engine.request('roofline', { devices: ['h100'], precision: 'fp16', flop_per_byte: 1 });
      const share = (100 * (h100?.attainable ?? 0)) / (h100?.flop_per_s ?? 1);
      return {
        right: share,
        because: `${share.toFixed(2)} %: its ridge is at ${h100?.ridge?.toFixed(0)} operations per byte, so at one it gets one part in as many.`,
      };
    },
  },
];

/** The same idea in three machines. */
export const machines = {
  head: ['', 'CPU with SIMD', 'GPU, SIMT', 'threads of a CPU'],
  rows: [
    ['you write', 'vectors, or a loop that a compiler turns into them', 'one thread; the machine makes the vector', 'one thread'],
    ['instruction streams', 'one for all lanes', 'one for the lanes of a warp', 'one for each thread'],
    ['a branch that lanes disagree on', 'is rewritten into masks by hand or compiler', 'is taken both ways under a mask, by the machine', 'is nothing special'],
    ['lanes on different addresses', 'gather and scatter instructions', 'every load is one', 'nothing special'],
    ['a cache miss is hidden by', 'running ahead out of order, and prefetching', 'another warp', 'another thread, after a costly switch'],
    ['state on the chip', 'tens of vector registers', 'hundreds of kilobytes of registers', 'one register set'],
    ['it is good at', 'regular loops within one thread', 'very many like threads', 'few unlike threads'],
  ],
} as const;

/** What the vendors call things. */
export const words = {
  head: ['here', 'NVIDIA', 'AMD', 'what it is'],
  rows: [
    ['grid', 'grid', 'grid, NDRange', 'all threads of a launch'],
    ['block', 'thread block, CTA', 'workgroup', 'threads that share memory and barriers'],
    ['warp', 'warp, 32 lanes', 'wavefront, 64 or 32 lanes', 'threads with one instruction stream'],
    ['lane', 'thread, lane', 'work-item, lane', 'one of them'],
    ['SM', 'streaming multiprocessor', 'compute unit (CU), WGP', 'what blocks are given to'],
    ['partition', 'sub-core, SM sub-partition', 'SIMD', 'a scheduler with its lanes and registers'],
    ['shared memory', 'shared memory', 'local data share (LDS)', 'memory of a block, in banks'],
    ['register', 'register', 'VGPR; SGPR where all lanes agree', 'a value of each lane'],
    ['active mask', 'active mask', 'EXEC', 'which lanes take part'],
    ['matrix unit', 'tensor core', 'matrix core', 'multiplies small tiles'],
  ],
} as const;

/** Mistakes that the machine forgives silently, or punishes late. */
export const mistakes: readonly [string, string][] = [
  ['A barrier inside a branch', 'Lanes that do not come keep the others waiting for ever, or meet them at another barrier. Put it where all threads of the block pass.'],
  ['No barrier between writing and reading shared memory', 'It works while both happen in one warp, and breaks when the block grows.'],
  ['Lanes of a warp that wait for each other', 'On machines with a stack, the lane that holds the lock may never get its turn. From Volta on it does; before, restructure the loop.'],
  ['Counting on warps to run in lockstep', 'Since Volta lanes may be apart until they are told to meet: use the .sync forms, with the mask of those that take part.'],
  ['A mask from activemask as if it were the branch’s', 'It says who happens to be there, not who took the branch.'],
  ['Forgetting the last block', 'The grid is rounded up to whole blocks: check the index, and return before touching memory, not before a barrier.'],
  ['Reading 4 bytes at an address that is no multiple of 4', 'Accesses have to be aligned to their size; the launch ends with an error otherwise.'],
  ['More registers for speed', 'Look at what they cost in warps first: the step may be just behind you.'],
];
