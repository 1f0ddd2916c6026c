import { findBrand } from '#db/access/brands.ts';
import { type ChoiceRow, findChoice, loadChoice, takeChoice } from '#db/access/choices.ts';
import { type AccountRow } from '#db/access/accounts.ts';
import { currentWorkspace } from '#db/access/users.ts';
import { openJson } from '#db/schema/sealed.ts';
import type { Tx } from '#db/store/tx.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Connected } from '#platforms/connect.ts';
import { accountOf, connectorOf } from '#platforms/lookup.ts';
import { audienceOf, type Audience } from './link.ts';
import { type ConnectionDeps } from './pending.ts';
import { connectResult } from './present-account.ts';

/** Stored encrypted with a choice: the logins of its profiles, and who may be told where they are connected. */
export type Offered = Readonly<{ found: readonly Connected[]; audience: Audience | null }>;

export function makeChoices({ store, clock, sealer, platforms, beforeConnected, link, writeLogin }: ConnectionDeps) {
  /** Reads a stored choice; those of older releases contain only the profiles. */
  function offeredIn(row: ChoiceRow): Offered {
    const stored = openJson(sealer, row.sealed, 'choices', row.id) as Offered | readonly Connected[];
    return 'found' in stored ? stored : { found: stored, audience: null };
  }

  /** Connects one profile and runs `also` in the same transaction; if that is refused, the choice stays open. */
  async function make(
    row: ChoiceRow,
    { workspace, found, audience }: Offered & Readonly<{ workspace: Workspace }>,
    platformAccountId: string,
    also?: (tx: Tx, account: AccountRow) => Promise<unknown>,
  ): Promise<AccountRow> {
    const connected = found.find(({ profile }) => profile.platform_user_id === platformAccountId);
    if (!connected) {
      fail('validation.field_invalid', {
        message: 'platform_account_id is not one of the profiles of this connection.',
        meta: { field: 'platform_account_id' },
      });
    }
    const { id, platform, network, brand_id, account_id, invite_id, app_id: appId } = row;
    await beforeConnected(connectorOf(platforms, accountOf(platform, connected)), network, connected);
    const login = { platform, network, appId, byKey: false, connected };
    return writeLogin(login, async (tx) => {
      if (!(await takeChoice(tx.db, id))) noChoice(id);
      const account = await link(tx, {
        ...login,
        workspace,
        brandId: brand_id ?? undefined,
        accountId: account_id ?? undefined,
        inviteId: invite_id ?? undefined,
        audience: audience ?? undefined,
      });
      await also?.(tx, account);
      return account;
    });
  }

  return {
    async choice(authority: Authority, id: string) {
      const row = (await findChoice(store.db, authority, id, clock.now())) ?? noChoice(id);
      return presentChoice(row, offeredIn(row).found);
    },

    async choose(authority: Authority, workspace: Workspace, id: string, platformAccountId: string) {
      const row = (await findChoice(store.db, authority, id, clock.now())) ?? noChoice(id);
      const account = await make(
        row,
        { workspace, found: offeredIn(row).found, audience: audienceOf(authority) },
        platformAccountId,
        (tx, made) => tx.key?.record(connectResult(made)) ?? Promise.resolve(),
      );
      return connectResult(account);
    },

    /** A pending choice as our page shows it; undefined if somebody has already chosen or it has expired. */
    async openChoice(id: string) {
      const row = await loadChoice(store.db, id, clock.now());
      if (!row) return undefined;
      const brand =
        row.brand_id === null ? undefined : await findBrand(store.db, authorityOver(row.workspace_id), row.brand_id);
      return { row, brandName: brand?.name, profiles: presentChoice(row, offeredIn(row).found).profiles };
    },

    async pick(row: ChoiceRow, platformAccountId: string): Promise<AccountRow> {
      const workspace = (await currentWorkspace(store.db, row.workspace_id)) ?? noChoice(row.id);
      return make(row, { workspace, ...offeredIn(row) }, platformAccountId);
    },

    /** Gives up a pending choice; false if somebody has already chosen or it has expired. */
    forgo: ({ id }: ChoiceRow) => store.write((tx) => takeChoice(tx.db, id)),
  };
}

function noChoice(id: string): never {
  fail('resource.not_found', {
    message: 'There is no such pending connection, or it has ended.',
    meta: { resource: 'pending_connection', id },
  });
}

export function presentChoice(row: ChoiceRow, profiles: readonly Connected[]) {
  return {
    connection_id: row.id,
    status: 'selection_required' as const,
    platform: row.platform,
    expires_at: isoTime(row.expires_at),
    profiles: profiles.map(({ profile }) => ({
      platform_account_id: profile.platform_user_id,
      display_name: profile.name,
      username: profile.username,
      profile_picture_url: profile.profile_picture_url ?? '',
      bio: profile.bio ?? '',
    })),
  };
}
