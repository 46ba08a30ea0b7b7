// Small changes to a lesson's text, made from controls beside the editor.

/** A line whose condition is offered for editing. */
export interface Condition {
  /** From 1. */
  line: number;
  /** `if`, `while`, `where` or `switch`. */
  word: string;
  text: string;
}

const CONDITION = /^(\s*)(if|while|where|switch)(?:\s|$)([^:#]*?)(\s*)(:.*|#.*)?$/;

/** The first line with a condition. */
export function condition(text: string): Condition | null {
  const lines = text.split('\n');
  for (const [k, line] of lines.entries()) {
    const found = CONDITION.exec(line);
    if (found) return { line: k + 1, word: found[2] ?? '', text: found[3] ?? '' };
  }
  return null;
}

/** The text with another condition on that line. */
export function withCondition(text: string, line: number, value: string): string {
  const lines = text.split('\n');
  const found = CONDITION.exec(lines[line - 1] ?? '');
  if (!found) return text;
  const [, indent, word, , space, rest] = found;
  lines[line - 1] = `${indent}${word} ${value}${space ?? ''}${rest ?? ''}`;
  return lines.join('\n');
}

const WIDTH = /^(\s*)width\s+(\d+)/m;
const THREADS = /^\s*threads\s+\d+.*$/m;

/** Lanes of a warp, as the text has them. */
export function width(text: string): number {
  return Number(WIDTH.exec(text)?.[2] ?? 32);
}

/** The text with another number of lanes of a warp. */
export function withWidth(text: string, lanes: number): string {
  if (WIDTH.test(text)) return text.replace(WIDTH, `$1width ${lanes}`);
  if (THREADS.test(text)) return text.replace(THREADS, (line) => `${line}\nwidth ${lanes}`);
  return `width ${lanes}\n${text}`;
}

/** The number in a line that sets how many threads a block has. */
export function threads(text: string): number {
  return Number(/^\s*threads\s+(\d+)/m.exec(text)?.[1] ?? 32);
}
