import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { bearer, type Params } from './app.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/threads';
export const SCOPES =
  'threads_basic,threads_content_publish,threads_manage_replies,threads_read_replies,threads_manage_insights,threads_delete,threads_manage_mentions';
export const CLIENT = { client_id: 'sandbox', client_secret: 'sandbox' };

export type ThreadsWorld = TwinWorld &
  Readonly<{
    /** The updates that were pushed, in order. */
    updates(): any[];
    get(path: string, token?: string, params?: Params): Promise<Reply>;
    post(path: string, token?: string, params?: Params): Promise<Reply>;
    del(path: string, token?: string): Promise<Reply>;
    dialog(params?: Record<string, string>): string;
    code(person?: string, choice?: Params): Promise<string>;
    /** Goes through the consent page and one exchange; the token lives for an hour. */
    short(person?: string, choice?: Params): Promise<string>;
    login(person?: string, choice?: Params): Promise<string>;
    /** Publishes something by its two steps; answers its id. */
    publish(token: string, params: Params): Promise<string>;
  }>;

/** The twin of Threads with an app that its updates go to. */
export async function openThreadsWorld(options: Partial<SandboxOptions> = {}): Promise<ThreadsWorld> {
  const world = await openTwinWorld('threads', options);
  const { at, act, app } = world;

  const call = (verb: string, path: string, token: string | undefined, params: Params = {}) => {
    const fields = Object.entries(params).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]);
    const search = new URLSearchParams(fields);
    const headers = bearer(token);
    const isToken = /^(?:oauth\/|refresh_)?access_token$/.test(path);
    const url = `${at}/graph/${isToken ? '' : 'v1.0/'}${path}`;
    if (verb === 'POST') return world.ask(url, { method: verb, headers, body: search });
    return world.ask(`${url}${search.size > 0 ? `${path.includes('?') ? '&' : '?'}${search.toString()}` : ''}`, {
      method: verb,
      headers,
    });
  };
  const get: ThreadsWorld['get'] = (path, token, params) => call('GET', path, token, params);
  const post: ThreadsWorld['post'] = (path, token, params) => call('POST', path, token, params);
  const dialog: ThreadsWorld['dialog'] = (params = {}) =>
    `${at}/www/oauth/authorize?${new URLSearchParams({ client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1', ...params }).toString()}`;

  async function code(person = OLIVIA, choice: Params = {}): Promise<string> {
    const { location } = await act('consent', { url: dialog(), person, ...choice });
    return new URL(location).searchParams.get('code') ?? '';
  }
  async function short(person = OLIVIA, choice: Params = {}): Promise<string> {
    const given = { ...CLIENT, redirect_uri: REDIRECT, grant_type: 'authorization_code' };
    const { json } = await post('oauth/access_token', undefined, { ...given, code: await code(person, choice) });
    return json.access_token;
  }
  async function login(person = OLIVIA, choice: Params = {}): Promise<string> {
    const exchange = { grant_type: 'th_exchange_token', client_secret: 'sandbox' };
    const { json } = await get('access_token', undefined, { ...exchange, access_token: await short(person, choice) });
    return json.access_token;
  }

  return {
    ...world,
    updates: () =>
      app
        .pushes()
        .filter(({ url }) => url === '/push/threads')
        .flatMap(({ body }) => [JSON.parse(body)].flat()),
    get,
    post,
    del: (path, token) => call('DELETE', path, token),
    dialog,
    code,
    short,
    login,
    async publish(token, params) {
      const container = await post('me/threads', token, params);
      if (container.status !== 200) throw new Error(container.text);
      const { status, json, text } = await post('me/threads_publish', token, { creation_id: container.json.id });
      if (status !== 200) throw new Error(text);
      return json.id;
    },
  };
}
