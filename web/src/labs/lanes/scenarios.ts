// Programs to start from: the lessons of the repository, and PTX kernels.
import type { Divergence } from '../../engine/types';

const files = import.meta.glob<string>('../../../../lessons/*.simt', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const kernels = import.meta.glob<string>('./kernels/*.ptx', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** How a PTX kernel is launched, as one would write it on the command line. */
export interface Launch {
  device: string;
  grid: string;
  block: string;
  args: string;
}

export interface Scenario {
  id: string;
  title: string;
  language: 'lesson' | 'ptx';
  text: string;
  divergence: Divergence;
  launch: Launch;
}

export const noLaunch: Launch = { device: 'v100', grid: '1', block: '32', args: '' };

/** The name of a file without its folder and ending. */
function stem(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.\w+$/, '');
}

/** The first comment of a lesson, up to its full stop. */
export function title(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '') ?? '';
  return first.replace(/^#\s*/, '').replace(/\.\s*$/, '');
}

/** The comment at the head of a lesson, without its first line, in paragraphs. */
export function explanation(text: string): string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comment = lines.slice(1, end < 0 ? lines.length : end).map((line) => line.replace(/^#\s?/, ''));
  return comment
    .join('\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll('\n', ' ').trim())
    .filter((paragraph) => paragraph !== '');
}

const launches: Record<string, Partial<Launch>> = {
  collatz: { block: '32', args: 'steps=zeros:u32[32]' },
  'abs-diff': { block: '32', args: 'out=zeros:u32[32]' },
};

const lessons: Scenario[] = Object.entries(files)
  .map(([path, text]) => ({
    id: stem(path),
    title: title(text),
    language: 'lesson' as const,
    text,
    divergence: 'ipdom' as const,
    launch: noLaunch,
  }))
  .sort((a, b) => a.id.localeCompare(b.id));

const ptx: Scenario[] = Object.entries(kernels).map(([path, text]) => ({
  id: `ptx-${stem(path)}`,
  title: text.split('\n')[0]?.replace(/^\/\/\s*/, '').replace(/\.\s*$/, '') ?? stem(path),
  language: 'ptx' as const,
  text,
  divergence: 'its' as const,
  launch: { ...noLaunch, ...launches[stem(path)] },
}));

export const scenarios: Scenario[] = [...lessons, ...ptx];
/** The one that a visitor sees first. */
export const first = '02-divergent';

export function scenario(id: string): Scenario | undefined {
  return scenarios.find((one) => one.id === id);
}

/** Two lessons whose runs are drawn beside each other. */
export interface Pair {
  id: string;
  title: string;
  left: [string, string];
  right: [string, string];
}

export const pairs: readonly [Pair, ...Pair[]] = [
  {
    id: 'filter',
    title: 'A filter over scattered and over clustered data',
    left: ['08-filter', 'Scattered: four lanes of every warp pass'],
    right: ['08-filter-clustered', 'Clustered: the same elements, sorted'],
  },
  {
    id: 'predication',
    title: 'A branch against predication',
    left: ['08-filter', 'Branch: each side with its own lanes'],
    right: ['08-filter-where', 'Predication: every line, lanes switched off'],
  },
  {
    id: 'condition',
    title: 'Parting inside warps and between them',
    left: ['02-divergent', 'Half of the warp each way'],
    right: ['05-warp-uniform', 'Whole warps each way'],
  },
];
