/** `3.35 TB`: a number with a decimal prefix and three digits. */
export function scaled(value: number, unit: string): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let step = 0;
  let rest = value;
  while (rest >= 999.5 && step < prefixes.length - 1) {
    rest /= 1000;
    step++;
  }
  const digits = rest >= 99.95 || rest === 0 ? 0 : rest >= 9.995 ? 1 : 2;
  return `${rest.toFixed(digits)}\u00a0${prefixes[step]}${unit}`;
}

/** Where a value lies between two others when each step is a factor; 0 to 1. */
export function share(value: number, least: number, most: number): number {
  if (value <= 0 || most <= least) return 0;
  return Math.max(0, Math.min(1, Math.log(value / least) / Math.log(most / least)));
}
