// Light, dark, or as the system has it. Kept in this browser alone.

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'warploom-theme';

export function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

export function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing shows the choice until the page is closed.
  }
}

/** Calls `again` whenever the colours may have changed, for drawings that have them in pixels; returns what ends it. */
export function watch(again: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', again);
  const watcher = new MutationObserver(again);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    query.removeEventListener('change', again);
    watcher.disconnect();
  };
}
