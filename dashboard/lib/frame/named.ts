/** Scrolls to what the fragment names, which the browser cannot do: the page is drawn later. */
export function showNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
  if (named === null) return;
  named.tabIndex = -1;
  named.scrollIntoView();
  named.focus();
}
