// Masks of lanes, as the engine writes them: hexadecimal, a digit for four lanes, lane 0 last.

/** Whether a lane is in a mask. */
export function has(mask: string, lane: number): boolean {
  const digit = mask[mask.length - 1 - (lane >> 2)];
  return digit !== undefined && ((parseInt(digit, 16) >> (lane & 3)) & 1) === 1;
}

/** Lanes in a mask. */
export function count(mask: string): number {
  let lanes = 0;
  for (const digit of mask) {
    for (let bits = parseInt(digit, 16); bits > 0; bits >>= 1) lanes += bits & 1;
  }
  return lanes;
}

/** Lanes in words: `lanes 0–15`, `lanes 0, 2, 4 and 13 more`, `no lane`. */
export function inWords(mask: string): string {
  const ranges: [number, number][] = [];
  for (let lane = 0; lane < 4 * mask.length; lane++) {
    if (!has(mask, lane)) continue;
    const last = ranges.at(-1);
    if (last && last[1] === lane - 1) last[1] = lane;
    else ranges.push([lane, lane]);
  }
  if (ranges.length === 0) return 'no lane';
  const shown = ranges.slice(0, 4).map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`));
  const rest = ranges.slice(4).reduce((sum, [a, b]) => sum + b - a + 1, 0);
  const list = shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  return count(mask) === 1 ? `lane ${list}` : `lanes ${list}`;
}
