import { DAY } from '#kernel/clock.ts';
import { writeFile } from 'node:fs/promises';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { ACTION_EVENT_DATA, ACTION_EVENTS, EVENTS, type EventName } from '#kernel/events.ts';
import samples from '#serve/reference/event-samples.json' with { type: 'json' };
import { outline, printed } from '../examples/printed.ts';
import { dashboardToken } from '../harness/calls/dashboard.ts';
import { leashedKey } from '../harness/calls/leash.ts';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { googleTwinOf } from '../harness/platforms/google/twin.ts';
import { it, type World } from '../harness/world.ts';

const FRED = 'fred.sandbox.test';
const OLIVIA = 'olivia.sandbox.test';
/** An error of the platform that trying again does not mend. */
const REFUSED = { method: 'POST page/feed', when: 'before', status: 403, code: 200 };

/** A product with a Page in it, and somebody who writes to the Page. */
async function setUp(world: World) {
  const facebook = facebookOf(world);
  const account = await facebook.connect(OLIVIA);
  const { data: pages } = (await world.rest(`GET /v1/accounts/${account.id}/pages`)).body;
  const { platform_page_id: page } = pages[0];
  const rest = async (call: `${string} /${string}`, body?: unknown) => {
    const answer = await world.rest(call, body);
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const post = (extra: object) => rest('POST /v1/posts', { text: 'Good morning', account_ids: [account.id], ...extra });
  const publish = () => post({ publish_now: true });
  const refuse = async () => {
    await facebook.act('order', REFUSED);
    const { body } = await world.rest('POST /v1/posts', { text: 'Hm', account_ids: [account.id], publish_now: true });
    return body;
  };
  const hear = async (text = 'Are you open?') => {
    await facebook.act('message', { person: FRED, page, text });
    await world.settle();
    world.clock.move(1000);
    return (await rest('GET /v1/inbox/conversations')).data[0].id as string;
  };
  const answer = async (conversation: string) =>
    world.rest(`POST /v1/inbox/conversations/${conversation}/messages`, { text: 'Until six.' });
  /** Has a connection ask for a post; answers the id of the action. */
  const hold = async () => {
    const input = { text: 'May I?', account_ids: [account.id], publish_now: true };
    const { body } = await world.rest('POST /v1/posts', input, { key: await leashedKey(world, 'ask') });
    return body.id as string;
  };
  /** Has a person decide about what a connection asks for. */
  const decide = async (decision: 'approve' | 'deny') => {
    const id = await hold();
    const key = await dashboardToken(world);
    const { etag } = (await world.rest(`GET /v1/actions/${id}`, undefined, { key })).body;
    const { status, body } = await world.rest(`POST /v1/actions/${id}/${decision}`, { etag }, { key });
    if (status !== 200) throw new Error(JSON.stringify(body));
  };
  return { world, facebook, account, page, rest, post, publish, refuse, hear, answer, hold, decide };
}

type Scene = Awaited<ReturnType<typeof setUp>>;

/** What really causes each event: something done through the product's door, or by somebody on the platform. */
const CAUSES: Readonly<Record<EventName, (scene: Scene) => Promise<unknown>>> = {
  'comment.received': async ({ facebook, publish }) => {
    const { results } = await publish();
    await facebook.act('comment', { person: FRED, on: results[0].platform_post_id, message: 'Is it rye?' });
  },
  'dm.received': ({ hear }) => hear(),
  'dm.sent': async ({ hear, answer }) => answer(await hear()),
  'dm.referral': async ({ facebook, page, hear }) => {
    await hear();
    await facebook.act('referral', { person: FRED, page, ref: 'spring' });
  },
  'dm.postback': ({ facebook, page }) => facebook.act('referral', { person: FRED, page, ref: 'spring' }),
  'mention.received': ({ facebook, page }) => facebook.act('mention', { person: FRED, page, message: 'I was there' }),
  'review.received': async ({ world }) => {
    const google = googleTwinOf(world);
    await google.review(await google.connect(), 4, 'Good bread.');
  },
  'dm.status.sent': async ({ hear, answer }) => answer(await hear()),
  'dm.status.delivered': async ({ hear, answer }) => answer(await hear()),
  'dm.status.read': async ({ facebook, page, hear, answer }) => {
    await answer(await hear());
    await facebook.act('read', { person: FRED, page });
  },
  'dm.status.failed': async ({ facebook, hear, answer }) => {
    const conversation = await hear();
    await facebook.act('unavailable', { person: FRED, unavailable: true });
    await answer(conversation);
  },
  'post.scheduled': ({ post }) => post({ scheduled_at: '2026-01-16T10:00:00Z' }),
  'post.published': ({ publish }) => publish(),
  'post.partial': async ({ world, facebook, account, post }) => {
    const other = await world.connect();
    await facebook.act('order', REFUSED);
    await post({ account_ids: [account.id, other.id], publish_now: true });
  },
  'post.failed': ({ refuse }) => refuse(),
  'post.updated': async ({ rest, post }) => {
    const { id } = await post({});
    await rest(`PATCH /v1/posts/${id}`, { text: 'Good evening' });
  },
  'post.deleted': async ({ rest, post }) => rest(`DELETE /v1/posts/${(await post({})).id}`),
  'post.unpublished': async ({ rest, publish }) => rest(`POST /v1/posts/${(await publish()).id}/unpublish`),
  'post.retried': async ({ rest, refuse }) => rest(`POST /v1/posts/${(await refuse()).id}/retry`),
  'account.connected': ({ world }) => world.connect(),
  'account.disconnected': ({ facebook }) => facebook.act('revoke_app', { person: OLIVIA }),
  'page.removed': async ({ world, facebook, page }) => {
    await facebook.act('remove_page', { person: OLIVIA, page });
    await world.pass(DAY);
  },
  'action.held': ({ hold }) => hold(),
  'action.approved': ({ decide }) => decide('approve'),
  'action.denied': ({ decide }) => decide('deny'),
  'action.expired': async ({ world, hold }) => {
    await hold();
    await world.pass(3 * DAY);
  },
  'action.completed': ({ decide }) => decide('approve'),
  'action.failed': async ({ facebook, decide }) => {
    await facebook.act('order', REFUSED);
    await decide('approve');
  },
};

/** What each event carried, which is printed in the reference. */
const told: Record<string, unknown> = {};
const isWriting = process.env['EXAMPLES'] === 'write';

afterAll(async () => {
  if (!isWriting) return;
  const inOrder = Object.fromEntries(Object.keys(CAUSES).map((name) => [name, told[name]]));
  const file = new URL('../../src/serve/reference/event-samples.json', import.meta.url);
  await writeFile(file, `${JSON.stringify(inOrder, undefined, 2)}\n`);
});

it('every event has a cause here, and a sample in the reference', () => {
  const names = Object.keys({ ...EVENTS, ...ACTION_EVENTS }).toSorted();
  expect(Object.keys(CAUSES).toSorted()).toEqual(names);
  if (!isWriting) expect(Object.keys(samples).toSorted()).toEqual(names);
});

it.for(Object.entries(CAUSES))('%s is told when its cause happens', async ([name, cause], { world }) => {
  const scene = await setUp(world);
  await world.settle();
  const receiver = await world.receive([name]);
  await cause(scene);
  await world.settle();
  expect(receiver.received.map(({ body }) => body.event)).toEqual([name]);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]];
  expect(headers['x-service-event']).toBe(name);
  for (const one of [body.data].flat()) expect(one).toHaveProperty('brand_id');
  told[name] = printed(body, world.root);
  const known = isWriting ? told[name] : (samples as Readonly<Record<string, unknown>>)[name];
  expect(outline(told[name]), 'EXAMPLES=write npm test -- test/architecture/events-provoked').toEqual(outline(known));
  if (Object.hasOwn(ACTION_EVENTS, name))
    z.fromJSONSchema(structuredClone(ACTION_EVENT_DATA) as never).parse(body.data);
});
