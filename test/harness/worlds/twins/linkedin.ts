import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { SandboxOptions } from '#sandbox/network.ts';
import { listen, stop } from '../../sockets.ts';
import { addressOf, bearer, jsonRequest, type Params } from './app.ts';
import { openWorld } from './bluesky.ts';
import { controlOf } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/linkedin';
export const VERSION = '202607';
/** Of an app with the Community Management API, and of one without it. */
const SCOPES = `r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin
  w_member_social_feed w_organization_social_feed r_organization_social_feed`.replaceAll(/\s+/g, ' ');

/** A value as it stands in an address: parentheses have a meaning of their own there. */
export const urn = (value: string): string => encodeURIComponent(value).replaceAll('(', '%28').replaceAll(')', '%29');

/** The app that notifications go to. */
async function openWebhook() {
  const got: { signature: unknown; body: string }[] = [];
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
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    got,
    challenges: () => challenges,
    /** How it answers from now on: challenges, and notifications by a status. */
    behave: (next: Partial<typeof how>) => void (how = { ...how, ...next }),
    close: () => stop(server),
  };
}

export type LinkedinWorld = Awaited<ReturnType<typeof openLinkedinWorld>>;

export const postBody = (author: string, commentary: string, more: Params = {}): Params => ({
  author,
  commentary,
  visibility: 'PUBLIC',
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: 'PUBLISHED',
  isReshareDisabledByAuthor: false,
  ...more,
});

/** The simulator of LinkedIn with an app that its notifications go to. */
export async function openLinkedinWorld(options: Partial<SandboxOptions> = {}) {
  const app = await openWebhook();
  const { sandbox, clock, root, ask, close } = await openWorld({ productUrl: () => app.url, ...options }, 'linkedin');
  const at = `${root}/sandbox/linkedin`;
  const { act, list, consent } = controlOf({ ask, sandbox }, 'linkedin');
  /** A call of the API; the method of Rest.li is a header. */
  async function call(verb: string, path: string, token?: string, body?: unknown, more: Record<string, string> = {}) {
    const usual = { 'linkedin-version': VERSION, 'x-restli-protocol-version': '2.0.0', ...bearer(token) };
    const reply = await ask(`${at}/api${path}`, jsonRequest(verb, body, { ...usual, ...more }));
    await sandbox.settle();
    return reply;
  }
  const upload = (url: string, bytes: Uint8Array, token?: string) =>
    ask(url, { method: 'PUT', headers: bearer(token), body: new Uint8Array(bytes) });
  const dialog = (params: Record<string, string> = {}) => {
    const own = { response_type: 'code', client_id: 'sandbox', redirect_uri: REDIRECT, scope: SCOPES, state: 's1' };
    return addressOf(`${at}/www/oauth/v2/authorization`, { ...own, ...params });
  };
  const code = (person = OLIVIA, scope = SCOPES) => consent(dialog({ scope }), person);
  const oauth = (form: Record<string, string>, path = 'accessToken') =>
    ask(`${at}/www/oauth/v2/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'sandbox', client_secret: 'sandbox', ...form }),
    });
  /** Goes through the consent page; answers the tokens. */
  const pair = async (person?: string, scope?: string) => {
    const given = await code(person, scope);
    return (await oauth({ grant_type: 'authorization_code', code: given, redirect_uri: REDIRECT })).json;
  };
  const named = async (name: string, what: string) =>
    (await list(name)).find((one) => Object.values(one).includes(what)).id;

  return {
    sandbox,
    clock,
    root,
    ask,
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
    login: async (person?: string, scope?: string): Promise<string> => (await pair(person, scope)).access_token,
    person: async (handle = OLIVIA) => `urn:li:person:${await named('persons', handle)}`,
    organization: (name = 'Harbour Coffee'): Promise<string> => named('organizations', name),
    /** Publishes; answers the URN. */
    async post(token: string, author: string, commentary: string, more?: Params) {
      const reply = await call('POST', '/rest/posts', token, postBody(author, commentary, more));
      if (reply.status !== 201) throw new Error(`post: ${reply.status} ${reply.text}`);
      return reply.headers.get('x-restli-id')!;
    },
    /** Uploads a file that is ready; answers its URN. */
    async file(token: string, owner: string, kind: 'image' | 'document', bytes: Uint8Array): Promise<string> {
      const begun = await call('POST', `/rest/${kind}s?action=initializeUpload`, token, {
        initializeUploadRequest: { owner },
      });
      const { uploadUrl, [kind]: id } = begun.json.value;
      await upload(uploadUrl, bytes, token);
      clock.move(2000);
      return id;
    },
    async close() {
      await sandbox.settle();
      await close();
      await app.close();
    },
  };
}
