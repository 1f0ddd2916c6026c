import { HOUR, DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from '#sandbox/tiktok/pushes.ts';
import { mp4 } from '../../harness/media-samples.ts';
import { OLIVIA, openTikTokWorld, REDIRECT, SAM, type TikTokWorld } from '../../harness/worlds/twins/tiktok.ts';

// TikTok publishes neither a schema nor a client that could be pointed at the simulator: of all simulators this is the least
// certain. Its signatures are compared with the vector of the contract, and its uploads to the arithmetic of the documents.

let world: TikTokWorld;
beforeAll(async () => {
  world = await openTikTokWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const renew = (refresh_token: string) => world.token({ grant_type: 'refresh_token', refresh_token });
const user = (token: string) => world.call('/v2/user/info/?fields=open_id', token);

it('signs the time and the body, as the vector of the contract says', () => {
  const content = String.raw`{\"publish_id\":\"v_pub_1\"}`;
  const body = `{"client_key":"ck","event":"post.publish.complete","create_time":1700000000,"user_openid":"oid","content":"${content}"}`;
  expect(body).toHaveLength(137);
  expect(signatureOf('test_client_secret', 1_700_000_000, body)).toBe(
    't=1700000000,s=16961c5890b9a09707dd4a74f2e25139e969b9dc601b3fa087bebb6728e473ba',
  );
});

describe('the consent page', () => {
  it('lets a creator in through its form, and answers a code that has to be decoded', async () => {
    const shown = await world.fetch(world.dialog());
    expect(shown.text).toContain('Harbour Coffee');
    const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
    const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
    const [person] = /(?<=name="person" value=")\d+/.exec(shown.text)!;
    const send = async (more: [string, string][]) => {
      const body = new URLSearchParams([['form_token', form_token], ['person', person], ...more]);
      const headers = { cookie, origin: world.root };
      return (await world.fetch(world.dialog(), { method: 'POST', headers, body })).headers.get('location')!;
    };
    const location = await send([
      ['choice', 'allow'],
      ['scope', 'user.info.basic'],
      ['scope', 'video.publish'],
    ]);
    expect(location).toContain('code=c%21');
    const { code, ...rest } = Object.fromEntries(new URL(location).searchParams);
    expect(rest).toEqual({ scopes: 'user.info.basic,video.publish', state: 's1' });
    const { json } = await world.token({ grant_type: 'authorization_code', redirect_uri: REDIRECT, code: code! });
    expect(json.scope).toBe('user.info.basic,video.publish');
    const denied = new URL(await send([['choice', 'deny']]));
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({ error: 'access_denied', state: 's1' });
  });

  it.each([
    ['client_key', 'other'],
    ['redirect_uri', 'https://evil.example/x'],
    ['scope', 'user.info.basic,user.shoe.size'],
    ['scope', ''],
    ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    ['code_challenge', ''],
  ])('refuses %s %o on its own page', async (name, value) => {
    const reply = await world.fetch(world.dialog({ [name]: value }));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  });
});

describe('tokens', () => {
  it('come for a code once, within ten minutes, to whoever has the secret and its address', async () => {
    const code = await world.code();
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code };
    const wrong = await world.token({ ...form, client_secret: 'wrong' });
    expect([wrong.status, wrong.json.error]).toEqual([401, 'invalid_client']);
    expect((await world.token({ ...form, redirect_uri: `${REDIRECT}x` })).json.error).toBe('invalid_grant');
    expect((await world.token({ ...form, code_verifier: 'w'.repeat(43) })).json.error).toBe('invalid_grant');
    expect((await world.token({ ...form, grant_type: 'password' })).json.error).toBe('unsupported_grant_type');
    expect((await world.token({ grant_type: 'authorization_code' })).json.error).toBe('invalid_request');
    const { json } = await world.token(form);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^act\./),
      refresh_token: expect.stringMatching(/^rft\./),
      expires_in: 7200,
      refresh_expires_in: 15_552_000,
      open_id: expect.stringMatching(/^-000/),
      scope: expect.stringContaining('video.publish'),
      token_type: 'Bearer',
    });
    expect((await world.token(form)).json).toMatchObject({ error: 'invalid_grant', log_id: expect.any(String) });
    const late = await world.code();
    world.clock.move(600_000);
    expect((await world.token({ ...form, code: late })).json.error).toBe('invalid_grant');
  });

  it('live for two hours, and their refresh tokens work once', async () => {
    const first = await world.pair();
    world.clock.move(2 * HOUR);
    const dead = await user(first.access_token);
    expect([dead.status, dead.json.error.code]).toEqual([401, 'access_token_invalid']);
    const second = (await renew(first.refresh_token)).json;
    expect((await user(second.access_token)).json.data.user.open_id).toBe(first.open_id);
    expect((await renew(first.refresh_token)).json.error).toBe('invalid_grant');
    expect(await world.list('reused')).toContainEqual(expect.objectContaining({ kind: 'refresh', reused: 1 }));
    world.clock.move(180 * DAY);
    expect((await renew(second.refresh_token)).json.error).toBe('invalid_grant');
    await world.act('settings', { access_seconds: 86_400, refresh_days: 365 });
    expect(await world.pair()).toMatchObject({ expires_in: 86_400, refresh_expires_in: 31_536_000 });
  });

  it('give what was allowed and nothing else', async () => {
    const code = await world.code(OLIVIA, {}, { scopes: 'user.info.basic' });
    const { json } = await world.token({ grant_type: 'authorization_code', redirect_uri: REDIRECT, code });
    const refused = await world.call('/v2/video/list/?fields=id', json.access_token, {});
    expect([refused.status, refused.json.error.code]).toEqual([401, 'scope_not_authorized']);
    expect((await world.call('/v2/user/info/?fields=username', json.access_token)).json.error.code).toBe(
      'scope_not_authorized',
    );
    expect((await user(json.access_token)).json.error).toEqual({ code: 'ok', message: '', log_id: expect.any(String) });
  });

  it('die when the app or the creator ends it, which is pushed once', async () => {
    const [mine, other] = [await world.pair(), await world.login(SAM)];
    const body = new URLSearchParams({ client_key: 'sandbox', client_secret: 'sandbox', token: mine.access_token });
    const revoked = await world.fetch(`${world.at}/api/v2/oauth/revoke/`, { method: 'POST', body });
    expect([revoked.status, revoked.text]).toEqual([200, '']);
    await world.sandbox.settle();
    expect((await user(mine.access_token)).status).toBe(401);
    expect((await renew(mine.refresh_token)).json.error).toBe('invalid_grant');
    expect((await user(other)).status).toBe(200);
    await world.act('remove_app', { creator: SAM });
    expect(world.events().map(({ event, content }) => [event, content.reason])).toEqual([
      ['authorization.removed', 5],
      ['authorization.removed', 1],
    ]);
  });
});

