import { DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import type { OAuthConnect } from '#platforms/connect.ts';
import { instagram } from '#platforms/instagram/index.ts';
import { PAGE_SCOPES, SCOPES } from '#platforms/instagram/accounts/connect.ts';
import { graphOf, SESSION, USER } from '../../harness/platforms/instagram-samples.ts';
import { answer, lost, NOW, ok } from '../../harness/platforms/script.ts';

const client = { clientId: 'app', clientSecret: 'secret' };
const callback = 'https://us.test/connect/instagram/callback';
const own = instagram.connect as OAuthConnect;
const byPage = instagram.kinds!['facebook']!.connect as OAuthConnect;
const back = { secrets: {}, callback, client, metadata: {} };
const refusal = (code: number, subcode?: number) =>
  answer(400, { error: { code, error_subcode: subcode, message: 'no' } });

describe('Instagram login', () => {
  const long = ok({ access_token: 'LONG', token_type: 'bearer', expires_in: 5_183_944 });
  const me = ok({ user_id: USER, id: '7', username: 'harbour', name: 'Harbour', account_type: 'BUSINESS' });
  const short = `{"access_token":"SHORT","user_id":${USER},"permissions":"instagram_business_basic"}`;

  it('asks on its own page, with scopes between commas', async () => {
    const { bare } = graphOf({});
    const { url } = await own.begin(bare, { state: 's', callback, client, metadata: {} });
    const { origin, pathname, searchParams } = new URL(url);
    expect(`${origin}${pathname}`).toBe('https://www.instagram.com/oauth/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'app',
      redirect_uri: callback,
      response_type: 'code',
      state: 's',
      scope: SCOPES.byDefault.join(','),
    });
  });

  it.each([
    ['flat', short],
    ['in a list', `{"data":[${short}]}`],
  ])('takes the tokens of an answer that is %s, and the ids as text', async (_how, body) => {
    const { bare, asked } = graphOf({
      'POST api.instagram.com /oauth/access_token': answer(200, body),
      'GET /access_token': long,
      'GET /me': me,
    });
    const [account] = await own.finish(bare, { params: { code: 'code#_' }, ...back });
    expect(asked[0]!.form).toMatchObject({ code: 'code', grant_type: 'authorization_code', client_secret: 'secret' });
    expect(asked[1]!.query).toMatchObject({ grant_type: 'ig_exchange_token', access_token: 'SHORT' });
    expect(account).toMatchObject({
      profile: {
        platform_user_id: USER,
        username: 'harbour',
        profile_url: 'https://www.instagram.com/harbour/',
        metadata: {
          login_id: '7',
          scopes_granted: ['instagram_business_basic'],
          scopes_missing: SCOPES.byDefault.slice(1),
        },
      },
      session: { ...SESSION, token: 'LONG' },
      expiresAt: NOW + 5_183_944_000,
    });
    expect(account).not.toHaveProperty('kind');
  });

  it.each([
    ['Matching code was not found or was already used', 'invalid_request', 'start the connection again'],
    ['Invalid platform app', 'permission_denied', 'INSTAGRAM_CLIENT_ID'],
  ])('says what is wrong with a code: %s', async (error_message, reason, words) => {
    const reply = answer(400, { error_type: 'OAuthException', code: 400, error_message });
    const { bare } = graphOf({ 'POST api.instagram.com /oauth/access_token': reply });
    const finished = own.finish(bare, { params: { code: 'c' }, ...back });
    await expect(finished).rejects.toMatchObject({ kind: 'refused', reason });
    await expect(finished).rejects.toThrow(words);
  });

  it('renews a token that is a day old, and gives up one that is younger and refused', async () => {
    const clock = { now: NOW + 2 * DAY };
    const { acting, asked } = graphOf({ 'GET /refresh_access_token': long }, SESSION, clock);
    expect(await own.refresh!(acting, client)).toEqual({
      session: { ...SESSION, token: 'LONG', issued_at: clock.now },
      expiresAt: clock.now + 5_183_944_000,
    });
    expect(asked[0]!.query).toEqual({ grant_type: 'ig_refresh_token', access_token: 'IG' });
    const young = graphOf({}, SESSION);
    await expect(own.refresh!(young.acting, client)).rejects.toMatchObject({ kind: 'refused', reason: 'auth' });
    expect(young.asked).toEqual([]);
  });

  it('ends its grant as far as Instagram lets it', async () => {
    const refused = graphOf({ 'DELETE /me/permissions': refusal(190) });
    await own.revoke!(refused.acting, client);
    expect(refused.calls()).toEqual(['DELETE /me/permissions']);
  });
});

