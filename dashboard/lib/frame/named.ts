/** Shows what the address names: it is drawn too late for the browser to do so by itself. */
export function showNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
  if (named === null) return;
  named.tabIndex = -1;
  named.scrollIntoView();
  named.focus();
}
