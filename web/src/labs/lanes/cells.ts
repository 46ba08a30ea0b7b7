// What a lane does in an issue, and how that looks.
import type { Kind, Recorded } from '../../engine/types';
import { count, has, inWords } from '../../lib/mask';

export type Cell = Kind | 'off' | 'idle' | 'gone';

export interface Look {
  cell: Cell;
  name: string;
  what: string;
}

/** In the order of the legend. */
export const looks: readonly Look[] = [
  { cell: 'common', name: 'common', what: 'active, on a path that all take' },
  { cell: 'then', name: 'then', what: 'active, the condition is true' },
  { cell: 'else', name: 'else', what: 'active, the condition is false' },
  { cell: 'loop', name: 'loop', what: 'active, inside a loop' },
  { cell: 'case', name: 'case', what: 'active, one case of a switch' },
  { cell: 'where', name: 'where', what: 'active, and executes the predicated line' },
  { cell: 'off', name: 'where not', what: 'active, but switched off by its predicate' },
  { cell: 'idle', name: 'idle', what: 'waits while others run' },
  { cell: 'gone', name: 'not there', what: 'has exited, or never had a thread' },
];

/** The kind of path that an issue is on. PTX has no paths in its text: who is missing tells. */
export function kind(run: Recorded, issue: number): Kind {
  if (!run.lesson) return run.issues.active[issue] === run.issues.live[issue] ? 'common' : 'then';
  // Lessons have a record for every line of their text.
  return run.lines[(run.issues.line[issue] ?? 0) - 1]?.kind ?? 'common';
}

/** The cells of an issue, lane 0 first. */
export function cells(run: Recorded, issue: number): Cell[] {
  const { active = '', executing = '', live = '' } = {
    active: run.issues.active[issue],
    executing: run.issues.executing[issue],
    live: run.issues.live[issue],
  };
  const path = kind(run, issue);
  return Array.from({ length: run.warp_width }, (_, lane) => {
    if (!has(live, lane)) return 'gone';
    if (!has(active, lane)) return 'idle';
    return path === 'where' && !has(executing, lane) ? 'off' : path;
  });
}

/** An issue in a sentence, for those who do not see the grid. */
export function sentence(run: Recorded, issue: number, source: string): string {
  const active = run.issues.active[issue] ?? '';
  const lanes = `${count(active)} of ${run.warp_width} lanes active`;
  const which = count(active) === run.warp_width ? '' : `: ${inWords(active)}`;
  const line = run.issues.line[issue];
  return `Issue ${issue + 1}, warp ${run.issues.warp[issue]}, line ${line}: ${source}. ${lanes}${which}.`;
}

/** The issues of one warp of a block, or of all. */
export function rows(run: Recorded, warp: Warp | null): number[] {
  const all = run.issues.line.map((_, issue) => issue);
  if (warp === null) return all;
  const { block, warp: index } = warp;
  return all.filter((issue) => run.issues.block[issue] === block && run.issues.warp[issue] === index);
}

export interface Warp {
  block: number;
  warp: number;
}

/** The warps that issued anything, in their order. */
export function warps(run: Recorded): Warp[] {
  const seen = new Map<string, Warp>();
  run.issues.warp.forEach((warp, issue) => {
    const block = run.issues.block[issue] ?? 0;
    seen.set(`${block}.${warp}`, { block, warp });
  });
  return [...seen.values()];
}
