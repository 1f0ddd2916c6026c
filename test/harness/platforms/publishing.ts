import type { AccountCall } from '#platforms/call.ts';
import type { Platform } from '#platforms/platform.ts';
import type { PostRules, PublishCall, Settled } from '#platforms/posts.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { fakePlatform } from './fake.ts';
import { accountOf, makeNetwork, refusedAs, throttledFor, type Verdict } from './network.ts';

export { lost, pending, revoked, silent, times, unsent, type Verdict } from './network.ts';

export const refused = refusedAs('invalid_request', 'Not like this.');
export const throttled = (retryAfter = 60) => throttledFor(retryAfter);

export type PostNetwork = ReturnType<typeof makePostNetwork>;

/** What the public sees, what was called, and what the next calls of a step (or `remove`, `settle`) meet. */
export function makePostNetwork() {
  let made = 0;
  /** Posts by id; a post made twice has two ids, unless its platform takes the repeat for the same. */
  const everything = new Map<string, Readonly<{ account: string; text: string }>>();
  return {
    ...makeNetwork(),
    public: everything,
    nextId: () => `made-${(made += 1)}`,
    texts: (account?: { id: string }): readonly string[] =>
      [...everything.values()].flatMap((post) => (account && post.account !== account.id ? [] : [post.text])),
  };
}

export const RULES: PostRules = Object.freeze({
  text: { max_length: 100, counting_mode: 'graphemes' },
  media: {
    max_image_size_bytes: 1000,
    max_video_size_bytes: 1000,
    supported_image_types: ['image/png'],
    supported_video_types: ['video/mp4'],
    sources: ['url', 'media_id'],
  },
  carousel: { supported: true, min_items: 1, max_items: 4, allow_video: false, images_only: true },
  text_only: true,
  threads: { supported: true, max_segments: 3 },
  first_comment: false,
  visibilities: ['public'],
} as const);

/** `offline`: calls make no request, for a whole server. */
type Traits = Readonly<{ visible?: boolean; removable?: boolean; offline?: boolean }>;

/** A platform whose write is idempotent (a key of ours) or visible (an id of its own, and a look-up). */
export function publishingPlatform(
  net: PostNetwork,
  slug: PlatformSlug,
  { visible = false, removable = true, offline = false }: Traits,
): Platform {
  const name = visible ? 'send' : 'write';

  async function meet(call: AccountCall, step: string, effect: () => void): Promise<Verdict> {
    const verdict = await net.meet(call, step);
    if (!offline) await call.http({ method: 'POST', url: 'https://social.test', template: '/' });
    if (!verdict.error || verdict.effect) effect();
    if (verdict.error) throw verdict.error;
    return verdict;
  }

  async function run(call: PublishCall, step: string): Promise<unknown> {
    const entry = { account: accountOf(call), text: call.post.text };
    if (step === 'prepare') {
      for (const { ref } of call.post.media) await call.open(ref);
      const key = net.nextId();
      await meet(call, step, () => {});
      return { key };
    }
    const part = step === name ? '' : `#${step}`;
    const key = visible ? net.nextId() : (call.done['prepare'] as { key: string }).key + part;
    await meet(call, step, () => void net.public.set(key, entry));
    return { id: key };
  }

  async function settle(call: PublishCall, step: string): Promise<Settled> {
    const { settled } = await meet(call, 'settle', () => {});
    if (settled) return typeof settled === 'string' ? settled : { made: settled };
    const found = [...net.public].find(([, { account }]) => account === accountOf(call));
    return found ? { made: { id: found[0] } } : step === name ? 'absent' : 'unknown';
  }

  return fakePlatform(slug, {
    posts: {
      rules: RULES,
      publish: {
        steps: ({ segments, first_comment }) => [
          { name: 'prepare', kind: 'invisible', maxWaitMs: 30 * 60_000 },
          { name, kind: visible ? 'visible' : 'idempotent' },
          ...segments.map((_, index) => ({ name: `segment.${index}`, kind: 'idempotent' as const })),
          ...(first_comment === undefined
            ? []
            : [{ name: 'comment', kind: 'idempotent', optional: 'first_comment' } as const]),
        ],
        run,
        finish(done) {
          const own = visible ? (done['send'] as { id: string }).id : (done['prepare'] as { key: string }).key;
          const { refused: why } = (done['comment'] ?? {}) as { refused?: string };
          const metadata = why === undefined ? {} : { first_comment_error: why };
          return { platform_post_id: own, permalink: `https://social.test/${own}`, metadata };
        },
        ...(visible && { settle }),
      },
      ...(removable && {
        async remove(call: AccountCall, id: string) {
          await meet(call, 'remove', () => {
            for (const key of net.public.keys()) if (key === id || key.startsWith(`${id}#`)) net.public.delete(key);
          });
        },
      }),
      metrics: async (_call, posts) =>
        new Map(posts.map(({ id }) => [id, { likes: 1, comments: 2, shares: 3, saves: 4 }])),
    },
  });
}
