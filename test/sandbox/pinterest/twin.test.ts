import { SECOND, MINUTE, DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mp4, pdf, png } from '../../harness/media-samples.ts';
import {
  FRED,
  OLIVIA,
  openPinterestWorld,
  REDIRECT,
  SAM,
  type PinterestWorld,
} from '../../harness/worlds/twins/pinterest.ts';

let world: PinterestWorld;
let url: string;
beforeAll(async () => {
  world = await openPinterestWorld();
  url = world.app.put('a.png', png(), 'image/png');
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const image = () => ({ media_source: { source_type: 'image_url', url } });
const renew = (refresh_token: string) => world.token({ grant_type: 'refresh_token', refresh_token });

describe('the log-in', () => {
  it('is a consent page, and a code for the address it was asked with', async () => {
    const shown = await world.ask(world.dialog());
    expect(shown.text).toContain('Harbour Coffee');
    const strange = [
      ['client_id', 'x'],
      ['redirect_uri', 'https://evil.example/x'],
      ['scope', 'pins:eat'],
    ] as const;
    for (const [name, value] of strange)
      expect([name, (await world.ask(world.dialog({ [name]: value }))).status]).toEqual([name, 400]);
    const code = await world.code();
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT };
    expect((await world.token(form, 'sandbox:wrong')).json).toEqual({ code: 2, message: 'Authentication failed.' });
    expect((await world.token({ ...form, redirect_uri: `${REDIRECT}/` })).status).toBe(400);
    const pair = (await world.token(form)).json;
    expect(pair).toMatchObject({
      access_token: expect.stringMatching(/^pina_/),
      refresh_token: expect.stringMatching(/^pinr_/),
      expires_in: 2_592_000,
      refresh_token_expires_in: 5_184_000,
      token_type: 'bearer',
      response_type: 'authorization_code',
      scope: 'boards:read boards:write pins:read pins:write user_accounts:read',
    });
    expect((await world.token(form)).status).toBe(400);
  });

  it('lasts for thirty days, and its refresh tokens for sixty, each used once', async () => {
    const first = await world.pair();
    world.clock.move(30 * DAY);
    const dead = await world.call('GET', '/user_account', first.access_token);
    expect([dead.status, dead.json.code]).toEqual([401, 2]);
    const second = (await renew(first.refresh_token)).json;
    expect((await world.call('GET', '/user_account', second.access_token)).json.username).toBe(OLIVIA);
    expect((await renew(first.refresh_token)).status).toBe(401);
    expect(await world.list('reused')).toContainEqual(expect.objectContaining({ kind: 'refresh', reused: 1 }));
    world.clock.move(59 * DAY);
    const third = (await renew(second.refresh_token)).json;
    expect(third.refresh_token_expires_in).toBe(5_184_000);
    world.clock.move(60 * DAY);
    expect((await renew(third.refresh_token)).status).toBe(401);
    const fourth = await world.login();
    await world.act('revoke_app', { account: OLIVIA });
    expect((await world.call('GET', '/boards', fourth)).status).toBe(401);
  });

  it('gives rights, without which a call is refused', async () => {
    const token = await world.login(OLIVIA, { scope: 'boards:read' });
    const refused = await world.call('GET', '/pins', token);
    expect([refused.status, refused.json.code]).toEqual([401, 3]);
  });

  it('counts the calls of a minute by category, and of a day on trial', async () => {
    const token = await world.login();
    await world.act('settings', { org_read: 2 });
    world.clock.move(MINUTE);
    const calls = [];
    for (let n = 0; n < 3; n += 1) calls.push(await world.call('GET', '/boards', token));
    expect(calls.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual([
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
    expect([calls[2]!.json.code, calls[2]!.headers.get('retry-after')]).toEqual([8, '60']);
    expect(calls[2]!.headers.get('x-ratelimit-reset')).toBe('60');
    await world.act('settings', { org_read: 1000, trial: true, trial_calls_a_day: 0, retry_after: false });
    const trial = await world.call('POST', '/boards', token, { name: 'X' });
    expect([trial.status, trial.headers.get('retry-after')]).toEqual([429, null]);
  });
});

describe('boards', () => {
  it('are listed in pages whose last bookmark is null, secret ones by a right of their own', async () => {
    const token = await world.login();
    await world.act('board', { account: OLIVIA, name: 'Plans', privacy: 'SECRET' });
    const names = ({ json }: any) => json.items.map(({ name }: any) => name);
    const first = await world.call('GET', '/boards?page_size=1', token);
    expect([names(first), first.json.bookmark]).toEqual([['Recipes'], expect.any(String)]);
    const next = await world.call('GET', `/boards?page_size=1&bookmark=${first.json.bookmark}`, token);
    expect([names(next), next.json.bookmark]).toEqual([['Cups'], null]);
    expect((await world.call('GET', `/boards?bookmark=${first.json.bookmark}`, token)).status).toBe(400);
    for (const size of [0, 251]) {
      const { status, json } = await world.call('GET', `/boards?page_size=${size}`, token);
      expect([status, json]).toEqual([400, { code: 1, message: 'page_size must be between 1 and 250.' }]);
    }
    const open = await world.login(OLIVIA, { scope: 'boards:read,boards:read_secret' });
    expect(names(await world.call('GET', '/boards?privacy=SECRET', open))).toEqual(['Plans']);
    expect(names(await world.call('GET', '/boards', await world.login('nora.sandbox.test')))).toEqual([]);
  });

  it('are nobody else’s, and go with their pins', async () => {
    const [token, other] = [await world.login(), await world.login(SAM)];
    const board = await world.board(token);
    const { id } = await world.pin(token, image());
    const foreign = await world.call('POST', '/pins', other, { board_id: board, ...image() });
    expect([foreign.status, foreign.json]).toEqual([404, { code: 40, message: 'Board not found.' }]);
    expect((await world.call('DELETE', `/boards/${board}`, other)).status).toBe(404);
    expect((await world.call('DELETE', `/boards/${board}`, token)).status).toBe(204);
    expect((await world.call('GET', `/pins/${id}`, token)).json).toEqual({ code: 50, message: 'Pin not found.' });
  });
});

describe('pins', () => {
  it('are made of a picture, seen, changed and deleted', async () => {
    const token = await world.login();
    const pin = await world.pin(token, { ...image(), link: 'https://example.com/beans', alt_text: 'A bag' });
    expect(pin).toMatchObject({
      title: 'Beans',
      creative_type: 'REGULAR',
      media: { media_type: 'image', images: { '1200x': { url: expect.any(String) } } },
      pin_metrics: null,
    });
    const at = `${world.at}/www/pin/${pin.id}/`;
    const page = await world.ask(at);
    for (const words of ['Beans', 'From the hills', 'https://example.com/beans', 'A bag'])
      expect(page.text).toContain(words);
    const changed = await world.call('PATCH', `/pins/${pin.id}`, token, { title: 'New beans' });
    expect(changed.json).toMatchObject({ title: 'New beans', description: 'From the hills' });
    const [listed] = (await world.call('GET', '/pins', token)).json.items;
    expect(listed.id).toBe(pin.id);
    const other = await world.login(SAM);
    expect((await world.call('GET', `/pins/${pin.id}`, other)).json.is_owner).toBe(false);
    expect((await world.call('DELETE', `/pins/${pin.id}`, other)).status).toBe(403);
    expect((await world.call('DELETE', `/pins/${pin.id}`, token)).status).toBe(204);
    expect((await world.call('DELETE', `/pins/${pin.id}`, token)).status).toBe(404);
    expect((await world.ask(at)).status).toBe(404);
    expect(world.sandbox.posts('pinterest', OLIVIA)).toMatchObject([
      { exists: false, versions: [{ action: 'create' }, { action: 'update' }, { action: 'delete' }] },
    ]);
  });

  it('have two to five pictures, or are refused where they are wrong', async () => {
    const token = await world.login();
    const items = [{ url, title: 'One' }, { url }];
    const { id } = await world.pin(token, { media_source: { source_type: 'multiple_image_urls', items } });
    expect((await world.ask(`${world.at}/www/pin/${id}`)).text.match(/<img/g)).toHaveLength(2);
    const board_id = await world.board(token);
    const of = (media_source: object) => ({ media_source });
    const none = { source_type: 'image_url', url: `${world.app.url}/none.png` };
    const data = png().toString('base64');
    const wrong: [object, number][] = [
      [{ board_id: '1' }, 40],
      [{ board_id: undefined }, 1],
      [{ title: 'a'.repeat(101) }, 1],
      [{ description: '😀'.repeat(401) }, 1],
      [{ link: `https://example.com/${'a'.repeat(2048)}` }, 1],
      [{ alt_text: 'a'.repeat(501) }, 1],
      [{ dominant_color: 'red' }, 1],
      [{ board_section_id: '12' }, 1],
      [{ media_source: undefined }, 1],
      [of(none), 235],
      [of({ source_type: 'image_url', url: world.app.put('a.pdf', pdf) }), 235],
      [of({ source_type: 'image_base64', content_type: 'image/jpeg', data }), 235],
      [of({ source_type: 'multiple_image_urls', items: [{ url }] }), 1],
      [of({ source_type: 'multiple_image_urls', items: Array.from({ length: 6 }, () => ({ url })) }), 1],
      [of({ source_type: 'video_id', media_id: '5' }), 0],
    ];
    for (const [more, code] of wrong) {
      const reply = await world.call('POST', '/pins', token, { board_id, ...image(), ...more });
      expect([more, reply.json.code]).toEqual([more, code]);
    }
    expect((await world.call('GET', '/pins', token)).json.items).toHaveLength(1);
  });

  it('are made on trial in the API sandbox alone, and seen by their makers', async () => {
    const token = await world.login();
    await world.act('settings', { trial: true });
    const { items } = (await world.call('GET', '/boards', token)).json;
    const refused = await world.call('POST', '/pins', token, { board_id: items[0].id, ...image() });
    expect([refused.status, refused.json.code]).toEqual([403, 29]);
    await world.act('settings', { api_sandbox: true });
    const { id } = await world.pin(token, image());
    expect((await world.call('GET', `/pins/${id}`, token)).status).toBe(200);
    expect((await world.call('GET', `/pins/${id}`, await world.login(SAM))).status).toBe(404);
    expect((await world.ask(`${world.at}/www/pin/${id}`)).status).toBe(404);
  });
});

describe('videos', () => {
  const register = async (token: string) => (await world.call('POST', '/media', token, { media_type: 'video' })).json;
  const status = async (token: string, id: string) => (await world.call('GET', `/media/${id}`, token)).json.status;

  it('go up in a form whose file is last, are worked on, and make a pin with a cover', async () => {
    const token = await world.login();
    const { media_id, upload_url, upload_parameters } = await register(token);
    const film = Buffer.concat([mp4(), Buffer.alloc(300_000, 13)]);
    const send = (fields: Record<string, string>, isLast = true) => world.send(upload_url, fields, film, isLast);
    expect((await send(upload_parameters, false)).status).toBe(400);
    const { policy, ...without } = upload_parameters;
    expect((await send(without)).status).toBe(403);
    expect((await send({ ...without, policy: `${policy}x` })).status).toBe(403);
    expect((await world.ask(upload_url, { method: 'POST', body: 'x' })).status).toBe(400);
    expect(await status(token, media_id)).toBe('registered');
    expect((await send(upload_parameters)).status).toBe(204);
    expect(await status(token, media_id)).toBe('processing');
    const media_source = { source_type: 'video_id', media_id, cover_image_url: url };
    const board_id = await world.board(token);
    const pin = (source: object) => world.call('POST', '/pins', token, { board_id, media_source: source });
    expect((await pin(media_source)).json.code).toBe(235);
    world.clock.move(5 * SECOND);
    expect(await status(token, media_id)).toBe('succeeded');
    expect((await pin({ source_type: 'video_id', media_id })).json.message).toContain('cover');
    expect((await pin({ ...media_source, cover_image_url: undefined, cover_image_key_frame_time: 1 })).status).toBe(
      201,
    );
    const { json } = await pin(media_source);
    expect(json).toMatchObject({ creative_type: 'VIDEO', media: { media_type: 'video' } });
    const page = await world.ask(`${world.at}/www/pin/${json.id}`);
    const [, src] = /<video controls src="([^"]+)"/.exec(page.text)!;
    expect((await world.ask(src!)).headers.get('content-length')).toBe(String(film.length));
    expect((await world.call('GET', `/media/${media_id}`, await world.login(SAM))).status).toBe(404);
  });

  it('may fail, and their forms end after an hour', async () => {
    const token = await world.login();
    const one = await register(token);
    expect((await world.send(one.upload_url, one.upload_parameters, pdf)).status).toBe(204);
    const two = await register(token);
    await world.send(two.upload_url, two.upload_parameters, mp4());
    world.clock.move(5 * SECOND);
    expect([await status(token, one.media_id), await status(token, two.media_id)]).toEqual(['failed', 'succeeded']);
    await world.act('settings', { media_fails: true });
    expect(await status(token, two.media_id)).toBe('failed');
    const late = await register(token);
    world.clock.move(60 * MINUTE);
    expect((await world.send(late.upload_url, late.upload_parameters, mp4())).status).toBe(403);
  });
});

describe('numbers', () => {
  it('are counted, and added up', async () => {
    const token = await world.login();
    const { id } = await world.pin(token, { ...image(), link: 'https://example.com/' });
    await world.act('click', { pin: id, out: true });
    await world.act('click', { pin: id });
    for (const name of ['save', 'react']) await world.act(name, { pin: id });
    await world.act('comment', { person: FRED, pin: id, text: 'Lovely' });
    const pin = (await world.call('GET', `/pins/${id}?pin_metrics=true`, token)).json;
    expect(pin.pin_metrics).toMatchObject({
      '90d': { pin_click: 2, impression: 2, clickthrough: 1 },
      lifetime_metrics: { reaction: 1, comment: 1 },
    });
  });
});

it('answers what it is told to, in its own words', async () => {
  const token = await world.login();
  await world.act('order', { method: 'POST /v5/pins', when: 'after', status: 500, code: '3', message: 'Later' });
  const board_id = await world.board(token);
  const lost = await world.call('POST', '/pins', token, { board_id, title: 'Lost', ...image() });
  expect([lost.status, lost.json]).toEqual([500, { code: 3, message: 'Later' }]);
  expect((await world.call('GET', '/pins', token)).json.items).toMatchObject([{ title: 'Lost' }]);
});
