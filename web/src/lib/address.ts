// Keeps the address in step with what is shown, without filling the history with every click.

/** Shows this state in the address; the page is not told, since it has the state already. */
export function show(hash: string): void {
  if (location.hash !== hash) history.replaceState(null, '', hash);
}
