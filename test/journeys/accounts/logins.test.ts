import { describe, expect, it } from 'vitest';
import type { OAuthConnect } from '#platforms/connect.ts';
import { withKinds } from '#platforms/shared/kinds.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';

const SLUG = 'pinterest';
const APPS = {
  [SLUG]: { PINTEREST_CLIENT_ID: 'own app', PINTEREST_CLIENT_SECRET: 'own secret' },
  facebook: { FACEBOOK_CLIENT_ID: 'other app', FACEBOOK_CLIENT_SECRET: 'other secret' },
};

/** Consent that makes accounts named after the app and the code. */
function consentOf(host: string, more: Partial<OAuthConnect> = {}, kind?: string): OAuthConnect {
  return {
    kind: 'oauth',
    ...more,
    begin: async (_call, { state, client }) => ({
      url: `https://${host}/agree?state=${state}`,
      secrets: { app: client.clientId },
    }),
    finish: async (_call, { params, secrets, client: { clientId } }) => [
      {
        profile: { platform_user_id: params['code']!, username: clientId, name: secrets['app'] ?? 'nobody' },
        session: {},
        ...(kind !== undefined && { kind }),
      },
    ],
  };
}

async function twoLogins(...apps: readonly (keyof typeof APPS)[]) {
  const first = publishingPlatform(makePostNetwork(), SLUG, { offline: true });
  const platform = withKinds(
    { ...first, connect: consentOf('own.test') },
    { business: { connect: consentOf('other.test', { title: 'The other one', app: 'facebook' }, 'business') } },
  );
  const env = { SANDBOX: 'off', ...Object.assign({}, ...apps.map((app) => APPS[app])) };
  return makeWorld({ env, surroundings: { platforms: new Map([[SLUG, platform]]) } });
}

const connect = (world: World, metadata?: object) =>
  world.rest('POST /v1/accounts/connect', { platform: SLUG, metadata, redirect_uri: 'https://app.example.org/done' });

/** The page of a connection: where it leads to, and going on with a code. */
async function page(begun: Json) {
  const shown = await fetch(begun.auth_url);
  const text = await shown.text();
  const links = [...text.matchAll(/href="(https:[^"]*)">Continue to ([^<]*)</g)].map(([, url, title]) => ({
    url,
    title,
  }));
  return {
    links,
    async back(world: World, nth: number, code: string): Promise<URLSearchParams> {
      const state = new URL(links[nth]!.url!).searchParams.get('state');
      const headers = { Cookie: shown.headers.get('set-cookie')!.split(';')[0]! };
      const url = `${world.root}/connect/${SLUG}/callback?code=${code}&state=${state}`;
      const end = await fetch(url, { redirect: 'manual', headers });
      return new URL(end.headers.get('location')!).searchParams;
    },
  };
}

describe('a platform with two ways to log in', () => {
  it('offers both where it has both apps, and knows which one a person comes back from', async () => {
    const world = await twoLogins(SLUG, 'facebook');
    for (const [nth, app] of ['own app', 'other app'].entries()) {
      const { links, back } = await page((await connect(world)).body);
      expect([links.length, links[1]!.title]).toEqual([2, 'The other one']);
      const account = (await back(world, nth, `person${nth}`)).get('account_id');
      const { body } = await world.rest('GET /v1/accounts');
      expect(body.data.find(({ id }: Json) => id === account)).toMatchObject({ username: app, name: app });
    }
    const rows = await world.product.store.db.selectFrom('accounts').select('kind').execute();
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['business', null]));
  });

  it('offers the one whose app it has', async () => {
    const world = await twoLogins('facebook');
    const { links, back } = await page((await connect(world)).body);
    expect(links.map(({ title }) => title)).toEqual(['The other one']);
    expect((await back(world, 0, 'person')).get('status')).toBe('success');
    expect((await connect(world, { login: SLUG })).body.error).toMatchObject({
      code: 'byok.credentials_missing',
      meta: { field: 'PINTEREST_CLIENT_ID' },
    });
  });

  it('offers the one that a caller names', async () => {
    const world = await twoLogins(SLUG, 'facebook');
    const { links } = await page((await connect(world, { login: 'business' })).body);
    expect(links.map(({ title }) => title)).toEqual(['The other one']);
    const refused = await connect(world, { login: 'carrier pigeon' });
    expect([refused.status, refused.body.error.meta.field]).toEqual([400, 'metadata.login']);
  });

  it('connects an account again by the login it was connected with', async () => {
    const world = await twoLogins(SLUG, 'facebook');
    const first = await page((await connect(world)).body);
    const account = (await first.back(world, 1, 'person')).get('account_id');
    const again = await world.rest(`GET /v1/oauth/url?account_id=${account}`);
    const { links, back } = await page(again.body);
    expect(links.map(({ title }) => title)).toEqual(['The other one']);
    expect((await back(world, 0, 'person')).get('account_id')).toBe(account);
  });

  it('exchanges a code by the state that came with it, or by the login named', async () => {
    const world = await twoLogins(SLUG, 'facebook');
    const { links } = await page((await connect(world)).body);
    const state = new URL(links[1]!.url!).searchParams.get('state');
    const exchanged = await world.rest('POST /v1/oauth/exchange', { code: 'one', state });
    expect([exchanged.status, exchanged.body.username]).toEqual([201, 'other app']);
    const metadata = { login: 'business' };
    const fresh = await world.rest('POST /v1/oauth/exchange', { code: 'two', platform: SLUG, metadata });
    expect([fresh.status, fresh.body.username]).toEqual([201, 'other app']);
  });
});
