import { knownBrands } from '#db/access/brands.ts';
import { findKey, insertKey, listKeys, updateKey, type KeyRow } from '#db/access/keys.ts';
import { withdrawActions } from '#db/leash/actions.ts';
import { giveConnection, holdConnection } from '#db/leash/connections.ts';
import type { RowPatch } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, LogEntry, Tx } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch, unknownBrand } from '#kernel/errors.ts';
import { newId, randomHex } from '#kernel/ids.ts';
import { connectionIdOf } from '#kernel/limits/leash.ts';
import { isScope, SCOPES } from '#kernel/scopes.ts';
import { sha256 } from '#kernel/sign.ts';

/** The prefix that distinguishes API keys from tokens. */
export const KEY_PREFIX = 'rostra_key_';

const ONCE = 'Store this key securely. It will not be shown again.';

type KeysDeps = Readonly<{
  store: Store;
  clock: Clock;
  /** Clears the cache of keys in this process. */
  forget(): void;
}>;

export type KeyLimits = Readonly<{ scopes?: readonly string[] | undefined; brand_ids?: readonly string[] | undefined }>;

function presentKey(row: KeyRow) {
  return {
    id: row.id,
    name: row.name,
    preview: row.preview,
    is_active: row.is_active === 1,
    scopes: row.scopes,
    brand_ids: row.brand_ids,
    last_used_at: isoTime(row.last_used_at),
    created_at: isoTime(row.created_at),
  };
}

function entryOf(
  { id, workspace_id, name }: Pick<KeyRow, 'id' | 'workspace_id' | 'name'>,
  done: 'created' | 'updated' | 'rotated' | 'revoked',
): LogEntry {
  return {
    workspaceId: workspace_id,
    category: 'api',
    action: `key_${done}`,
    status: 'success',
    resourceId: id,
    summary: `API key "${name}" ${done}`,
  };
}

const ALL_SCOPES = Object.entries(SCOPES).map(([name, [group, description]]) => ({ name, description, group }));

const unique = (values: readonly string[] | undefined) => [...new Set(values)];

async function checkLimits(store: Store, authority: Authority, { scopes, brand_ids }: KeyLimits): Promise<void> {
  const scope = scopes?.find((name) => !isScope(name));
  if (scope !== undefined) {
    fail('validation.scope_invalid', {
      message: `There is no scope ${scope}; there are ${Object.keys(SCOPES).join(', ')}.`,
      meta: { field: 'scopes' },
    });
  }
  const brands = unique(brand_ids);
  const refusal = unknownBrand(brands, await knownBrands(store.db, authority, brands));
  if (refusal) throw refusal;
}

function freshSecret() {
  const raw = KEY_PREFIX + randomHex(31);
  return { raw, hash: sha256(raw), preview: `${raw.slice(0, KEY_PREFIX.length + 5)}...` };
}

/** Withdraws what waits for a person, and lets nothing that was approved begin until the transaction ends. */
async function endActions({ db, dialect }: Tx, connection: string, now: number): Promise<void> {
  await holdConnection(db, dialect, connection);
  await withdrawActions(db, [connection], now);
}

/** Changes a key, and for whom it acts; false if it was revoked in the meantime. */
async function changeKey(db: Db, authority: Authority, id: string, patch: RowPatch<'keys'>): Promise<boolean> {
  const { user_id: userId } = patch;
  const changed = await updateKey(db, authority, id, patch);
  if (changed && typeof userId === 'string') await giveConnection(db, id, userId);
  return changed;
}

type KeyPatch = KeyLimits & Readonly<{ name?: string | undefined }>;

/** What a patch changes of a key, and for whom the key acts if its limits change. */
function columnsIn({ name, scopes, brand_ids }: KeyPatch, userId: string) {
  if ((name ?? scopes ?? brand_ids) === undefined) {
    fail('validation.field_required', { message: 'Send name, scopes or brand_ids.', meta: { field: 'name' } });
  }
  return {
    ...(name !== undefined && { name }),
    ...(scopes && { scopes: unique(scopes) }),
    ...(brand_ids && { brand_ids: unique(brand_ids) }),
    ...((scopes ?? brand_ids) && { user_id: userId }),
  };
}

/** API keys: stored as a hash, shown once, limited to scopes and brands. */
export function makeKeys({ store, clock, forget }: KeysDeps) {
  async function keyOf(authority: Authority, id: string): Promise<KeyRow> {
    return (await findKey(store.db, authority, id)) ?? noSuch('key', id);
  }

  async function active(authority: Authority, id: string): Promise<KeyRow> {
    const key = await keyOf(authority, id);
    if (key.is_active === 0)
      fail('resource.conflict', {
        message: 'This key is revoked.',
        next: 'Create another with create_key.',
        meta: { resource: 'key', id },
      });
    return key;
  }

  async function change(
    authority: Authority,
    key: Pick<KeyRow, 'id' | 'workspace_id' | 'name'>,
    patch: RowPatch<'keys'>,
    done: Parameters<typeof entryOf>[1],
    answer?: object,
  ): Promise<boolean> {
    const changed = await store.write(async (tx) => {
      if (patch.is_active === 0) await endActions(tx, connectionIdOf(key.id), clock.now());
      if (!(await changeKey(tx.db, authority, key.id, patch))) return false;
      await tx.log(entryOf(key, done));
      if (answer !== undefined) await tx.key?.record(answer);
      return true;
    });
    forget();
    return changed;
  }

  return Object.freeze({
    list: async (authority: Authority) => (await listKeys(store.db, authority)).map(presentKey),

    async create(authority: Authority, userId: string, name: string, limits: KeyLimits) {
      await checkLimits(store, authority, limits);
      const { raw, hash, preview } = freshSecret();
      const now = clock.now();
      const id = newId('key', now);
      const scopes = unique(limits.scopes);
      const brand_ids = unique(limits.brand_ids);
      const row = {
        id,
        workspace_id: authority.workspace,
        user_id: userId,
        name,
        hash,
        preview,
        scopes,
        brand_ids,
        is_active: 1,
        created_at: now,
      } as const;
      const fresh = { id, name, raw_key: raw, message: ONCE, preview, scopes, brand_ids };
      await store.write(async (tx) => {
        await insertKey(tx.db, row);
        await tx.log(entryOf(row, 'created'));
        await tx.key?.record(fresh);
      });
      return fresh;
    },

    /** Changes a key. If its limits change, it is the key of whoever changed them, and never does more than they may. */
    async update(authority: Authority, userId: string, id: string, patch: KeyPatch) {
      const columns = columnsIn(patch, userId);
      await checkLimits(store, authority, patch);
      const key = await active(authority, id);
      await change(authority, { ...key, ...columns }, columns, 'updated');
      return presentKey(await active(authority, id));
    },

    /** Gives a key a new secret; the old one stops working at once. It is the key of whoever knows the new one. */
    async rotate(authority: Authority, userId: string, id: string) {
      const row = await active(authority, id);
      const { name, scopes, brand_ids } = presentKey(row);
      const { raw, hash, preview } = freshSecret();
      const fresh = { id, name, raw_key: raw, message: ONCE, preview, scopes, brand_ids };
      if (!(await change(authority, row, { hash, preview, user_id: userId }, 'rotated', fresh)))
        await active(authority, id);
      return fresh;
    },

    /** Revokes a key; revoking it again changes nothing. */
    async revoke(authority: Authority, id: string) {
      await change(authority, await keyOf(authority, id), { is_active: 0 }, 'revoked');
      return { success: true, ok: true, id };
    },

    scopes: ALL_SCOPES,
  });
}

export type Keys = ReturnType<typeof makeKeys>;
