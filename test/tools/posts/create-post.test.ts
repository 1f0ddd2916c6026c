import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { callsOf, upset } from '../../harness/platforms/bluesky-people.ts';
import { call, expectRefusal, INVALID, REQUIRED } from '../../harness/calls/operations.ts';
import { uploaded } from '../media/samples.ts';
import { from, publicTexts, publish, whileWriting } from '../../harness/worlds/post-stage.ts';

describe('create_post', () => {
  it('makes a draft, which may be empty', async ({ world }) => {
    const { status, body } = await call(world, 'create_post');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^post_/),
      post_id: body.id,
      status: 'draft',
      text: null,
      title: null,
      visibility: 'public',
      first_comment: null,
      media: [],
      media_ids: [],
      segments: [],
      platform_data: {},
      scheduled_at: null,
      published_at: null,
      hidden: false,
      retry_count: 0,
      source: 'api',
      targets: [],
      results: [],
      created_at: '2026-01-15T09:00:00.000Z',
      updated_at: '2026-01-15T09:00:00.000Z',
    });
    expect((await call(world, 'get_post', { post_id: body.id })).body).toEqual(body);
  });

  it('knows by itself whether media is an address or an uploaded file', async ({ world, pair: [alice] }) => {
    const [id, address] = [await uploaded(world, 'a.png'), 'https://example.org/a.png'];
    const sources = [{ source: id, type: 'image' }, { source: address }];
    const { body } = await call(world, 'create_post', {
      media: sources,
      segments: [{ media: [{ source: address }] }],
      targets: [{ account_id: alice.id, media: [{ source: id }] }],
    });
    const [file, url] = [
      { source: id, source_type: 'media_id' },
      { source: address, source_type: 'url' },
    ];
    expect(body).toMatchObject({ media: [file, url], segments: [{ media: [url] }], targets: [{ media: [file] }] });
    const elsewhere = { text: 'A', media: [{ source: 'file:///home/me/a.png' }], account_ids: [alice.id] };
    const refused = call(world, 'create_post', { ...elsewhere, publish_now: true });
    await expectRefusal(refused, INVALID, { field: 'media' });
    expect((await refused).body.error.message).toContain('only an http or https address can be fetched');
  });

  it('takes an empty list beside its other name for none', async ({ world, pair: [alice] }) => {
    const named = { media: [], media_ids: [await uploaded(world, 'a.png')] };
    const input = { ...named, segments: [named], targets: [], account_ids: [alice.id] };
    const file = { source: named.media_ids[0], source_type: 'media_id' };
    const { body } = await call(world, 'create_post', input);
    expect(body).toMatchObject({ media: [file], segments: [{ media: [file] }], targets: [{ account_id: alice.id }] });
    const targeted = { targets: [{ account_id: alice.id, ...named }], account_ids: ['acc_none'] };
    expect((await call(world, 'create_post', targeted)).body).toMatchObject({ targets: [{ media: [file] }] });
    const cleared = { post_id: body.id, media: [], media_ids: [] };
    expect((await call(world, 'update_post', cleared)).body).toMatchObject({ media: [] });
  });

  it('keeps everything that was said, for all targets and for one', async ({ world, pair: [alice, bob] }) => {
    const [one, two] = [await uploaded(world, 'a.png'), await uploaded(world, 'b.png', 1)];
    const own = {
      text: 'For bob',
      title: 'Bob’s',
      media_ids: [two],
      first_comment: 'Bob was here',
      visibility: 'public',
      platform_data: { langs: ['de'] },
      scheduled_at: '2026-01-16T12:00:00+01:00',
    };
    const said = {
      text: 'For all',
      title: 'Title',
      media_ids: [one],
      visibility: 'logged_in',
      first_comment: 'First',
      platform_data: { bluesky: { langs: ['en'] } },
      segments: [{ text: 'And more', media: [{ source: 'https://example.org/a.png', source_type: 'url' }] }],
    };
    const targets = [{ account_id: alice.id }, { account_id: bob.id, ...own }];
    const { body } = await call(world, 'create_post', { ...said, visibility: 'public', targets });
    expect(body).toMatchObject({
      ...said,
      visibility: 'public',
      media: [{ source: one, source_type: 'media_id' }],
      targets: [
        { account_id: alice.id, brand_id: alice.brand_id, platform: 'bluesky', text: null, media_ids: [one] },
        { account_id: bob.id, ...own, scheduled_at: '2026-01-16T11:00:00.000Z' },
      ],
    });
    expect(body.results).toEqual(body.targets);
    const draft = await call(world, 'create_post', { ...said, scheduled_at: null, targets: null });
    expect(draft.body).toMatchObject({ status: 'draft', visibility: 'logged_in' });
  });

  it('takes media in either way, media before media_ids', async ({ world }) => {
    const media_id = await uploaded(world);
    const media = [{ source: media_id, source_type: 'media_id', type: 'image' }];
    const { body } = await call(world, 'create_post', { media, media_ids: ['med_none'] });
    expect(body).toMatchObject({ media, media_ids: [media_id] });
  });

  it('publishes now, and answers what became of it', async ({ world, account }) => {
    const receiver = await world.receive(['post.published', 'post.scheduled']);
    const input = { text: 'Hello', account_ids: [account.id], publish_now: true };
    const { status, body } = await call(world, 'create_post', input);
    expect([status, body.status, body.published_at]).toEqual([201, 'published', from(world, 0)]);
    expect(body.targets).toEqual([
      expect.objectContaining({
        account_id: account.id,
        status: 'published',
        platform_post_id: expect.stringMatching(/^at:\/\//),
        permalink: expect.stringMatching(/^http.*\/post\//),
        published_at: from(world, 0),
        attempts: 1,
        error_code: null,
        error: null,
        metrics: null,
        metadata: expect.objectContaining({ sandbox: true }),
      }),
    ]);
    expect(publicTexts(world)).toEqual(['Hello']);
    await world.settle();
    const data = { post_id: body.id, status: 'published', results: body.results };
    expect(receiver.received.map(({ body: told }) => told)).toMatchObject([{ event: 'post.published', data }]);
  });

  it('schedules, and publishes at the time', async ({ world, account }) => {
    const receiver = await world.receive(['post.published', 'post.scheduled']);
    const scheduled_at = from(world, HOUR);
    const input = { text: 'Later', account_ids: [account.id], scheduled_at };
    const { status, body } = await call(world, 'create_post', input);
    expect([status, body.status, body.scheduled_at]).toEqual([201, 'scheduled', scheduled_at]);
    expect(body.results).toMatchObject([{ status: 'scheduled', attempts: 0 }]);
    await world.pass(HOUR - 1);
    expect(publicTexts(world)).toEqual([]);
    await world.pass(1);
    expect(publicTexts(world)).toEqual(['Later']);
    const targets = [{ account_id: account.id, platform: 'bluesky' }];
    expect(receiver.received.map(({ body: told }) => told)).toMatchObject([
      { event: 'post.scheduled', data: { post_id: body.id, status: 'scheduled', scheduled_at, targets } },
      { event: 'post.published', data: { post_id: body.id } },
    ]);
  });

  it('answers 207 when some targets failed', async ({ world, pair: [alice, bob] }) => {
    upset(world, 'revoked', {}, 1);
    const input = { text: 'Half', account_ids: [alice.id, bob.id], publish_now: true };
    const { ok, status, body } = await call(world, 'create_post', input);
    expect([ok, status, body.status]).toEqual([true, 207, 'partial']);
    const code = 'platform.bluesky.auth';
    const error = { code, message: expect.any(String), category: 'auth', caused_by: expect.any(String) };
    expect(body.results).toMatchObject([
      { account_id: alice.id, status: 'published', error: null, error_code: null },
      { account_id: bob.id, status: 'failed', platform_post_id: null, error_code: code, error },
    ]);
    expect(publicTexts(world, 1)).toEqual([]);
  });

  it('answers 422 when all targets failed, the post beside the error', async ({ world, account }) => {
    upset(world, 'revoked');
    const input = { text: 'Never', account_ids: [account.id], publish_now: true };
    const { ok, status, body } = await call(world, 'create_post', input);
    expect([ok, status]).toEqual([false, 422]);
    const { error, request_id, ...post } = body;
    expect(error).toEqual({ code: 'post.publish_failed', message: expect.any(String), meta: { id: post.id } });
    expect(request_id).toEqual(expect.any(String));
    expect(post).toMatchObject({ status: 'failed', results: [{ status: 'failed', attempts: 1 }] });
    expect((await call(world, 'get_post', { post_id: post.id })).body).toEqual(post);
  });

  it('waits no longer than 20 seconds; the end is an event', async ({ world, account }) => {
    const receiver = await world.receive(['post.published']);
    const input = { text: 'Slow', account_ids: [account.id], publish_now: true };
    const { work } = await whileWriting(world, () => call(world, 'create_post', input));
    world.clock.move(20_000);
    const { ok, status, body } = await work;
    expect([ok, status, body.status]).toEqual([true, 201, 'publishing']);
    expect(body.results).toMatchObject([{ status: 'publishing', platform_post_id: null, published_at: null }]);
    await world.pass(2 * MINUTE);
    expect(receiver.received.map(({ body: told }) => told.data['post_id'])).toEqual([body.id]);
    expect(publicTexts(world)).toEqual(['Slow']);
  });

  it('does not publish the same twice in 24 hours, unless told to', async ({ world, pair: [alice, bob] }) => {
    const input = { text: 'Once', account_ids: [alice.id], publish_now: true };
    const { body } = await call(world, 'create_post', input);
    const again = { resource: 'post', id: body.id };
    await expectRefusal(call(world, 'create_post', input), 'resource.conflict', again);
    const scheduled = { publish_now: false, scheduled_at: from(world, HOUR), account_ids: [bob.id, alice.id] };
    await expectRefusal(call(world, 'create_post', { ...input, ...scheduled }), 'resource.conflict', again);
    expect((await call(world, 'list_posts')).body.data).toHaveLength(1);
    for (const other of [
      { ...input, publish_now: false },
      { ...input, account_ids: [bob.id] },
      { ...input, skip_duplicate_check: true },
    ])
      expect((await call(world, 'create_post', other)).ok).toBe(true);
    world.clock.move(DAY + 1);
    expect((await call(world, 'create_post', input)).ok).toBe(true);
  });

  it('leaves its checks to the platform when told to', async ({ world, account }) => {
    const input = { text: 'x'.repeat(301), account_ids: [account.id], publish_now: true };
    const message = 'exceeds 300 character limit (301/300)';
    const issues = [{ platform: 'bluesky', field: 'text', message, target: account.id }];
    await expectRefusal(call(world, 'create_post', input), INVALID, { field: 'text', issues });
    expect(callsOf(world, 'com.atproto.repo.putRecord')).toBe(0);
    const skipped = await call(world, 'create_post', { ...input, skip_validation: true });
    expect(skipped.code).toBe('post.publish_failed');
    expect(skipped.body.results[0].error_code).toBe('platform.bluesky.invalid_request');
  });
});

