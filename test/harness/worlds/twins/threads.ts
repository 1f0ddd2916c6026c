import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, searchOf, withQuery, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/threads';
const SCOPES =
  'threads_basic,threads_content_publish,threads_manage_replies,threads_read_replies,threads_manage_insights,threads_delete,threads_manage_mentions';
export const CLIENT = { client_id: 'sandbox', client_secret: 'sandbox' };

export type ThreadsWorld = Awaited<ReturnType<typeof openThreadsWorld>>;

/** The simulator of Threads with an app that its updates go to. */
export async function openThreadsWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('threads', options);
  const { at, consent, app } = world;

  const call = (verb: string, path: string, token: string | undefined, params: Params = {}) => {
    const headers = bearer(token);
    const isToken = /^(?:oauth\/|refresh_)?access_token$/.test(path);
    const url = `${at}/graph/${isToken ? '' : 'v1.0/'}${path}`;
    if (verb === 'POST') return world.ask(url, { method: verb, headers, body: searchOf(params) });
    return world.ask(withQuery(url, params), { method: verb, headers });
  };
  const get = (path: string, token?: string, params?: Params) => call('GET', path, token, params);
  const post = (path: string, token?: string, params?: Params) => call('POST', path, token, params);
  const dialog = (params: Record<string, string> = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1' };
    return addressOf(`${at}/www/oauth/authorize`, { ...asked, ...params });
  };

  const code = (person = OLIVIA, choice: Params = {}) => consent(dialog(), person, choice);
  /** Goes through the consent page and one exchange; the token lives for an hour. */
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
    /** The updates that were pushed, in order. */
    updates: app.received,
    get,
    post,
    del: (path: string, token?: string) => call('DELETE', path, token),
    dialog,
    code,
    short,
    login,
    /** Publishes something by its two steps; answers its id. */
    async publish(token: string, params: Params): Promise<string> {
      const container = await post('me/threads', token, params);
      if (container.status !== 200) throw new Error(container.text);
      const { status, json, text } = await post('me/threads_publish', token, { creation_id: container.json.id });
      if (status !== 200) throw new Error(text);
      return json.id;
    },
  };
}
