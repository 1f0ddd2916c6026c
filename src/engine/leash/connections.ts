import { countHeld, countHeldOf, isDoing, withdrawActions } from '#db/leash/actions.ts';
import { countsOn, insertConnection, listConnections, listGrants, updateConnection } from '#db/leash/connections.ts';
import { knownBrands } from '#db/access/brands.ts';
import { listKeys, updateKey } from '#db/access/keys.ts';
import { deleteGrant } from '#db/access/oauth.ts';
import type { ConnectionKind, NewRow } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, LogEntry } from '#db/store/tx.ts';
import type { Caller } from '#call/caller.ts';
import type { Authority } from '#kernel/authority.ts';
import { dayOf, isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch, unknownBrand } from '#kernel/errors.ts';
import {
  CAPPED,
  capOf,
  connectionIdOf,
  isFull,
  isWider,
  policyOf,
  type Caps,
  type Policy,
  type Preset,
  type Verdict,
} from '#kernel/limits/leash.ts';

type ConnectionsDeps = Readonly<{
  store: Store;
  clock: Clock;
  /** Called when connections have changed, so that this process clears its cache of callers. */
  forget(): void;
}>;

/** Who asks. */
type Whose = Pick<Caller, 'authority' | 'userId'>;

/** An OAuth grant or API key that is still valid. */
type Living = Readonly<{
  id: string;
  kind: ConnectionKind;
  ref: string;
  userId: string;
  name: string;
  /** The host to which an app redirects browsers, or the first characters of a key. */
  host: string;
  connectedAt: number;
  usedAt: number | null;
  policy: Policy;
  decides: boolean;
}>;

export type NewLeash = Readonly<{
  preset: Preset;
  brand_ids?: readonly string[] | undefined;
  caps?: { readonly [K in keyof Caps]?: number | undefined } | undefined;
  decides?: boolean | undefined;
}>;

const FULL = policyOf('full');
/** Verdicts by which a connection may act without approval; only such acts are counted. */
const AT_ONCE: ReadonlySet<Verdict> = new Set(['owed', 'allow']);

/** Reads connections, with their limits and what they did today. */
function makeReader({ store, clock }: Pick<ConnectionsDeps, 'store' | 'clock'>) {
  /** Those of the workspace; for people who are no administrators only the apps that they connected. */
  async function listLiving({ authority, userId }: Whose): Promise<readonly Living[]> {
    const [rows, grants, keys] = await Promise.all([
      listConnections(store.db, authority),
      listGrants(store.db, authority, clock.now()),
      listKeys(store.db, authority),
    ]);
    const rowOf = new Map(rows.map((row) => [row.ref, row]));
    const known = (ref: string) => {
      const row = rowOf.get(ref);
      return { id: connectionIdOf(ref), ref, policy: row?.policy ?? FULL, decides: row?.decides === 1 };
    };
    const apps = grants.map((grant): Living => {
      const hosts = (grant.redirect_uris ?? [grant.client_id]).map((uri) => URL.parse(uri)?.host ?? uri);
      return {
        ...known(grant.grant_id!),
        kind: 'oauth',
        userId: grant.user_id!,
        name: grant.name ?? hosts[0]!,
        host: [...new Set(hosts)].join(', '),
        connectedAt: grant.connected_at,
        usedAt: grant.used_at,
      };
    });
    const programs = keys
      .filter(({ is_active }) => is_active === 1)
      .map((key): Living => ({
        ...known(key.id),
        kind: 'key',
        userId: key.user_id,
        name: key.name,
        host: key.preview,
        connectedAt: key.created_at,
        usedAt: key.last_used_at,
      }));
    return [...apps, ...programs].filter(
      (one) =>
        typeof rowOf.get(one.ref)?.ended_at !== 'number' &&
        (authority.admin || (one.kind === 'oauth' && one.userId === userId)),
    );
  }

  async function find(whose: Whose, id: string): Promise<Living> {
    return (await listLiving(whose)).find((one) => one.id === id) ?? noSuch('connection', id);
  }

  async function counts(authority: Authority) {
    const counted = await countsOn(store.db, authority, dayOf(clock.now()));
    return (id: string, act: string) => counted.find((one) => one.connection_id === id && one.act === act)?.n ?? 0;
  }

  async function present(whose: Whose) {
    const { authority } = whose;
    const [all, used, waiting] = await Promise.all([
      listLiving(whose),
      counts(authority),
      countHeld(store.db, authority),
    ]);
    return all.map((one) => ({
      id: one.id,
      kind: one.kind,
      name: one.name,
      host: one.host,
      preset: one.policy.preset,
      acts: one.policy.acts,
      brand_ids: one.policy.brand_ids ?? [],
      caps: one.policy.caps,
      decides: one.decides,
      used_today: Object.fromEntries(CAPPED.map((act) => [act, used(one.id, act)])) as Caps,
      waiting: waiting.get(one.id) ?? 0,
      connected_at: isoTime(one.connectedAt),
      last_used_at: isoTime(one.usedAt),
    }));
  }

  return { find, counts, present };
}

