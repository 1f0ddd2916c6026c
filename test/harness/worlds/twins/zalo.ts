import { createHash } from 'node:crypto';
import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { type Params } from './app.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/zalo';
export const VERIFIER = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export type ZaloWorld = TwinWorld &
  Readonly<{
    /** What was pushed, in order. */
    events(): any[];
    get(path: string, token?: string, query?: Record<string, string>): Promise<Reply>;
    /** A reading call, whose parameters are one JSON text. */
    read(path: string, token: string, data: Params): Promise<Reply>;
    post(path: string, token: string | undefined, body: Params): Promise<Reply>;
    upload(path: string, token: string, bytes: Uint8Array, name: string): Promise<Reply>;
    dialog(params?: Record<string, string>): string;
    code(account?: string, choice?: Params): Promise<string>;
    token(form: Record<string, string>, secret?: string): Promise<Reply>;
    /** Goes through the consent page; answers the tokens. */
    pair(account?: string): Promise<any>;
    login(account?: string): Promise<string>;
    /** The id that an account knows a user by, once they have written to it. */
    user(person: string, account?: string): Promise<string>;
    /** Sends a message; answers the whole body. */
    send(token: string, user: string, message: Params): Promise<any>;
  }>;

/** The twin of Zalo with an app that its events go to. */
export async function openZaloWorld(options: Partial<SandboxOptions> = {}): Promise<ZaloWorld> {
  const world = await openTwinWorld('zalo', options);
  const { at, act, list, app } = world;
  const headersOf = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { access_token: token };

  const get: ZaloWorld['get'] = (path, token, query = {}) =>
    world.ask(`${at}/openapi${path}?${new URLSearchParams(query).toString()}`, { headers: headersOf(token) });
  const post: ZaloWorld['post'] = async (path, token, body) => {
    const headers = { ...headersOf(token), 'content-type': 'application/json' };
    const reply = await world.ask(`${at}/openapi${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    await world.sandbox.settle();
    return reply;
  };
  const dialog: ZaloWorld['dialog'] = (params = {}) => {
    const query = { app_id: 'sandbox', redirect_uri: REDIRECT, code_challenge: CHALLENGE, state: 's1', ...params };
    return `${at}/consent/v4/oa/permission?${new URLSearchParams(query).toString()}`;
  };
  const code: ZaloWorld['code'] = async (person = OLIVIA, choice = {}) => {
    const { location } = await act('consent', { url: dialog(), person, ...choice });
    return new URL(location).searchParams.get('code') ?? '';
  };
  const token: ZaloWorld['token'] = (form, secret = 'sandbox') =>
    world.ask(`${at}/oauth/v4/oa/access_token`, {
      method: 'POST',
      headers: { secret_key: secret },
      body: new URLSearchParams({ app_id: 'sandbox', ...form }),
    });
  const pair: ZaloWorld['pair'] = async (account) => {
    const form = { grant_type: 'authorization_code', code_verifier: VERIFIER, code: await code(account) };
    return (await token(form)).json;
  };

  return {
    ...world,
    events: () => app.pushes().map(({ body }) => JSON.parse(body)),
    get,
    read: (path, access, data) => get(path, access, { data: JSON.stringify(data) }),
    post,
    upload(path, access, bytes, name) {
      const body = new FormData();
      body.set('file', new Blob([new Uint8Array(bytes)]), name);
      return world.ask(`${at}/openapi${path}`, { method: 'POST', headers: headersOf(access), body });
    },
    dialog,
    code,
    token,
    pair,
    login: async (account) => (await pair(account)).access_token,
    async user(person, account = OLIVIA) {
      await act('write', { person, account, text: 'Hello' });
      const ties = await list('ties');
      const who = world.sandbox.people().find(({ handle }) => handle === account)!.id;
      const named = (await list('people')).find(({ handle }: any) => handle === person);
      return ties.find((tie: any) => tie.page_id === who && tie.person === named.id).id;
    },
    send: async (access, user, message) =>
      (await post('/v3.0/oa/message/cs', access, { recipient: { user_id: user }, message })).json,
  };
}
