import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, jsonRequest, withQuery, type Params } from './app.ts';
import { png, type Reply } from './bluesky.ts';
import { openTwinWorld } from './twin.ts';

export type FacebookWorld = Awaited<ReturnType<typeof openFacebookWorld>>;

export type Page = Awaited<ReturnType<FacebookWorld['ready']>> &
  Readonly<{
    get(path: string, params?: object): Promise<Reply>;
    /** What is listed there. */
    list(path: string, params?: object): Promise<any[]>;
    post(path: string, params?: object): Promise<Reply>;
    remove(path: string): Promise<Reply>;
  }>;

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/facebook';
export const SCOPES =
  'pages_show_list,pages_read_engagement,pages_read_user_content,pages_manage_posts,pages_manage_engagement,pages_manage_metadata,pages_messaging,read_insights,business_management';
export const FIELDS =
  'feed,mention,messages,messaging_postbacks,messaging_referrals,message_deliveries,message_reads,message_echoes,message_reactions,message_edits';

/** The smallest MP4 that says it is one. */
export function mp4(size = 64): Uint8Array {
  const bytes = Buffer.alloc(size, 7);
  Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex').copy(bytes);
  return bytes;
}

export const sha256 = (body: string, secret = 'sandbox') => createHmac('sha256', secret).update(body).digest('hex');

export async function openFacebookWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('facebook', options);
  const { at, consent, list } = world;

  function graph(verb: string, path: string, params: Params = {}, token?: string) {
    const url = `${at}/graph/v25.0/${path}`;
    if (verb !== 'GET' && verb !== 'DELETE') return world.ask(url, jsonRequest(verb, params, bearer(token)));
    return world.ask(withQuery(url, params), { method: verb, headers: bearer(token) });
  }
  const get = (path: string, token?: string, params?: Params) => graph('GET', path, params, token);
  const post = (path: string, token?: string, params?: Params) => graph('POST', path, params, token);
  const dialog = (params: Record<string, string> = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1' };
    return addressOf(`${at}/www/v25.0/dialog/oauth`, { ...asked, ...params });
  };

  const client = { client_id: 'sandbox', client_secret: 'sandbox' };
  /** Trades a code for a short user token. */
  const exchange = (code: string, more: object = {}) =>
    get('oauth/access_token', undefined, { ...client, redirect_uri: REDIRECT, code, ...more });

  /** Goes through the dialog and both exchanges; answers the long user token. */
  async function login(person = OLIVIA, choice: Params = {}, scopes = SCOPES): Promise<any> {
    const short = await exchange(await consent(dialog({ scope: scopes }), person, choice));
    const trade = { grant_type: 'fb_exchange_token', fb_exchange_token: short.json.access_token };
    return (await get('oauth/access_token', undefined, { ...client, ...trade })).json.access_token;
  }
  /** The Page's id and token, as `/me/accounts` names them. */
  async function pageOf(user: string, name = 'Harbour Coffee') {
    const { data } = (await get('me/accounts', user, { fields: 'id,name,access_token' })).json;
    const found = data.find((one: any) => one.name === name);
    return { id: found.id as string, token: found.access_token as string };
  }

  return {
    ...world,
    graph,
    get,
    post,
    dialog,
    exchange,
    login,
    pageOf,
    /** A subscribed Page of Olivia's. */
    async ready() {
      const user: string = await login();
      const page = await pageOf(user);
      const done = await post(`${page.id}/subscribed_apps`, page.token, { subscribed_fields: FIELDS });
      if (done.status !== 200) throw new Error(done.text);
      return { ...page, user };
    },
    psid: async (page: string, handle: string): Promise<string> =>
      (await list('followers')).find((one) => one.handle === handle).psids[page],
  };
}

/** A subscribed Page of Olivia's, and calls with its token: below the Page where the path begins with a slash. */
export async function openPage(world: FacebookWorld): Promise<Page> {
  const page = await world.ready();
  const call = (verb: string, path: string, params: object = {}) =>
    world.graph(verb, path.startsWith('/') ? page.id + path : path, params as Params, page.token);
  return {
    ...page,
    get: (path, params) => call('GET', path, params),
    list: async (path, params) => (await call('GET', path, params)).json.data,
    post: (path, params) => call('POST', path, params),
    remove: (path) => call('DELETE', path),
  };
}

export { png };

/** What Graph answers to a change. */
export const SUCCESS = { success: true };

/** A Graph error as tests expect it. */
export const refused = (code: number, subcode?: number, status = 400) => ({
  status,
  json: {
    error: expect.objectContaining({
      code,
      fbtrace_id: expect.any(String),
      ...(subcode !== undefined && { error_subcode: subcode }),
    }),
  },
});
