import { createHash, createHmac } from 'node:crypto';
import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { bearer, openApp, type Params } from './app.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/twitter';
export const VERIFIER = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const SCOPE =
  'tweet.read tweet.write tweet.moderate.write users.read media.write dm.read dm.write like.read like.write offline.access';

/** An app of a customer, as the twin lists it. */
export type XApp = Readonly<{ id: string; client_secret: string; consumer_key: string; consumer_secret: string }>;

export type XWorld = TwinWorld &
  Readonly<{
    /** The pushes, in order. */
    events(): any[];
    /** A call of the API; a body is sent as JSON. */
    call(verb: string, path: string, token?: string, body?: Params | FormData): Promise<Reply>;
    get(path: string, token: string, query?: Record<string, string>): Promise<Reply>;
    /** The app that somebody had from the first day. */
    own(person?: string): Promise<XApp>;
    dialog(client: string, params?: Record<string, string>): string;
    code(person?: string, choice?: Params, params?: Record<string, string>): Promise<string>;
    token(form: Record<string, string>, app?: Pick<XApp, 'id' | 'client_secret'>): Promise<Reply>;
    /** Goes through the consent page; answers the tokens. */
    pair(person?: string, params?: Record<string, string>): Promise<any>;
    login(person?: string): Promise<string>;
    /** The token that an app has for itself. */
    bearer(app?: XApp): Promise<string>;
    id(person: string): Promise<string>;
    /** A file that is ready for a post; the answer of its end. */
    upload(token: string, bytes: Uint8Array, mime: string, category: string, segment?: number): Promise<Reply>;
  }>;

/** The twin of X with an app that its events go to. */
export async function openXWorld(options: Partial<SandboxOptions> = {}): Promise<XWorld> {
  let secret = '';
  const world = await openTwinWorld(
    'twitter',
    options,
    openApp('/push/twitter', ({ searchParams }) => {
      const mac = createHmac('sha256', secret).update(searchParams.get('crc_token') ?? '');
      return JSON.stringify({ response_token: `sha256=${mac.digest('base64')}` });
    }),
  );
  const { at, act, list, app } = world;

  const call: XWorld['call'] = async (verb, path, token, body) => {
    const headers = bearer(token);
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    const init = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const reply = await world.ask(`${at}/api${path}`, { method: verb, headers, ...init });
    await world.sandbox.settle();
    return reply;
  };
  const id: XWorld['id'] = async (person) => (await list('people')).find(({ handle }) => handle === person).id;
  const own: XWorld['own'] = async (person = OLIVIA) => {
    const owner = await id(person);
    return (await list('apps')).find(({ page_id }) => page_id === owner);
  };
  const basic = (name: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const dialog: XWorld['dialog'] = (client_id, params = {}) => {
    const asked = { response_type: 'code', client_id, redirect_uri: REDIRECT, scope: SCOPE, state: 's1' };
    const proof = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    return `${at}/www/i/oauth2/authorize?${new URLSearchParams({ ...asked, ...proof, ...params }).toString()}`;
  };
  const code: XWorld['code'] = async (person = OLIVIA, choice = {}, params = {}) => {
    const { location } = await act('consent', { url: dialog((await own()).id, params), person, ...choice });
    return new URL(location).searchParams.get('code') ?? '';
  };
  const token: XWorld['token'] = async (form, client) => {
    const { id: name, client_secret } = client ?? (await own());
    const body = new URLSearchParams(form);
    return world.ask(`${at}/api/2/oauth2/token`, { method: 'POST', headers: basic(name, client_secret), body });
  };
  const pair: XWorld['pair'] = async (person, params) => {
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: VERIFIER };
    return (await token({ ...form, code: await code(person, {}, params) })).json;
  };

  return {
    ...world,
    events: () => app.pushes().map(({ body }) => JSON.parse(body)),
    call,
    get: (path, access, query = {}) => call('GET', `${path}?${new URLSearchParams(query).toString()}`, access),
    own,
    dialog,
    code,
    token,
    pair,
    login: async (person) => (await pair(person)).access_token,
    async bearer(given) {
      const client = given ?? (await own());
      secret = client.consumer_secret;
      const headers = basic(client.consumer_key, client.consumer_secret);
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      return (await world.ask(`${at}/api/oauth2/token`, { method: 'POST', headers, body })).json.access_token;
    },
    id,
    async upload(access, bytes, media_type, media_category, segment = bytes.length) {
      const asked = { media_type, media_category, total_bytes: bytes.length };
      const begun = await call('POST', '/2/media/upload/initialize', access, asked);
      if (begun.status !== 200) return begun;
      const path = `/2/media/upload/${begun.json.data.id}`;
      for (let index = 0; index * segment < bytes.length; index += 1) {
        const body = new FormData();
        body.set('segment_index', String(index));
        body.set('media', new Blob([new Uint8Array(bytes.subarray(index * segment, (index + 1) * segment))]), 'part');
        const sent = await call('POST', `${path}/append`, access, body);
        if (sent.status !== 200) return sent;
      }
      return call('POST', `${path}/finalize`, access);
    },
  };
}
