import type Provider from 'oidc-provider';
import { nthOpenInteraction } from '#db/access/oauth.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { requestProvider, type ProviderResponse } from './provider-request.ts';
import { isClientId } from './record-ids.ts';
import type { RequestContext } from '#kernel/route.ts';
import { ADDRESS_PARAM, LIMITS, PLAIN_MODE, RESUME_COOKIE, SCOPE, SESSION_COOKIE } from './constants.ts';

const REQUIRED = ['client_id', 'redirect_uri', 'code_challenge'] as const;
const ONCE = [...REQUIRED, 'code_challenge_method', 'response_type', 'scope', 'state'] as const;

export type AuthorizeDeps = Readonly<{
  store: Store;
  clock: Clock;
  rootUrl: string;
  provider(): Promise<Provider>;
  addressOf(ctx: RequestContext): string;
}>;

/** The authorization endpoint: `authorize` for the client's request, `resume` after consent. */
export function makeAuthorize({ store, clock, rootUrl, provider, addressOf }: AuthorizeDeps) {
  /** Checks a request and redirects to the consent page; errors are JSON. */
  async function authorize(ctx: RequestContext): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const field = checkedQuery(query, rootUrl);
    const address = addressOf(ctx);
    await refuseFlood(address);
    const params = new URLSearchParams({
      response_type: 'code',
      response_mode: PLAIN_MODE,
      client_id: field('client_id')!,
      redirect_uri: field('redirect_uri')!,
      code_challenge: field('code_challenge')!,
      code_challenge_method: 'S256',
      scope: SCOPE,
      [ADDRESS_PARAM]: address,
      ...(field('state') !== undefined && { state: field('state') }),
    });
    forward(
      ctx,
      await requestProvider(await provider(), { method: 'GET', url: `/oauth/authorize?${params.toString()}` }),
    );
  }

  /** Redirects to the client, with a code or access_denied. */
  async function resume(ctx: RequestContext, uid: string): Promise<void> {
    // The provider checks only its cookie, so a URL of another request is refused here.
    if (ctx.cookies.get(RESUME_COOKIE, { signed: false }) !== uid) fail('auth.oauth.request_expired');
    const request = { method: 'GET', url: `/oauth/authorize/${uid}`, cookie: ctx.headers.cookie } as const;
    forward(ctx, await requestProvider(await provider(), request));
  }

  async function refuseFlood(address: string): Promise<void> {
    const now = clock.now();
    const freeAt = await nthOpenInteraction(store.db, { n: LIMITS.consents.network, now, address });
    if (freeAt === undefined) return;
    fail('http.429', {
      message: 'Too many authorization requests from this network are open.',
      retryAfter: Math.max(1, (freeAt - now) / 1000),
    });
  }

  return Object.freeze({ authorize, resume });
}

type Field = (name: (typeof ONCE)[number]) => string | undefined;

/** The fields of a request; throws for the first invalid one and ignores unknown ones. */
function checkedQuery(query: URLSearchParams, rootUrl: string): Field {
  const field: Field = (name) => query.get(name) || undefined;
  const missing = REQUIRED.find((name) => field(name) === undefined);
  if (missing) fail('validation.field_required', { message: `${missing} is required.`, meta: { field: missing } });
  const invalid = (name: string, why: string): never =>
    fail('validation.field_invalid', { message: `${name} ${why}.`, meta: { field: name } });

  const repeated = ONCE.find((name) => query.getAll(name).length > 1);
  if (repeated) invalid(repeated, 'must be sent once');
  if (field('code_challenge_method') !== 'S256') invalid('code_challenge_method', 'must be S256');
  if (!/^[\w.~-]{43,128}$/.test(field('code_challenge')!)) {
    invalid('code_challenge', 'must be the base64url-encoded SHA-256 of a verifier');
  }
  if ((field('response_type') ?? 'code') !== 'code') invalid('response_type', 'must be code');
  for (const resource of query.getAll('resource')) {
    const url = URL.parse(resource);
    if (url?.origin !== rootUrl || url.hash !== '') invalid('resource', 'must be an address of this server');
  }
  if (!isClientId(field('client_id')!)) fail('auth.oauth.invalid_client');
  return field;
}

/** Sends the provider's answer, without its session cookie. */
function forward(ctx: RequestContext, { status, headers, body }: ProviderResponse): void {
  const cookies = [headers['set-cookie'] ?? []].flat().map(String);
  ctx.status = status;
  ctx.append(
    'Set-Cookie',
    cookies.filter((cookie) => !cookie.startsWith(SESSION_COOKIE)),
  );
  ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  if (headers['location'] !== undefined) ctx.set('Location', headers['location']);
  ctx.body = headers['location'] === undefined ? body : '';
}
