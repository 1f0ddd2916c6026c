import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { LogEvent, Migration } from '../lib/operations.ts';

/** A provider from which accounts can be migrated. */
export type Provider = Readonly<{ name: string; title: string }>;

type MigrationDeps = Readonly<{
  call: Call;
  provider: string;
  first: Migration;
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

export function makeMigration({ call, provider, first, newKey, later, say }: MigrationDeps) {
  const migration = signal(first);
  const problem = signal<string | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });

  async function read(refresh: boolean): Promise<void> {
    migration.value = await call('get_migration', { provider, refresh });
  }

  return {
    isBusy,
    migration: computed(() => migration.value),
    problem: computed(() => problem.value),
    /** The steps, and which of them are done. */
    steps: computed(() => {
      const { started, assessment, forwarded_calls, cut_over } = migration.value;
      const all = assessment?.servable_accounts ?? 0;
      return [
        { title: 'Choose the provider and give its key', isDone: started },
        { title: 'See what comes and what stays', isDone: assessment !== null },
        { title: 'Point your programs here', isDone: forwarded_calls > 0 },
        { title: 'Connect the accounts', isDone: all > 0 && cut_over >= all },
      ];
    }),

    /** Starts with a key. Returns true if the field can be cleared. */
    async start(api_key: string): Promise<boolean> {
      problem.value = undefined;
      const authorisation_version = migration.value.authorisation.version;
      const isDone = await act(async (callOnce) => {
        try {
          migration.value = await callOnce('start_migration', { provider, api_key, authorisation_version });
        } catch (error) {
          if (!(error instanceof RefusedError) || error.meta['field'] !== 'api_key') throw error;
          problem.value = error.message;
        }
        return undefined;
      });
      return isDone && problem.value === undefined;
    },

    /** Reads the provider's accounts now. */
    async look(): Promise<void> {
      await act(async () => {
        await read(true);
        return migration.value.assessment_error === null ? 'The accounts were read.' : undefined;
      });
    },

    async stop(): Promise<void> {
      await act(async (callOnce) => {
        await callOnce('stop_migration', { provider });
        await read(false);
        return 'Stopped: the key is erased, and the accounts stay connected.';
      });
    },

    /** Connecting or disconnecting an account changes the progress. */
    heard({ category, action }: LogEvent): void {
      if (category !== 'account' && !action.startsWith('migration_')) return;
      later(() => void read(false).catch(() => undefined));
    },
  };
}

const CURES = {
  'migration.key_invalid': 'The key is not accepted. Stop the migration and start it with the right one.',
  'migration.key_restricted':
    'The key may not read everything. Stop the migration and start it with a key that has full access.',
  'migration.source_unavailable': 'The provider does not answer as it should. Wait a while, then read again.',
} as const;

/** Why the accounts could not be read, and what to do about it. */
export const cureOf = (error: NonNullable<Migration['assessment_error']>): string => CURES[error];

const REASONS = {
  'unserved platform': 'this server does not serve the platform',
  ads: 'accounts of ads are not served here',
  telephony: 'telephone numbers are not served here',
  commerce: 'shops are not served here',
  'unknown platform': 'this server does not know the platform',
  'linked to another account': 'it lives on the login of another account',
} as const;

/** Why some accounts have to stay with the provider. */
export const reasonOf = (reason: keyof typeof REASONS): string => REASONS[reason];
