import { listAccounts } from '#db/access/accounts.ts';
import { insertBrand } from '#db/access/brands.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, Tx } from '#db/store/tx.ts';
import {
  deleteWorkspace,
  findUser,
  findUserByEmail,
  findWorkspaceOwner,
  findWorkspace,
  insertUser,
  insertWorkspace,
  patchWorkspace,
  removeWorkspace,
  updateUser,
  type UserRow,
} from '#db/access/users.ts';
import type { Caller } from '#call/caller.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import type { ReadyRevoke } from '#call/ports.ts';
import { emailOf } from '#kernel/text/email.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { makePlannedPlatforms, type PlannedPlatforms, type PlanTier } from '#kernel/plans.ts';
import { authorityOver } from '#kernel/authority.ts';
import { changePeople, removeWithin } from './changes.ts';

type UserDeps = Readonly<{
  store: Store;
  clock: Clock;
  defaultPlan: PlanTier;
  /** The platforms of each plan; by default, every plan includes all. */
  plannedPlatforms?: PlannedPlatforms;
  /** The users who may call operations in beta. */
  testers?: ReadonlySet<string>;
  /** Set if an identity provider signs people in by email; a new user must then use that address. */
  ownAddressOnly?: boolean;
  readyRevoke: ReadyRevoke;
  /** Runs in the transaction that removes a workspace. */
  onRemoved?(tx: Tx, workspaceId: string, now: number): Promise<void>;
  forget(): void;
}>;

export type NewUser = Readonly<{ userId: string; workspaceId: string }>;

export type UserPatch = Readonly<{
  onboarding?: false | undefined;
  use_case?: string | undefined;
  referral?: string | undefined;
  lock_accounts_to_brand?: boolean | undefined;
  timezone?: string | undefined;
}>;

type Given = Readonly<{ passwordHash?: string | undefined; userId?: string }>;

function makeUserReads({ store, plannedPlatforms = makePlannedPlatforms({}), testers }: UserDeps) {
  async function userOf({ userId }: Pick<Caller, 'userId'>): Promise<UserRow> {
    return (await findUser(store.db, userId)) ?? fail('auth.user_not_found');
  }

  async function presentUser(row: UserRow) {
    const workspace = (await findWorkspace(store.db, row.workspace_id)) ?? fail('auth.user_not_found');
    return {
      id: row.id,
      email: row.email,
      name: row.name,
      plan: workspace.plan,
      onboarding: row.onboarding === 1,
      avatar_url: row.avatar_url,
      use_case: row.use_case,
      referral: row.referral,
      lock_accounts_to_brand: row.lock_accounts_to_brand === 1,
      timezone: workspace.timezone,
      allowed_platforms: plannedPlatforms.of({
        plan: workspace.plan,
        allowedPlatforms: workspace.allowed_platforms ?? undefined,
      }),
      beta_tester: testers?.has(row.id) ?? false,
      billing_blocked: workspace.blocked_at !== null,
      billing_blocked_at: isoTime(workspace.blocked_at),
      created_at: isoTime(row.created_at),
    };
  }

  return Object.freeze({ userOf, presentUser });
}

