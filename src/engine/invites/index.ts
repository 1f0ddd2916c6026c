import { findInBrand } from '#db/access/accounts.ts';
import { findBrand, holdBrand } from '#db/access/brands.ts';
import {
  endInvite,
  findInvite,
  insertInvite,
  inviteOfToken,
  type InviteRow,
  isInviteOpen,
  listInvites,
  openInvite,
} from '#db/access/invites.ts';
import { currentWorkspace } from '#db/access/users.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Db } from '#db/store/tx.ts';
import type { Base, InvitedConnections } from '#call/ports.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import { DAY, isoTime } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId, randomHex } from '#kernel/ids.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Sealer } from '#kernel/seal.ts';
import { sha256 } from '#kernel/sign.ts';
import { entryOf, refuseEnded } from './state.ts';

const TOKEN = /^[0-9a-f]{64}$/;

type InvitesDeps = Omit<Base, 'log'> &
  Readonly<{
    sealer: Sealer;
    rootUrl: string;
    /** Connects accounts of invited people. */
    connections: InvitedConnections;
  }>;

export type InviteRequest = Readonly<{ brandId: string; platform: string; days: number }>;

/** Links with which people who have no user here can connect one account to a brand. */
export function makeInvites({ store, clock, sealer, rootUrl, connections }: InvitesDeps) {
  function presentInvite(row: InviteRow) {
    const token = openJson(sealer, row.sealed, 'invites', row.id) as string;
    return {
      id: row.id,
      brand_id: row.brand_id,
      platform: row.platform,
      token,
      url: `${rootUrl}/invite/${token}`,
      is_active: isInviteOpen(row, clock.now()),
      account_id: row.account_id,
      created_at: isoTime(row.created_at),
      expires_at: isoTime(row.expires_at),
    };
  }

  return Object.freeze({
    async create(authority: Authority, workspace: Workspace, { brandId, platform, days }: InviteRequest) {
      const slug = await connections.admit(authority, workspace, { platform, brandId });
      const now = clock.now();
      const id = newId('inv', now);
      const token = randomHex(32);
      const row: InviteRow = {
        id,
        workspace_id: workspace.id,
        brand_id: brandId,
        platform: slug,
        token_hash: sha256(token),
        sealed: sealJson(sealer, token, 'invites', id),
        account_id: null,
        created_at: now,
        expires_at: now + days * DAY,
        used_at: null,
        revoked_at: null,
      };
      const invite = presentInvite(row);
      await store.write(async (tx) => {
        // Locks the brand, so that concurrent invites see each other.
        if (!(await holdBrand(tx.db, tx.dialect, authority, brandId))) noSuch('brand', brandId);
        await refuseTaken(tx.db, brandId, slug);
        const other = await openInvite(tx.db, authority, { brandId, platform: slug }, now);
        if (other) {
          fail('resource.conflict', {
            message: 'an active invite already exists for this brand and platform',
            next: 'Send its url (list_invites), or revoke it first with revoke_invite.',
            meta: { resource: 'invite', id: other.id },
          });
        }
        await insertInvite(tx.db, row);
        await tx.log(entryOf(row, 'created'));
        await tx.key?.record(invite);
      });
      return invite;
    },

    async list(authority: Authority, brandId: string) {
      if (!(await findBrand(store.db, authority, brandId))) noSuch('brand', brandId);
      return (await listInvites(store.db, authority, brandId)).map(presentInvite);
    },

    /** Revokes an invite; refuses one that was used, and leaves an expired or revoked one as it is. */
    async revoke(authority: Authority, id: string) {
      await store.write(async (tx) => {
        const now = clock.now();
        const invite = (await findInvite(tx.db, authority, id)) ?? noSuch('invite', id);
        if (await endInvite(tx.db, id, now)) return tx.log(entryOf(invite, 'revoked'));
        const present = await findInvite(tx.db, authority, id);
        if (present?.used_at !== null) noSuch('invite', id);
      });
      return { success: true, ok: true, id };
    },

    /** Begins a connection for the person who opens the link; returns the URL of its page. */
    async open(token: string): Promise<string> {
      if (!TOKEN.test(token)) fail('invite.invalid', { message: 'This is not the address of an invitation.' });
      const row = await inviteOfToken(store.db, sha256(token));
      const workspace = row && (await currentWorkspace(store.db, row.workspace_id));
      if (!row || !workspace) return unknown();
      refuseEnded(row, clock.now());
      if (workspace.blockedAt !== undefined) fail('billing.past_due');
      const { brand_id: brandId, platform } = row;
      await refuseTaken(store.db, brandId, platform);
      const invite = { id: row.id, until: row.expires_at };
      return connections.begin(authorityOver(workspace.id), workspace, { brandId, platform, invite });
    },
  });
}

async function refuseTaken(db: Db, brandId: string, platform: PlatformSlug): Promise<void> {
  const account = await findInBrand(db, brandId, platform);
  if (account) {
    fail('resource.conflict', {
      message: 'brand already has a connected account for that platform',
      next: 'Disconnect it first with disconnect_account, or invite to another brand.',
      meta: { resource: 'account', id: account.id },
    });
  }
}

function unknown(): never {
  fail('resource.not_found', {
    message: 'This invitation does not exist.',
    next: 'Check that the address is complete.',
    meta: { resource: 'invite' },
  });
}

export type Invites = ReturnType<typeof makeInvites>;
