type AtEnd = (end: () => void | Promise<void>) => void;

/** A fixture that is made once for a file; `atEnd` takes what is to be done after its tests. */
export const forFile =
  <T>(make: (atEnd: AtEnd) => T | Promise<T>) =>
  // oxlint-disable-next-line no-empty-pattern -- the pattern says which fixtures it needs: none
  async ({}, { onCleanup }: { onCleanup: AtEnd }): Promise<T> =>
    make(onCleanup);
