// Access patterns: presets, and the words of memory that lanes touch.
import type { PatternAnswer } from '../../engine/types';

export interface Preset {
  title: string;
  what: string;
  formula: string;
  bytes: number;
}

export const presets: readonly [Preset, ...Preset[]] = [
  {
    title: 'Side by side',
    what: 'Neighbouring lanes take neighbouring words: every byte that moves is used.',
    formula: 'lane * 4',
    bytes: 4,
  },
  {
    title: 'Shifted by a word',
    what: 'The same, one word further: the warp reaches into one sector more.',
    formula: 'lane * 4 + 4',
    bytes: 4,
  },
  {
    title: 'Every second word',
    what: 'Half of each sector is for nobody, and two lanes meet in each bank.',
    formula: 'lane * 8',
    bytes: 4,
  },
  {
    title: 'Array of structures',
    what: 'One word of a structure of 32 bytes: a sector for each lane.',
    formula: 'lane * 32',
    bytes: 4,
  },
  {
    title: 'Down a column',
    what: 'Column of a matrix with rows of 32 words: a line for each lane, and all of them in one bank.',
    formula: 'lane * 128',
    bytes: 4,
  },
  {
    title: 'Column with padding',
    what: 'Rows of 33 words: the column goes through all banks, though not through fewer sectors.',
    formula: 'lane * 132',
    bytes: 4,
  },
  {
    title: 'Column with a swizzle',
    what: 'The column number is mixed with the row number: no padding, and no bank twice.',
    formula: 'lane * 128 + (lane ^ 5) * 4',
    bytes: 4,
  },
  {
    title: 'Shuffled',
    what: 'Another order within the same bytes costs nothing.',
    formula: '(lane * 7 + 3) % 32 * 4',
    bytes: 4,
  },
  {
    title: 'All the same word',
    what: 'One word for all lanes: one sector, one pass.',
    formula: '64 + lane * 0',
    bytes: 4,
  },
  {
    title: 'Vectors of 16 bytes',
    what: 'Four words a lane: four passes and sixteen sectors, all of them used.',
    formula: 'lane * 16',
    bytes: 16,
  },
];

/** Bytes that a drawn cell stands for. */
export const WORD_BYTES = 4;

export interface Word {
  /** Lanes that touch it. */
  lanes: number[];
  /** Its sector moves. */
  moves: boolean;
}

export interface Line {
  address: number;
  /** Sector by sector, its words. */
  sectors: Word[][];
}

/** The touched lines, word by word. */
export function lines(answer: PatternAnswer, bytes: number): Line[] {
  const { line_bytes, sector_bytes } = answer.global;
  const touching = new Map<number, number[]>();
  answer.addresses.forEach((address, lane) => {
    const last = Math.floor((address + bytes - 1) / WORD_BYTES);
    for (let word = Math.floor(address / WORD_BYTES); word <= last; word++) {
      const lanes = touching.get(word);
      if (lanes) lanes.push(lane);
      else touching.set(word, [lane]);
    }
  });
  const perSector = sector_bytes / WORD_BYTES;
  return answer.global.lines.map((line) => ({
    address: line.address,
    sectors: line.sectors.map((moves, sector) =>
      Array.from({ length: perSector }, (_, k) => {
        const word = (line.address + sector * sector_bytes) / WORD_BYTES + k;
        return { lanes: touching.get(word) ?? [], moves };
      }),
    ),
    bytes: line_bytes,
  }));
}

/** By bank, the lanes that want each different word of it. */
export function banks(answer: PatternAnswer, bytes: number): number[][][] {
  const { bank_bytes, words } = answer.shared;
  return words.map((ofBank) =>
    ofBank.map((word) =>
      answer.addresses.flatMap((address, lane) => {
        const first = Math.floor(address / bank_bytes);
        const last = Math.floor((address + bytes - 1) / bank_bytes);
        return word >= first && word <= last ? [lane] : [];
      }),
    ),
  );
}

/** Lanes as a short label: `5`, `5…`, or nothing. */
export function label(lanes: readonly number[]): string {
  if (lanes.length === 0) return '';
  return lanes.length === 1 ? String(lanes[0]) : `${lanes[0]}…`;
}
