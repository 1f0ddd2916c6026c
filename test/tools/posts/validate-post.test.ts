import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { jpeg } from '../../harness/media-samples.ts';
import { upload, uploaded } from '../media/samples.ts';
import { disguise, withAccount } from '../../harness/worlds/post-stage.ts';
import type { Json } from '../../harness/world.ts';

const it = test.extend('world', () => withAccount());

/** The fields that the models of the Python SDK have for an issue, none of which may be of another type. */
const SdkIssue = z.strictObject({
  platform: z.string().min(1),
  field: z.string().min(1),
  message: z.string().min(1),
  target: z.string().min(1).optional(),
  segment_index: z.int().min(0).optional(),
});

describe('validate_post', () => {
  it('says what each platform would refuse', async ({ world }) => {
    const check = async (input: object) => (await call(world, 'validate_post', { ...input })).body;
    const fine = { text: 'Fine', account_ids: [world.account.id] };
    expect(await check(fine)).toEqual({ valid: true, errors: [], warnings: [] });
    const bad = { text: 'x'.repeat(301), media_ids: ['med_no'], account_ids: [world.account.id, 'acc_no'] };
    const { valid, errors } = await check(bad);
    expect(valid).toBe(false);
    expect(errors).toMatchObject([
      { platform: 'unknown', field: 'account_id', target: 'acc_no' },
      { platform: 'bluesky', field: 'media', target: world.account.id },
      { platform: 'bluesky', field: 'text', target: world.account.id },
      { platform: 'unknown', field: 'media', target: 'acc_no' },
    ]);
    expect((await check({ text: 'x'.repeat(301) })).errors.length).toBeGreaterThan(0);
    expect((await check({ text: 'Fine', platforms: ['whatsapp'] })).errors).toMatchObject([{ platform: 'whatsapp' }]);
  });

  it('says what an option lacks, and which kind of media a platform has no place for', async ({ world }) => {
    const wrong = async (input: object) => {
      const { errors } = (await call(world, 'validate_post', { text: 'Fine', title: 'Fine', ...input })).body;
      return errors.map(({ field, message }: Json) => [field, message]);
    };
    const platform_data = { twitter: { poll: { options: ['a', 'b'] } } };
    const lacking = [['platform_data.twitter.poll.duration_minutes', 'is required']];
    expect(await wrong({ platforms: ['twitter'], platform_data })).toEqual(lacking);
    const media_ids = [await uploaded(world)];
    expect(await wrong({ platforms: ['youtube'], media_ids })).toContainEqual(['media.0', 'images are not supported']);
  });

  it('warns of what a platform may refuse although it is not documented', async ({ world }) => {
    const warned = async (input: object) => {
      const { valid, warnings } = (await call(world, 'validate_post', { text: 'Fine', ...input })).body;
      return [valid, ...warnings.map(({ field, segment_index = '' }: Json) => `${field}${segment_index}`)];
    };
    const on = (platform: string, input: object) => warned({ platforms: [platform], ...input });
    const curly = `${'a'.repeat(495)}“b”`;
    expect(await on('threads', { text: 'a'.repeat(500), first_comment: 'b' })).toEqual([true]);
    expect(await on('threads', { text: curly, first_comment: 'é'.repeat(260), segments: [{ text: curly }] })).toEqual([
      true,
      'text',
      'text0',
      'first_comment',
    ]);
    const links = (count: number) => Array.from({ length: count }, (_, n) => `https://example.com/${n}`).join(' ');
    expect(await on('threads', { text: links(3) })).toEqual([true]);
    expect(await on('threads', { text: links(4), segments: [{ text: links(5) }] })).toEqual([true, 'text', 'text0']);
    expect(await on('bluesky', { text: 'é'.repeat(260) })).toEqual([true]);
    const photo = async (width: number, height: number) => ({
      media_ids: [await upload(world, jpeg(width, height), 'a.jpg')],
    });
    const square = await photo(1080, 1080);
    expect(await on('instagram', { text: '#a #b #c #d #e @a @b @c', ...square })).toEqual([true]);
    expect(await on('instagram', { text: '#a #b #c #d #e #f @a @b @c @d', ...square })).toEqual([true, 'text', 'text']);
    const story = { platform_data: { instagram: { media_type: 'stories' } }, ...square };
    expect(await on('instagram', { text: '#a #b #c #d #e #f', ...story })).toEqual([true]);
    expect(await on('tiktok', await photo(1080, 1920))).toEqual([true]);
  });

  it('lists all unknown accounts and all unknown media, whether or not anything else is known', async ({ world }) => {
    const media_ids = ['med_one', 'med_two'];
    const targets = [
      { account_id: 'acc_one' },
      { account_id: 'acc_two', media: [{ source: 'med_three', source_type: 'media_id' }] },
    ];
    for (const known of [[], [{ account_id: world.account.id }]]) {
      const input = { text: 'Hello', media_ids, targets: [...known, ...targets] };
      const { errors } = (await call(world, 'validate_post', input)).body;
      const about = (field: string) => errors.filter((issue: Json) => issue.field === field);
      expect(about('account_id').map(({ target }: Json) => target)).toEqual(['acc_one', 'acc_two']);
      for (const id of [...media_ids, 'med_three'])
        expect([id, about('media').some(({ message }: Json) => message.startsWith(`${id}: `))]).toEqual([id, true]);
    }
    // Where nothing would publish it either.
    const { errors } = (await call(world, 'validate_post', { text: 'a', media_ids, platforms: ['whatsapp'] })).body;
    expect(errors.map(({ field }: Json) => field).toSorted()).toEqual(['media', 'media', 'platforms']);
  });

  it('lists issues that the models of the Python SDK can read, whatever they are about', async ({ world }) => {
    const bob = await world.connect(1);
    const { id: shop } = await facebookOf(world).connect();
    await disguise(world, bob.id, 'whatsapp');
    const { id } = world.account;
    const past = '2020-01-01T00:00:00Z';
    const picture = { source: 'https://example.org/a.png', source_type: 'url' };
    const sound = { ...picture, type: 'audio' };
    const elsewhere = { ...picture, source: 'ftp://x' };
    const foreign = { account_id: 'acc_none', scheduled_at: past };
    const found = new Set<string>();
    for (const input of [
      { text: ' ' },
      { text: 'x'.repeat(301), first_comment: 'x'.repeat(301), visibility: 'private', scheduled_at: past },
      { text: 'a', media: Array.from({ length: 5 }, () => picture) },
      { text: 'a', media: [sound, elsewhere], media_ids: [] },
      { text: 'a', media: [{ source: 'at', source_type: 'platform_attachment_id' }] },
      { text: 'a', segments: [{ text: 'x'.repeat(301), media: Array.from({ length: 5 }, () => picture) }] },
      { text: 'a', segments: Array.from({ length: 50 }, () => ({ text: 'b' })) },
      { text: 'a', media_ids: ['med_none'], platforms: ['bluesky', 'whatsapp'] },
      { text: 'a', account_ids: [id, id, bob.id, 'acc_none'], scheduled_at: past },
      { text: 'a', account_ids: ['acc_none'], scheduled_at: past },
      { text: 'a', targets: [{ account_id: id, page_id: 'page_none', scheduled_at: past }] },
      { text: 'a', targets: [{ account_id: shop, page_id: 'page_none' }, foreign] },
    ]) {
      const { errors, warnings } = (await call(world, 'validate_post', input)).body;
      expect([input, errors.length > 0, Array.isArray(warnings)]).toEqual([input, true, true]);
      for (const issue of [...errors, ...warnings]) {
        expect([issue, SdkIssue.safeParse(issue).error]).toEqual([issue, undefined]);
        found.add(issue.field.replace(/\d+/, '*'));
      }
    }
    expect([...found].toSorted()).toEqual([
      'account_id',
      'board_id',
      'first_comment',
      'media',
      'media.*',
      'page_id',
      'platforms',
      'scheduled_at',
      'segments',
      'text',
      'title',
      'visibility',
    ]);
  });

  it('says what create_post would refuse before any platform: nothing to say, a target twice, a time that has passed', async () => {
    const world = await withAccount();
    const { id } = world.account;
    const check = async (input: object) => (await call(world, 'validate_post', { ...input })).body.errors;
    expect(await check({ text: ' ', account_ids: [id] })).toMatchObject([{ field: 'text', target: id }]);
    expect(await check({ text: 'x', account_ids: [id, id] })).toMatchObject([{ field: 'account_id', target: id }]);
    expect(await check({ text: 'x', platforms: ['bluesky', 'bluesky'] })).toEqual([]);
    const past = '2020-01-01T00:00:00Z';
    expect(await check({ text: 'x', account_ids: [id], scheduled_at: past })).toMatchObject([
      { platform: 'bluesky', field: 'scheduled_at' },
    ]);
    expect(await check({ text: 'x', targets: [{ account_id: id, scheduled_at: past }] })).toMatchObject([
      { platform: 'bluesky', field: 'scheduled_at', target: id },
    ]);
  });

  it('names the platforms that want a title, whichever are meant', async ({ world }) => {
    const titles = async (input: object) => {
      const { errors } = (await call(world, 'validate_post', { text: 'Fine', ...input })).body;
      return errors.filter(({ field }: Json) => field === 'title').map(({ message }: Json) => message);
    };
    expect((await titles({})).toSorted()).toEqual(['is required on YouTube', 'is required on Zalo']);
    expect(await titles({ platforms: ['twitter', 'youtube'] })).toEqual(['is required on YouTube']);
    expect(await titles({ title: 'Bread' })).toEqual([]);
  });

  it('counts a text that is far too long only as far as that matters', async ({ world }) => {
    const input = { text: 'a '.repeat(50_000), account_ids: [world.account.id] };
    const { errors } = (await call(world, 'validate_post', input)).body;
    expect(errors[0].message).toBe('exceeds 300 character limit (more than 3000/300)');
  });

  it('says which pages could not take it', async ({ world }) => {
    const { id } = await facebookOf(world).connect();
    const check = async (...targets: readonly object[]) =>
      (await call(world, 'validate_post', { text: 'Fine', targets })).body.errors;
    const [coffee, bakery] = (await call(world, 'list_account_pages', { account_id: id })).body.data;
    expect(await check({ account_id: id }, { account_id: id, page_id: bakery.id })).toEqual([]);
    const off = { account_id: id, page_id: bakery.id, is_active: false };
    await call(world, 'update_account_page', off);
    const targets = ['page_none', bakery.id].map((page_id) => ({ account_id: id, page_id }));
    expect(await check(...targets, { account_id: world.account.id, page_id: coffee.id })).toMatchObject([
      { platform: 'facebook', field: 'page_id', target: id, message: expect.stringContaining('page_none') },
      { platform: 'facebook', field: 'page_id', target: id },
      { platform: 'bluesky', field: 'page_id', target: world.account.id },
    ]);
    await call(world, 'update_account_page', { ...off, page_id: coffee.id });
    expect(await check({ account_id: id })).toMatchObject([{ platform: 'facebook', field: 'page_id', target: id }]);
  });

  it('refuses platforms nobody knows', async ({ world }) => {
    const asked = call(world, 'validate_post', { text: 'Hello', platforms: ['myspace'] });
    await expectRefusal(asked, 'account.unsupported_platform', { field: 'platforms' });
  });
});
