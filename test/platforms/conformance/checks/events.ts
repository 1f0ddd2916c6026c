import { DAY } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { EVENTS, type EventName } from '#kernel/events.ts';
import type { Receiver } from '#test/harness/webhooks/receiver.ts';
import type { Json } from '#test/harness/world.ts';
import type { Stage } from '../stage.ts';
import type { Scene, Subject } from '../subject.ts';

/** An operation that is done; answers its body. */
async function done({ rest }: Stage, ...[call, body]: Parameters<Stage['rest']>) {
  const answer = await rest(call, body);
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

type Causes = Readonly<Partial<Record<EventName, () => unknown>>>;

/** What causes the events of posts; nothing where the platform publishes none. */
function postCausesOf(stage: Stage, subject: Subject, scene: Scene): Causes {
  const { gate, rest, world } = stage;
  const [first] = Object.values(subject.posts);
  if (first === undefined) return {};
  const input = async (what: string, account_ids: readonly string[]) => {
    const text = stage.text(what);
    return { text, account_ids, ...(await first.input(stage, text, account_ids)) };
  };
  const draft = async (extra: object) =>
    done(stage, 'POST /v1/posts', { ...(await input('Event', [scene.account])), ...extra });
  const publish = () => draft({ publish_now: true });
  const refusedOf = async (asked: object): Promise<string> => {
    gate.arm(subject.refusal);
    const { body } = await rest('POST /v1/posts', { ...asked, publish_now: true });
    gate.arm();
    return body.id as string;
  };
  const refused = async () => refusedOf(await input('Refused', [scene.account]));
  return {
    'post.scheduled': () => draft({ scheduled_at: new Date(world.clock.now() + 400 * DAY).toISOString() }),
    'post.published': publish,
    'post.failed': refused,
    'post.partial': async () => {
      const other = await subject.connect(stage, 1);
      // Its first poll is over, so the post is what meets the refusal.
      await stage.hear();
      await refusedOf(await input('Half', [scene.account, other.account]));
    },
    'post.updated': async () => done(stage, `PATCH /v1/posts/${(await draft({})).id}`, { text: stage.text('Changed') }),
    'post.deleted': async () => done(stage, `DELETE /v1/posts/${(await draft({})).id}`),
    // Not every kind of account can do it.
    ...(!subject.without.includes('post.unpublished') && {
      'post.unpublished': async () => done(stage, `POST /v1/posts/${(await publish()).id}/unpublish`),
    }),
    'post.retried': async () => done(stage, `POST /v1/posts/${await refused()}/retry`),
  };
}

/** What causes an event on every platform that has it, unless the subject has a cause of its own. */
function causesOf(stage: Stage, subject: Subject, scene: Scene): Causes {
  const { gate, rest } = stage;
  const say = (text: string) => rest(`POST /v1/inbox/conversations/${scene.conversation}/messages`, { text });
  const { comment, message, review } = subject.people;
  return {
    ...(comment && { 'comment.received': () => comment(scene, stage.text('Comment')) }),
    ...(review && { 'review.received': () => review(scene, stage.text('Review')) }),
    ...(message && {
      'dm.received': () => message(scene, stage.text('Message')),
      'dm.sent': () => say(stage.text('Answer')),
      'dm.status.sent': () => say(stage.text('Answer')),
      'dm.status.failed': async () => {
        gate.arm(subject.refusal);
        await say(stage.text('Refused'));
        gate.arm();
      },
    }),
    ...postCausesOf(stage, subject, scene),
    'account.connected': () => subject.connect(stage, 1),
  };
}

/** Ends the account, and so is caused apart. */
const END = 'account.disconnected';

/** Has every event of a platform caused once, and expects it to be delivered once. */
export async function causeEvents(stage: Stage, subject: Subject, scene: Scene): Promise<void> {
  const names = Object.keys(EVENTS) as EventName[];
  const receiver: Receiver = await stage.world.receive(names);
  const causes = { ...causesOf(stage, subject, scene), ...own(subject, scene) };
  const expected = names.filter((name) => name !== END && !subject.without.includes(name));
  expect(Object.keys(causes).toSorted()).toEqual(expected.toSorted());
  for (const name of expected) {
    await stage.hear();
    const before = receiver.received.length;
    await causes[name]!();
    await stage.hear();
    if (name === 'page.removed') await stage.world.pass(DAY);
    const heard = receiver.received.slice(before).map(({ body }) => body.event as EventName);
    expect([name, heard, heard.filter((one) => one === name).length]).toEqual([name, heard, 1]);
  }
}

/** Has the person take our access back, or ask for their data to be deleted: told once, and the account is over. */
export async function endAccount(stage: Stage, scene: Scene, end: (scene: Scene) => Promise<unknown>): Promise<void> {
  const receiver = await stage.world.receive([END]);
  await end(scene);
  await stage.hear();
  expect(receiver.received.map(({ body }) => [body.event, body.data['account_id']])).toEqual([[END, scene.account]]);
  const { data: accounts } = (await stage.rest('GET /v1/accounts')).body;
  const left = (accounts as readonly Json[]).find(({ id }) => id === scene.account);
  const isGone = receiver.received[0]!.body.data['reason'] === 'data_deletion';
  expect(left?.status).toBe(isGone ? undefined : 'reconnect_required');
}

const own = ({ events }: Subject, scene: Scene): Causes =>
  Object.fromEntries(Object.entries(events).map(([name, cause]) => [name, () => cause(scene)]));
