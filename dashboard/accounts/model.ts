import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Account, Brand, LogEvent } from '../lib/operations.ts';
import { without } from '../lib/paging.ts';
import { makeShown, type Totals } from './shown.ts';

export type AccountsDeps = Readonly<{
  call: Call;
  /** Those that come with the page. */
  accounts: readonly Account[];
  totals: Totals;
  brands: readonly Brand[];
  titleOf(platform: string): string;
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

/** The option that creates a new brand for the next account. */
export const OWN_BRAND = 'own';

export function makeAccounts({ call, titleOf, newKey, later, say, ...first }: AccountsDeps) {
  const accounts = signal(first.accounts);
  const brands = signal(first.brands);
  const { isBusy, act } = makeActing({ call, newKey, say });

  const shown = makeShown({ ...first, accounts, titleOf, readAll: refresh });
  const { countOn } = shown;
  /** The platforms whose accounts may have changed. */
  const stale = new Set<Account['platform']>();

  async function refresh(): Promise<void> {
    const [read, named] = await Promise.all([call('list_accounts', {}), call('list_brands', {})]);
    accounts.value = read.data;
    brands.value = named.data;
    shown.isWhole.value = true;
  }

  /** Reads again what may have changed. Accounts of other platforms stay as they are, because there may be hundreds. */
  async function refreshStale(): Promise<void> {
    if (!shown.isWhole.value) return refresh();
    const platforms = [...stale];
    stale.clear();
    const [named, ...lists] = await Promise.all([
      call('list_brands', {}),
      ...platforms.map((platform) => call('list_accounts', { platform })),
    ]);
    const read = new Map(lists.flatMap(({ data }) => data).map((one) => [one.id, one]));
    const present = accounts.value.flatMap((one) =>
      platforms.includes(one.platform) ? (read.get(one.id) ?? []) : one,
    );
    accounts.value = [...without([...read.values()], present), ...present];
    brands.value = named.data;
  }

  /** Performs an action and reads again what it may change, so that the page never shows a refused change. */
  async function change(run: (callOnce: Call) => Promise<string>, platform?: Account['platform']): Promise<boolean> {
    const isDone = await act(run);
    if (platform !== undefined) stale.add(platform);
    await refreshStale().catch(() => undefined);
    return isDone;
  }

  return {
    isBusy,
    accounts: computed(() => accounts.value),
    brands: computed(() => brands.value),
    ...shown,
    brandNamed: (id: string) => brands.value.find((one) => one.id === id)?.name ?? id,

    /** The brand for the next account of a platform. Undefined means that a new brand is created. */
    brandFor(slug: string, chosen: string): string | undefined {
      if (chosen !== '') return chosen === OWN_BRAND ? undefined : chosen;
      // A brand has one account per platform. An account that is connected again stays in its brand.
      return countOn(slug) === 0 ? brands.value.at(-1)?.id : undefined;
    },

    /** This also reads posts that were published elsewhere. */
    sync: ({ id, name, platform }: Account) =>
      change(async (callOnce) => {
        const { warnings = [] } = await callOnce('sync_account', { account_id: id });
        return warnings.length === 0 ? `The posts of ${name} were synced.` : `Read, but: ${warnings.join(' ')}`;
      }, platform),

    disconnect: ({ id, name, platform }: Account) =>
      change(async (callOnce) => {
        const { scheduled_posts: posts } = await callOnce('disconnect_account', { account_id: id });
        return posts === 0 ? `${name} is disconnected.` : `${name} is disconnected; posts that will fail: ${posts}.`;
      }, platform),

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

    /** Reads the accounts again after a change elsewhere. */
    heard({ category, platform }: LogEvent): void {
      if (category !== 'account') return;
      if (platform !== null) stale.add(platform as Account['platform']);
      later(() => void refreshStale().catch(() => undefined));
    },
  };
}

export type Accounts = ReturnType<typeof makeAccounts>;

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Warnings about an account in addition to its state. */
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
