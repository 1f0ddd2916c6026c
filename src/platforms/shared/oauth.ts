import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { AppName } from '#kernel/platforms.ts';
import type { AccountCall, Session, UnauthenticatedCall } from '../call.ts';
import type { Connected, ConnectMetadata, OAuthClient, OAuthConnect } from '../connect.ts';
import type { PlatformError } from '../errors.ts';
import type { Scopes } from '../app/scopes.ts';
import { errorTable, type ErrorTable, type Failed, isRefused, refused, refusedApp, wordOf } from './errors.ts';
import { type Answer, type Fields, makeRest } from './rest.ts';

/** A URL by host name and path, which may depend on settings. */
type Endpoint = Readonly<{ host: string; path: string | ((settings: UnauthenticatedCall['settings']) => string) }>;

type Grant = 'code' | 'refresh';

export type Tokens = Readonly<{
  access: string;
  /** The refresh token; if a refresh returns none, the previous one stays in use. */
  refresh: string | undefined;
  expiresAt: number | undefined;
  /** The granted scopes; the requested ones if the response names none. */
  granted: readonly string[];
  more: Readonly<Record<string, unknown>>;
}>;

/** Data of the login, besides the tokens, that profiles may depend on. */
type Back = Readonly<{ client: OAuthClient; metadata: ConnectMetadata }>;

export type CodeFlow = Readonly<{
  /** The app; its name is the prefix of its settings. */
  slug: AppName;
  title: string;
  authorize: Endpoint;
  /** `refreshPath`: the path for refresh tokens, if it differs. */
  token: Endpoint & Readonly<{ refreshPath?: string }>;
  /** The requested scopes; absent if the app's own page lists them. */
  scopes?: Scopes;
  separator: ' ' | ',';
  /** The name of the client id; `client_id` by default. */
  clientField?: 'client_key' | 'app_id';
  /** How the client authenticates: by fields of the request (default), HTTP Basic, or a custom header. */
  auth?: 'basic' | Readonly<{ header: string }>;
  /** How fields are sent to the token endpoint; a form by default. */
  send?: 'json' | 'query';
  /** PKCE variants: `bare` does not name its method, `hex` writes the challenge in hex. */
  pkce?: 'S256' | 'bare' | 'hex';
  /** Further parameters of the consent page. */
  extra?(call: UnauthenticatedCall, metadata: ConnectMetadata): Readonly<Record<string, string>>;
  /** Renames fields for the token endpoint if the platform deviates. */
  fields?(standard: Fields, grant: Grant): Fields;
  /** Finds the tokens in the response; by default they are its top-level members. */
  tokensIn?(body: unknown): unknown;
  /** Matches the error text of an expired code or token if the platform reports it as an invalid request. */
  over?: RegExp;
  /** Reads the error of a token endpoint; by default by the names in RFC 6749. */
  errorOf?(answer: Answer, grant: Grant): PlatformError | undefined;
  /** Every account of the login that can be connected; if there is none, throws a refusal that says why. */
  profiles(call: UnauthenticatedCall, tokens: Tokens, back: Back): Promise<readonly Connected[]>;
  /** Reads the refresh token of a session, if there is one, and builds the session with the new tokens. */
  refresh?: Readonly<{
    tokenOf(session: Session): string | undefined;
    renew(session: Session, tokens: Tokens): Session;
  }>;
  revoke?(call: AccountCall, client: OAuthClient): Promise<void>;
  granted?(call: AccountCall): Promise<readonly string[]>;
}>;

/** Refreshes sessions that hold `access_token` and `refresh_token`. */
export const storedTokens: NonNullable<CodeFlow['refresh']> = Object.freeze({
  tokenOf: ({ refresh_token: refresh }: Session) => (typeof refresh === 'string' ? refresh : undefined),
  renew: (session: Session, { access, refresh }: Tokens) => ({
    ...session,
    access_token: access,
    refresh_token: refresh,
  }),
});

const Text = z.string().min(1).max(8192);
const Answered = z.looseObject({
  access_token: Text,
  refresh_token: Text.optional(),
  // Some platforms send numbers as text.
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  scope: z.union([z.string(), z.array(z.string()).transform((scopes) => scopes.join(' '))]).optional(),
});

