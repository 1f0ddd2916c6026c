import type Provider from 'oidc-provider';
import { findClient } from '#db/access/oauth-clients.ts';
import { readRecord } from '#db/access/oauth.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { requestProvider } from './provider-request.ts';
import { isClientId, recordId } from './record-ids.ts';
import { clientOf, isSecretOf, readFields, readText, type Fields } from './request.ts';
import type { RequestContext } from '#kernel/route.ts';
import { GRANT_TYPES, type OAuthOptions } from './constants.ts';

type Grant = (typeof GRANT_TYPES)[number];
type Answer = Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>;

const REQUIRED: Readonly<Record<Grant, readonly string[]>> = {
  authorization_code: ['code', 'client_id', 'code_verifier'],
  refresh_token: ['refresh_token', 'client_id'],
};
const FIELDS = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
] as const;
const GIVEN = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'] as const;
const REFUSED: Readonly<Record<Grant, string>> = {
  authorization_code:
    'The code is unknown, expired, used or issued to another client, or code_verifier or redirect_uri does not match.',
  refresh_token: 'The refresh token is unknown, expired, used or issued to another client.',
};
/** The provider's errors about the client itself. */
const NO_CLIENT: ReadonlySet<string> = new Set(['invalid_client', 'invalid_client_metadata', 'invalid_redirect_uri']);
const FAILED = 'Something went wrong on our side; try again.';
/** Replaces an omitted redirect_uri of an unknown code. */
const NO_REDIRECT = 'https://absent.invalid/';

export type TokenDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  rootUrl: string;
  options: OAuthOptions;
  provider(): Promise<Provider>;
}>;

/** The token endpoint: checks client and fields here, and leaves the exchange to the provider. */
export function makeToken(deps: TokenDeps) {
  // Our own failures use this endpoint's error format too.
  const failed = (error: unknown): Answer => {
    deps.log.error({ error }, 'the token endpoint failed');
    return refused(error instanceof StoreUnavailable ? 503 : 500, 'server_error', FAILED);
  };
  const unread = (error: unknown): Answer => {
    if (!(error instanceof ApiError)) throw error;
    return refused(error.status, 'invalid_request', error.message);
  };

  return async function token(ctx: RequestContext): Promise<void> {
    const { status, body } = await readText(ctx.req).then(
      (text) => answerTo(deps, readFields(text, ctx.get('Content-Type'), FIELDS, 'grant_type'), ctx).catch(failed),
      unread,
    );
    if (status === 401 && ctx.headers.authorization !== undefined) {
      ctx.set('WWW-Authenticate', `Basic realm="${deps.rootUrl}"`);
    }
    if (status === 503) ctx.set('Retry-After', '5');
    ctx.status = status;
    ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    ctx.body = body;
  };
}

async function answerTo(deps: TokenDeps, fields: Fields, ctx: RequestContext): Promise<Answer> {
  const grant = fields.get('grant_type');
  if (grant === undefined) return refused(400, 'invalid_request', 'grant_type is required.');
  if (!isGrant(grant)) {
    return refused(400, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  }
  const { id, secret } = clientOf(fields, ctx.headers.authorization);
  const missing = REQUIRED[grant].find((name) => (name === 'client_id' ? id : fields.get(name)) === undefined);
  if (missing) return refused(400, 'invalid_request', `${missing} is required.`);
  if (fields.wrong) return refused(400, 'invalid_request', `${fields.wrong} must be one text.`);

  switch (await checkClient(deps, id!, secret)) {
    case 'unknown':
      return unknownClient(grant);
    case 'wrong':
      return refused(401, 'invalid_client', 'client_secret does not match.');
    case 'right':
      return exchange(deps, grant, id!, fields);
  }
}

function isGrant(value: string): value is Grant {
  return (GRANT_TYPES as readonly string[]).includes(value);
}

/** Verifies a secret if one was sent. Without one, PKCE or the refresh token is the proof. */
async function checkClient({ store, options }: TokenDeps, id: string, secret: string | undefined) {
  const row = isClientId(id) ? await findClient(store.db, id) : undefined;
  if (row === undefined && !(options.clientIdMetadata && isClientId(id) && id.startsWith('https://'))) return 'unknown';
  if (secret === undefined) return 'right';
  return isSecretOf(row, secret) ? 'right' : 'wrong';
}

async function exchange(deps: TokenDeps, grant: Grant, clientId: string, fields: Fields): Promise<Answer> {
  const form: Readonly<Record<string, string>> =
    grant === 'authorization_code'
      ? {
          code: fields.get('code')!,
          code_verifier: fields.get('code_verifier')!,
          redirect_uri: fields.get('redirect_uri') ?? (await redirectUriOf(deps, fields.get('code')!)),
        }
      : { refresh_token: fields.get('refresh_token')! };
  const { status, body } = await requestProvider(await deps.provider(), {
    method: 'POST',
    url: '/oauth/token',
    form: { grant_type: grant, client_id: clientId, ...form },
  });
  const given = body as Readonly<Record<string, unknown>>;
  if (status === 200) return { status, body: Object.fromEntries(GIVEN.map((name) => [name, given[name]])) };
  if (status >= 500) return refused(status, 'server_error', FAILED);
  // A client without registration is unknown once its document cannot be read.
  if (NO_CLIENT.has(String(given['error']))) return unknownClient(grant);
  return refused(400, 'invalid_grant', REFUSED[grant]);
}

/** The redirect URI of a code, which a client may omit. */
async function redirectUriOf({ store, clock }: TokenDeps, code: string): Promise<string> {
  const payload = await readRecord(store.db, recordId('AuthorizationCode', code), clock.now());
  return payload === undefined ? NO_REDIRECT : (payload['redirectUri'] as string);
}

function unknownClient(grant: Grant): Answer {
  return grant === 'authorization_code'
    ? refused(401, 'invalid_client', 'Unknown client_id.')
    : refused(400, 'invalid_grant', REFUSED[grant]);
}

function refused(status: number, error: string, description: string): Answer {
  return { status, body: { error, error_description: description } };
}
