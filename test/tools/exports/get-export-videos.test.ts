import { describe, expect } from 'vitest';
import { it as test } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { exportWorld } from '../../engine/exports/world.ts';

const it = test.extend('opened', () => exportWorld());

describe('get_export_videos', () => {
  it('lists the posts, all of them or page by page', async ({ opened: { world, accountId, finished } }) => {
    const { id: export_id } = await finished();
    const { body } = await call(world, 'get_export_videos', { export_id });
    expect([body.account_id, body.platform, body.next_cursor]).toEqual([accountId, 'facebook', '']);
    expect(body.videos).toEqual(body.data);
    expect(body.videos[1]).toEqual({
      platform: 'facebook',
      platform_video_id: 'p1',
      title: '',
      description: 'Post 1',
      share_url: 'https://told.test/p1',
      cover_image_url: 'https://told.test/p1.png',
      create_time: '2026-01-14T00:00:00.000Z',
      duration_seconds: null,
      width: null,
      height: null,
      view_count: 100,
      like_count: 1,
      comment_count: 1,
      share_count: 2,
      save_count: 3,
      metrics: { views: 100, quotes: 4 },
      transcript: null,
      transcript_lang: null,
      vision_summary: null,
      vision_category: null,
      vision_elements: [],
    });
    const ids: string[] = [];
    let cursor = '';
    do {
      const page = await call(world, 'get_export_videos', { export_id, limit: 1, cursor });
      ids.push(...page.body.videos.map((video: { platform_video_id: string }) => video.platform_video_id));
      cursor = page.body.next_cursor;
    } while (cursor !== '');
    expect(ids).toEqual(['p0', 'p1', 'p2']);
  });

  it('refuses an export that is not completed, unknown or expired', async ({
    opened: { world, accountId, finished },
  }) => {
    await expectRefusal(call(world, 'get_export_videos', { export_id: 'exp_none' }), 'resource.not_found');
    const { body } = await call(world, 'create_export', { account_id: accountId });
    const early = call(world, 'get_export_videos', { export_id: body.id });
    await expectRefusal(early, 'validation.field_invalid', { field: 'export_id', status: 'pending' });
    await world.settle();
    const { id: export_id } = await finished();
    world.clock.move(90 * 86_400_000);
    await expectRefusal(call(world, 'get_export_videos', { export_id }), 'resource.gone');
  });
});