export function makeUsers(deps: UserDeps) {
  const { store, ownAddressOnly, forget } = deps;

  const { userOf, presentUser } = makeUserReads(deps);

  const createWithin = (tx: Tx, email: string, name: string, given?: Given) =>
    insertUserWithin(deps, tx, email, name, given);

  return Object.freeze({
    me: async (caller: Caller) => presentUser(await userOf(caller)),

    async update(caller: Caller, patch: UserPatch) {
      const user = await userOf(caller);
      const columns = {
        ...(patch.onboarding !== undefined && { onboarding: 0 as const }),
        ...(patch.use_case !== undefined && { use_case: patch.use_case }),
        ...(patch.referral !== undefined && { referral: patch.referral }),
        ...(patch.lock_accounts_to_brand !== undefined && {
          lock_accounts_to_brand: patch.lock_accounts_to_brand ? (1 as const) : (0 as const),
        }),
      };
      const { timezone } = patch;
      if (Object.keys(columns).length === 0 && timezone === undefined) {
        fail('validation.field_required', {
          message: 'Send at least one field to change.',
          meta: { field: 'onboarding' },
        });
      }
      await store.write(async (tx) => {
        if (Object.keys(columns).length > 0) await updateUser(tx.db, user.id, columns);
        if (timezone !== undefined) await patchWorkspace(tx.db, user.workspace_id, { timezone });
      });
      // The cache of callers contains their workspaces.
      if (timezone !== undefined) forget();
      return presentUser(await userOf(caller));
    },

    /** Removes the owner with the whole workspace, anybody else alone; a given `confirm` must be the user's address. */
    async remove(caller: Pick<Caller, 'userId'>, confirm?: string) {
      const user = await userOf(caller);
      if (confirm !== undefined && emailOf(confirm) !== user.email) {
        fail('validation.field_invalid', {
          message: 'confirm must be the e-mail address of the user. Ask the person before you delete everything.',
          meta: { field: 'confirm' },
        });
      }
      await removeUser(deps, user, user.id);
      return { success: true, ok: true, id: user.id };
    },

    /** The same, as the operator of the server wants it. */
    removeByOperator: async (userId: string) => removeUser(deps, await userOf({ userId }), undefined),

    workspaceName: async (workspaceId: string) => (await findWorkspaceOwner(store.db, workspaceId))?.name ?? 'Rostra',

    createWithin,

    /** Creates the user of a dashboard token; an existing user stays as it is. */
    async provision(caller: Caller, given: Readonly<{ email?: string | undefined; name?: string | undefined }>) {
      const newcomer = caller.newcomer;
      if (newcomer === undefined) return { made: false, user: await presentUser(await userOf(caller)) };
      const email = checkEmail(given.email ?? newcomer.email);
      if (ownAddressOnly && email !== emailOf(newcomer.email)) {
        fail('validation.field_invalid', {
          message: 'email must be the address of the token.',
          meta: { field: 'email' },
        });
      }
      const find = (db: Db) => (newcomer.vouched ? findUserByEmail(db, email) : findUser(db, caller.userId));
      const name = given.name ?? (newcomer.name || email.split('@')[0]!);
      const made = await store.write(async (tx) => {
        if (await find(tx.db)) return false;
        const fresh = await createWithin(tx, email, name, { userId: caller.userId });
        return fresh !== undefined;
      });
      const row = await find(store.db);
      if (!row)
        fail('validation.field_invalid', { message: 'Another user has this address.', meta: { field: 'email' } });
      if (row.disabled_at !== null) fail('auth.user_not_found');
      return { made, user: await presentUser(row) };
    },

    /** Creates a user with a workspace and the brand "Default"; undefined if the address is taken. */
    create: (email: string, name: string, passwordHash?: string) =>
      store.write((tx) => createWithin(tx, email, name, { passwordHash })),
  });
}

/** Removes a user: an owner with the whole workspace, whose accounts are then disconnected on the platforms. */
async function removeUser(deps: UserDeps, { id, workspace_id, role }: UserRow, by: string | undefined): Promise<void> {
  const { store, clock, readyRevoke, forget } = deps;
  const accounts = role === 'owner' ? await listAccounts(store.db, authorityOver(workspace_id), {}) : [];
  const revokeAll = await readyRevoke(accounts);
  await changePeople(store, workspace_id, async (tx) => {
    const now = clock.now();
    const user = (await findUser(tx.db, id)) ?? fail('auth.user_not_found');
    if (user.role !== role) refuseHandedOver();
    if (role !== 'owner') return removeWithin(tx, user, { endKeys: true, by, now });
    await removeWorkspace(tx.db, workspace_id, now);
    await deps.onRemoved?.(tx, workspace_id, now);
  });
  forget();
  await revokeAll(accounts);
}

function refuseHandedOver(): never {
  fail('resource.conflict', {
    message: 'The role of this user has just changed.',
    next: 'Check whose workspace it is now, then delete the user again.',
  });
}

/** Creates a user with a workspace and the brand "Default" in a transaction; undefined if the address or the given id is taken. */
async function insertUserWithin(
  { clock, defaultPlan }: UserDeps,
  tx: Tx,
  email: string,
  name: string,
  given: Given = {},
): Promise<NewUser | undefined> {
  const now = clock.now();
  const ids = { userId: given.userId ?? newId('usr', now), workspaceId: newId('ws', now) };
  await insertWorkspace(tx.db, {
    id: ids.workspaceId,
    plan: defaultPlan,
    created_at: now,
    brands_count: 1,
    storage_bytes: 0,
  });
  const made = await insertUser(tx.db, {
    id: ids.userId,
    workspace_id: ids.workspaceId,
    email,
    name,
    password_hash: given.passwordHash ?? null,
    onboarding: 1,
    lock_accounts_to_brand: 0,
    created_at: now,
  });
  if (!made) {
    await deleteWorkspace(tx.db, ids.workspaceId);
    return undefined;
  }
  await insertBrand(tx.db, {
    id: newId('brd', now),
    workspace_id: ids.workspaceId,
    name: 'Default',
    created_at: now,
    updated_at: now,
  });
  return ids;
}

function checkEmail(text: string): string {
  const email = emailOf(text);
  if (email !== undefined) return email;
  fail(text.trim() === '' ? 'validation.field_required' : 'validation.field_invalid', {
    message: 'email must be an e-mail address.',
    meta: { field: 'email' },
  });
}

export type Users = ReturnType<typeof makeUsers>;
