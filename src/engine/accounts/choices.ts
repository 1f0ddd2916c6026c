import { type ChoiceRow, findChoice, takeChoice } from '../../../db/access/choices.ts';
import { openJson } from '../../../db/schema/sealed.ts';
import type { Authority, Workspace } from '../../kernel/authority.ts';
import { wireTime } from '../../kernel/clock.ts';
import { fail } from '../../kernel/errors.ts';
import type { Connected } from '../../platforms/connect.ts';
import { accountOf, connectorOf } from '../../platforms/lookup.ts';
import type { ConnectionDeps } from './pending.ts';
import { connectResult } from './records.ts';

/** Choices between several profiles: shown, and made. */
export function makeChoices({ store, clock, sealer, platforms, beforeConnected, link }: ConnectionDeps) {
  const opened = (row: ChoiceRow) => openJson(sealer, row.sealed, 'choices', row.id) as readonly Connected[];

  return {
    /** The profiles one may choose from. */
    async choice(authority: Authority, id: string) {
      const row = (await findChoice(store.db, authority, id, clock.now())) ?? noChoice(id);
      return wireChoice(row, opened(row));
    },

    /** Makes an account of one profile; a refusal leaves the choice open. */
    async choose(authority: Authority, workspace: Workspace, id: string, platformAccountId: string) {
      const row = (await findChoice(store.db, authority, id, clock.now())) ?? noChoice(id);
      const connected = opened(row).find(({ profile }) => profile.platform_user_id === platformAccountId);
      if (!connected) {
        fail('validation.field_invalid', {
          message: 'platform_account_id is none of the profiles of this connection.',
          meta: { field: 'platform_account_id' },
        });
      }
      const { platform, network, brand_id, account_id, app_id: appId } = row;
      await beforeConnected(connectorOf(platforms, accountOf(platform, connected)), network, connected);
      return store.write(async (tx) => {
        if (!(await takeChoice(tx.db, id))) noChoice(id);
        const account = await link(tx, {
          workspace,
          platform,
          network,
          brandId: brand_id ?? undefined,
          accountId: account_id ?? undefined,
          appId,
          byKey: false,
          connected,
        });
        const result = connectResult(account);
        await tx.key?.record(result);
        return result;
      });
    },
  };
}

function noChoice(id: string): never {
  fail('resource.not_found', {
    message: 'There is no such pending connection (any more).',
    meta: { resource: 'pending_connection', id },
  });
}

/** A pending connection as the API shows it. */
export function wireChoice(row: ChoiceRow, profiles: readonly Connected[]) {
  return {
    connection_id: row.id,
    status: 'selection_required' as const,
    platform: row.platform,
    expires_at: wireTime(row.expires_at),
    profiles: profiles.map(({ profile }) => ({
      platform_account_id: profile.platform_user_id,
      display_name: profile.name,
      username: profile.username,
      profile_picture_url: profile.profile_picture_url ?? '',
      bio: profile.bio ?? '',
    })),
  };
}