/** Options of more than 64 KiB in all. */
const LARGE = { bluesky: { a: 'x'.repeat(32_768) }, facebook: { a: 'ü'.repeat(16_384) } };

describe('create_post refuses', () => {
  it.for([
    [{ publish_now: true, scheduled_at: '2026-02-01T00:00:00Z' }, INVALID, 'scheduled_at'],
    [{ scheduled_at: '2026-01-15T08:58:59.999Z' }, INVALID, 'scheduled_at'],
    [{ scheduled_at: '9999-12-31T23:59:59-23:59' }, INVALID, 'scheduled_at'],
    [{ scheduled_at: 1_800_000_000 }, INVALID, 'scheduled_at'],
    [{ publish_now: true, text: ' \n ' }, REQUIRED, 'text'],
    // The input is checked before what it names.
    [{ publish_now: true, text: '', account_ids: ['acc_none'] }, REQUIRED, 'text'],
    [{ scheduled_at: '2026-01-15T08:58:59.999Z', account_ids: ['acc_none'] }, INVALID, 'scheduled_at'],
    [{ publish_now: true, account_ids: [] }, REQUIRED, 'targets'],
    [{ scheduled_at: '2026-02-01T00:00:00Z', account_ids: [] }, REQUIRED, 'targets'],
    [{ publish_now: true, visibility: 'private' }, INVALID, 'visibility'],
    [{ visibility: 'everyone' }, INVALID, 'visibility'],
    [{ text: 7 }, INVALID, 'text'],
    [{ text: 'a\0b' }, INVALID, 'text'],
    [{ text: 'a\ud800b' }, INVALID, 'text'],
    [{ text: { length: { valueOf: 1, toString: 1 } } }, INVALID, 'text'],
    [{ media_ids: { length: { valueOf: 1, toString: 1 } } }, INVALID, 'media_ids'],
    [{ text: 'x'.repeat(100_001) }, INVALID, 'text'],
    [{ targets: [{}] }, REQUIRED, 'targets.0.account_id'],
    [{ media: [{ source: 'a', source_type: 'file' }] }, INVALID, 'media.0.source_type'],
    [{ platform_data: { myspace: {} } }, INVALID, 'platform_data'],
    [{ platform_data: LARGE }, INVALID, 'platform_data'],
    [{ publish_now: 'now' }, INVALID, 'publish_now'],
  ] as const)('input %#', async ([input, code, field], { world, account }) => {
    const answer = call(world, 'create_post', { text: 'a', account_ids: [account.id], ...input });
    await expectRefusal(answer, code, { field });
    expect((await call(world, 'list_posts')).body.data).toEqual([]);
  });

  it('to publish through dead accounts alone', async ({ world, pair: [alice, bob] }) => {
    upset(world, 'revoked');
    await publish(world, alice, 'a');
    const input = { text: 'b', account_ids: [alice.id], publish_now: true };
    await expectRefusal(call(world, 'create_post', input), 'account.reconnection_required', { id: alice.id });
    const mixed = await call(world, 'create_post', { ...input, account_ids: [bob.id, alice.id] });
    expect(mixed.body).toMatchObject({
      status: 'partial',
      results: [{ status: 'published' }, { status: 'failed', error_code: 'account.reconnection_required' }],
    });
  });
});
