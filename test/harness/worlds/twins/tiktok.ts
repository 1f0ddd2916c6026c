import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import type { Reply } from './bluesky.ts';
import type { Params } from './app.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const PIA = 'pia.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/tiktok';
const SCOPES = 'user.info.basic,user.info.profile,user.info.stats,video.list,video.publish,video.upload';
export const BUSINESS = {
  scope:
    'user.info.basic,video.list,video.publish,comment.list,comment.list.manage,message.list.read,message.list.send,biz.brand.insights',
  redirect_uri: `${REDIRECT}/`,
};

export type TikTokWorld = Omit<TwinWorld, 'ask'> &
  Readonly<{
    /** What was pushed, in order, with its content read. */
    events(): any[];
    dialog(params?: Record<string, string>): string;
    code(creator?: string, params?: Record<string, string>, choice?: Params): Promise<string>;
    /** A token endpoint of TikTok for Developers. */
    token(form: Record<string, string>): Promise<Reply>;
    /** Goes through the consent page; answers the tokens of TikTok for Developers. */
    pair(creator?: string): Promise<any>;
    login(creator?: string): Promise<string>;
    /** A call of TikTok for Developers; without a body it is a GET. */
    call(path: string, token: string | undefined, body?: Params): Promise<Reply>;
    /** Sends the parts of a file as they are cut. */
    put(url: string, bytes: Uint8Array, from: number, end: number, headers?: Record<string, string>): Promise<Reply>;
    /** Posts a video of TikTok for Developers; answers its publish id. */
    post(token: string, info?: Params, bytes?: Uint8Array): Promise<string>;
    status(token: string, publish_id: string): Promise<any>;
    /** A call of the API for Business, whose parameters are a body or a query; answers the envelope. */
    ask(verb: 'GET' | 'POST', path: string, token?: string, params?: Params): Promise<any>;
    fetch(path: string, init?: RequestInit): Promise<Reply>;
    /** Connects an account to the API for Business, with callbacks for all its events. */
    business(creator?: string, isTold?: boolean): Promise<Business>;
  }>;

/** An account of the API for Business. */
export type Business = Readonly<{
  id: string;
  token: string;
  pair: any;
  get(path: string, params?: Params): Promise<any>;
  post(path: string, params?: Params): Promise<any>;
}>;

/** The twin of TikTok with an app that its events go to. */
export async function openTikTokWorld(options: Partial<SandboxOptions> = {}): Promise<TikTokWorld> {
  const world = await openTwinWorld('tiktok', options);
  const { at, act, app } = world;
  const json = { 'content-type': 'application/json' };

  const dialog: TikTokWorld['dialog'] = (params = {}) => {
    const query = { client_key: 'sandbox', response_type: 'code', scope: SCOPES, redirect_uri: REDIRECT, state: 's1' };
    return `${at}/www/v2/auth/authorize/?${new URLSearchParams({ ...query, ...params }).toString()}`;
  };
  const code: TikTokWorld['code'] = async (person = OLIVIA, params = {}, choice = {}) => {
    const { location } = await act('consent', { url: dialog(params), person, ...choice });
    return new URL(location).searchParams.get('code') ?? '';
  };
  const token: TikTokWorld['token'] = (form) =>
    world.ask(`${at}/api/v2/oauth/token/`, {
      method: 'POST',
      body: new URLSearchParams({ client_key: 'sandbox', client_secret: 'sandbox', ...form }),
    });
  const pair: TikTokWorld['pair'] = async (creator) =>
    (await token({ grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await code(creator) })).json;
  const call: TikTokWorld['call'] = async (path, access, body) => {
    const headers = { ...json, ...(access !== undefined && { authorization: `Bearer ${access}` }) };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const reply = await world.ask(`${at}/api${path}`, init);
    await world.sandbox.settle();
    return reply;
  };
  const put: TikTokWorld['put'] = async (url, bytes, from, end, headers = {}) => {
    const range = `bytes ${from}-${end - 1}/${bytes.length}`;
    const body = new Uint8Array(bytes.subarray(from, end));
    const all = { 'content-type': 'video/mp4', 'content-range': range, ...headers };
    return world.ask(url, { method: 'PUT', headers: all, body });
  };

  const ask: TikTokWorld['ask'] = async (method, path, access, params = {}) => {
    const headers = { ...json, ...(access !== undefined && { 'access-token': access }) };
    const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, written(value)]),
    );
    const url = `${at}/business/open_api/v1.3${path}${method === 'GET' ? `?${query.toString()}` : ''}`;
    const body = method === 'GET' ? undefined : JSON.stringify(params);
    const reply = await world.ask(url, { method, headers, ...(body !== undefined && { body }) });
    await world.sandbox.settle();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  const business: TikTokWorld['business'] = async (creator, isTold = true) => {
    const auth_code = await code(creator, BUSINESS);
    const client = { client_id: 'sandbox', client_secret: 'sandbox', redirect_uri: BUSINESS.redirect_uri };
    const form = { ...client, grant_type: 'authorization_code', auth_code };
    const { data: tokens } = await ask('POST', '/tt_user/oauth2/token/', undefined, form);
    const { access_token, open_id: business_id } = tokens;
    const hook = { app_id: 'sandbox', secret: 'sandbox', callback_url: `${app.url}/push/tiktok` };
    for (const event_type of isTold ? ['DIRECT_MESSAGE', 'COMMENT', 'VIDEO', 'BRAND_MENTION'] : [])
      await ask('POST', '/business/webhook/update/', undefined, { ...hook, event_type });
    return {
      id: business_id,
      token: access_token,
      pair: tokens,
      get: (path, params) => ask('GET', path, access_token, { business_id, ...params }),
      post: (path, params) => ask('POST', path, access_token, { business_id, ...params }),
    };
  };

  return {
    ...world,
    fetch: world.ask,
    ask,
    business,
    events: () =>
      app.pushes().map(({ body }) => {
        const { content, ...envelope } = JSON.parse(body);
        return { ...envelope, text: content, content: JSON.parse(content) };
      }),
    dialog,
    code,
    token,
    pair,
    login: async (creator) => (await pair(creator)).access_token,
    call,
    put,
    async post(access, info = {}, bytes = Buffer.alloc(0)) {
      const { length: video_size } = bytes;
      const { json: begun } = await call('/v2/post/publish/video/init/', access, {
        post_info: { privacy_level: 'PUBLIC_TO_EVERYONE', title: 'Beans', ...info },
        source_info: { source: 'FILE_UPLOAD', video_size, chunk_size: video_size, total_chunk_count: 1 },
      });
      const sent = await put(begun.data.upload_url, bytes, 0, video_size);
      if (sent.status !== 201) throw new Error(`upload: ${sent.status} ${sent.text}`);
      return begun.data.publish_id;
    },
    status: async (access, publish_id) =>
      (await call('/v2/post/publish/status/fetch/', access, { publish_id })).json.data,
  };
}