export function codeFlow(flow: CodeFlow): OAuthConnect {
  const { authorize, clientField = 'client_id', fields = (standard) => standard } = flow;
  const Answer = z
    .unknown()
    .transform((body) => flow.tokensIn?.(body) ?? body)
    .pipe(Answered);
  const rest = makeRest<UnauthenticatedCall & Readonly<{ grant: Grant }>>({
    base: ({ hosts }) => hosts[flow.token.host]!,
    errorOf: (answer, { grant }) => (flow.errorOf ? flow.errorOf(answer, grant) : standardErrorOf(flow, answer, grant)),
  });

  async function exchange(call: UnauthenticatedCall, client: OAuthClient, grant: Grant, given: Fields) {
    const own = {
      ...(flow.auth !== 'basic' && { [clientField]: client.clientId }),
      ...(flow.auth === undefined && { client_secret: client.clientSecret }),
    };
    const request = {
      method: flow.send === 'query' ? ('GET' as const) : ('POST' as const),
      path: (grant === 'refresh' && flow.token.refreshPath) || pathOf(flow.token, call),
      headers: proofOf(flow, client),
      [flow.send ?? 'form']: fields({ ...own, ...given }, grant),
    };
    const answer = await rest.request({ ...call, grant }, request, Answer);
    const { access_token, refresh_token, expires_in, scope, ...more } = answer;
    return {
      access: access_token,
      refresh: refresh_token,
      expiresAt: expires_in === undefined ? undefined : call.now() + expires_in * 1000,
      // RFC 6749: a response without a scope grants what was requested.
      granted: scope?.split(/[\s,]+/).filter(Boolean) ?? flow.scopes?.wantedIn(call.settings) ?? [],
      more,
    } satisfies Tokens;
  }

  return Object.freeze<OAuthConnect>({
    kind: 'oauth',
    ...(flow.pkce && { needsState: true }),
    ...(flow.scopes && { scopes: flow.scopes }),
    settings: [flow.scopes?.setting ?? [], flow.scopes?.config ?? []].flat(),

    async begin(call, { state, callback, client, metadata }) {
      const verifier = flow.pkce && newVerifier();
      const query = new URLSearchParams({
        [clientField]: client.clientId,
        redirect_uri: callback,
        state,
        response_type: 'code',
        ...rightsOf(flow, call),
        ...(verifier && { code_challenge: challengeOf(verifier, flow.pkce === 'hex' ? 'hex' : 'base64url') }),
        ...(verifier && flow.pkce !== 'bare' && { code_challenge_method: 'S256' }),
        ...flow.extra?.(call, metadata),
      });
      const url = `${call.hosts[authorize.host]!}${pathOf(authorize, call)}?${query.toString()}`;
      return { url, secrets: { ...(verifier && { verifier }) } };
    },

    async finish(call, { params, secrets, callback, client, metadata }) {
      const given = {
        grant_type: 'authorization_code',
        code: codeIn(flow, params),
        redirect_uri: callback,
        code_verifier: secrets['verifier'],
      };
      return flow.profiles(call, await exchange(call, client, 'code', given), { client, metadata });
    },

    ...(flow.refresh && { refresh: (call, client) => refresh(call, client, flow.refresh!) }),
    ...(flow.revoke && { revoke: flow.revoke }),
    ...(flow.granted && { granted: flow.granted }),
  });

  async function refresh(call: AccountCall, client: OAuthClient, { tokenOf, renew }: NonNullable<CodeFlow['refresh']>) {
    const refresh_token = tokenOf(call.session);
    if (refresh_token === undefined) throw refused('auth', `${flow.title} does not let this app renew its access.`);
    const given = { grant_type: 'refresh_token', refresh_token };
    const tokens = await exchange(call, client, 'refresh', given);
    const session = renew(call.session, { ...tokens, refresh: tokens.refresh ?? given.refresh_token });
    return { session, expiresAt: tokens.expiresAt };
  }
}

const pathOf = ({ path }: Endpoint, { settings }: UnauthenticatedCall): string =>
  typeof path === 'string' ? path : path(settings);

/** The requested permissions: a login configuration of the app, or scopes. */
function rightsOf(
  { scopes, separator }: CodeFlow,
  { settings }: UnauthenticatedCall,
): Readonly<Record<string, string>> {
  const config_id = scopes?.config && settings[scopes.config.name];
  if (config_id !== undefined) return { config_id, override_default_response_type: 'true' };
  return scopes ? { scope: scopes.wantedIn(settings).join(separator) } : {};
}

