import { describe, expect } from 'vitest';
import { isPlatform } from '#kernel/platforms.ts';
import { PlatformError } from '#platforms/errors.ts';
import { byToken } from '../../harness/platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { it, makeWorld, type Json } from '../../harness/world.ts';
import type { AccountCall } from '#platforms/call.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

describe('get_constraints', () => {
  it('shows the limits of each platform that publishes posts', async ({ world }) => {
    const { body } = await call(world, 'get_constraints');
    expect(body.data.bluesky).toMatchObject({ text: { max_length: 300 }, scheduling: { supported: true } });
    expect((await call(world, 'get_constraints', { platform: 'bluesky' })).body.data).toEqual({
      bluesky: body.data.bluesky,
    });
    expect((await call(world, 'get_constraints', { platform: 'whatsapp' })).body.data).toEqual({});
  });

  it('takes several platforms', async ({ world }) => {
    const { body } = await call(world, 'get_constraints', { platforms: ['telegram', 'bluesky'] });
    expect(Object.keys(body.data).toSorted()).toEqual(['bluesky', 'telegram']);
    expect(body).not.toHaveProperty('accounts');
    const unknown = call(world, 'get_constraints', { platforms: ['myspace'] });
    await expectRefusal(unknown, 'account.unsupported_platform', { field: 'platforms' });
    await expectRefusal(call(world, 'get_constraints', { account_ids: ['acc_none'] }), 'account.not_found');
  });

  it('answers for all accounts but those that have a problem, and says which', async () => {
    const net = makePostNetwork();
    let asked = 0;
    const both = Promise.withResolvers<void>();
    const { posts, ...rest } = publishingPlatform(net, 'pinterest', { offline: true });
    const boards = async ({ session }: AccountCall) => {
      if ((asked += 1) === 2) both.resolve();
      // Boards are read together.
      await both.promise;
      if (JSON.stringify(session).includes('broken')) throw new PlatformError('refused', 'permission_denied', 'No.');
      return [{ board_id: 'b1', name: 'Board', privacy: 'PUBLIC' }];
    };
    const silent = { ...publishingPlatform(net, 'telegram', { offline: true }), posts: undefined };
    const platforms = [{ ...rest, posts: { ...posts!, boards } }, silent].map(
      (one) => [one.slug, { ...one, connect: byToken }] as const,
    );
    const world = await makeWorld({ surroundings: { platforms: new Map(platforms) } });
    const connect = async (platform: string, token: string): Promise<string> =>
      (await world.rest('POST /v1/accounts/connect', { platform, metadata: { token } })).body.account_id;
    const [well, broken, dead, mute] = [
      await connect('pinterest', 'well'),
      await connect('pinterest', 'broken'),
      await connect('pinterest', 'dead'),
      await connect('telegram', 'mute'),
    ];
    await world.product.store.write(({ db }) =>
      db.updateTable('accounts').set({ status: 'reconnect_required' }).where('id', '=', dead).execute(),
    );
    const { status, body } = await call(world, 'get_constraints', { account_ids: [dead, well, broken, mute] });
    expect([status, Object.keys(body.data)]).toEqual([200, ['pinterest']]);
    const error = (code: string) => ({ error: { code, message: expect.stringMatching(/\w/) } });
    expect(body.accounts).toEqual({
      [well]: {
        platform: 'pinterest',
        board: { required: expect.anything(), boards: [{ board_id: 'b1', name: 'Board', privacy: 'PUBLIC' }] },
      },
      [broken]: { platform: 'pinterest', ...error('platform.pinterest.permission_denied') },
      [dead]: { platform: 'pinterest', ...error('account.reconnection_required') },
      [mute]: { platform: 'telegram', ...error('resource.not_supported') },
    });
    await expectRefusal(call(world, 'get_constraints', { account_ids: [well, 'acc_none'] }), 'account.not_found');
  });

  it('refuses platforms nobody knows', async ({ world }) => {
    const refused = { status: 400, code: 'account.unsupported_platform', meta: { field: 'platform' } };
    for (const platform of ['myspace', 'tiktok:business'])
      expect(await call(world, 'get_constraints', { platform })).toMatchObject(refused);
  });

  it('declares the options of every platform, and of its kinds of account', async ({ world }) => {
    const { data } = (await call(world, 'get_constraints')).body;
    const rules = Object.values(data).flatMap((one: any) => [one, ...Object.values(one.kinds ?? {})]);
    const described = rules.map(({ options }: any) => [
      options?.type,
      Object.keys(options?.properties ?? {}).length > 0,
    ]);
    expect(described).toEqual(rules.map(() => ['object', true]));
    expect(data.tiktok.options.properties.privacy_level).toMatchObject({ type: 'string', enum: expect.any(Array) });
    expect(data.google.options.properties.call_to_action.required).toEqual(['action_type']);
    expect(JSON.stringify(data)).not.toContain(`${Number.MAX_SAFE_INTEGER}`);
  });

  it('says how long a text may be beside photos and a video', async ({ world }) => {
    const { data } = (await call(world, 'get_constraints')).body;
    const lengthsOf = ({ text }: Json) => [text.max_length, text.photo_max_length, text.video_max_length];
    expect(lengthsOf(data.tiktok)).toEqual([2200, 4000, 2200]);
    expect(lengthsOf(data.tiktok.kinds.business)).toEqual([2200, 4000, 2200]);
    expect(lengthsOf(data.telegram)).toEqual([4096, 1024, 1024]);
    expect(lengthsOf(data.zalo)).toEqual([300, 50_000, 300]);
    expect(lengthsOf(data.bluesky)).toEqual([300, 300, 300]);
    expect(Object.keys(data).filter((name) => !isPlatform(name))).toEqual([]);
  });
});
