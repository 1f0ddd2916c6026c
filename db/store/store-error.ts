/** The store cannot be opened or migrated. The start fails with the message, which is one line. */
export class StoreError extends Error {
  override name = 'StoreError';
}
