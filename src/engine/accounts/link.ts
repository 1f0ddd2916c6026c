import { handleOf } from '#kernel/text/handle.ts';
import { oneLine } from '#kernel/text/hidden.ts';
import { cut } from '#kernel/text/length.ts';
import {
  accountsOfGrant,
  findInBrand,
  findLinked,
  insertAccount,
  updateAccount,
  type AccountRow,
} from '#db/access/accounts.ts';
import { loadApp } from '#db/access/apps.ts';
import { findBrand, insertBrand, takeBrandSlot } from '#db/access/brands.ts';
import type { Network } from '#db/schema/database.ts';
import type { Tx } from '#db/store/tx.ts';
import type { UnitLimit } from '#call/ports.ts';
import { accountData, accountEvent } from '#call/accounts.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { PLANS } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Session } from '#platforms/call.ts';
import type { Connected } from '#platforms/connect.ts';
import { sanitize } from '#platforms/sanitize.ts';
import { openSession, refreshAt, sealSession } from './session-refresh.ts';

export type Login = Readonly<{
  platform: PlatformSlug;
  network: Network;
  /** The customer's app that got the consent; null for the server's own app. */
  appId: string | null;
  /** Whether credentials were used on a platform that also supports consent. */
  byKey: boolean;
  connected: Connected;
}>;

export type Link = Login &
  Readonly<{
    workspace: Workspace;
    /** The requested brand; if undefined, the account's current brand or a new one named after the account. */
    brandId: string | undefined;
    accountId: string | undefined;
    /** The invite that this connection uses up. */
    inviteId: string | undefined;
    /** Who may be told where the account is connected; undefined for guests. */
    audience: Audience | undefined;
  }>;

/** The brands that the person who connects may know of; null means all. */
export type Audience = Readonly<{ brands: readonly string[] | null }>;

export const audienceOf = ({ brands }: Pick<Authority, 'brands'>): Audience => ({ brands: brands ?? null });

export type LinkDeps = Readonly<{
  sealer: Sealer;
  units: Pick<UnitLimit, 'check'>;
  /** Uses up an invite; refuses one that has ended. */
  takeInvite(tx: Tx, id: string, accountId: string, now: number): Promise<void>;
}>;

/** Keeps the stored value if the platform omitted it this time. */
const keep = <T>(fresh: T | undefined, old: T | null): T | null =>
  fresh === undefined || (fresh as unknown) === '' ? old : fresh;

/** Stores a finished connection with its event: docs/contract/accounts.md#the-same-login-again. */
export async function linkAccount(tx: Tx, deps: LinkDeps, reported: Link, now: number): Promise<AccountRow> {
  const { sealer } = deps;
  const profile = sanitize(reported.connected.profile, now);
  const link: Link = { ...reported, connected: { ...reported.connected, profile } };
  const { expiresAt } = link.connected;
  const known = await findLinked(tx.db, link.platform, link.network, profile.platform_user_id);
  if (link.accountId !== undefined && known?.id !== link.accountId) {
    fail('account.different_login', { meta: { id: link.accountId } });
  }
  if (known && (known.workspace_id !== link.workspace.id || (link.brandId ?? known.brand_id) !== known.brand_id)) {
    await refuseLinked(tx, link, known);
  }
  const id = known?.id ?? newId('acc', now);
  if (link.inviteId !== undefined) {
    await deps.takeInvite(tx, link.inviteId, id, now);
    // An invite connects a new account of the platform; it must not reconnect an existing one.
    if (known) refuseSecond(known);
  }
  const session = await wholeSession(tx, sealer, link);
  const row: AccountRow = known
    ? {
        ...known,
        name: keep(profile.name, known.name)!,
        username: keep(profile.username, known.username)!,
        bio: keep(profile.bio, known.bio),
        profile_picture_url: keep(profile.profile_picture_url, known.profile_picture_url),
        profile_url: keep(profile.profile_url, known.profile_url),
        user_email: keep(profile.user_email, known.user_email),
        metadata: { ...known.metadata, ...profile.metadata, byok_source: undefined, ...(await appMetadata(tx, link)) },
        ...connectionOf(link),
        status: 'active',
        reconnect_reason: null,
        session: sealSession(sealer, known.id, session),
        refresh_at: refreshAt(now, expiresAt),
        lease_token: null,
        lease_until: 0,
        updated_at: now,
        connected_at: now,
      }
    : await newAccount(tx, deps, id, { ...link, connected: { ...link.connected, session } }, now);
  // If the account was disconnected since it was read, it is stored as a new one.
  if (known && !(await updateAccount(tx.db, known.id, row))) return linkAccount(tx, deps, link, now);
  await tx.emit(connectedEvent(row, now));
  return row;
}