/** The apps and keys that can call a workspace: lists, limits and ends them. */
export function makeConnections(deps: ConnectionsDeps) {
  const { store, clock, forget } = deps;
  const { find, counts, present } = makeReader(deps);

  function rowOf({ workspace: workspace_id }: Authority, one: Living, by: string): NewRow<'connections'> {
    const now = clock.now();
    const { id, kind, ref, userId: user_id, policy } = one;
    const when = { created_at: now, updated_at: now, updated_by: by };
    return { id, workspace_id, user_id, kind, ref, policy, decides: 0, ended_at: null, ...when };
  }

  return Object.freeze({
    list: present,

    /** Whether the new limits allow more than a connection's current ones. */
    async widens(whose: Whose, id: string, { decides = false, ...leash }: NewLeash): Promise<boolean> {
      const before = await find(whose, id);
      return isWider(policyFor(leash), before.policy) || (decides && !before.decides);
    },

    /** Sets the limits of a connection. */
    async setLeash(whose: Whose, id: string, { decides, ...leash }: NewLeash) {
      const { authority, userId: by } = whose;
      const one = await find(whose, id);
      const policy = policyFor(leash);
      const before = one.policy.brand_ids ?? [];
      // Only added brands are checked, because one of the present brands may have been deleted.
      const added = policy.brand_ids?.filter((brand) => !before.includes(brand)) ?? [];
      const refusal = unknownBrand(added, await knownBrands(store.db, authority, added));
      if (refusal) throw refusal;
      if (decides === true && one.kind !== 'key') {
        fail('validation.field_invalid', {
          message: 'decides: an app cannot decide on requests, only a key can.',
          meta: { field: 'decides' },
        });
      }
      await store.write(async (tx) => {
        await insertConnection(tx.db, rowOf(authority, one, by));
        const patch = {
          policy,
          decides: (decides ?? one.decides) ? 1 : 0,
          updated_at: clock.now(),
          updated_by: by,
        } as const;
        if (!(await updateConnection(tx.db, id, patch))) noSuch('connection', id);
        if (isFull(policy)) await withdrawWaiting(tx.db, id, clock.now());
        await tx.log(entryOf(authority, one, 'leashed', `may ${policy.preset}`));
      });
      forget();
      return (await present(whose)).find((shown) => shown.id === id) ?? noSuch('connection', id);
    },

    /** Ends a connection: its credentials become invalid, and its waiting actions are withdrawn. */
    async end(whose: Whose, id: string) {
      const { authority, userId: by } = whose;
      const one = await find(whose, id);
      const now = clock.now();
      await store.write(async (tx) => {
        await insertConnection(tx.db, rowOf(authority, one, by));
        await updateConnection(tx.db, id, { ended_at: now, updated_at: now, updated_by: by });
        if (one.kind === 'oauth') await deleteGrant(tx.db, one.ref);
        else await updateKey(tx.db, authority, one.ref, { is_active: 0 });
        await withdrawActions(tx.db, [id], now);
        await tx.log(entryOf(authority, one, 'ended', 'ended'));
      });
      forget();
      return { success: true, ok: true, id };
    },

    /** What the caller may do, and how much of each daily cap is left. */
    async leashOf({ authority, leash }: Caller) {
      const may = ({ preset, acts, brand_ids = [] }: Policy) => ({ preset, acts, brand_ids });
      if (leash === undefined) return { connection_id: null, ...may(FULL), caps: {}, waiting: 0 };
      const { policy, connection } = leash;
      const [used, waiting] = await Promise.all([counts(authority), countHeldOf(store.db, connection)]);
      const caps = CAPPED.flatMap((act) => {
        const max = capOf(policy, act);
        if (max === undefined || !AT_ONCE.has(policy.acts[act])) return [];
        return [[act, { max, left: Math.max(0, max - used(connection, act)) }] as const];
      });
      return { connection_id: connection, ...may(policy), caps: Object.fromEntries(caps), waiting };
    },
  });
}

/**
 * Withdraws the waiting actions of a connection that now needs no approval: it can call again, and each would run
 * twice.
 */
async function withdrawWaiting(db: Db, id: string, now: number): Promise<void> {
  await withdrawActions(db, [id], now);
  if (!(await isDoing(db, id))) return;
  fail('resource.conflict', {
    message: 'A request of this connection is being carried out.',
    next: 'Wait until it is done, then allow everything.',
    meta: { id },
  });
}

function policyFor({ preset, brand_ids, caps = {} }: Omit<NewLeash, 'decides'>): Policy {
  const set = Object.entries(caps).filter(([, most]) => most !== undefined);
  return policyOf(preset, { ...(brand_ids && { brand_ids }), caps: Object.fromEntries(set) });
}

function entryOf({ workspace }: Authority, { id, name }: Living, action: string, what: string): LogEntry {
  return {
    workspaceId: workspace,
    category: 'api',
    action: `connection_${action}`,
    status: 'success',
    resourceId: id,
    summary: `Connection "${name}": ${what}`,
  };
}

export type Connections = ReturnType<typeof makeConnections>;
