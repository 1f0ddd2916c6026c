import { evictClient, insertClient, nthNewestClient, takeRegistrationTurn } from '#db/access/oauth-clients.ts';
import type { Store } from '#db/store/store.ts';
import { HOUR, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { sha256 } from '#kernel/sign.ts';
import { faultOfName, faultOfRedirectUri } from './client-fields.ts';
import { objectIn, readText } from './request.ts';
import type { RequestContext } from '#kernel/route.ts';
import { GRANT_TYPES, LIMITS, RESPONSE_TYPES, SECRET_METHOD } from './constants.ts';

const WINDOW_MS = HOUR;
const MOST_URIS = 20;

export type RegisterDeps = Readonly<{ store: Store; clock: Clock; addressOf(ctx: RequestContext): string }>;

type Registration = Readonly<{ name: string; redirectUris: readonly string[]; secret: string | undefined }>;

/** The registration endpoint (RFC 7591): unauthenticated and rate limited. */
export function makeRegister({ store, clock, addressOf }: RegisterDeps) {
  return async function register(ctx: RequestContext): Promise<void> {
    const text = await readText(ctx.req);
    const body = objectIn(text) ?? fail('validation.body_invalid');
    const wanted: Registration = {
      name: clientName(body['client_name']),
      redirectUris: redirectUris(body['redirect_uris']),
      // Only a client that asks for `none` gets no secret.
      secret: body['token_endpoint_auth_method'] === 'none' ? undefined : randomHex(32),
    };
    const id = `client_${randomHex(16)}`;
    const createdAt = await admit(id, wanted, addressOf(ctx));
    ctx.status = 201;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      client_id: id,
      ...(wanted.secret !== undefined && { client_secret: wanted.secret }),
      client_id_issued_at: Math.floor(createdAt / 1000),
      ...(wanted.secret !== undefined && { client_secret_expires_at: 0 }),
      client_name: wanted.name,
      redirect_uris: wanted.redirectUris,
      grant_types: GRANT_TYPES,
      response_types: RESPONSE_TYPES,
      token_endpoint_auth_method: wanted.secret === undefined ? 'none' : SECRET_METHOD,
    };
  };

  async function admit(
    id: string,
    { name, redirectUris: uris, secret }: Registration,
    address: string,
  ): Promise<number> {
    const now = clock.now();
    const since = now - WINDOW_MS;
    const freeAt = await store.write(async (tx) => {
      await takeRegistrationTurn(tx);
      const full = await nthNewestClient(tx.db, { n: LIMITS.registrations.network, since, address });
      if (full !== undefined) return full + WINDOW_MS;
      await evictClient(tx.db, { most: LIMITS.registrations.all, since });
      await insertClient(tx.db, {
        id,
        name,
        redirect_uris: uris,
        secret_hash: secret === undefined ? null : sha256(secret),
        address,
        created_at: now,
      });
      return undefined;
    });
    if (freeAt === undefined) return now;
    fail('http.429', {
      message: 'Too many clients were registered from this network within the last hour.',
      retryAfter: Math.max(1, (freeAt - now) / 1000),
    });
  }
}

function clientName(value: unknown): string {
  const field = 'client_name';
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
    fail('validation.field_required', { message: `${field} is required.`, meta: { field } });
  }
  const fault = faultOfName(value);
  if (fault !== undefined) fail('validation.field_invalid', { message: `${field} ${fault}.`, meta: { field } });
  return value as string;
}

function redirectUris(value: unknown): readonly string[] {
  const field = 'redirect_uris';
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    fail('validation.field_required', { message: `${field} needs at least one entry.`, meta: { field } });
  }
  if (!Array.isArray(value) || value.length > MOST_URIS) {
    fail('validation.field_invalid', {
      message: `${field} must be a list of at most ${MOST_URIS} addresses.`,
      meta: { field },
    });
  }
  const fault = value.map(faultOfRedirectUri).find((found) => found !== undefined);
  if (fault !== undefined) fail('validation.field_invalid', { message: `${field}: ${fault}.`, meta: { field } });
  return value as string[];
}
