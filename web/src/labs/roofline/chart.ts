// The roofline chart without its drawing: scales, roofs, and where known kernels lie.
import type { RoofRecord } from '../../engine/types';

/** The chart's range: operations per byte, and operations a second. */
export const X = [0.1, 10_000] as const;
export const Y = [1e10, 1e16] as const;

/** A place on a logarithmic scale, 0 to 1. */
export function place(value: number, [least, most]: readonly [number, number]): number {
  return Math.log(value / least) / Math.log(most / least);
}

/** Powers of ten in a range. */
export function powers([least, most]: readonly [number, number]): number[] {
  const found: number[] = [];
  for (let power = Math.ceil(Math.log10(least) - 1e-9); 10 ** power <= most * 1.0001; power++) found.push(10 ** power);
  return found;
}

/** The corners of a roof in a box of this size; y grows downwards. */
export function roof(record: RoofRecord, width: number, height: number): string {
  const { flop_per_s, bytes_per_s, ridge } = record;
  if (flop_per_s === null || ridge === null) return '';
  const at = (x: number, y: number) =>
    `${(place(x, X) * width).toFixed(1)},${(height - place(y, Y) * height).toFixed(1)}`;
  return [at(X[0], X[0] * bytes_per_s), at(ridge, flop_per_s), at(X[1], flop_per_s)].join(' ');
}

export interface Kernel {
  id: string;
  name: string;
  what: string;
  /** Operations per byte, for elements of this many bytes. */
  intensity: (bytes: number) => number;
}

/** Kernels whose intensity follows from what they do. */
export const kernels: readonly Kernel[] = [
  {
    id: 'decode',
    name: 'decode, batch 1',
    what: 'Each weight is read once for one multiply-add: 2 operations per element.',
    intensity: (bytes) => 2 / bytes,
  },
  {
    id: 'decode-64',
    name: 'decode, batch 64',
    what: 'Each weight that is read serves 64 sequences: 128 operations per element.',
    intensity: (bytes) => 128 / bytes,
  },
  {
    id: 'attention',
    name: 'attention, 128 queries',
    what: 'A tile of 128 queries meets every key and value that is read: 256 operations per element.',
    intensity: (bytes) => 256 / bytes,
  },
  {
    id: 'gemm',
    name: 'GEMM, tile 128 × 128',
    what: 'An element that comes in serves m·n / (m + n) = 64 multiply-adds.',
    intensity: (bytes) => 128 / bytes,
  },
  {
    id: 'gemm-256',
    name: 'GEMM, tile 256 × 128',
    what: 'A larger tile reuses more: 85.3 multiply-adds for each element.',
    intensity: (bytes) => (2 * 256 * 128) / (256 + 128) / bytes,
  },
];

/** Bytes of an element; matrix and vector forms alike. */
export function elementBytes(precision: string): number {
  if (precision.startsWith('fp64')) return 8;
  if (precision.startsWith('fp16') || precision === 'bf16') return 2;
  if (precision === 'fp8' || precision === 'int8') return 1;
  if (precision === 'fp4') return 0.5;
  return 4;
}

/** `0.5`, `13.4`, `333`. */
export function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
