import { HOUR, DAY } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refused } from '../../harness/worlds/twins/facebook.ts';
import {
  CLIENT,
  FRED,
  OLIVIA,
  openThreadsWorld,
  REDIRECT,
  SAM,
  type ThreadsWorld,
} from '../../harness/worlds/twins/threads.ts';

let world: ThreadsWorld;
beforeAll(async () => {
  world = await openThreadsWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
});
afterAll(() => world.close());

const exchange = (code: string, more = {}) =>
  world.post('oauth/access_token', undefined, {
    ...CLIENT,
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code,
    ...more,
  });
const lengthen = (access_token: string, more = {}) =>
  world.get('access_token', undefined, {
    grant_type: 'th_exchange_token',
    client_secret: 'sandbox',
    access_token,
    ...more,
  });
const renew = (access_token: string) =>
  world.get('refresh_access_token', undefined, { grant_type: 'th_refresh_token', access_token });

describe('the consent page', () => {
  it('lets an owner in through its form, and marks the end of the code', async () => {
    const shown = await world.ask(world.dialog());
    expect(shown.text).toContain('Olivia Harbour');
    expect(shown.text).not.toMatch(/\bFred\b/);
    const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
    const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
    const [owner] = /(?<=name="person" value=")\d+/.exec(shown.text)!;
    const send = (fields: Record<string, string>) =>
      world.ask(world.dialog(), {
        method: 'POST',
        headers: { cookie, origin: world.root },
        body: new URLSearchParams({ form_token, person: owner, ...fields }),
      });
    const target = new URL((await send({ choice: 'allow' })).headers.get('location')!);
    expect([target.origin + target.pathname, target.searchParams.get('state'), target.hash]).toEqual([
      REDIRECT,
      's1',
      '#_',
    ]);
    const { json } = await exchange(target.searchParams.get('code')!);
    // Only what cannot be declined was ticked.
    expect((await world.get('me', json.access_token)).status).toBe(200);
    expect(await world.post('me/threads', json.access_token, { media_type: 'TEXT', text: 'a' })).toMatchObject(
      refused(10, undefined, 403),
    );
    const denied = new URL((await send({ choice: 'deny' })).headers.get('location')!);
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({ error: 'access_denied', state: 's1' });
  });

  it.each<Record<string, string>>([
    { client_id: 'other' },
    { redirect_uri: 'https://evil.example/x' },
    { scope: 'threads_everything' },
  ])('refuses %o on its own page', async (params) => {
    const reply = await world.ask(world.dialog(params));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  });
});

describe('tokens', () => {
  it('begin with one of an hour, beside an id that no JSON number can hold', async () => {
    const reply = await exchange(await world.code());
    const [, user] = /"user_id":(\d{17})\}$/.exec(reply.text)!;
    expect(String(reply.json.user_id)).not.toBe(user);
    const me = await world.get('me', reply.json.access_token, {
      fields: 'id,username,name,threads_profile_picture_url',
    });
    expect(me.json).toMatchObject({ id: user, username: OLIVIA, name: 'Olivia Harbour' });
    world.clock.move(HOUR);
    expect(await world.get('me', reply.json.access_token)).toMatchObject(refused(190, 463));
  });

  it('refuse codes that were used, sent elsewhere or kept too long, and apps with another secret', async () => {
    const code = await world.code();
    expect(await exchange(code, { redirect_uri: `${REDIRECT}/` })).toMatchObject(refused(100, 36008));
    expect(await exchange(code, { client_secret: 'other' })).toMatchObject(refused(1));
    expect((await exchange(code)).status).toBe(200);
    expect(await exchange(code)).toMatchObject(refused(100, 36009));
    const old = await world.code();
    world.clock.move(HOUR);
    expect(await exchange(old)).toMatchObject(refused(100, 36007));
  });

  it('live for 60 days after one exchange, and are renewed once they are a day old', async () => {
    const short = await world.short();
    expect(await lengthen(short, { client_secret: 'other' })).toMatchObject(refused(1));
    expect(await renew(short)).toMatchObject(refused(452));
    const { json } = await lengthen(short);
    expect(json).toMatchObject({ token_type: 'bearer', expires_in: 60 * 86_400 });
    expect(await lengthen(json.access_token)).toMatchObject(refused(452));
    expect(await renew(json.access_token)).toMatchObject(refused(100));
    world.clock.move(DAY);
    const next = (await renew(json.access_token)).json;
    expect(next).toMatchObject({ token_type: 'bearer', expires_in: 60 * 86_400 });
    world.clock.move(59 * DAY);
    expect(await renew(json.access_token)).toMatchObject(refused(190, 463));
    expect((await world.get('me', next.access_token)).status).toBe(200);
  });

  it('die with the password and with the app, which hears of it in a signed request', async () => {
    const token = await world.login();
    await world.act('change_password', { person: OLIVIA });
    expect(await world.get('me', token)).toMatchObject(refused(190, 460));
    const again = await world.login();
    const { id } = (await world.get('me', again)).json;
    await world.act('revoke_app', { person: OLIVIA });
    expect(await world.get('me', again)).toMatchObject(refused(190, 458));
    await world.act('delete_data', { person: OLIVIA });
    const got = world.app.pushes().map(({ url, body }) => {
      const [mac, payload] = new URLSearchParams(body).get('signed_request')!.split('.');
      expect(mac).toBe(createHmac('sha256', 'sandbox').update(payload!).digest('base64url'));
      return [url, JSON.parse(Buffer.from(payload!, 'base64url').toString()).user_id];
    });
    expect(got).toEqual([
      ['/push/threads/deauthorize', id],
      ['/push/threads/data-deletion', id],
    ]);
  });

  it('belong to one person: nobody else is to be seen, and the app alone is nobody', async () => {
    const [olivia, sam] = [await world.login(), await world.login(SAM)];
    const { id } = (await world.get('me', sam)).json;
    expect(await world.get(`${id}/threads`, olivia)).toMatchObject(refused(100, 33));
    expect(await world.get('me/threads', 'sandbox|sandbox')).toMatchObject({ status: 400 });
    expect(await world.get(id)).toMatchObject(refused(104));
    expect(await world.ask(`${world.at}/graph/v25.0/me?access_token=${olivia}`)).toMatchObject(refused(2635));
    expect((await world.get('debug_token', olivia, { input_token: olivia })).json.data).toMatchObject({
      is_valid: true,
      scopes: expect.arrayContaining(['threads_basic', 'threads_delete']),
    });
  });
});