/** The headers that authenticate the client, if it authenticates by header. */
function proofOf({ auth }: CodeFlow, { clientId, clientSecret }: OAuthClient): Readonly<Record<string, string>> {
  if (auth === undefined) return {};
  return auth === 'basic' ? basicHeader(clientId, clientSecret) : { [auth.header]: clientSecret };
}

/** HTTP Basic as OAuth defines it (RFC 6749 2.3.1). */
export function basicHeader(id: string, secret: string): Readonly<Record<'authorization', string>> {
  const pair = [id, secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A code verifier that every platform accepts: 43 letters and digits. */
function newVerifier(): string {
  return randomBytes(96).toString('base64url').replaceAll(/[-_]/g, '').slice(0, 43);
}

/** The S256 code challenge (RFC 7636). */
export function challengeOf(verifier: string, encoding: 'base64url' | 'hex' = 'base64url'): string {
  return createHash('sha256').update(verifier).digest(encoding);
}

/** The authorization code; throws the reason if the consent page returned none. */
function codeIn({ title }: CodeFlow, params: Readonly<Record<string, string>>): string {
  const { error, error_reason: reason, error_code: number, error_description, error_message } = params;
  // Meta appends `#_` to its redirects, which clients may take for a part of the code.
  const code = (params['code'] ?? params['auth_code'] ?? '').replace(/#_$/, '');
  if (error === undefined && number === undefined && code !== '') return code;
  const upstream = wordOf([error, reason, number, error_description ?? error_message].filter(Boolean).join(' '), 300);
  const isDenial =
    error === 'access_denied' || reason === 'user_denied' || error?.startsWith('user_cancelled') === true;
  const declined = isDenial || /\bdenied\b/i.test(error_description ?? '');
  throw declined
    ? refused('permission_denied', `The request was declined on ${title}.`, { upstream })
    : refused('invalid_request', `${title} ended the login without a code.`, { upstream });
}

const ERRORS = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status }) => status >= 500, 'unknown', 'api_error'],
  [{ name: ['invalid_client', 'unauthorized_client'] }, 'refused', 'permission_denied'],
  [{ name: 'invalid_grant' }, 'refused', 'auth'],
  [{ name: ['invalid_request', 'invalid_scope', 'unsupported_grant_type'] }, 'refused', 'invalid_request'],
]);

/** Reads the error of a token endpoint by the names in RFC 6749. */
function standardErrorOf(flow: CodeFlow, { status, body }: Answer, grant: Grant): PlatformError | undefined {
  const { error: name, error_description: text } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const isError = typeof name === 'string' && name !== '';
  if (status >= 200 && status <= 299 && !isError) return undefined;
  const error = ERRORS.errorOf({ status, name: wordOf(name, 100), text: wordOf(text, 300) });
  const isOver = isRefused(error, 'invalid_request') && flow.over?.test(wordOf(text, 300)) === true;
  return exchangeError(flow, isOver ? refused('auth', undefined, error) : error, grant);
}

/** Makes the error of a token request helpful: it names the app's settings, or says to start again. */
function exchangeError(flow: Pick<CodeFlow, 'slug' | 'title'>, error: PlatformError, grant: Grant): PlatformError {
  if (isRefused(error, 'permission_denied')) return wrongClient(flow, error);
  return isRefused(error, 'auth') && grant === 'code' ? wrongCode(flow, error) : error;
}

/** Reads errors of a token endpoint by the platform's own table. */
export const tokenErrorsBy =
  <F extends Failed>(
    flow: Pick<CodeFlow, 'slug' | 'title'>,
    table: ErrorTable<F>,
    failedOf: (answer: Answer, now: number) => F | undefined,
  ) =>
  (answer: Answer, grant: Grant): PlatformError | undefined => {
    const failed = failedOf(answer, 0);
    return failed && exchangeError(flow, table.errorOf(failed), grant);
  };

/** The platform does not know the app, or its secret is wrong. */
export function wrongClient({ slug, title }: Pick<CodeFlow, 'slug' | 'title'>, instead?: PlatformError): PlatformError {
  const name = slug.toUpperCase();
  const message = `${title} knows no such app: check ${name}_CLIENT_ID and ${name}_CLIENT_SECRET.`;
  return refusedApp('byok.credentials_invalid', message, instead);
}

export function wrongCode({ title }: Pick<CodeFlow, 'title'>, instead?: PlatformError): PlatformError {
  return refused('invalid_request', `${title} does not accept this code: start the connection again.`, instead);
}
