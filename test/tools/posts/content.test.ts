import { HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it, type World } from '../../harness/world.ts';
import { mp4 } from '../../harness/media-samples.ts';
import { call, expectRefusal, type Reply } from '../../harness/calls/operations.ts';
import { upload, uploaded } from '../media/samples.ts';
import { disguise, from, make } from '../../harness/worlds/post-stage.ts';

/** What create_post, update_post, publish_post and validate_post refuse about content and targets alike. */
type Named = Readonly<{ world: World; account: string; input: Readonly<Record<string, unknown>> }>;
type Way = (named: Named) => Promise<Reply>;

const WAYS: Readonly<Record<string, Way>> = {
  create_post: ({ world, account, input }) =>
    call(world, 'create_post', { text: 'a', account_ids: [account], publish_now: true, ...input }),
  async update_post({ world, account, input }) {
    const scheduled = { scheduled_at: from(world, HOUR), skip_duplicate_check: true };
    const { id } = await make(world, { text: 'Before', account_ids: [account], ...scheduled });
    const reply = await call(world, 'update_post', { post_id: id, ...input });
    const { body } = await call(world, 'get_post', { post_id: id });
    expect(body).toMatchObject({ text: 'Before', media: [], status: 'scheduled', targets: [{ account_id: account }] });
    return reply;
  },
};

async function awaitingMedia(world: World): Promise<string> {
  const { body } = await call(world, 'get_media_upload_url', { media_type: 'image/png', filename: 'a.png' });
  return body.media_id;
}

const video = (world: World) => upload(world, mp4(), 'a.mp4');

async function allow(world: World, ...platforms: readonly string[]): Promise<void> {
  await world.product.store.write(({ db }) =>
    db.updateTable('workspaces').set({ allowed_platforms: platforms }).execute(),
  );
  world.product.callers.forget();
}

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
  describe('refuses', () => {
    it('accounts that are not there', async ({ world, account: { id: account } }) => {
      const input = { account_ids: [account, 'acc_none'] };
      await expectRefusal(way({ world, account, input }), 'account.not_found', { resource: 'account', id: 'acc_none' });
    });

    it('an account named twice, and pages of a platform that has none', async ({ world, account: { id: account } }) => {
      const twice = { targets: [{ account_id: account }, { account_id: account, text: 'other' }] };
      const meta = { field: 'targets.1', id: account };
      await expectRefusal(way({ world, account, input: twice }), 'publishing.duplicate_target', meta);
      const paged = { targets: [{ account_id: account, page_id: 'p1' }] };
      await expectRefusal(way({ world, account, input: paged }), 'account.pages_not_supported', { field: 'page_id' });
    });

    it('pages that are not there, or are switched off', async ({ world, account: { id: account } }) => {
      const { id: other } = await facebookOf(world).connect();
      const named = (page_id: string) => way({ world, account, input: { targets: [{ account_id: other, page_id }] } });
      await expectRefusal(named('none'), 'resource.not_found', { resource: 'page', id: 'none' });
      const pages = (await world.rest(`GET /v1/accounts/${other}/pages`)).body.data as { id: string }[];
      for (const { id } of pages) await world.rest(`PATCH /v1/accounts/${other}/pages/${id}`, { is_active: false });
      await expectRefusal(named(pages[0]!.id), 'account.page_inactive', { field: 'page_id' });
      const any = call(world, 'create_post', { text: 'a', account_ids: [other], publish_now: true });
      await expectRefusal(any, 'account.no_active_page', { id: other });
    });

    it('platforms that publish nothing here', async ({ world, pair: [{ id: account }, { id: other }] }) => {
      await disguise(world, other);
      const { status, code, meta } = await way({ world, account, input: { account_ids: [other] } });
      const lacking = { resource: 'posts.publish', platform: 'whatsapp' };
      expect([status, code, meta]).toEqual([501, 'resource.not_supported', lacking]);
    });

    it('media that are not there or have not arrived', async ({ world, account: { id: account } }) => {
      const named = (input: object) => way({ world, account, input: { ...input } });
      await expectRefusal(named({ media_ids: ['med_none'] }), 'media.not_found', { resource: 'media', id: 'med_none' });
      const id = await awaitingMedia(world);
      await expectRefusal(named({ media_ids: [id] }), 'media.not_ready', { id });
      await expectRefusal(named({ segments: [{ text: 'b', media_ids: [id] }] }), 'media.not_ready', { id });
      await expectRefusal(named({ targets: [{ account_id: account, media_ids: [id] }] }), 'media.not_ready', { id });
    });

    it('media of a source or in a mix that the platform does not take', async ({ world, account: { id: account } }) => {
      const named = (input: object) => way({ world, account, input: { ...input } });
      const media = [{ source: 'abc', source_type: 'platform_attachment_id', type: 'image' }];
      const media_ids = [await uploaded(world), await video(world)];
      for (const [input, code] of [
        [{ media, skip_validation: true }, 'publishing.media.unsupported_source'],
        [{ media_ids }, 'publishing.media.mixing_unsupported'],
      ] as const)
        expect(await named(input)).toMatchObject({ status: 422, code, meta: { field: 'media' } });
    });

    it('what breaks the rules of a platform, listing all of it', async ({ world, account: { id: account } }) => {
      const input = { text: 'x'.repeat(301), visibility: 'private', segments: [{ text: ' ' }] };
      const { code, meta } = await way({ world, account, input });
      expect([code, meta.field]).toEqual(['validation.field_invalid', 'text']);
      expect(meta.issues).toMatchObject([
        { platform: 'bluesky', field: 'text', message: 'exceeds 300 character limit (301/300)', target: account },
        { platform: 'bluesky', field: 'visibility', target: account },
        { platform: 'bluesky', field: 'text', message: 'is empty', segment_index: 0, target: account },
      ]);
    });
  });
});

