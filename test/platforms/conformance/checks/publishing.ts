import { expect } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import type { Cut } from '#test/harness/platforms/gate.ts';
import { finalPost, type Stage } from '../stage.ts';
import { wrongsOf } from './outcome.ts';
import type { PostCase, Subject } from '../subject.ts';

/** Statuses that no table of a platform lists, with a body that nobody can read. */
const UNLISTED = Object.freeze([{ status: 418 }, { status: 599 }]);

/** What goes wrong in a run: the process ends at a point, or a request is cut. */
type Mishap = Readonly<{ point?: CrashPointName; cut?: Cut; nth: number }>;

/** What a run passed until its post was final. */
type Run = Readonly<{ calls: readonly string[]; points: ReadonlyMap<CrashPointName, number> }>;

/** Publishes a post of a kind while something goes wrong, and holds the outcome to "once". */
async function publishWith(stage: Stage, account: string, kind: string, one: PostCase, mishap?: Mishap): Promise<Run> {
  const { world, rest, gate, mortality } = stage;
  const text = stage.text(kind);
  const input = await one.input(stage, text, [account]);
  const scheduled_at = new Date(world.clock.now() + 1000).toISOString();
  const { status, body: made } = await rest('POST /v1/posts', { text, account_ids: [account], scheduled_at, ...input });
  expect([kind, status, made.error]).toEqual([kind, 201, undefined]);
  mortality.arm(mishap?.point, mishap?.nth);
  gate.arm(mishap?.cut, mishap?.nth);
  await world.pass(1000);
  const post = await finalPost(stage, made.id);
  const calls = gate.calls();
  const points = new Map(mortality.passed);
  gate.arm();
  mortality.arm();
  expectOnce([kind, mishap, post.results[0]?.error], post, await one.seen(stage, text), one);
  return { calls, points };
}

/** Holds what the public sees of a final post to "once". */
export function expectOnce(about: unknown, ...outcome: Parameters<typeof wrongsOf>): void {
  expect([about, ...wrongsOf(...outcome)]).toEqual([about]);
}

/** Which requests of a run are cut, counted from 1: one that only looks again at what was looked at is none of them. */
export const cutOf = (calls: readonly string[]): readonly number[] =>
  calls.flatMap((call, index) => (call.startsWith('GET ') && calls.indexOf(call) < index ? [] : [index + 1]));

/** What may happen to a kind: before and after each request an answer nobody lists, and a death before each step. */
function mishapsOf({ calls, points }: Run, dies: boolean): readonly Mishap[] {
  const nths = (count = 0) => Array.from({ length: count }, (_, index) => index + 1);
  const cut = cutOf(calls);
  return [
    ...(dies ? nths(points.get('publish.step.sent')) : []).map((nth) => ({ point: 'publish.step.sent' as const, nth })),
    ...cut.map((nth) => ({ cut: { ...UNLISTED[nth % 2]!, after: true }, nth })),
    // To the platform it is the same whether a request is cut before it or after the one before it: every other will do.
    ...cut.flatMap((nth) =>
      nth % 2 === 1 || !cut.includes(nth - 1) ? [{ cut: UNLISTED[nth % 4 === 1 ? 0 : 1]!, nth }] : [],
    ),
  ];
}

/**
 * Publishes a kind of post once without and once with each mishap of a part of them, counted from 1. Platforms of the
 * product die in wire tests; one that brings a simulator of its own runs in no other process, and dies here.
 */
export async function publishThroughMishaps(
  stage: Stage,
  subject: Subject,
  account: string,
  kind: string,
  { part, parts }: Readonly<{ part: number; parts: number }>,
): Promise<number> {
  const one = subject.posts[kind]!;
  const clean = await publishWith(stage, account, kind, one);
  const all = mishapsOf(clean, subject.twin !== undefined);
  const mishaps = all.filter((_, index) => index % parts === part - 1);
  for (const mishap of mishaps) await publishWith(stage, account, kind, one, mishap);
  return mishaps.length;
}

/** What a run asked for, without the ids in it. */
const formsOf = ({ calls }: Run): ReadonlySet<string> =>
  new Set(calls.map((call) => call.replace(/\?.*/, '').replaceAll(/\d+/g, '#')));

/** Publishes the kinds that are not cut, and holds their requests to those of the kinds that are cut in their place. */
export async function publishUncut(stage: Stage, { posts }: Subject, account: string): Promise<void> {
  for (const [kind, one] of Object.entries(posts)) {
    const { within } = one;
    if (within === undefined) continue;
    const known = formsOf(await publishWith(stage, account, within, posts[within]!));
    const own = [...formsOf(await publishWith(stage, account, kind, one))];
    expect([kind, own.filter((form) => !known.has(form))]).toEqual([kind, []]);
  }
}
