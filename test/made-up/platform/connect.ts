import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '#platforms/call.ts';
import type { Connected, DirectConnect, OAuthConnect, PageProfile, Pages } from '#platforms/connect.ts';
import { codeFlow } from '#platforms/shared/oauth.ts';
import { declareScopes } from '#platforms/shared/scopes.ts';
import { SLUG } from '../slug.ts';
import { errorOf, Id, Nothing, readPage, request, session } from './api.ts';

const Profile = z.object({ id: Id, name: z.string() });
const Stall = z.object({ id: Id, name: z.string() });

/** Every profile of a login, each an account. */
async function profilesOf(
  call: UnauthenticatedCall,
  tokens: Readonly<{ access: string; refresh?: string | undefined; expiresAt?: number | undefined; grant?: string }>,
): Promise<readonly Connected[]> {
  const { access, refresh, expiresAt, grant } = tokens;
  const acting = { ...call, session: { access } };
  const { items } = await readPage(acting, { path: '/profiles' }, {}, Profile);
  return Promise.all(
    items.map(async ({ id, name }): Promise<Connected> => {
      const own = { access, profile: id, ...(refresh !== undefined && { refresh }) };
      const handle = name.toLowerCase();
      return {
        profile: { platform_user_id: id, username: handle, name },
        session: own,
        pages: await readStalls({ ...call, session: own }),
        expiresAt,
        // Keys reach no stalls' inbox: they make the account one of the second kind.
        ...(grant === undefined ? { kind: 'key' } : { grant: `plaza:${grant}` }),
      };
    }),
  );
}

async function readStalls(call: AccountCall): Promise<readonly PageProfile[]> {
  const { items } = await readPage(call, { path: '/stalls' }, {}, Stall);
  return items.map(({ id, name }) => ({ platform_page_id: id, name }));
}

const byKey: DirectConnect = {
  kind: 'direct',
  form: [{ name: 'key', label: 'Key', hint: 'From the settings of Plaza', type: 'password', required: true }],
  required: ['key'],
  login: async (call, { key = '' }) => (await profilesOf(call, { access: key }))[0]!,
};

/** By consent, whose tokens rotate and serve all profiles of the login; or by a key. */
export const connect: OAuthConnect = {
  ...codeFlow({
    slug: SLUG,
    title: 'Plaza',
    authorize: { host: 'web', path: '' },
    token: { host: 'api', path: '/token' },
    scopes: declareScopes({ setting: 'TEST_PLAZA_SCOPES', title: 'Plaza', losses: { all: 'Nothing works.' } }),
    separator: ' ',
    errorOf: (answer) => errorOf(answer),
    profiles: (call, tokens) => profilesOf(call, { ...tokens, grant: String(tokens.more['person']) }),
    refresh: {
      tokenOf: (stored) => session(stored).refresh ?? '',
      renew: (stored, { access, refresh }) => ({ ...stored, access, refresh }),
    },
    revoke: async (call) => void (await request(call, { method: 'POST', path: '/revoke' }, Nothing)),
  }),
  byKey,
  customerApps: {
    secrets: [],
    async check(call, { clientId, clientSecret }) {
      const json = { client_id: clientId, client_secret: clientSecret };
      const { known } = await request(call, { method: 'POST', path: '/app', json }, z.object({ known: z.boolean() }));
      return { valid: known, reason: known ? null : 'Plaza does not know this app.' };
    },
  },
};

export const pages: Pages = {
  read: async (call) => ({ pages: await readStalls(call), session: call.session }),
};
