const HEADING = 'h1, h2, h3';

/** Focuses an element as soon as it is rendered. A frame later, the person may already be typing elsewhere. */
export function focusDrawn(find: () => HTMLElement | null | undefined, how?: FocusOptions): void {
  // Preact renders in a microtask that the change has queued.
  queueMicrotask(() => find()?.focus(how));
}

/** If the focused element is removed, focuses the heading above it; after a toast, the element focused before. */
export function keepFocus(): void {
  /** The focused element and its ancestors. */
  let around: readonly HTMLElement[] = [];
  let before: HTMLElement | undefined;

  document.addEventListener('focusin', ({ target }) => {
    const focused = target as HTMLElement;
    if (around[0]?.closest('.toast') === null) [before] = around;
    around = [...ancestorsOf(focused)];
  });
  document.addEventListener('focusout', ({ target }) => {
    // By then it is known whether the person left the element or it was removed.
    queueMicrotask(() => {
      const [focused] = around;
      if (focused === target && focused.isConnected && focused !== document.activeElement) around = [];
    });
  });
  new MutationObserver(() => {
    if (around[0]?.isConnected !== false || document.activeElement !== document.body) return;
    const place = around.find(({ isConnected }) => isConnected)!.closest(`:is(article, section, main):has(${HEADING})`);
    const heading = place?.querySelector<HTMLElement>(HEADING);
    if (heading) heading.tabIndex = -1;
    // The page must not jump for people who see it.
    (heading ?? before)?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

const CHOSEN = 'chosen';

/** The name that identifies a list on its page. */
const nameOf = ({ ariaLabel, id }: Element): string => ariaLabel ?? id;

/** Focuses a list again after choosing from it by keyboard has reloaded the page. */
export function returnFocus(): void {
  const kept = sessionStorage.getItem(CHOSEN);
  sessionStorage.removeItem(CHOSEN);
  let isByPointer = false;
  addEventListener('pointerdown', () => void (isByPointer = true), true);
  addEventListener('keydown', () => void (isByPointer = false), true);
  addEventListener('pagehide', () => {
    const list = document.activeElement?.closest('main select') ?? null;
    // After a choice with the mouse, single keys should work at once.
    if (list === null || isByPointer) return;
    sessionStorage.setItem(CHOSEN, JSON.stringify([location.pathname, nameOf(list)]));
  });
  if (kept === null) return;
  const [path, name] = JSON.parse(kept) as [string, string];
  const lists = () => Array.from(document.querySelectorAll<HTMLElement>('main select'));
  if (path === location.pathname) focusDrawn(() => lists().find((list) => nameOf(list) === name));
}

function* ancestorsOf(element: HTMLElement): Generator<HTMLElement> {
  for (let one: HTMLElement | null = element; one !== null; one = one.parentElement) yield one;
}
