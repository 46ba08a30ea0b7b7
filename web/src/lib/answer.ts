// Questions that are answered by running the machine.

/** What is asked for: a number, or one of some words. */
export type Asked = { unit: string; tolerance: number } | { words: readonly string[] };

/** The right answer, and why. */
export interface Judgement {
  right: number | string;
  because: string;
}

/** Whether an answer is right. Numbers may be written with a comma and a percent sign. */
export function isRight(asked: Asked, right: number | string, given: string): boolean {
  if ('words' in asked) return given === right;
  const number = Number(given.replace(',', '.').replace('%', ''));
  return given.trim() !== '' && Math.abs(number - Number(right)) <= asked.tolerance;
}
