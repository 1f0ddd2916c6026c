import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, jsonRequest, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/pinterest';
const SCOPES = 'boards:read,boards:write,pins:read,pins:write,user_accounts:read';

export type PinterestWorld = Awaited<ReturnType<typeof openPinterestWorld>>;

/** The simulator of Pinterest. */
export async function openPinterestWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('pinterest', options);
  const { at, consent } = world;
  const dialog = (params: Record<string, string> = {}) => {
    const query = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1' };
    return addressOf(`${at}/www/oauth/`, { ...query, ...params });
  };
  const code = (person = OLIVIA, params: Record<string, string> = {}, choice: Params = {}) =>
    consent(dialog(params), person, choice);
  const token = (form: Record<string, string>, basic = 'sandbox:sandbox') =>
    world.ask(`${at}/api/v5/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
      body: new URLSearchParams(form),
    });
  const pair = async (person?: string, params?: Record<string, string>) => {
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await code(person, params) };
    return (await token(form)).json;
  };
  const call = (method: string, path: string, access?: string, body?: Params) =>
    world.ask(`${at}/api/v5${path}`, jsonRequest(method, body, bearer(access)));
  /** The first board of whoever has a token. */
  const board = async (access: string): Promise<string> => (await call('GET', '/boards', access)).json.items[0].id;

  return {
    ...world,
    dialog,
    code,
    token,
    pair,
    login: async (person?: string, params?: Record<string, string>): Promise<string> =>
      (await pair(person, params)).access_token,
    call,
    board,
    /** Makes a pin of a picture; answers it. */
    async pin(access: string, more: Params = {}) {
      const body = { board_id: await board(access), title: 'Beans', description: 'From the hills', ...more };
      const reply = await call('POST', '/pins', access, body);
      if (reply.status !== 201) throw new Error(`pin: ${reply.status} ${reply.text}`);
      return reply.json;
    },
    /** Sends a file through the form of a registered upload. */
    send(url: string, fields: Record<string, string>, file: Uint8Array, isLast = true) {
      const body = new FormData();
      if (!isLast) body.set('file', new Blob([new Uint8Array(file)]), 'a.mp4');
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      if (isLast) body.set('file', new Blob([new Uint8Array(file)]), 'a.mp4');
      return world.ask(url, { method: 'POST', body });
    },
  };
}
