import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { openWorld, png } from '../twins/bluesky.ts';
import type { Reply, World } from '../twins/bluesky.ts';

export type Params = Record<string, string | number | boolean | object>;
export type Got = Readonly<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }>;

/** The app the twin pushes to, with files anybody may fetch. */
export type App = Readonly<{
  url: string;
  /** What came to the callback, handshakes left out. */
  pushes(): readonly Got[];
  handshakes(): number;
  /** The updates of all pushes, in order. */
  updates(): any[];
  /** What the callback answers from now on; 200 at first. */
  answer(status: number): void;
  /** Handshakes fail from now on, or no more. */
  refuseHandshakes(doRefuse?: boolean): void;
  put(name: string, bytes: Uint8Array, type?: string): string;
  clear(): void;
  close(): Promise<void>;
}>;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const metaProof = ({ searchParams }: URL) =>
  searchParams.get('hub.verify_token') === 'sandbox' ? searchParams.get('hub.challenge') : null;

/** An app whose callback is at a path; `prove` is how it answers a handshake. */
export async function openApp(
  callback = '/push/facebook',
  prove: (url: URL) => string | null = metaProof,
): Promise<App> {
  let got: Got[] = [];
  let status = 200;
  let shakes = 0;
  let proves = true;
  const files = new Map<string, { bytes: Uint8Array; type: string }>();
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const url = new URL(req.url ?? '', 'http://x');
      const file = files.get(url.pathname);
      if (file !== undefined) {
        res.setHeader('content-type', file.type);
        res.end(file.bytes);
      } else if (req.method === 'GET' && url.pathname === callback) {
        shakes += 1;
        const proof = proves ? prove(url) : null;
        res.statusCode = proof === null ? 403 : 200;
        res.end(proof ?? 'no');
      } else if (req.method === 'POST') {
        got.push({ method: 'POST', url: url.pathname, headers: req.headers, body: Buffer.concat(chunks).toString() });
        res.statusCode = status;
        res.end(url.pathname.endsWith('data-deletion') ? '{"url":"https://x.example","confirmation_code":"c1"}' : 'ok');
      } else {
        res.statusCode = 404;
        res.end();
      }
    });
  });
  const url = await listen(server);
  return {
    url,
    pushes: () => got,
    handshakes: () => shakes,
    updates: () =>
      got
        .filter((one) => one.url === callback)
        .flatMap(({ body }) => [JSON.parse(body)].flat())
        .flatMap(({ entry }) => entry)
        .flatMap((entry: any) => entry.changes ?? entry.messaging),
    answer: (next) => void (status = next),
    refuseHandshakes: (doRefuse = true) => void (proves = !doRefuse),
    put(name, bytes, type = 'application/octet-stream') {
      files.set(`/${name}`, { bytes, type });
      return `${url}/${name}`;
    },
    clear: () => void (got = []),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type FacebookWorld = Pick<World, 'sandbox' | 'clock' | 'root' | 'ask' | 'close'> &
  Readonly<{
    app: App;
    /** Below `/sandbox/facebook`. */
    at: string;
    graph(verb: string, path: string, params?: Params, token?: string): Promise<Reply>;
    get(path: string, token?: string, params?: Params): Promise<Reply>;
    post(path: string, token?: string, params?: Params): Promise<Reply>;
    act(name: string, input?: Params): Promise<any>;
    list(name: string): Promise<any[]>;
    dialog(params?: Record<string, string>): string;
    /** Goes through the dialog and both exchanges; answers the long user token. */
    login(person?: string, choice?: Params, scopes?: string): Promise<any>;
    /** The Page's id and token, as `/me/accounts` names them. */
    pageOf(user: string, name?: string): Promise<{ id: string; token: string }>;
    /** A subscribed Page of Olivia's. */
    ready(): Promise<{ id: string; token: string; user: string }>;
    psid(page: string, handle: string): Promise<string>;
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
  const app = await openApp();
  const world = await openWorld({ productUrl: () => app.url, ...options }, 'facebook');
  const at = `${world.root}/sandbox/facebook`;

  const graph: FacebookWorld['graph'] = (verb, path, params = {}, token) => {
    const url = `${at}/graph/v25.0/${path}`;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    if (verb === 'GET' || verb === 'DELETE') {
      const query = new URLSearchParams(
        Object.entries(params).map(([name, value]): [string, string] => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]),
      ).toString();
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
  const control = async (verb: string, name: string, input?: Params) => {
    const init =
      input === undefined ? {} : { body: JSON.stringify(input), headers: { 'content-type': 'application/json' } };
    const reply = await world.ask(`/sandbox/__control/facebook/${name}`, { method: verb, ...init });
    if (reply.status !== 200) throw new Error(`${name}: ${reply.status} ${reply.text.replaceAll(/<[^>]+>/g, ' ')}`);
    return reply.json.data;
  };
  const get: FacebookWorld['get'] = (path, token, params) => graph('GET', path, params, token);
  const post: FacebookWorld['post'] = (path, token, params) => graph('POST', path, params, token);
  const act: FacebookWorld['act'] = async (name, input = {}) => {
    const { done } = await control('POST', name, input);
    await world.sandbox.settle();
    return done;
  };
  const dialog: FacebookWorld['dialog'] = (params = {}) =>
    `${at}/www/v25.0/dialog/oauth?${new URLSearchParams({ client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPES, state: 's1', ...params }).toString()}`;

  async function login(person = OLIVIA, choice: Params = {}, scopes = SCOPES): Promise<any> {
    const { location } = await act('consent', { url: dialog({ scope: scopes }), person, ...choice });
    const code = new URL(location).searchParams.get('code') ?? '';
    const client = { client_id: 'sandbox', client_secret: 'sandbox' };
    const short = await get('oauth/access_token', undefined, { ...client, redirect_uri: REDIRECT, code });
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
    app,
    at,
    graph,
    get,
    post,
    act,
    list: (name) => control('GET', name),
    dialog,
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
      return (await control('GET', 'followers')).find((one: any) => one.handle === handle).psids[page];
    },
    async close() {
      await world.sandbox.settle();
      await world.close();
      await app.close();
    },
  };
}

export { png };

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
