import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import type { Reply } from './bluesky.ts';
import type { Params } from './app.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/pinterest';
const SCOPES = 'boards:read,boards:write,pins:read,pins:write,user_accounts:read';

export type PinterestWorld = TwinWorld &
  Readonly<{
    dialog(params?: Record<string, string>): string;
    code(person?: string, params?: Record<string, string>, choice?: Params): Promise<string>;
    token(form: Record<string, string>, basic?: string): Promise<Reply>;
    pair(person?: string, params?: Record<string, string>): Promise<any>;
    login(person?: string, params?: Record<string, string>): Promise<string>;
    call(verb: string, path: string, token?: string, body?: Params): Promise<Reply>;
    /** The first board of whoever has a token. */
    board(token: string): Promise<string>;
    /** Makes a pin of a picture; answers it. */
    pin(token: string, more?: Params): Promise<any>;
    /** Sends a file through the form of a registered upload. */
    send(url: string, fields: Record<string, string>, file: Uint8Array, isLast?: boolean): Promise<Reply>;
  }>;

/** The twin of Pinterest. */
export async function openPinterestWorld(options: Partial<SandboxOptions> = {}): Promise<PinterestWorld> {
  const world = await openTwinWorld('pinterest', options);
  const { at, act } = world;
  const dialog: PinterestWorld['dialog'] = (params = {}) => {
    const query = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1' };
    return `${at}/www/oauth/?${new URLSearchParams({ ...query, ...params }).toString()}`;
  };
  const code: PinterestWorld['code'] = async (person = OLIVIA, params = {}, choice = {}) => {
    const { location } = await act('consent', { url: dialog(params), person, ...choice });
    return new URL(location).searchParams.get('code') ?? '';
  };
  const token: PinterestWorld['token'] = (form, basic = 'sandbox:sandbox') =>
    world.ask(`${at}/api/v5/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
      body: new URLSearchParams(form),
    });
  const pair: PinterestWorld['pair'] = async (person, params) => {
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await code(person, params) };
    return (await token(form)).json;
  };
  const call: PinterestWorld['call'] = (method, path, access, body) => {
    const headers = {
      ...(access !== undefined && { authorization: `Bearer ${access}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return world.ask(`${at}/api/v5${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const board: PinterestWorld['board'] = async (access) => (await call('GET', '/boards', access)).json.items[0].id;

  return {
    ...world,
    dialog,
    code,
    token,
    pair,
    login: async (person, params) => (await pair(person, params)).access_token,
    call,
    board,
    async pin(access, more = {}) {
      const body = { board_id: await board(access), title: 'Beans', description: 'From the hills', ...more };
      const reply = await call('POST', '/pins', access, body);
      if (reply.status !== 201) throw new Error(`pin: ${reply.status} ${reply.text}`);
      return reply.json;
    },
    send(url, fields, file, isLast = true) {
      const body = new FormData();
      if (!isLast) body.set('file', new Blob([new Uint8Array(file)]), 'a.mp4');
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      if (isLast) body.set('file', new Blob([new Uint8Array(file)]), 'a.mp4');
      return world.ask(url, { method: 'POST', body });
    },
  };
}