describe('Facebook login', () => {
  const token = (access_token: string) => ok({ access_token, token_type: 'bearer', expires_in: 5_184_000 });
  const page = (id: string, account?: string, access_token: string | undefined = `PAGE-${id}`) => ({
    id,
    name: `Page ${id}`,
    access_token,
    ...(account && { instagram_business_account: { id: account, username: `user${account}` } }),
  });
  const login = (pages: readonly object[]) => ({
    'GET graph.facebook.com /oauth/access_token': [token('SHORT'), token('LONG')],
    'GET graph.facebook.com /me': ok({ id: '9', name: 'Olivia' }),
    'GET graph.facebook.com /me/permissions': ok({ data: [{ permission: 'instagram_basic', status: 'granted' }] }),
    'GET graph.facebook.com /me/accounts': ok({ data: pages }),
    'GET graph.facebook.com /me/businesses': refusal(200),
  });

  it('asks in the dialog with the app of facebook', async () => {
    const { bare } = graphOf({});
    const { url } = await byPage.begin(bare, { state: 's', callback, client, metadata: {} });
    expect(url).toContain('https://www.facebook.com/v25.0/dialog/oauth?client_id=app');
    expect(new URL(url).searchParams.get('scope')).toBe(PAGE_SCOPES.byDefault.join(','));
    expect([byPage.app, byPage.refresh]).toEqual(['facebook', undefined]);
  });

  it('brings every account that is linked to a Page, each with the token of its Page', async () => {
    const pages = [page('101', '17841400000000001'), page('102', '17841400000000002'), page('103')];
    const { bare } = graphOf(login([...pages, page('104', '17841400000000004', '')]));
    const found = await byPage.finish(bare, { params: { code: 'c' }, ...back });
    expect(found.map(({ profile, session }) => [profile.platform_user_id, session['token']])).toEqual([
      ['17841400000000001', 'PAGE-101'],
      ['17841400000000002', 'PAGE-102'],
    ]);
    expect(found[0]).toMatchObject({
      kind: 'facebook',
      grant: 'https://graph.facebook.com app 9',
      session: { user_token: 'LONG', page_id: '101', login_id: '9' },
      profile: {
        metadata: { page_id: '101', page_name: 'Page 101', login_id: '9', scopes_granted: ['instagram_basic'] },
      },
    });
    expect(found[0]).not.toHaveProperty('expiresAt');
  });

  it.each([
    [[], 'no pages'],
    [[page('103')], 'No Page of this login is linked'],
  ])('refuses a login without a linked account', async (pages, words) => {
    const finished = byPage.finish(graphOf(login(pages)).bare, { params: { code: 'c' }, ...back });
    await expect(finished).rejects.toMatchObject({ kind: 'refused', reason: 'no_pages' });
    await expect(finished).rejects.toThrow(words);
  });

  it('lets a lost answer be asked for again', async () => {
    const { bare } = graphOf({ 'GET graph.facebook.com /oauth/access_token': lost(false) });
    const finished = byPage.finish(bare, { params: { code: 'c' }, ...back });
    await expect(finished).rejects.toMatchObject({ kind: 'not_sent' });
  });
});
