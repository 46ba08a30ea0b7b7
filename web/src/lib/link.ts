// The page's state in its address: `#/lanes?scenario=02&at=3`.

export interface Place {
  lab: string;
  params: URLSearchParams;
}

/** Reads the part of an address behind `#`. */
export function read(hash: string): Place {
  const text = hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  const lab = at < 0 ? text : text.slice(0, at);
  return { lab, params: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)) };
}

/** The part of an address for a lab and its parameters; those that are empty are left out. */
export function write(lab: string, params: Record<string, string | number | null>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== null && value !== '') query.set(key, String(value));
  }
  const text = query.toString();
  return `#/${lab}${text ? `?${text}` : ''}`;
}

/** Text as letters that may stand in an address. */
export function pack(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** What was packed; `null` where it is damaged. */
export function unpack(packed: string): string | null {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A whole number of the parameters within bounds, or else `otherwise`. */
export function integer(
  params: URLSearchParams,
  key: string,
  [least, most]: [number, number],
  otherwise: number,
): number {
  const text = params.get(key);
  const value = text === null || text === '' ? NaN : Number(text);
  return Number.isInteger(value) && value >= least && value <= most ? value : otherwise;
}

/** One of `known`, or else the first of them. */
export function choice<T extends string>(params: URLSearchParams, key: string, known: readonly [T, ...T[]]): T {
  const value = params.get(key);
  return known.find((one) => one === value) ?? known[0];
}
