import { createHash } from 'node:crypto';
import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, jsonRequest, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const PIA = 'pia.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/tiktok';
const VERIFIER = 'v'.repeat(43);
const SCOPES = 'user.info.basic,user.info.profile,user.info.stats,video.list,video.publish,video.upload';
export const BUSINESS = {
  scope:
    'user.info.basic,video.list,video.publish,comment.list,comment.list.manage,message.list.read,message.list.send,biz.brand.insights',
  redirect_uri: `${REDIRECT}/`,
};

export type TikTokWorld = Awaited<ReturnType<typeof openTikTokWorld>>;
export type Business = Awaited<ReturnType<TikTokWorld['business']>>;

const JSON_TYPE = { 'content-type': 'application/json' };

/** The simulator of TikTok with an app that its events go to. */
export async function openTikTokWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('tiktok', options);
  const { at, consent, app } = world;

  const dialog = (params: Record<string, string> = {}) => {
    const query = { client_key: 'sandbox', response_type: 'code', scope: SCOPES, redirect_uri: REDIRECT, state: 's1' };
    const code_challenge = createHash('sha256').update(VERIFIER).digest('hex');
    return addressOf(`${at}/www/v2/auth/authorize/`, { ...query, code_challenge, ...params });
  };
  const code = (person = OLIVIA, params: Record<string, string> = {}, choice: Params = {}) =>
    consent(dialog(params), person, choice);
  /** A token endpoint of TikTok for Developers. */
  const token = (form: Record<string, string>) =>
    world.ask(`${at}/api/v2/oauth/token/`, {
      method: 'POST',
      body: new URLSearchParams({
        client_key: 'sandbox',
        client_secret: 'sandbox',
        ...(form['grant_type'] === 'authorization_code' && { code_verifier: VERIFIER }),
        ...form,
      }),
    });
  /** Goes through the consent page; answers the tokens of TikTok for Developers. */
  const pair = async (creator?: string) =>
    (await token({ grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await code(creator) })).json;
  /** A call of TikTok for Developers; without a body it is a GET. */
  const call = async (path: string, access: string | undefined, body?: Params) => {
    const method = body === undefined ? 'GET' : 'POST';
    const reply = await world.ask(`${at}/api${path}`, jsonRequest(method, body, { ...JSON_TYPE, ...bearer(access) }));
    await world.sandbox.settle();
    return reply;
  };
  /** Sends the parts of a file as they are cut. */
  const put = (url: string, bytes: Uint8Array, from: number, end: number, headers: Record<string, string> = {}) => {
    const range = `bytes ${from}-${end - 1}/${bytes.length}`;
    const body = new Uint8Array(bytes.subarray(from, end));
    const all = { 'content-type': 'video/mp4', 'content-range': range, ...headers };
    return world.ask(url, { method: 'PUT', headers: all, body });
  };

  /** A call of the API for Business, whose parameters are a body or a query; answers the envelope. */
  const ask = async (method: 'GET' | 'POST', path: string, access?: string, params: Params = {}): Promise<any> => {
    const headers = { ...JSON_TYPE, ...(access !== undefined && { 'access-token': access }) };
    const url = `${at}/business/open_api/v1.3${path}`;
    const isRead = method === 'GET';
    const request = jsonRequest(method, isRead ? undefined : params, headers);
    const reply = await world.ask(isRead ? addressOf(url, params) : url, request);
    await world.sandbox.settle();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  /** Connects an account to the API for Business, with callbacks for all its events. */
  const business = async (creator?: string, isTold = true) => {
    const auth_code = await code(creator, BUSINESS);
    const client = { client_id: 'sandbox', client_secret: 'sandbox', redirect_uri: BUSINESS.redirect_uri };
    const form = { ...client, grant_type: 'authorization_code', auth_code };
    const { data: tokens } = await ask('POST', '/tt_user/oauth2/token/', undefined, form);
    const { access_token, open_id: business_id } = tokens;
    const hook = { app_id: 'sandbox', secret: 'sandbox', callback_url: `${app.url}/push/tiktok` };
    for (const event_type of isTold ? ['DIRECT_MESSAGE', 'COMMENT', 'VIDEO', 'BRAND_MENTION'] : [])
      await ask('POST', '/business/webhook/update/', undefined, { ...hook, event_type });
    return {
      id: business_id as string,
      token: access_token as string,
      pair: tokens,
      get: (path: string, params?: Params) => ask('GET', path, access_token, { business_id, ...params }),
      post: (path: string, params?: Params) => ask('POST', path, access_token, { business_id, ...params }),
    };
  };

  return {
    ...world,
    fetch: world.ask,
    ask,
    business,
    /** What was pushed, in order, with its content read. */
    events: () =>
      app.pushes().map(({ body }) => {
        const { content, ...envelope } = JSON.parse(body);
        return { ...envelope, text: content, content: JSON.parse(content) };
      }),
    dialog,
    code,
    token,
    pair,
    login: async (creator?: string): Promise<string> => (await pair(creator)).access_token,
    call,
    put,
    /** Posts a video of TikTok for Developers; answers its publish id. */
    async post(access: string, info: Params = {}, bytes: Uint8Array = Buffer.alloc(0)): Promise<string> {
      const { length: video_size } = bytes;
      const { json: begun } = await call('/v2/post/publish/video/init/', access, {
        post_info: { privacy_level: 'PUBLIC_TO_EVERYONE', title: 'Beans', ...info },
        source_info: { source: 'FILE_UPLOAD', video_size, chunk_size: video_size, total_chunk_count: 1 },
      });
      const sent = await put(begun.data.upload_url, bytes, 0, video_size);
      if (sent.status !== 201) throw new Error(`upload: ${sent.status} ${sent.text}`);
      return begun.data.publish_id;
    },
    status: async (access: string, publish_id: string) =>
      (await call('/v2/post/publish/status/fetch/', access, { publish_id })).json.data,
  };
}
