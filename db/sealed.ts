/** Every column that holds sealed texts, one a table; `key` names its rows. */
export const SEALED = Object.freeze({
  accounts: { column: 'session', key: 'id' },
  choices: { column: 'sealed', key: 'id' },
  connects: { column: 'sealed', key: 'id' },
  endpoints: { column: 'secret', key: 'id' },
  idempotency: { column: 'sealed', key: 'id' },
  oauth_keys: { column: 'sealed', key: 'kid' },
} as const);

export type SealedTable = keyof typeof SEALED;

/** What a row of a table is sealed for; a place that changes would leave what is sealed there unreadable. */
export function sealedPlace(table: SealedTable, key: string): string {
  return `${table}.${SEALED[table].column}.${key}`;
}

/** A setting that is sealed when the store is made, to tell later whether the master key is still the one. */
export const CANARY = Object.freeze({ name: 'canary', place: 'settings.value.canary' });
