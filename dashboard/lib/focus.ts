const HEADING = 'h1, h2, h3';

/** Focuses what a change draws, as soon as it is drawn: a frame later, somebody may be writing elsewhere. */
export function focusDrawn(find: () => HTMLElement | null | undefined, how?: FocusOptions): void {
  // Preact draws in a microtask that was queued by the change.
  queueMicrotask(() => find()?.focus(how));
}

/** When what had the focus is gone, the heading above it gets the focus; after a toast, what had it before. */
export function keepFocus(): void {
  /** What has the focus, then what is around it. */
  let around: readonly HTMLElement[] = [];
  let before: HTMLElement | undefined;

  document.addEventListener('focusin', ({ target }) => {
    const focused = target as HTMLElement;
    if (around[0]?.closest('.toast') === null) [before] = around;
    around = [...ancestorsOf(focused)];
  });
  document.addEventListener('focusout', ({ target }) => {
    // By then it is known whether it was left or taken away.
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
    // Nothing jumps for those who see.
    (heading ?? before)?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

const CHOSEN = 'chosen';

/** What tells a list from the others of its page. */
const nameOf = ({ ariaLabel, id }: Element): string => ariaLabel ?? id;

/** Gives a list of the page the focus again when choosing from it by keys has loaded the page anew. */
export function returnFocus(): void {
  const kept = sessionStorage.getItem(CHOSEN);
  sessionStorage.removeItem(CHOSEN);
  let isByPointer = false;
  addEventListener('pointerdown', () => void (isByPointer = true), true);
  addEventListener('keydown', () => void (isByPointer = false), true);
  addEventListener('pagehide', () => {
    const list = document.activeElement?.closest('main select') ?? null;
    // After a choice by the mouse, single keys do something at once.
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
