const RENEWED = 'rostra-renewed';

type RenewalDeps = Readonly<{
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Whether a reload would lose text. */
  hasTyped(): boolean;
  reload(): void;
}>;

/** Reloads a page that belongs to an earlier session, but only once and only if nothing was typed on it. */
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

/** Returns a function that tells whether anything was typed or chosen on this page. */
export function watchTyping(): () => boolean {
  let hasTyped = false;
  document.addEventListener('input', () => void (hasTyped = true), { capture: true });
  return () => hasTyped;
}
