/**
 * The two log-ins of Instagram's simulator. No schema or client of them is published: their reference is what holds
 * it.
 */
import { HOUR, DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refused } from '../../harness/worlds/twins/facebook.ts';
import {
  CLIENT,
  COFFEE,
  FACEBOOK_SCOPES,
  OLIVIA,
  openInstagramWorld,
  REDIRECT,
  type InstagramWorld,
} from '../../harness/worlds/twins/instagram.ts';

let world: InstagramWorld;
beforeAll(async () => {
  world = await openInstagramWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
});
afterAll(() => world.close());

const redeem = (code: string, more: object = {}) =>
  world.call('POST', 'api', 'oauth/access_token', undefined, {
    ...CLIENT,
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code,
    ...more,
  });
const refresh = (access_token: string) =>
  world.call('GET', 'graph', 'refresh_access_token', undefined, { grant_type: 'ig_refresh_token', access_token });
const me = (token: string, fields = 'user_id,id,username') => world.call('GET', 'graph', 'me', token, { fields });

describe('the log-in of Instagram', () => {
  it('lets one choose an account on its page, and returns a code with its own mark behind it', async () => {
    const shown = await world.ask(world.dialog());
    expect(shown.status).toBe(200);
    for (const words of ['Harbour Coffee', 'Harbour Bakery', 'instagram_business_manage_messages'])
      expect(shown.text).toContain(words);
    for (const words of ['Olivia', 'Fred', 'Harbour Books']) expect(shown.text).not.toContain(words);
    const { location } = await world.act('consent', { url: world.dialog(), person: COFFEE });
    expect(location).toMatch(/^http:\/\/localhost:9\/connect\/instagram\?code=[\w-]+&state=s1#_$/);
    const denied = await world.act('consent', { url: world.dialog(), person: COFFEE, deny: true });
    expect(denied.location).toContain('error=access_denied');
    expect((await world.ask(world.dialog({ scope: 'pages_show_list' }))).status).toBe(400);
  });

  it('exchanges a code once for a token of an hour, with a bare number for the id, in two shapes', async () => {
    const code = await world.code(world.dialog(), COFFEE);
    expect(await redeem(code, { client_secret: 'wrong' })).toMatchObject(refused(1));
    expect(await redeem(code, { redirect_uri: `${REDIRECT}/` })).toMatchObject(refused(100, 36_008));
    const flat = await redeem(`${code}#_`);
    const id = /"user_id":(\d{17}),/.exec(flat.text)?.[1];
    expect(flat.json.permissions).toContain('instagram_business_basic');
    expect(String(flat.json.user_id)).not.toBe(id);
    expect(await redeem(code)).toMatchObject(refused(100, 36_009));
    const { json } = await me(flat.json.access_token);
    expect(json).toEqual({ id, user_id: expect.stringMatching(/^17841\d{12}$/), username: COFFEE });
    await world.act('settings', { token_in_list: true });
    const listed = await world.short();
    expect(listed.json.data[0].permissions).toContain('instagram_business_basic,');
    world.clock.move(HOUR);
    expect(await me(flat.json.access_token)).toMatchObject(refused(190, 463));
  });

  it('makes a token of sixty days, and renews it once it is a day old and as long as it lives', async () => {
    const { token } = await world.login();
    expect((await me(token)).status).toBe(200);
    expect(await refresh((await world.short()).json.access_token)).toMatchObject(refused(452));
    expect(await refresh(token)).toMatchObject(refused(100));
    world.clock.move(DAY);
    const renewed = await refresh(token);
    expect(renewed.json).toMatchObject({ token_type: 'bearer', expires_in: 60 * 86_400 });
    world.clock.move(59 * DAY);
    expect(await me(token)).toMatchObject(refused(190, 463));
    // A renewed token renews the permission, too.
    const again = await refresh(renewed.json.access_token);
    world.clock.move(59 * DAY);
    expect((await me(again.json.access_token)).status).toBe(200);
    world.clock.move(DAY);
    expect(await refresh(again.json.access_token)).toMatchObject(refused(190, 463));
  });

  it('acts with the rights that were given, and with none after the app was removed', async () => {
    const { json } = await world.short(COFFEE, { scopes: 'instagram_business_content_publish' });
    const { user_id } = (await me(json.access_token)).json;
    const limit = await world.call('GET', 'graph', `${user_id}/content_publishing_limit`, json.access_token);
    expect(limit.status).toBe(200);
    const { status, text } = await world.call('GET', 'graph', `${user_id}/conversations`, json.access_token);
    expect([status, text]).toEqual([403, expect.stringContaining('instagram_business_manage_messages')]);
    await world.act('revoke_app', { person: COFFEE });
    expect(await me(json.access_token)).toMatchObject(refused(190, 458));
    const { body, url } = world.app.pushes().at(-1)!;
    expect(url).toBe('/push/instagram/deauthorize');
    const [, payload = ''] = new URLSearchParams(body).get('signed_request')!.split('.');
    const { user_id: told } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const { token } = await world.login();
    expect((await me(token)).json.id).toBe(told);
    await world.act('delete_data', { person: COFFEE });
    expect(world.app.pushes().at(-1)!.url).toBe('/push/instagram/data-deletion');
    expect((await world.call('DELETE', 'graph', 'me/permissions', token)).json).toEqual({ success: true });
    expect(await me(token)).toMatchObject(refused(190, 458));
  });
});

describe('the log-in of Facebook', () => {
  it('finds the accounts behind the Pages that were chosen, each with a token that lasts', async () => {
    const shown = await world.ask(world.facebookDialog());
    for (const words of ['Olivia Harbour', 'Harbour Books', 'Nora Nopage']) expect(shown.text).toContain(words);
    const user = await world.facebookUser();
    const fields =
      'id,name,username,access_token,picture.type(large),instagram_business_account{id,username,name,profile_picture_url}';
    const { json } = await world.call('GET', 'graph-facebook', 'me/accounts', user, { fields, limit: 100 });
    expect(json.data.map((one: any) => [one.name, one.instagram_business_account?.username])).toEqual([
      ['Harbour Coffee', COFFEE],
      ['Harbour Bakery', 'harbour.bakery'],
      ['Harbour Books', undefined],
    ]);
    const { id: own } = (await world.login()) as { id: string };
    const [{ id, access_token, instagram_business_account: account }] = json.data;
    expect(account.id).toBe(own);
    expect(id).not.toBe(own);
    world.clock.move(61 * DAY);
    expect(await world.call('GET', 'graph-facebook', 'me/accounts', user)).toMatchObject(refused(190, 463));
    const read = { fields: 'username,media_count,followers_count' };
    const found = await world.call('GET', 'graph-facebook', own, access_token, read);
    expect(found.json).toEqual({ id: own, username: COFFEE, media_count: 0, followers_count: 3 });
    const bakery = (await world.list('accounts')).find(({ username }) => username === 'harbour.bakery');
    const some = await world.facebookUser(OLIVIA, { pages: bakery.id });
    const chosen = await world.call('GET', 'graph-facebook', 'me/accounts', some, { fields: 'name' });
    expect(chosen.json.data).toEqual([{ id: bakery.facebook_page_id, name: 'Harbour Bakery' }]);
    const none = await world.facebookUser('nora.sandbox.test');
    expect((await world.call('GET', 'graph-facebook', 'me/accounts', none)).json.data).toEqual([]);
  });

  it('shows its permissions, and never takes the tokens of the other', async () => {
    const user = await world.facebookUser();
    const { data } = (await world.call('GET', 'graph-facebook', 'me/permissions', user)).json;
    expect(data.map(({ permission }: any) => permission)).toEqual(expect.arrayContaining(FACEBOOK_SCOPES.split(',')));
    const { token } = await world.login();
    expect(await world.call('GET', 'graph-facebook', 'me', token)).toMatchObject(refused(190));
    expect(await me(user)).toMatchObject(refused(190));
    expect((await world.call('DELETE', 'graph-facebook', 'me/permissions', user)).json).toEqual({ success: true });
    expect(await world.call('GET', 'graph-facebook', 'me', user)).toMatchObject(refused(190, 458));
    expect((await me(token)).status).toBe(200);
  });
});
