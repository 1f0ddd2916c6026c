const RENEWED = 'rostra-renewed';

type RenewalDeps = Readonly<{
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Whether text would be lost. */
  hasTyped(): boolean;
  reload(): void;
}>;

/** Loads a page anew that belongs to a session before this one: once, and only while nothing is typed on it. */
export function makeRenewal({ storage, hasTyped, reload }: RenewalDeps) {
  return {
    refused(): void {
      if (hasTyped() || storage.getItem(RENEWED) !== null) return;
      storage.setItem(RENEWED, 'yes');
      reload();
    },
    accepted: () => storage.removeItem(RENEWED),
  };
}

/** Makes the function that tells whether anything was typed or chosen on this page. */
export function watchTyping(): () => boolean {
  let hasTyped = false;
  document.addEventListener('input', () => void (hasTyped = true), { capture: true });
  return () => hasTyped;
}