describe('calls', () => {
  it('are counted by the minute, and refused without a word about when to come back', async () => {
    const token = await world.login();
    await world.act('settings', { states_per_minute: 1 });
    world.clock.move(60_000);
    const ask = () => world.call('/v2/post/publish/status/fetch/', token, { publish_id: 'v_pub_file~1' });
    expect((await ask()).json.error.code).toBe('invalid_publish_id');
    const reply = await ask();
    expect([reply.status, reply.json.error.code, reply.headers.get('retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      null,
    ]);
  });

  it('answer what they are told to, and pushes come again until they are taken, signed anew', async () => {
    const token = await world.login();
    await world.act('order', {
      method: 'POST /v2/post/publish/video/init/',
      when: 'after',
      status: 403,
      code: 'reached_active_user_cap',
    });
    await expect(world.post(token, {}, mp4())).rejects.toThrow();
    expect(await world.list('publications')).toMatchObject([{ status: 'PROCESSING_UPLOAD' }]);
    world.app.answer(500);
    await world.post(token, { privacy_level: 'SELF_ONLY' }, mp4());
    world.clock.move(2000);
    await world.sandbox.settle();
    world.app.answer(200);
    world.clock.move(10_000);
    await world.sandbox.settle();
    const pushes = world.app.pushes();
    expect(pushes.map(({ body }) => JSON.parse(body).event)).toEqual([
      'post.publish.complete',
      'post.publish.complete',
    ]);
    expect(pushes[0]!.body).toBe(pushes[1]!.body);
    expect(pushes[0]!.headers['tiktok-signature']).not.toBe(pushes[1]!.headers['tiktok-signature']);
    for (const { body, headers } of pushes) {
      const [, at] = /^t=(\d+),s=[\da-f]{64}$/.exec(String(headers['tiktok-signature']))!;
      expect(headers['tiktok-signature']).toBe(signatureOf('sandbox', Number(at), body));
    }
  });
});
