import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Account, Brand, LogEvent } from '../lib/operations.ts';

export type AccountsDeps = Readonly<{
  call: Call;
  accounts: readonly Account[];
  brands: readonly Brand[];
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

/** The choice of a new brand for the next account. */
export const OWN_BRAND = 'own';

export function makeAccounts({ call, newKey, later, say, ...first }: AccountsDeps) {
  const accounts = signal(first.accounts);
  const brands = signal(first.brands);
  /** The brand filter; empty for all. */
  const brand = signal('');
  const leaving = signal<Account | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });

  const countOn = (slug: string) => accounts.value.filter(({ platform }) => platform === slug).length;

  async function refresh(): Promise<void> {
    const [read, named] = await Promise.all([call('list_accounts', {}), call('list_brands', {})]);
    accounts.value = read.data;
    brands.value = named.data;
  }

  /** Acts, then reads again, so that the page never shows what was refused. */
  async function change(run: (callOnce: Call) => Promise<string>): Promise<boolean> {
    const isDone = await act(run);
    await refresh().catch(() => undefined);
    return isDone;
  }

  return {
    isBusy,
    accounts: computed(() => accounts.value),
    brands: computed(() => brands.value),
    brand,
    /** Those to be connected again first. */
    shown: computed(() =>
      accounts.value
        .filter(({ brand_id }) => ['', brand_id].includes(brand.value))
        .toSorted((one, other) => Number(one.status === 'active') - Number(other.status === 'active')),
    ),
    leaving: computed(() => leaving.value),
    brandNamed: (id: string) => brands.value.find((one) => one.id === id)?.name ?? id,
    countOn,

    /** The brand that the next account of a platform is connected in; without one, it gets its own. */
    brandFor(slug: string, chosen: string): string | undefined {
      if (chosen !== '') return chosen === OWN_BRAND ? undefined : chosen;
      // A brand has one account of a platform, and one that is connected again stays where it is.
      return countOn(slug) === 0 ? brands.value.at(-1)?.id : undefined;
    },

    ask: (account: Account) => void (leaving.value = account),
    stay: () => void (leaving.value = undefined),

    /** Also reads posts published elsewhere. */
    sync: ({ id, name }: Account) =>
      change(async (callOnce) => {
        const { warnings = [] } = await callOnce('sync_account', { account_id: id });
        return warnings.length === 0 ? `The posts of ${name} were synced.` : `Read, but: ${warnings.join(' ')}`;
      }),

    /** Disconnects the account of the open question. */
    async disconnect(): Promise<boolean> {
      if (leaving.value === undefined || isBusy.value) return false;
      const { id, name } = leaving.value;
      leaving.value = undefined;
      return change(async (callOnce) => {
        const { scheduled_posts: posts } = await callOnce('disconnect_account', { account_id: id });
        return posts === 0 ? `${name} is disconnected.` : `${name} is disconnected; posts that will fail: ${posts}.`;
      });
    },

    addBrand: (name: string) =>
      change(async (callOnce) => {
        await callOnce('create_brand', { name });
        return `The brand ${name} is there.`;
      }),

    renameBrand: (brand_id: string, name: string) =>
      change(async (callOnce) => {
        await callOnce('update_brand', { brand_id, name });
        return 'Renamed.';
      }),

    /** Reacts to accounts changed elsewhere. */
    heard({ category }: LogEvent): void {
      if (category === 'account') later(() => void refresh().catch(() => undefined));
    },
  };
}

export type Accounts = ReturnType<typeof makeAccounts>;

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Warnings about an account besides its state. */
export function healthOf({ metadata }: Pick<Account, 'metadata'>) {
  const { notice, unavailable, scopes_granted, scopes_missing, login_expires_at, sandbox } = metadata;
  const effects = Array.isArray(unavailable) ? unavailable.map(({ effect }: { effect: unknown }) => effect) : [];
  return {
    isSandbox: sandbox === true,
    notice: typeof notice === 'string' ? notice : undefined,
    loginEnds: typeof login_expires_at === 'string' ? login_expires_at : undefined,
    granted: textsIn(scopes_granted),
    missing: textsIn(scopes_missing),
    lacks: [...new Set(textsIn(effects))],
  };
}
