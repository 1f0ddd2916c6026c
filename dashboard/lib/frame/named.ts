/** Scrolls to the element that the fragment names. The browser cannot, because the page is rendered later. */
export function showNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
  if (named === null) return;
  named.tabIndex = -1;
  named.scrollIntoView();
  named.focus();
}
