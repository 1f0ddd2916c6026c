import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectPages } from '../../harness/calls/operations.ts';

const events = ['post.published'];

describe('list_webhooks', () => {
  it('lists all, newest first, or page by page', async ({ world }) => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.unshift((await world.rest('POST /v1/webhooks', { url: `https://${name}.example.org/`, events })).body.id);
      world.clock.move(1);
    }
    const { body } = await call(world, 'list_webhooks');
    expect(body).toMatchObject({ count: 3, next_cursor: '', pagination: { has_more: false, next_cursor: '' } });
    expect(body.data[0]).toEqual({
      id: ids[0],
      url: 'https://c.example.org/',
      events,
      is_active: true,
      created_at: '2026-01-15T09:00:00.002Z',
      updated_at: '2026-01-15T09:00:00.002Z',
    });
    await expectPages(world, 'list_webhooks', ids);
    const first = await call(world, 'list_webhooks', { limit: 2 });
    const last = await call(world, 'list_webhooks', { limit: 2, cursor: first.body.next_cursor });
    expect(first.body.pagination).toMatchObject({ has_more: true, limit: 2 });
    expect(last.body.pagination).toEqual({ has_more: false, next_cursor: '', limit: 2 });
    const paged = [...first.body.data, ...last.body.data];
    expect(paged.map(({ id }: { id: string }) => id)).toEqual(ids);
  });
});
