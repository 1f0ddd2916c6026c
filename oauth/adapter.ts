import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { findClient, markGranted, type OauthClientRow } from '#db/access/oauth-clients.ts';
import {
  deleteRecord,
  evictInteraction,
  grantOfSpent,
  holdUser,
  prolongGrant,
  putRecord,
  readRecord,
  revokeGrant,
  rewriteRecord,
  spendRecord,
} from '#db/access/oauth.ts';
import { endApp } from '#db/leash/connections.ts';
import type { OauthModel } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import { MINUTE, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { isClientId, recordId } from './record-ids.ts';
import { ACCESS_MS, GRANT_TYPES, LIFE, LIMITS, RESPONSE_TYPES } from './constants.ts';

/** Clients may repeat a request whose response was lost; a reuse after this time is a replay. */
const REPLAY_GRACE_MS = MINUTE;

const STORED: ReadonlySet<string> = new Set<OauthModel>(['Interaction', 'Grant', 'AuthorizationCode', 'RefreshToken']);

type AdapterDeps = Readonly<{
  store: Store;
  clock: Clock;
  replayRevokes: boolean;
  /** Called when an app was ended, so that this process clears its cache of callers. */
  forget(): void;
}>;

/** The provider's storage. Codes and refresh tokens are consumed in one statement, because requests may race. */
export function makeAdapter(deps: AdapterDeps): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return { ...NOTHING, find: (id) => readClient(deps.store, id) };
    return STORED.has(name) ? recordsOf(name as OauthModel, deps) : NOTHING;
  };
}

/** Models that are not stored: provider sessions, access tokens and unused features. */
const NOTHING: Adapter = Object.freeze({
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
});

async function readClient(store: Store, id: string): Promise<AdapterPayload | undefined> {
  const row = isClientId(id) ? await findClient(store.db, id) : undefined;
  return row && metadataOf(row);
}

/** The client for the provider, without a secret: secrets are checked beforehand. */
function metadataOf(row: OauthClientRow): AdapterPayload {
  return {
    client_id: row.id,
    client_name: row.name,
    redirect_uris: [...row.redirect_uris],
    grant_types: [...GRANT_TYPES],
    response_types: [...RESPONSE_TYPES],
    token_endpoint_auth_method: 'none',
  };
}

function recordsOf(model: OauthModel, deps: AdapterDeps): Adapter {
  const { store, clock } = deps;
  const keyOf = (id: string) => recordId(model, id);

  return {
    ...NOTHING,
    upsert: (id, payload, seconds = LIFE.consent) =>
      model === 'Interaction' && payload.result !== undefined
        ? decide(deps, id, payload)
        : insert(deps, model, id, payload, seconds),
    async find(id) {
      const now = clock.now();
      // Every exchange that looks a code up also consumes it: docs/contract/access.md#codes.
      const payload =
        model === 'AuthorizationCode'
          ? await store.write((tx) => spendRecord(tx.db, keyOf(id), now))
          : await readRecord(store.db, keyOf(id), now);
      if (payload !== undefined) return payloadIn(model, id, payload);
      await endReplayed(deps, keyOf(id));
      return undefined;
    },
    async consume(id) {
      if (model !== 'RefreshToken') return;
      const spent = await store.write((tx) => spendRecord(tx.db, keyOf(id), clock.now()));
      if (spent === undefined) throw new errors.InvalidGrant('the refresh token was just used');
    },
    async destroy(id) {
      const deleted = await store.write((tx) => deleteRecord(tx.db, keyOf(id)));
      if (!deleted && model === 'Interaction') throw new errors.SessionNotFound('the request is over');
    },
    revokeByGrantId: (grantId) => revoke(deps, grantId),
  };
}

function payloadIn(model: OauthModel, id: string, { exp, ...payload }: AdapterPayload): AdapterPayload {
  // A grant expires with its newest token: the row has that time, the payload does not.
  return { ...payload, ...(model !== 'Grant' && { exp }), jti: id };
}

async function insert(
  { store, clock }: AdapterDeps,
  model: OauthModel,
  id: string,
  payload: AdapterPayload,
  seconds: number,
): Promise<void> {
  const now = clock.now();
  const { jti: _, ...kept } = payload;
  const { accountId, grantId = model === 'Grant' ? id : undefined } = payload;
  const clientId = payload.clientId ?? String(payload.params?.['client_id']);
  const until = now + seconds * 1000;
  await store.write(async (tx) => {
    if (model === 'Grant') {
      if (!(await holdUser(tx, accountId!))) fail('auth.oauth.user_missing');
      await markGranted(tx.db, clientId, now);
    } else if (model === 'Interaction') {
      await evictInteraction(tx.db, { most: LIMITS.consents.all, now });
    } else {
      const grant = { id: recordId('Grant', grantId!), now, until };
      if (!(await prolongGrant(tx, grant))) throw new errors.InvalidGrant('the grant was revoked');
    }
    await putRecord(tx.db, {
      id: recordId(model, id),
      model,
      client_id: clientId,
      user_id: accountId ?? null,
      grant_id: grantId ?? null,
      address: (payload.params?.['address'] as string | undefined) ?? null,
      payload: kept,
      created_at: now,
      expires_at: until,
    });
  });
}

/** Stores the user's decision; a completed request must not come back. */
async function decide({ store, clock }: AdapterDeps, id: string, payload: AdapterPayload): Promise<void> {
  const { jti: _, ...kept } = payload;
  const now = clock.now();
  const key = recordId('Interaction', id);
  const open = await store.write((tx) => rewriteRecord(tx.db, key, kept, now));
  if (!open) throw new errors.SessionNotFound('the request is over');
}

/** Ends the app whose code or token is reused, if `replayRevokes` is on. */
async function endReplayed(deps: AdapterDeps, key: string): Promise<void> {
  const { store, clock, replayRevokes, forget } = deps;
  if (!replayRevokes) return;
  const now = clock.now();
  const grantId = await grantOfSpent(store.db, key, now - REPLAY_GRACE_MS);
  if (grantId === undefined) return;
  await store.write((tx) => endApp(tx.db, grantId, now));
  forget();
}

function revoke({ store, clock }: AdapterDeps, grantId: string): Promise<void> {
  const now = clock.now();
  return store.write((tx) => revokeGrant(tx.db, { grantId, now, until: now + ACCESS_MS }));
}
