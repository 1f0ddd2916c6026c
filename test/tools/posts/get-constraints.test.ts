import { describe, expect } from 'vitest';
import { isPlatform } from '#kernel/platforms.ts';
import { it, type Json } from '../../harness/world.ts';
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
