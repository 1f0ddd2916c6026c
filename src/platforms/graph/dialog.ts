import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { PlatformSetting } from '#kernel/config/names.ts';
import { matching } from '#kernel/config/values.ts';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import type { Connected, OAuthClient, OAuthConnect } from '../connect.ts';
import { unlessRefused } from '../shared/errors.ts';
import { codeFlow } from '../shared/oauth.ts';
import { type Answer, path } from '../shared/rest.ts';
import type { PlatformError } from '../errors.ts';
import type { Scopes } from '../app/scopes.ts';
import { Id, listOf, makeGraph, readAll, Success, versioned } from './api.ts';
import { exchangeErrors } from './login.ts';

/** Tokens with longer lifetimes are treated as permanent. */
const MOST_MS = 400 * DAY;
const PER_READ = 100;
const MOST_PAGES = 1000;
const MOST_BUSINESSES = 25;
const EDGES = ['owned_pages', 'client_pages'] as const;

const Token = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().optional().catch(undefined),
});
const Me = z.object({
  id: Id,
  name: z.string().catch(''),
  picture: z
    .object({ data: z.object({ url: z.string() }) })
    .optional()
    .catch(undefined),
});
const Businesses = listOf(z.object({ id: Id }));

const Permissions = listOf(z.object({ permission: z.string(), status: z.string() }));

export type DialogLogin = Readonly<{
  /** The person's token, which lasts 60 days and cannot be renewed. */
  token: string;
  me: z.output<typeof Me>;
  client: OAuthClient;
  /** Metadata that every account of the login gets. */
  metadata: Readonly<Record<string, unknown>>;
  /** The consent, which all accounts of the login share on all platforms of the app. */
  grant: string;
}>;

/** Declares the setting of a login configuration, which contains the permissions to request. */
export const configSetting = (
  more: Pick<PlatformSetting, 'meaning' | 'sandbox'> & Readonly<{ name: `${string}_CONFIG_ID` }>,
): PlatformSetting => ({
  ...more,
  parse: matching(/^\d{5,25}$/, 'must be the id of a configuration, digits alone'),
  everywhere: true,
});

type Dialog = Readonly<{
  scopes: Scopes;
  hosts: Readonly<{ dialog: string; graph: string }>;
  errorOf(answer: Answer): PlatformError | undefined;
  profiles(call: UnauthenticatedCall, login: DialogLogin): Promise<readonly Connected[]>;
  tokenOf(call: AccountCall): string;
}>;

/** Connects by Facebook's consent dialog, using the Facebook app. */
export function dialogConnect({ scopes, hosts, errorOf, profiles, tokenOf }: Dialog): OAuthConnect {
  const flow = Object.freeze({ slug: 'facebook', title: 'Facebook' } as const);
  const exchangeError = exchangeErrors(flow, errorOf);
  const host = hosts.graph;
  const exchanges = makeGraph(exchangeError);
  const { request } = makeGraph(errorOf);

  /** Exchanges a token that lasts an hour for one that lasts 60 days. */
  function longLived(call: UnauthenticatedCall, brief: string, { clientId, clientSecret }: OAuthClient) {
    const client = { client_id: clientId, client_secret: clientSecret };
    const query = { grant_type: 'fb_exchange_token', ...client, fb_exchange_token: brief };
    return exchanges.get(call, path`/oauth/access_token`, Token, { query, host });
  }

  async function grantedTo(call: UnauthenticatedCall, token: string): Promise<readonly string[]> {
    const { data } = await request(call, { method: 'GET', path: '/me/permissions', token, host }, Permissions);
    return data.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
  }

  return codeFlow({
    ...flow,
    authorize: { host: hosts.dialog, path: versioned('/dialog/oauth') },
    token: { host, path: versioned('/oauth/access_token') },
    scopes,
    separator: ',',
    send: 'query',
    // Asks again for permissions that the person declined; by default the dialog does not.
    extra: () => ({ auth_type: 'rerequest' }),
    fields: (standard) => ({ ...standard, grant_type: undefined }),
    errorOf: exchangeError,
    async profiles(call, { access: brief }, { client }) {
      const { access_token: token, expires_in: seconds = 0 } = await longLived(call, brief, client);
      const query = { fields: 'id,name,picture' };
      const me = await request(call, { method: 'GET', path: '/me', query, token, host }, Me);
      const granted = await grantedTo(call, token);
      const lifeMs = seconds * 1000;
      const metadata = {
        ...scopes.reported(call.settings, granted),
        login_expires_at: lifeMs > 0 && lifeMs < MOST_MS ? new Date(call.now() + lifeMs).toISOString() : null,
      };
      const grant = `${call.hosts[host]!} ${client.clientId} ${me.id}`;
      return profiles(call, { token, me, client, metadata, grant });
    },
    granted: (call) => grantedTo(call, tokenOf(call)),
    async revoke(call) {
      const options = { method: 'DELETE', path: '/me/permissions', token: tokenOf(call), host } as const;
      // A rejected token counts as revoked.
      await unlessRefused(request(call, options, Success), 'auth');
    },
  });
}

/** The pages found; `isWhole` is false after a partial refusal, when pages may be missing from the list. */
export type VisiblePages<Page> = Readonly<{ found: readonly Page[]; isWhole: boolean }>;

/** Lists a person's pages; those of business portfolios are read too, as the main list may omit them. */
export function pageLister<T extends z.ZodType>(
  { request }: Pick<ReturnType<typeof makeGraph>, 'request'>,
  { fields, page, host }: Readonly<{ fields: string; page: T; host: string }>,
) {
  const Pages = listOf(page);

  function pagesAt(call: UnauthenticatedCall, token: string, at: string, ids: Readonly<Record<string, string>> = {}) {
    return readAll<T>((after) => {
      const query = { fields, limit: PER_READ, after };
      return request(call, { method: 'GET', path: at, ids, query, token, host }, Pages);
    }, MOST_PAGES);
  }

  /** Reads the pages of each portfolio; if one is refused, the others are still read. */
  async function businessPages(call: UnauthenticatedCall, token: string): Promise<VisiblePages<z.output<T>>> {
    const query = { fields: 'id', limit: MOST_BUSINESSES };
    const options = { method: 'GET', path: '/me/businesses', query, token, host } as const;
    const businesses = await unlessRefused(request(call, options, Businesses));
    if (!businesses) return { found: [], isWhole: false };
    const found: z.output<T>[] = [];
    let isWhole = true;
    for (const { id: business } of businesses.data.slice(0, MOST_BUSINESSES)) {
      for (const edge of EDGES) {
        const some = await unlessRefused(pagesAt(call, token, `/{business}/${edge}`, { business }));
        found.push(...(some ?? []));
        isWhole &&= some !== undefined;
      }
    }
    return { found, isWhole };
  }

  return async function visiblePages(call: UnauthenticatedCall, token: string): Promise<VisiblePages<z.output<T>>> {
    const own = await pagesAt(call, token, '/me/accounts');
    const { found, isWhole } = await businessPages(call, token);
    return { found: [...own, ...found], isWhole };
  };
}
