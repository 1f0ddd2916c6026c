import { describe, expect } from 'vitest';
import { sampleOf } from '#dashboard/webhook/samples.ts';
import { it } from '../../harness/world.ts';

const EVENTS = ['account.connected', 'post.scheduled', 'post.updated', 'post.deleted', 'post.published'] as const;

describe('the samples of the dashboard', () => {
  it('have the fields of the events that are sent', async ({ world }) => {
    const receiver = await world.receive([...EVENTS]);
    const account = await world.connect();
    const post = { text: 'Bread', account_ids: [account.id] };
    const later = { ...post, scheduled_at: '2030-01-05T09:00:00Z' };
    const { id } = (await world.rest('POST /v1/posts', later)).body;
    await world.rest(`PATCH /v1/posts/${id}`, { text: 'Cake' });
    await world.rest(`DELETE /v1/posts/${id}`);
    await world.rest('POST /v1/posts', { ...post, publish_now: true });
    await world.settle();
    // Only what came through the sandbox is marked.
    const namesOf = (one: object) =>
      Object.keys(one)
        .filter((name) => name !== 'metadata')
        .toSorted();
    const fieldsOf = ({ data }: { data: Record<string, unknown> }) => ({
      fields: namesOf(data),
      results: (data['results'] as object[] | undefined)?.map(namesOf),
    });
    const sent = new Map(receiver.received.map(({ body }) => [body.event, fieldsOf(body)]));
    expect([...sent.keys()].toSorted()).toEqual(EVENTS.toSorted());
    for (const event of EVENTS)
      expect([event, fieldsOf(JSON.parse(sampleOf(event)))]).toEqual([event, sent.get(event)]);
  });
});
