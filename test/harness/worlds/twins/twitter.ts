import { createHash, createHmac } from 'node:crypto';
import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, jsonRequest, openApp, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/twitter';
export const VERIFIER = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const SCOPE =
  'tweet.read tweet.write tweet.moderate.write users.read media.write dm.read dm.write like.read like.write offline.access';

/** An app of a customer, as the simulator lists it. */
export type XApp = Readonly<{ id: string; client_secret: string; consumer_key: string; consumer_secret: string }>;

export type XWorld = Awaited<ReturnType<typeof openXWorld>>;

/** The simulator of X with an app that its events go to. */
export async function openXWorld(options: Partial<SandboxOptions> = {}) {
  let secret = '';
  const world = await openTwinWorld(
    'twitter',
    options,
    openApp('/push/twitter', ({ searchParams }) => {
      const mac = createHmac('sha256', secret).update(searchParams.get('crc_token') ?? '');
      return JSON.stringify({ response_token: `sha256=${mac.digest('base64')}` });
    }),
  );
  const { at, consent, list, app } = world;

  /** A call of the API; a body is sent as JSON. */
  const call = async (method: string, path: string, token?: string, body?: Params | FormData) => {
    const headers = bearer(token);
    const init = body instanceof FormData ? { method, headers, body } : jsonRequest(method, body, headers);
    const reply = await world.ask(`${at}/api${path}`, init);
    await world.sandbox.settle();
    return reply;
  };
  const id = async (person: string): Promise<string> =>
    (await list('people')).find(({ handle }) => handle === person).id;
  /** The app that somebody had from the first day. */
  const own = async (person = OLIVIA): Promise<XApp> => {
    const owner = await id(person);
    return (await list('apps')).find(({ page_id }) => page_id === owner);
  };
  const basic = (name: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const dialog = (client_id: string, params: Record<string, string> = {}) => {
    const asked = { response_type: 'code', client_id, redirect_uri: REDIRECT, scope: SCOPE, state: 's1' };
    const proof = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    return addressOf(`${at}/www/i/oauth2/authorize`, { ...asked, ...proof, ...params });
  };
  const code = async (person = OLIVIA, choice: Params = {}, params: Record<string, string> = {}) =>
    consent(dialog((await own()).id, params), person, choice);
  const token = async (form: Record<string, string>, client?: Pick<XApp, 'id' | 'client_secret'>) => {
    const { id: name, client_secret } = client ?? (await own());
    const body = new URLSearchParams(form);
    return world.ask(`${at}/api/2/oauth2/token`, { method: 'POST', headers: basic(name, client_secret), body });
  };
  /** Goes through the consent page; answers the tokens. */
  const pair = async (person?: string, params?: Record<string, string>) => {
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: VERIFIER };
    return (await token({ ...form, code: await code(person, {}, params) })).json;
  };

  return {
    ...world,
    /** The pushes, in order. */
    events: () => app.pushes().map(({ body }) => JSON.parse(body)),
    call,
    get: (path: string, access: string, query: Record<string, string> = {}) =>
      call('GET', addressOf(path, query), access),
    own,
    dialog,
    code,
    token,
    pair,
    login: async (person?: string): Promise<string> => (await pair(person)).access_token,
    /** The token that an app has for itself. */
    async bearer(given?: XApp): Promise<string> {
      const client = given ?? (await own());
      secret = client.consumer_secret;
      const headers = basic(client.consumer_key, client.consumer_secret);
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      return (await world.ask(`${at}/api/oauth2/token`, { method: 'POST', headers, body })).json.access_token;
    },
    id,
    /** A file that is ready for a post; the answer of its end. */
    async upload(
      access: string,
      bytes: Uint8Array,
      media_type: string,
      media_category: string,
      segment = bytes.length,
    ) {
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
