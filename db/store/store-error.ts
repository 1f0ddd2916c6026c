/** A store that cannot be opened or migrated; the message is the one line that stops the start. */
export class StoreError extends Error {
  override name = 'StoreError';
}
