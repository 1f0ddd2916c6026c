import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { bearer, searchOf, type Params } from './app.ts';
import { png, type Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export type FacebookWorld = TwinWorld &
  Readonly<{
    graph(verb: string, path: string, params?: Params, token?: string): Promise<Reply>;
    get(path: string, token?: string, params?: Params): Promise<Reply>;
    post(path: string, token?: string, params?: Params): Promise<Reply>;
    dialog(params?: Record<string, string>): string;
    /** Trades a code for a short user token. */
    exchange(code: string, more?: object): Promise<Reply>;
    /** Goes through the dialog and both exchanges; answers the long user token. */
    login(person?: string, choice?: Params, scopes?: string): Promise<any>;
    /** The Page's id and token, as `/me/accounts` names them. */
    pageOf(user: string, name?: string): Promise<{ id: string; token: string }>;
    /** A subscribed Page of Olivia's. */
    ready(): Promise<{ id: string; token: string; user: string }>;
    psid(page: string, handle: string): Promise<string>;
  }>;

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

export async function openFacebookWorld(options: Partial<SandboxOptions> = {}): Promise<FacebookWorld> {
  const world = await openTwinWorld('facebook', options);
  const { at, act, list } = world;

  const graph: FacebookWorld['graph'] = (verb, path, params = {}, token) => {
    const url = `${at}/graph/v25.0/${path}`;
    const headers = bearer(token);
    if (verb === 'GET' || verb === 'DELETE') {
      const query = searchOf(params).toString();
      return world.ask(query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`, {
        method: verb,
        headers,
      });
    }
    return world.ask(url, {
      method: verb,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
  };
  const get: FacebookWorld['get'] = (path, token, params) => graph('GET', path, params, token);
  const post: FacebookWorld['post'] = (path, token, params) => graph('POST', path, params, token);
  const dialog: FacebookWorld['dialog'] = (params = {}) =>
    `${at}/www/v25.0/dialog/oauth?${new URLSearchParams({ client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1', ...params }).toString()}`;

  const client = { client_id: 'sandbox', client_secret: 'sandbox' };
  const exchange: FacebookWorld['exchange'] = (code, more = {}) =>
    get('oauth/access_token', undefined, { ...client, redirect_uri: REDIRECT, code, ...more });

  async function login(person = OLIVIA, choice: Params = {}, scopes = SCOPES): Promise<any> {
    const { location } = await act('consent', { url: dialog({ scope: scopes }), person, ...choice });
    const code = new URL(location).searchParams.get('code') ?? '';
    const short = await exchange(code);
    const long = await get('oauth/access_token', undefined, {
      ...client,
      grant_type: 'fb_exchange_token',
      fb_exchange_token: short.json.access_token,
    });
    return long.json.access_token;
  }
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
    async ready() {
      const user = await login();
      const page = await pageOf(user);
      const done = await post(`${page.id}/subscribed_apps`, page.token, { subscribed_fields: FIELDS });
      if (done.status !== 200) throw new Error(done.text);
      return { ...page, user };
    },
    async psid(page, handle) {
      return (await list('followers')).find((one: any) => one.handle === handle).psids[page];
    },
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
