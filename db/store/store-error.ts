/** A store that cannot be opened or migrated; the message is the one line with which the start fails. */
export class StoreError extends Error {
  override name = 'StoreError';
}
