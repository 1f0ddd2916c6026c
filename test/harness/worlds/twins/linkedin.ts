import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { bearer, end, listen, type Params } from './app.ts';
import { openWorld, type Reply, type World } from './bluesky.ts';
import { controlOf, type Control } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/linkedin';
export const VERSION = '202607';
const SCOPES = `openid profile email r_basicprofile w_member_social w_organization_social r_organization_social
  rw_organization_admin r_member_postAnalytics`.replaceAll(/\s+/g, ' ');

/** A value as it stands in an address: parentheses have a meaning of their own there. */
export const urn = (value: string): string => encodeURIComponent(value).replaceAll('(', '%28').replaceAll(')', '%29');

/** The app that notifications go to. */
export type Webhook = Readonly<{
  url: string;
  got: { signature: unknown; body: string }[];
  challenges(): number;
  /** How it answers from now on: challenges, and notifications by a status. */
  behave(how: Readonly<{ proves?: boolean; status?: number }>): void;
  close(): Promise<void>;
}>;

async function openWebhook(): Promise<Webhook> {
  const got: Webhook['got'] = [];
  let challenges = 0;
  let how = { proves: true, status: 200 };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const challengeCode = new URL(req.url ?? '', 'http://x').searchParams.get('challengeCode');
      if (req.method === 'GET' && challengeCode !== null) {
        challenges += 1;
        const proof = createHmac('sha256', how.proves ? 'sandbox' : 'wrong')
          .update(challengeCode)
          .digest('hex');
        res.setHeader('content-type', 'application/json');
        res.end(JSON.stringify({ challengeCode, challengeResponse: proof }));
        return;
      }
      res.statusCode = how.status;
      if (how.status === 200)
        got.push({ signature: req.headers['x-li-signature'], body: Buffer.concat(chunks).toString() });
      res.end();
    });
  });
  const url = await listen(server);
  return {
    url,
    got,
    challenges: () => challenges,
    behave: (next) => void (how = { ...how, ...next }),
    close: () => end(server),
  };
}

export type LinkedinWorld = Pick<World, 'sandbox' | 'clock' | 'root' | 'ask'> &
  Control &
  Readonly<{
    app: Webhook;
    at: string;
    /** A call of the API; `method` is the method of Rest.li. */
    call(verb: string, path: string, token?: string, body?: unknown, headers?: Params): Promise<Reply>;
    upload(url: string, bytes: Uint8Array, token?: string): Promise<Reply>;
    dialog(params?: Record<string, string>): string;
    code(person?: string, scope?: string): Promise<string>;
    oauth(form: Record<string, string>, path?: string): Promise<Reply>;
    /** Goes through the consent page; answers the tokens. */
    pair(person?: string, scope?: string): Promise<any>;
    login(person?: string, scope?: string): Promise<string>;
    person(handle?: string): Promise<string>;
    organization(name?: string): Promise<string>;
    /** Publishes; answers the URN. */
    post(token: string, author: string, commentary: string, more?: Params): Promise<string>;
    /** Uploads a file that is ready; answers its URN. */
    file(token: string, owner: string, kind: 'image' | 'document', bytes: Uint8Array): Promise<string>;
    close(): Promise<void>;
  }>;

export const postBody = (author: string, commentary: string, more: Params = {}): Params => ({
  author,
  commentary,
  visibility: 'PUBLIC',
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: 'PUBLISHED',
  isReshareDisabledByAuthor: false,
  ...more,
});

/** The twin of LinkedIn with an app that its notifications go to. */
export async function openLinkedinWorld(options: Partial<SandboxOptions> = {}): Promise<LinkedinWorld> {
  const app = await openWebhook();
  const world = await openWorld({ productUrl: () => app.url, ...options }, 'linkedin');
  const at = `${world.root}/sandbox/linkedin`;
  const { act, list } = controlOf(world, 'linkedin');
  const call: LinkedinWorld['call'] = async (verb, path, token, body, more = {}) => {
    const headers: Record<string, string> = {
      'linkedin-version': VERSION,
      'x-restli-protocol-version': '2.0.0',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(more as Record<string, string>),
    };
    const init = { method: verb, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const reply = await world.ask(`${at}/api${path}`, init);
    await world.sandbox.settle();
    return reply;
  };
  const upload: LinkedinWorld['upload'] = (url, bytes, token) => {
    const headers = bearer(token);
    return world.ask(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  };
  const dialog: LinkedinWorld['dialog'] = (params = {}) => {
    const own = { response_type: 'code', client_id: 'sandbox', redirect_uri: REDIRECT, scope: SCOPES, state: 's1' };
    return `${at}/www/oauth/v2/authorization?${new URLSearchParams({ ...own, ...params }).toString()}`;
  };
  const code: LinkedinWorld['code'] = async (person = OLIVIA, scope = SCOPES) => {
    const { location } = await act('consent', { url: dialog({ scope }), person });
    return new URL(location).searchParams.get('code') ?? '';
  };
  const oauth: LinkedinWorld['oauth'] = (form, path = 'accessToken') =>
    world.ask(`${at}/www/oauth/v2/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'sandbox', client_secret: 'sandbox', ...form }),
    });
  const pair: LinkedinWorld['pair'] = async (person, scope) => {
    const given = await code(person, scope);
    return (await oauth({ grant_type: 'authorization_code', code: given, redirect_uri: REDIRECT })).json;
  };
  const named = async (name: string, what: string) =>
    (await list(name)).find((one) => Object.values(one).includes(what)).id;

  return {
    ...world,
    app,
    at,
    call,
    upload,
    act,
    list,
    dialog,
    code,
    oauth,
    pair,
    login: async (person, scope) => (await pair(person, scope)).access_token,
    person: async (handle = OLIVIA) => `urn:li:person:${await named('persons', handle)}`,
    organization: (name = 'Harbour Coffee') => named('organizations', name),
    async post(token, author, commentary, more) {
      const reply = await call('POST', '/rest/posts', token, postBody(author, commentary, more));
      if (reply.status !== 201) throw new Error(`post: ${reply.status} ${reply.text}`);
      return reply.headers.get('x-restli-id')!;
    },
    async file(token, owner, kind, bytes) {
      const begun = await call('POST', `/rest/${kind}s?action=initializeUpload`, token, {
        initializeUploadRequest: { owner },
      });
      const { uploadUrl, [kind]: id } = begun.json.value;
      await upload(uploadUrl, bytes, token);
      world.clock.move(2000);
      return id;
    },
    async close() {
      await world.sandbox.settle();
      await world.close();
      await app.close();
    },
  };
}
