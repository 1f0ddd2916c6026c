import { createHash } from 'node:crypto';
import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, jsonRequest, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/zalo';
export const VERIFIER = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export type ZaloWorld = Awaited<ReturnType<typeof openZaloWorld>>;

/** The simulator of Zalo with an app that its events go to. */
export async function openZaloWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('zalo', options);
  const { at, act, consent, list, app } = world;
  const headersOf = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { access_token: token };

  const get = (path: string, token?: string, query: Record<string, string> = {}) =>
    world.ask(addressOf(`${at}/openapi${path}`, query), { headers: headersOf(token) });
  const post = async (path: string, token: string | undefined, body: Params) => {
    const reply = await world.ask(`${at}/openapi${path}`, jsonRequest('POST', body, headersOf(token)));
    await world.sandbox.settle();
    return reply;
  };
  const dialog = (params: Record<string, string> = {}) => {
    const query = { app_id: 'sandbox', redirect_uri: REDIRECT, code_challenge: CHALLENGE, state: 's1', ...params };
    return addressOf(`${at}/consent/v4/oa/permission`, query);
  };
  const code = (person = OLIVIA, choice: Params = {}) => consent(dialog(), person, choice);
  const token = (form: Record<string, string>, secret = 'sandbox') =>
    world.ask(`${at}/oauth/v4/oa/access_token`, {
      method: 'POST',
      headers: { secret_key: secret },
      body: new URLSearchParams({ app_id: 'sandbox', ...form }),
    });
  /** Goes through the consent page; answers the tokens. */
  const pair = async (account?: string) => {
    const form = { grant_type: 'authorization_code', code_verifier: VERIFIER, code: await code(account) };
    return (await token(form)).json;
  };

  return {
    ...world,
    /** What was pushed, in order. */
    events: () => app.pushes().map(({ body }) => JSON.parse(body)),
    get,
    /** A reading call, whose parameters are one JSON text. */
    read: (path: string, access: string, data: Params) => get(path, access, { data: JSON.stringify(data) }),
    post,
    upload(path: string, access: string, bytes: Uint8Array, name: string) {
      const body = new FormData();
      body.set('file', new Blob([new Uint8Array(bytes)]), name);
      return world.ask(`${at}/openapi${path}`, { method: 'POST', headers: headersOf(access), body });
    },
    dialog,
    code,
    token,
    pair,
    login: async (account?: string): Promise<string> => (await pair(account)).access_token,
    /** The id that an account knows a user by, once they have written to it. */
    async user(person: string, account = OLIVIA): Promise<string> {
      await act('write', { person, account, text: 'Hello' });
      const ties = await list('ties');
      const who = world.sandbox.people().find(({ handle }) => handle === account)!.id;
      const named = (await list('people')).find(({ handle }) => handle === person);
      return ties.find((tie) => tie.page_id === who && tie.person === named.id).id;
    },
    /** Sends a message; answers the whole body. */
    send: async (access: string, user: string, message: Params) =>
      (await post('/v3.0/oa/message/cs', access, { recipient: { user_id: user }, message })).json,
  };
}
