import { expect } from 'vitest';
import type { StepKind } from '#platforms/posts.ts';
import type { Json } from '#test/harness/world.ts';
import { finalPost, type Stage } from '../stage.ts';
import type { PostCase, Scene, SendCase, Subject } from '../subject.ts';
import { isUnknown } from './outcome.ts';

/** What the platform said of an error, wherever it stands. */
const isSaid = ({ platform_status, platform_code, platform_message }: Json): boolean =>
  platform_status !== undefined && platform_code !== undefined && platform_message !== undefined;

/** Sends something whose first request the platform refuses in words that no table lists: it is refused, with its code. */
export async function sendRefused(stage: Stage, scene: Scene, subject: Subject, kind: string): Promise<void> {
  const { rest, gate } = stage;
  const one: SendCase = subject.sends[kind]!;
  const text = stage.text(kind);
  gate.arm(subject.unlisted);
  const { status, body } = await rest(one.call(scene), one.ask(scene, text));
  const requests = gate.passed();
  gate.arm();
  const { slug } = subject.platform;
  const isRefusal = body.error?.code === `platform.${slug}.invalid_request`;
  expect([kind, status, body.error, isRefusal && isSaid(body.error.meta ?? {})]).toEqual([
    kind,
    status,
    body.error,
    true,
  ]);
  expect([kind, requests, await one.seen(stage, text)]).toEqual([kind, 1, 0]);
}

/**
 * Sends something whose first request the platform fails at, with words of its own: that remains in doubt, and the error
 * says them too, unless it may be sent again at once.
 */
export async function sendFailed(stage: Stage, scene: Scene, subject: Subject, kind: string): Promise<void> {
  const { rest, gate } = stage;
  const one: SendCase = subject.sends[kind]!;
  const text = stage.text(kind);
  gate.arm({ ...subject.unlisted, status: 500 });
  const { status, body } = await rest(one.call(scene), one.ask(scene, text));
  gate.arm();
  const times = await one.seen(stage, text);
  if (subject.sendsAgain) return expect([kind, status, times]).toEqual([kind, 200, 1]);
  const { meta } = body.error ?? {};
  const isTold = isSaid(meta ?? {}) && meta.platform_status === 500;
  expect([kind, status, times, body.error, isTold]).toEqual([kind, 502, 0, body.error, true]);
}

/** The kind of the step that is under way, if something may become public by it: others leave no record until they are done. */
async function stepUnderWay({ world }: Stage, post: string): Promise<StepKind | undefined> {
  const { db } = world.product.store;
  const row = await db
    .selectFrom('steps')
    .innerJoin('targets', 'targets.id', 'steps.target_id')
    .select('steps.kind')
    .where('targets.post_id', '=', post)
    .where('steps.state', '=', 'sent')
    .executeTakeFirst();
  return row?.kind;
}

/** Publishes a post of which one request is refused in words that no table lists; whether it was published all the same, and the requests. */
async function publishRefused(stage: Stage, account: string, kind: string, subject: Subject, nth: number) {
  const { world, rest, gate } = stage;
  const one: PostCase = subject.posts[kind]!;
  const text = stage.text(kind);
  const input = await one.input(stage, text, [account]);
  const scheduled_at = new Date(world.clock.now() + 1000).toISOString();
  const { body: made } = await rest('POST /v1/posts', { text, account_ids: [account], scheduled_at, ...input });
  let under: Promise<StepKind | undefined> | undefined;
  gate.arm(subject.unlisted, nth, () => void (under = stepUnderWay(stage, made.id)));
  await world.pass(1000);
  const post = await finalPost(stage, made.id);
  const calls = gate.calls();
  gate.arm();
  const [{ error }] = post.results;
  const step = await under;
  // Some requests are for what a post can do without.
  const isDone = post.status === 'published';
  const isRefused = error?.code !== 'publishing.delivery.interrupted' && !isUnknown(post) && isSaid(error ?? {});
  const isRight = isDone || (step === undefined ? isRefused : isUnknown(post));
  expect([kind, nth, calls[nth - 1], step, error, isRight]).toEqual([kind, nth, calls[nth - 1], step, error, true]);
  for (const { ever } of await one.seen(stage, text)) expect([kind, nth, ever <= 1]).toEqual([kind, nth, true]);
  return { isDone, calls };
}

/** Has each different request of each kind of post refused so; how many posts failed. */
export async function publishRefusals(stage: Stage, subject: Subject, account: string): Promise<number> {
  const tried = new Set<string>();
  let failed = 0;
  for (const [kind, { within }] of Object.entries(subject.posts)) {
    if (within !== undefined) continue;
    for (let nth = 1, requests = 1; nth <= requests; nth += 1) {
      const { isDone, calls } = await publishRefused(stage, account, kind, subject, nth);
      if (!isDone) failed += 1;
      const next = calls.findIndex((call, at) => at >= nth && !tried.has(formOf(call)));
      calls.slice(0, nth).forEach((call) => tried.add(formOf(call)));
      [nth, requests] = next < 0 ? [nth, 0] : [next, calls.length];
    }
  }
  return failed;
}

/** A path without the ids in it. */
const formOf = (path: string): string => path.replace(/\?.*/, '').replaceAll(/\d+/g, '#');
