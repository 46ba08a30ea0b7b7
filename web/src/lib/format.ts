/** `12 345`: digits in groups, with a space that does not break. */
export function whole(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** A share as percent: `71.43 %`, or as many decimals as asked for. */
export function percent(share: number, decimals = 2): string {
  return `${(100 * share).toFixed(decimals)}\u00a0%`;
}

/** Bytes with a unit: `48 KiB`, `1.5 MiB`, `100 B`. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let scaled = value;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  const digits = Number.isInteger(scaled) ? 0 : scaled < 10 ? 2 : 1;
  return `${scaled.toFixed(digits)}\u00a0${units[unit]}`;
}

/** `1 block`, `2 blocks`. */
export function plural(count: number, word: string): string {
  return `${whole(count)} ${word}${count === 1 ? '' : 's'}`;
}