async function newAccount(tx: Tx, deps: LinkDeps, id: string, link: Link, now: number): Promise<AccountRow> {
  const { sealer } = deps;
  const { profile, session, expiresAt } = link.connected;
  const brandId = await brandFor(tx, deps, link, now);
  const row: AccountRow = {
    id,
    workspace_id: link.workspace.id,
    brand_id: brandId,
    platform: link.platform,
    network: link.network,
    platform_user_id: profile.platform_user_id,
    name: profile.name || profile.username,
    username: profile.username,
    bio: profile.bio ?? null,
    profile_picture_url: profile.profile_picture_url ?? null,
    profile_url: profile.profile_url ?? null,
    user_email: profile.user_email ?? null,
    status: 'active',
    reconnect_reason: null,
    metadata: { ...profile.metadata, ...(await appMetadata(tx, link)) },
    session: sealSession(sealer, id, session),
    refresh_at: refreshAt(now, expiresAt),
    lease_token: null,
    lease_until: 0,
    created_at: now,
    updated_at: now,
    connected_at: now,
    ...connectionOf(link),
  };
  if (await insertAccount(tx.db, row)) return row;
  // Another connection, made at the same time, has taken the brand or connected the same login.
  const other = await findInBrand(tx.db, brandId, link.platform);
  if (other && other.platform_user_id !== profile.platform_user_id) refuseSecond(other);
  fail('account.already_linked', {
    message: 'This account is already being connected.',
    next: 'Try again in a moment.',
    meta: { platform: link.platform },
  });
}

/** The session of a login, completed with values that the platform returned only for an earlier consent. */
async function wholeSession(tx: Tx, sealer: Sealer, { platform, network, connected }: Link): Promise<Session> {
  const { session, grant, inherits } = connected;
  if (inherits === undefined) return session;
  const { members, otherwise } = inherits;
  const stored = grant === undefined ? [] : await accountsOfGrant(tx.db, { platform, network, grant_id: grant });
  const found = stored
    .map((account) => openSession(sealer, account))
    .find((one) => members.every((member) => one[member] !== undefined));
  if (found === undefined) return fail(`platform.${platform}.permission_denied`, { message: otherwise });
  return { ...session, ...Object.fromEntries(members.map((member) => [member, found[member]])) };
}

/** How an account was connected; each new connection replaces this. */
function connectionOf({ connected: { kind, grant }, appId, byKey }: Link) {
  return {
    kind: kind ?? null,
    by_key: byKey ? 1 : 0,
    grant_id: grant ?? null,
    app_id: appId,
    notice: null,
  } as const;
}

/** The metadata that tells whose app an account uses; empty unless it is a customer's. */
async function appMetadata(tx: Tx, { appId }: Link): Promise<Readonly<{ byok_source?: 'brand' | 'user' }>> {
  if (appId === null) return {};
  // If the app was removed in the meantime, the session could never be refreshed.
  const app = (await loadApp(tx.db, appId)) ?? fail('byok.credentials_missing', { meta: { field: 'client_id' } });
  return { byok_source: app.brand_id === null ? 'user' : 'brand' };
}

/** Refuses an account that is already connected; names its brand only to those who may know it. */
async function refuseLinked(tx: Tx, { platform, workspace, audience }: Link, known: AccountRow): Promise<never> {
  const isOurs = audience !== undefined && known.workspace_id === workspace.id;
  const authority = { ...authorityOver(workspace.id), brands: audience?.brands ?? undefined };
  const brand = isOurs ? await findBrand(tx.db, authority, known.brand_id) : undefined;
  if (brand === undefined) return fail('account.already_linked', { meta: { platform } });
  return fail('account.already_linked', {
    message: `This social account is already connected in the brand "${brand.name}".`,
    next: 'Use it there, or disconnect it there first (disconnect_account).',
    meta: { platform, brand_id: brand.id, account_id: known.id },
  });
}

function refuseSecond({ id, platform, username }: AccountRow): never {
  fail('resource.conflict', {
    message: `This brand already has the ${platform} account ${handleOf(username)}; a brand holds one account per platform.`,
    next: 'Use another brand_id (list_brands), or disconnect that account with disconnect_account.',
    meta: { resource: 'account', id },
  });
}

async function brandFor(tx: Tx, { units }: LinkDeps, link: Link, now: number): Promise<string> {
  const { workspace, brandId, platform, connected } = link;
  if (brandId !== undefined) {
    if (!(await findBrand(tx.db, authorityOver(workspace.id), brandId))) noSuch('brand', brandId);
    const other = await findInBrand(tx.db, brandId, platform);
    if (other) refuseSecond(other);
    return brandId;
  }
  const plan = PLANS[workspace.plan];
  if (!(await takeBrandSlot(tx.db, workspace.id, plan.limits.profiles))) {
    fail('brand.limit_reached', { meta: { plan: plan.tier, max: plan.limits.profiles } });
  }
  await units.check(tx, workspace.id);
  const id = newId('brd', now);
  const name = cut(oneLine(connected.profile.name) || oneLine(connected.profile.username) || platform, 120);
  await insertBrand(tx.db, { id, workspace_id: workspace.id, name, created_at: now, updated_at: now });
  return id;
}

function connectedEvent(row: AccountRow, now: number) {
  return accountEvent(row, 'account.connected', {
    data: accountData(row, {
      platform_user_id: row.platform_user_id,
      username: row.username,
      display_name: row.name,
      profile_picture_url: row.profile_picture_url,
      bio: row.bio,
      profile_url: row.profile_url ?? '',
      user_email: row.user_email,
      connected_at: isoTime(now),
    }),
    resourceId: row.id,
    summary: `${row.platform} ${handleOf(row.username)} connected`,
  });
}
