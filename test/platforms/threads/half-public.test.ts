import { describe, expect, it } from 'vitest';
import type { Instead } from '../../harness/platforms/gate.ts';
import type { Json } from '../../harness/world.ts';
import { countsOf, twinOf } from '../conformance/twin.ts';
import { finalPost, openStage, type Stage } from '../conformance/stage.ts';
import { blueskySubject } from '../conformance/subjects/bluesky.ts';
import { threadsSubject } from '../conformance/subjects/threads.ts';
import { twitterSubject } from '../conformance/subjects/twitter.ts';
import type { Subject } from '../conformance/subject.ts';

const [FIRST, SECOND, THIRD] = ['One of the bakery', 'Two of the bakery', 'Three of the bakery'];

/** Publishes a thread; the request is refused that is told apart by what it says. */
async function publishThread(stage: Stage, subject: Subject, account: string, instead: Instead, nth: number) {
  const { world, rest, gate } = stage;
  const scheduled_at = new Date(world.clock.now() + 1000).toISOString();
  const segments = [{ text: SECOND }, { text: THIRD }];
  const input = { text: FIRST, segments, account_ids: [account], scheduled_at };
  const { body } = await rest('POST /v1/posts', input);
  gate.arm(instead, nth);
  await world.pass(1000);
  const post = await finalPost(stage, body.id);
  gate.arm();
  return post;
}

type Seen = (stage: Stage, text: string) => Promise<Readonly<{ now: number; ever: number }>>;

const listed =
  (slug: 'twitter' | 'threads', textOf: (post: Json) => unknown): Seen =>
  async (stage, text) =>
    countsOf(await twinOf(slug).list(stage, 'posts', (post) => textOf(post) === text));

/** Which request of a thread is one for its second post, and how its simulator shows posts of a text. */
const CASES: readonly (readonly [Subject, number, Seen])[] = [
  [twitterSubject, 2, listed('twitter', ({ words }) => words)],
  [threadsSubject, 6, listed('threads', ({ text }) => text)],
  [blueskySubject, 2, async (stage, text) => (await blueskySubject.posts['text']!.seen(stage, text))[0]!],
];

describe.each(CASES)('a thread whose second post is refused', (subject, nth, seen) => {
  const { slug } = subject.platform;

  async function half() {
    const stage = await openStage(subject);
    const { account } = await subject.connect(stage, 0);
    await stage.hear();
    const post = await publishThread(stage, subject, account, subject.refusal, nth);
    const shown = (text: string) => seen(stage, text);
    return { stage, account, post, shown };
  }

  it(`says on ${slug} what is public, holds back a repeat, and goes on with a retry`, async () => {
    const { stage, account, post, shown } = await half();
    const [target] = post.results;
    expect([post.status, target.status, target.partly_public]).toEqual(['failed', 'failed', true]);
    expect(target.segments).toEqual([{ platform_post_id: target.platform_post_id, permalink: target.permalink }]);
    expect([target.platform_post_id, target.permalink]).toEqual([expect.any(String), expect.any(String)]);
    expect(target.error.message).toMatch(/^1 of 3 posts of the thread is public\. .*retry_post.*unpublish_post/);
    expect(target.error.platform_status).toBeGreaterThan(399);
    const again = { text: FIRST, segments: [{ text: SECOND }, { text: THIRD }], account_ids: [account] };
    const repeat = await stage.rest('POST /v1/posts', { ...again, publish_now: true });
    expect([repeat.status, repeat.body.error.code]).toEqual([409, 'resource.conflict']);
    await stage.rest(`POST /v1/posts/${post.id}/retry`);
    const whole = await finalPost(stage, post.id);
    expect([whole.status, whole.results[0].segments.length, whole.results[0].partly_public]).toEqual([
      'published',
      3,
      false,
    ]);
    for (const text of [FIRST, SECOND, THIRD]) expect(await shown(text)).toMatchObject({ now: 1, ever: 1 });
  });

  it(`is taken down on ${slug} by unpublish_post`, async () => {
    const { stage, post, shown } = await half();
    const { status, body } = await stage.rest(`POST /v1/posts/${post.id}/unpublish`);
    expect([status, body.unpublished_count]).toEqual([200, 1]);
    expect((await shown(FIRST)).now).toBe(0);
  });
});
