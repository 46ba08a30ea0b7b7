// Sheets of several devices as one table.
import type { Figure, Sheet } from '../../engine/types';

export interface Row {
  path: string;
  label: string;
  meaning: string;
  /** By device; none where it has no such figure. */
  figures: (Figure | null)[];
}

export interface Group {
  name: string;
  rows: Row[];
}

/** The first part of a path, or of a path under `timing` the first two. */
export function groupOf(path: string): string {
  const parts = path.split('.');
  if (parts.length === 1) return 'chip';
  return parts[0] === 'timing' && parts.length > 2 ? `${parts[0]}.${parts[1]}` : (parts[0] ?? '');
}

/** All figures of the devices in groups, the chip's own first; those that a search names. */
export function groups(sheets: readonly Sheet[], search: string, differing: boolean): Group[] {
  const tables = sheets.map((sheet) => new Map(sheet.figures.map((figure) => [figure.path, figure])));
  const paths = [...new Set(tables.flatMap((table) => [...table.keys()]))].sort();
  const wanted = search.trim().toLowerCase();
  const found = new Map<string, Row[]>();
  for (const path of paths) {
    const figures = tables.map((table) => table.get(path) ?? null);
    const meaning = figures.find((figure) => figure !== null)?.meaning ?? '';
    if (wanted !== '' && !`${path} ${meaning}`.toLowerCase().includes(wanted)) continue;
    if (differing && new Set(figures.map((figure) => figure?.value)).size < 2) continue;
    const group = groupOf(path);
    const label = path.startsWith(`${group}.`) ? path.slice(group.length + 1) : path;
    const rows = found.get(group) ?? [];
    rows.push({ path, label: label.replaceAll('_', ' '), meaning, figures });
    found.set(group, rows);
  }
  const order = (name: string) => (name === 'chip' ? '' : name);
  return [...found]
    .map(([name, rows]) => ({ name: name.replaceAll('_', ' '), rows }))
    .sort((a, b) => order(a.name).localeCompare(order(b.name)));
}

/** The list with a name added, or taken out; at least one stays. */
export function toggled(list: readonly string[], name: string): string[] {
  if (!list.includes(name)) return [...list, name];
  return list.length > 1 ? list.filter((one) => one !== name) : [...list];
}

/** The largest; 0 of none. */
export function most(values: readonly number[]): number {
  return Math.max(0, ...values);
}
