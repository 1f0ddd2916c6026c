import type { Sealer } from '#kernel/seal.ts';

/** Every encrypted column, by the name of its table, or by a special name if the table has several. */
export const SEALED = Object.freeze({
  accounts: { column: 'session', key: 'id' },
  actions: { column: 'sealed', key: 'id' },
  apps: { column: 'sealed', key: 'id' },
  choices: { column: 'sealed', key: 'id' },
  connects: { column: 'sealed', key: 'id' },
  endpoints: { column: 'secret', key: 'id' },
  endpoint_credentials: { table: 'endpoints', column: 'credentials', key: 'id' },
  idempotency: { column: 'sealed', key: 'id' },
  invites: { column: 'sealed', key: 'id' },
  mails: { column: 'sealed', key: 'id' },
  migrations: { column: 'sealed', key: 'id' },
  steps: { column: 'progress', key: 'target_id' },
  step_results: { table: 'steps', column: 'sealed_result', key: 'target_id' },
  oauth_keys: { column: 'sealed', key: 'kid' },
  subscriptions: { column: 'secret', key: 'account_id' },
} as const);

export type SealedName = keyof typeof SEALED;

type Elsewhere = { endpoint_credentials: 'endpoints'; step_results: 'steps' };

export function sealedTable<N extends SealedName>(name: N) {
  const entry = SEALED[name];
  return ('table' in entry ? entry.table : name) as N extends keyof Elsewhere ? Elsewhere[N] : N;
}

/** The context with which a row is encrypted. If it changed, stored values could not be read any more. */
export function sealContext(name: SealedName, key: string): string {
  return `${sealedTable(name)}.${SEALED[name].column}.${key}`;
}

export function sealJson(sealer: Pick<Sealer, 'seal'>, value: unknown, name: SealedName, key: string): string {
  return sealer.seal(JSON.stringify(value), sealContext(name, key));
}

export function openJson(sealer: Pick<Sealer, 'open'>, sealed: string, name: SealedName, key: string): unknown {
  return JSON.parse(sealer.open(sealed, sealContext(name, key)));
}

/** Encrypted in place of a required value that was lost with its master key. */
const LOST = '\u0000lost with its master key';

export const sealLost = (sealer: Pick<Sealer, 'seal'>, name: SealedName, key: string): string =>
  sealJson(sealer, LOST, name, key);
export const isLost = (value: unknown): boolean => value === LOST;

/** Encrypted when the store is created, so that a wrong master key is noticed later. */
export const CANARY = Object.freeze({ name: 'canary', context: 'settings.value.canary' });
