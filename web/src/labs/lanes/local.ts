// Programs of the folder that `warploom serve` was given. A static site has none.
import { noLaunch, title, type Scenario } from './scenarios';

export interface Listed {
  path: string;
  bytes: number;
}

/** Whether the page came from a server that has a folder. */
export function served(): boolean {
  return document.querySelector('meta[name="warploom-files"]') !== null;
}

/** The programs there are; none on a static site. */
export async function list(): Promise<Listed[]> {
  if (!served()) return [];
  const answer = await fetch('api/files');
  return answer.ok ? ((await answer.json()) as Listed[]) : [];
}

/** A program as a scenario. */
export async function open(path: string): Promise<Scenario> {
  const answer = await fetch(`api/file?path=${encodeURIComponent(path)}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${text}`);
  return asScenario(path, text);
}

export function asScenario(path: string, text: string): Scenario {
  const language = path.endsWith('.ptx') ? ('ptx' as const) : ('lesson' as const);
  return {
    id: `${PREFIX}${path}`,
    title: language === 'lesson' && text.startsWith('#') ? title(text) : path,
    language,
    text,
    divergence: language === 'ptx' ? 'its' : 'ipdom',
    launch: noLaunch,
  };
}

/** What the name of a local program begins with, so that it is not taken for one of the page's. */
export const PREFIX = 'file:';