describe('what is wrong with content', () => {
  it('create_post refuses a platform outside the plan', async ({ world, account: { id: account } }) => {
    await allow(world, 'facebook');
    const { status, code, meta } = await WAYS['create_post']!({ world, account, input: {} });
    expect([status, code, meta]).toEqual([403, 'billing.platform_not_available', { plan: 'enterprise' }]);
    await allow(world, 'facebook', 'bluesky');
    expect((await WAYS['create_post']!({ world, account, input: {} })).ok).toBe(true);
  });

  it('update_post refuses a platform outside the plan, and lets the targets be that are there', async ({
    world,
    account: { id: account },
  }) => {
    const { id: post_id } = await make(world, { text: 'a', account_ids: [account] });
    await allow(world, 'facebook');
    const answer = call(world, 'update_post', { post_id, account_ids: [account] });
    await expectRefusal(answer, 'billing.platform_not_available', { plan: 'enterprise' });
    expect((await call(world, 'update_post', { post_id, text: 'b' })).body.text).toBe('b');
  });

  it('a draft neither goes out nor gets a time on a platform that has left the plan since; what is scheduled goes', async ({
    world,
    account: { id: account },
  }) => {
    const { id: post_id } = await make(world, { text: 'a', account_ids: [account] });
    const scheduled = await make(world, { text: 'b', account_ids: [account], scheduled_at: from(world, HOUR) });
    await allow(world, 'facebook');
    for (const [name, input] of [
      ['publish_post', {}],
      ['update_post', { scheduled_at: from(world, HOUR) }],
    ] as const) {
      const answer = call(world, name, { post_id, ...input });
      await expectRefusal(answer, 'billing.platform_not_available', { plan: 'enterprise' });
    }
    expect((await call(world, 'get_post', { post_id })).body.status).toBe('draft');
    expect((await call(world, 'publish_post', { post_id: scheduled.id })).body.status).toBe('published');
  });

  it('publish_post refuses what a draft may hold but no platform takes', async ({
    world,
    account: { id: account },
  }) => {
    const foreign = [{ source: 'abc', source_type: 'platform_attachment_id', type: 'image' }];
    const mixed = [await uploaded(world), await video(world)];
    for (const [content, code, status] of [
      [{ media: foreign }, 'publishing.media.unsupported_source', 422],
      [{ media_ids: mixed }, 'publishing.media.mixing_unsupported', 422],
      [{ text: 'x'.repeat(301) }, 'validation.field_invalid', 400],
    ] as const) {
      const { id: post_id } = await make(world, { text: 'a', account_ids: [account], ...content });
      const answer = await call(world, 'publish_post', { post_id });
      expect([answer.code, answer.status ?? status]).toEqual([code, status]);
      expect((await call(world, 'get_post', { post_id })).body).toMatchObject({ status: 'draft', published_at: null });
    }
  });

  it('validate_post lists all of it and refuses none', async ({ world, pair: [alice, bob] }) => {
    await disguise(world, bob.id, 'whatsapp');
    const pending = await awaitingMedia(world);
    const { ok, status, body } = await call(world, 'validate_post', {
      text: 'a',
      media_ids: ['med_none', pending],
      media: null,
      targets: [{ account_id: alice.id, text: 'x'.repeat(301) }, { account_id: bob.id }, { account_id: 'acc_none' }],
      platforms: ['bluesky', 'whatsapp'],
      visibility: 'private',
      segments: [{ text: 'x'.repeat(302) }],
      scheduled_at: '2026-02-01T00:00:00Z',
    });
    expect([ok, status, body]).toEqual([true, 200, { valid: false, warnings: [], errors: expect.any(Array) }]);
    const told = body.errors.map(({ platform, field, target, segment_index }: Record<string, string | number | null>) =>
      [platform, field, target, segment_index].map((part) => part ?? '-').join(' '),
    );
    const bluesky = (target: string, own: readonly string[]) =>
      [...own, 'media', 'media', 'visibility'].map((field) => `bluesky ${field} ${target} -`);
    expect(told.toSorted()).toEqual(
      [
        `whatsapp account_id ${bob.id} -`,
        `whatsapp media ${bob.id} -`,
        `whatsapp media ${bob.id} -`,
        'unknown account_id acc_none -',
        'unknown media acc_none -',
        'unknown media acc_none -',
        'whatsapp platforms - -',
        'whatsapp media - -',
        'whatsapp media - -',
        ...bluesky(alice.id, ['text']),
        ...bluesky('-', []),
        `bluesky text ${alice.id} 0`,
        'bluesky text - 0',
      ].toSorted(),
    );
    expect((await call(world, 'list_posts')).body.data).toEqual([]);
  });
});