describe('pushes', () => {
  it('are flat, signed over escaped text, one for each update, and begin with a handshake', async () => {
    const token = await world.login();
    const { id: owner_id } = (await world.get('me', token)).json;
    const id = await world.publish(token, { media_type: 'TEXT', text: 'Open' });
    await world.act('reply', { person: FRED, on: id, text: 'Schön <3' });
    expect(world.app.handshakes()).toBe(1);
    const [published, reply] = world.updates();
    expect(published).toMatchObject({ topic: 'interaction', values: { field: 'publish', value: { id } } });
    expect(reply).toEqual({
      app_id: 'sandbox',
      topic: 'moderate',
      target_id: id,
      time: expect.any(Number),
      subscription_id: expect.any(String),
      has_uid_field: false,
      values: {
        field: 'replies',
        value: expect.objectContaining({
          username: FRED,
          text: 'Schön <3',
          media_type: 'TEXT_POST',
          replied_to: { id },
          root_post: { id, owner_id, username: OLIVIA },
        }),
      },
    });
    const { body, headers } = world.app.pushes().at(-1)!;
    expect(body).toContain('Sch\\u00f6n \\u003c3');
    expect(headers['x-hub-signature-256']).toBe(`sha256=${createHmac('sha256', 'sandbox').update(body).digest('hex')}`);
  });

  it('name whom a post mentions, and what was deleted, where the app holds the right', async () => {
    const token = await world.login();
    await world.login(SAM, { scopes: 'threads_basic' });
    await world.act('mention', { person: FRED, whom: OLIVIA, text: `Ask @${SAM} too` });
    const id = await world.publish(token, { media_type: 'TEXT', text: 'Gone soon' });
    await world.del(id, token);
    await world.sandbox.settle();
    expect(world.updates().map(({ topic, values: { field } }) => [topic, field])).toEqual([
      ['interaction', 'mentions'],
      ['interaction', 'publish'],
      ['moderate', 'delete'],
    ]);
    expect(world.updates()[0].values.value.text).toContain(`@${OLIVIA}`);
    await world.act('settings', { subscribed_fields: 'replies' });
    await world.publish(token, { media_type: 'TEXT', text: 'Unseen' });
    await world.sandbox.settle();
    expect(world.updates()).toHaveLength(3);
  });

  it.each([
    ['push_values_array', (body: any) => Array.isArray(body.values)],
    ['push_wrap', (body: any) => Array.isArray(body)],
  ])('come in another form with %s', async (name, isSo) => {
    await world.act('settings', { [name]: true, subscribed_fields: 'mentions' });
    await world.login();
    await world.act('mention', { person: FRED, whom: OLIVIA, text: 'Hello' });
    expect(isSo(JSON.parse(world.app.pushes().at(-1)!.body))).toBe(true);
  });

  it('can be signed wrongly, sent twice, and are repeated until they are taken', async () => {
    await world.login();
    await world.act('settings', { push_wrong_signature: true, push_duplicate: true });
    await world.act('mention', { person: FRED, whom: OLIVIA, text: 'Hello' });
    const [one, two] = world.app.pushes();
    expect(two!.body).toBe(one!.body);
    expect(one!.headers['x-hub-signature-256']).not.toBe(
      `sha256=${createHmac('sha256', 'sandbox').update(one!.body).digest('hex')}`,
    );
    await world.sandbox.reset();
    world.app.clear();
    await world.login();
    world.app.answer(500);
    await world.act('mention', { person: FRED, whom: OLIVIA, text: 'Hello' });
    world.app.answer(200);
    world.clock.move(10_000);
    await world.sandbox.settle();
    expect(world.app.pushes().length).toBeGreaterThan(1);
  });
});
