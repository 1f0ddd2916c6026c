import { describe, expect } from 'vitest';
import { jpeg, mp4 } from '../../harness/media-samples.ts';
import { list, publish, read, sync } from '../../harness/calls/rest.ts';
import { it, type Json, type World } from '../../harness/world.ts';
import { OLIVIA, standInOf } from './stand-in.ts';

async function sceneIn(world: World) {
  const pinterest = standInOf(world, 'pinterest', '/oauth/');
  await pinterest.act('settings', { processing_ms: '0' });
  const account = await pinterest.connect(OLIVIA);
  const { data } = await read(world, `/v1/posts/validate?account_id=${account}`);
  const boards = data.pinterest.board.boards as readonly Json[];
  const photo = () => pinterest.upload('a.jpg', 'image/jpeg', jpeg(720, 1280));
  const post = async (input: object, board_id: unknown = boards[0]!.board_id): Promise<Json> =>
    world.rest('POST /v1/posts', {
      text: 'Fresh every day',
      publish_now: true,
      targets: [{ account_id: account, ...(board_id !== undefined && { board_id }) }],
      ...input,
    });
  return { pinterest, account, boards, photo, post };
}

describe('a board', () => {
  it('is listed with the constraints of the account, and is wanted before anything is sent', async ({ world }) => {
    const { pinterest, account, boards, photo } = await sceneIn(world);
    expect(boards[0]).toEqual({ board_id: expect.any(String), name: expect.any(String), privacy: 'PUBLIC' });
    const input = { text: 'a', media_ids: [await photo()], account_ids: [account] };
    const { data: rules, accounts } = await read(world, `/v1/posts/validate?account_ids=${account}&platforms=bluesky`);
    expect(Object.keys(rules)).toEqual(['bluesky', 'pinterest']);
    expect(accounts).toEqual({ [account]: { platform: 'pinterest', board: { required: true, boards } } });
    const { body } = await world.rest('POST /v1/posts/validate', input);
    expect(body.errors).toMatchObject([{ platform: 'pinterest', field: 'board_id', target: account }]);
    const refused = await publish(world, account, input);
    expect(refused.body.error.meta.issues).toMatchObject([{ field: 'board_id' }]);
    const skipped = await publish(world, account, { ...input, skip_validation: true });
    expect(skipped.body.results[0].error.code).toBe('platform.pinterest.invalid_request');
    expect(await pinterest.calls('POST /v5/pins')).toBe(0);
    expect((await world.rest('GET /v1/posts/validate?account_id=acc_none')).body.error.code).toBe('account.not_found');
  });

  it('that does not exist refuses the pin, and an account elsewhere has none', async ({ world }) => {
    const { photo, post } = await sceneIn(world);
    const { body } = await post({ media_ids: [await photo()] }, '1234567890');
    expect(body.results[0].error).toMatchObject({ code: 'platform.pinterest.not_found' });
    const other = await read(world, `/v1/posts/validate?account_id=${(await world.connect()).id}`);
    expect(other.data.bluesky.board).toEqual({ required: false });
  });
});

describe('a pin', () => {
  it('is not made by an app on trial, which is told where it may', async ({ world }) => {
    const { pinterest, photo, post } = await sceneIn(world);
    await pinterest.act('settings', { trial: 'true' });
    const media_ids = [await photo()];
    expect((await post({ media_ids })).body.results[0].error).toMatchObject({
      code: 'platform.pinterest.permission_denied',
      message: expect.stringContaining('API sandbox'),
    });
    await pinterest.act('settings', { api_sandbox: 'true' });
    expect((await post({ media_ids, text: 'Once more' })).body.status).toBe('published');
  });

  it('has what it was asked for, is listed with its counts, and is deleted', async ({ world }) => {
    const { pinterest, account, photo, post } = await sceneIn(world);
    const pinterestData = { link: 'https://example.org/bread', alt_text: 'A loaf', titles: ['One', null] };
    const media_ids = [await photo(), await photo()];
    const { body: made } = await post({ title: 'Bread', media_ids, platform_data: { pinterest: pinterestData } });
    expect(made.status).toBe('published');
    const [pin] = await pinterest.look('pins');
    expect(pin).toMatchObject({
      fields: { title: 'Bread', description: 'Fresh every day', link: 'https://example.org/bread', alt_text: 'A loaf' },
      pictures: [{ about: { title: 'One' } }, {}],
    });
    expect(await (await fetch(made.results[0].permalink)).text()).toContain('Fresh every day');
    await pinterest.act('react', { pin: pin!.id });
    const [{ metrics }] = (await read(world, `/v1/posts/${made.id}/metrics`)).data.targets;
    expect(metrics).toMatchObject({ likes: expect.any(Number), extra: { impressions: expect.any(Number) } });
    await sync(world, account);
    expect(await list(world, '/v1/posts')).toHaveLength(1);
    const limits = await read(world, `/v1/accounts/${account}/limits`);
    expect(limits).toMatchObject({ requests_remaining: expect.any(Number) });
    expect((await world.rest(`POST /v1/posts/${made.id}/unpublish`)).status).toBe(200);
    expect((await fetch(made.results[0].permalink)).status).toBe(404);
  });

  it('of a video has a cover of its own, or one that was given; one that fails says so', async ({ world }) => {
    const { pinterest, photo, post } = await sceneIn(world);
    const film = mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
    const media_ids = [await pinterest.upload('a.mp4', 'video/mp4', film)];
    const cover = { source: await photo(), source_type: 'media_id' };
    expect((await post({ media_ids })).body.status).toBe('published');
    const covered = await post({ text: 'With cover', media_ids, platform_data: { pinterest: { cover } } });
    expect(covered.body.status).toBe('published');
    await pinterest.act('settings', { media_fails: 'true' });
    const { body } = await post({ text: 'Broken', media_ids });
    expect(body.results[0].error).toMatchObject({ code: 'platform.pinterest.invalid_request' });
    const wrong = await post({ text: 'Wrong', media_ids: [await photo()], platform_data: { pinterest: { cover } } });
    expect(wrong.body.error.meta.issues).toMatchObject([{ field: 'platform_data.pinterest.cover' }]);
  });
});
