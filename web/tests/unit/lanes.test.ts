import { describe, expect, it } from 'vitest';
import type { Recorded } from '../../src/engine/types';
import { cells, rows, sentence, warps } from '../../src/labs/lanes/cells';
import { condition, threads, width, withCondition, withWidth } from '../../src/labs/lanes/program';
import { explanation, pairs, scenario, scenarios, title } from '../../src/labs/lanes/scenarios';

/** Two warps of four lanes, the second with three threads: `if` and one side for warp 0. */
const run: Recorded = {
  lesson: true,
  title: 'A test',
  warp_width: 4,
  threads: 7,
  blocks: 1,
  divergence: 'ipdom',
  device: 'lesson',
  outcome: 'ok',
  error: null,
  lines: [
    { number: 1, kind: 'common', depth: 0, issues: false },
    { number: 2, kind: 'common', depth: 0, issues: false },
    { number: 3, kind: 'common', depth: 0, issues: true },
    { number: 4, kind: 'else', depth: 1, issues: true },
    { number: 5, kind: 'where', depth: 0, issues: true },
  ],
  issues: {
    block: [0, 0, 0, 0],
    warp: [0, 0, 1, 1],
    line: [3, 4, 3, 5],
    active: ['F', '6', '7', '7'],
    executing: ['F', '6', '7', '2'],
    live: ['F', 'F', '7', '7'],
  },
};

describe('the grid', () => {
  it('tells what each lane does', () => {
    expect(cells(run, 0)).toEqual(['common', 'common', 'common', 'common']);
    expect(cells(run, 1)).toEqual(['idle', 'else', 'else', 'idle']);
    expect(cells(run, 2)).toEqual(['common', 'common', 'common', 'gone']);
    expect(cells(run, 3)).toEqual(['off', 'where', 'off', 'gone']);
  });

  it('follows one warp or all', () => {
    expect(warps(run)).toEqual([
      { block: 0, warp: 0 },
      { block: 0, warp: 1 },
    ]);
    expect(rows(run, null)).toEqual([0, 1, 2, 3]);
    expect(rows(run, { block: 0, warp: 1 })).toEqual([2, 3]);
  });

  it('says a row in words', () => {
    expect(sentence(run, 1, 'x = 1')).toBe(
      'Issue 2, warp 0, line 4: x = 1. 2 of 4 lanes active: lanes 1–2.',
    );
    expect(sentence(run, 0, 'if a')).toBe('Issue 1, warp 0, line 3: if a. 4 of 4 lanes active.');
  });

  it('colours PTX by who is missing', () => {
    const ptx = { ...run, lesson: false };
    expect(cells(ptx, 1)).toEqual(['idle', 'then', 'then', 'idle']);
    expect(cells(ptx, 0)).toEqual(['common', 'common', 'common', 'common']);
  });
});

describe('a program', () => {
  const text = 'threads 64\n\nx = i\nif i < 16  # half\n  x = 1\nend\nwhere x > 3: x = 2\n';

  it('offers its first condition', () => {
    expect(condition(text)).toEqual({ line: 4, word: 'if', text: 'i < 16' });
    expect(withCondition(text, 4, 'i == 0')).toBe(text.replace('i < 16', 'i == 0'));
    expect(condition('where x > 3: x = 2')).toEqual({ line: 1, word: 'where', text: 'x > 3' });
    expect(withCondition('where x > 3: x = 2', 1, 'x < 1')).toBe('where x < 1: x = 2');
    expect(condition('x = i\n')).toBeNull();
  });

  it('keeps an emptied condition editable', () => {
    const emptied = withCondition(text, 4, '');
    expect(condition(emptied)).toEqual({ line: 4, word: 'if', text: '' });
    expect(withCondition(emptied, 4, 'i < 16')).toBe(text);
  });

  it('has a warp width', () => {
    expect(width(text)).toBe(32);
    expect(withWidth(text, 8)).toBe(text.replace('threads 64', 'threads 64\nwidth 8'));
    expect(width(withWidth(text, 8))).toBe(8);
    expect(withWidth(withWidth(text, 8), 16)).toBe(text.replace('threads 64', 'threads 64\nwidth 16'));
    expect(withWidth('x = i\n', 4)).toBe('width 4\nx = i\n');
    expect(threads(text)).toBe(64);
  });
});

describe('scenarios', () => {
  it('are the lessons, and PTX kernels', () => {
    expect(scenarios.filter((one) => one.language === 'lesson').length).toBeGreaterThanOrEqual(14);
    expect(scenarios.some((one) => one.language === 'ptx')).toBe(true);
    expect(new Set(scenarios.map((one) => one.id)).size).toBe(scenarios.length);
    for (const one of scenarios) expect(one.title).not.toBe('');
  });

  it('are all there that are compared', () => {
    for (const pair of pairs) {
      expect(scenario(pair.left[0])).toBeDefined();
      expect(scenario(pair.right[0])).toBeDefined();
    }
  });

  it('have their head as explanation', () => {
    const text = '# A title.\n#\n# One line\n# and its end.\n#\n# Another.\n\nthreads 32\n# not this\n';
    expect(title(text)).toBe('A title');
    expect(explanation(text)).toEqual(['One line and its end.', 'Another.']);
  });
});
