import { describe, expect, it } from 'vitest';
import type { Figure, PatternAnswer, Sheet } from '../../src/engine/types';
import { groupOf, groups, toggled } from '../../src/labs/chips/sheet';
import { banks, label, lines } from '../../src/labs/memory/pattern';
import { scaled, share } from '../../src/lib/magnitude';

/** Four lanes of 4 bytes, every second word of lines of 64 bytes, with four banks. */
const answer: PatternAnswer = {
  addresses: [0, 8, 16, 40],
  global: {
    line_bytes: 64,
    sector_bytes: 32,
    lines: [{ address: 0, sectors: [true, true] }],
    sectors: 2,
    ideal_sectors: 1,
    used_bytes: 16,
    efficiency: 0.25,
    l1_cycles: 2,
  },
  // Words 0, 2, 4 and 10: banks 0, 2, 0 and 2.
  shared: { banks: 4, bank_bytes: 4, passes: 2, ideal_passes: 1, words: [[0, 4], [], [2, 10], []] },
};

describe('an access pattern', () => {
  it('is drawn word by word', () => {
    const [line] = lines(answer, 4);
    expect(line?.sectors.map((sector) => sector.map((word) => label(word.lanes)).join(','))).toEqual([
      '0,,1,,2,,,',
      ',,3,,,,,',
    ]);
    expect(line?.sectors[0]?.[1]).toEqual({ lanes: [], moves: true });
  });

  it('is drawn bank by bank', () => {
    expect(banks(answer, 4)).toEqual([[[0], [2]], [], [[1], [3]], []]);
  });

  it('shows a lane in every word it touches', () => {
    const wide = { ...answer, addresses: [0] };
    expect(lines(wide, 16)[0]?.sectors[0]?.map((word) => word.lanes.length)).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
    expect(label([3, 4])).toBe('3…');
  });
});

describe('magnitudes', () => {
  it('have three digits', () => {
    expect(scaled(3.352e12, 'B/s')).toBe('3.35\u00a0TB/s');
    expect(scaled(999.7, '')).toBe('1.00\u00a0k');
    expect(scaled(0, 'B')).toBe('0\u00a0B');
    expect(scaled(66.9e12, '')).toBe('66.9\u00a0T');
  });

  it('have a place between others', () => {
    expect(share(100, 10, 1000)).toBeCloseTo(0.5);
    expect(share(0, 10, 1000)).toBe(0);
    expect(share(1e9, 10, 1000)).toBe(1);
  });
});

describe('a comparison of chips', () => {
  const figure = (path: string, value: string): Figure => ({
    path,
    value,
    meaning: `what ${path} means`,
    sources: ['a paper'],
    estimated: false,
  });
  const sheet = (name: string, figures: Figure[]): Sheet => ({
    device: { name, product: name, architecture: '', vendor: 'nvidia', warp_width: 32, sms: 1 },
    clock_mhz: 1000,
    dram_bytes_per_s: 1e12,
    peaks: [],
    figures,
  });
  const both = [
    sheet('a', [figure('sms', '80'), figure('timing.l2.ways', '16'), figure('memory.l2_bytes', '1')]),
    sheet('b', [figure('sms', '80'), figure('timing.l2.ways', '24')]),
  ];

  it('has the figures of all in groups', () => {
    const found = groups(both, '', false);
    expect(found.map((group) => group.name)).toEqual(['chip', 'memory', 'timing.l2']);
    expect(found[1]?.rows[0]?.figures[1]).toBeNull();
    expect(found[1]?.rows[0]?.label).toBe('l2 bytes');
    expect(groupOf('limits.grid')).toBe('limits');
  });

  it('is searched, and cut down to what differs', () => {
    expect(groups(both, 'WAYS', false).map((group) => group.name)).toEqual(['timing.l2']);
    expect(groups(both, '', true).map((group) => group.name)).toEqual(['memory', 'timing.l2']);
  });

  it('never loses its last chip', () => {
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
    expect(toggled(['a'], 'a')).toEqual(['a']);
    expect(toggled(['a'], 'b')).toEqual(['a', 'b']);
  });
});
