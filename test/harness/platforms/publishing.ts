import type { AccountCall } from '../../../src/platforms/call.ts';
import type { Platform } from '../../../src/platforms/platform.ts';
import type { PostRules, PublishCall, Settled } from '../../../src/platforms/posts.ts';
import { PlatformError } from '../../../src/platforms/errors.ts';
import type { PlatformSlug } from '../../../src/kernel/platforms.ts';

/** What a call meets: an error, with or without the effect it was made for, or a wait that a test ends. */
export type Verdict = Readonly<{
  error?: PlatformError;
  effect?: boolean;
  hold?: Promise<void>;
  /** Told when a call waits at `hold`. */
  onMet?: () => void;
  settled?: Settled;
}>;

export const refused: Verdict = { error: new PlatformError('refused', 'invalid_request', 'Not like this.') };
export const revoked: Verdict = { error: new PlatformError('refused', 'auth', 'Connect again.') };
export const unsent: Verdict = { error: new PlatformError('not_sent', 'api_error', 'No connection.') };
/** The answer did not come, and nothing happened. */
export const silent: Verdict = { error: new PlatformError('unknown', 'api_error', 'No answer.') };
/** The answer did not come, but the effect took place. */
export const lost: Verdict = { ...silent, effect: true };
export const throttled = (retryAfter = 60): Verdict => ({
  error: new PlatformError('throttled', 'rate_limit', 'Slow down.', { status: 429, retryAfter }),
});

export type Network = ReturnType<typeof makeNetwork>;

/** What the public sees, what was called, and what the next calls meet. */
export function makeNetwork() {
  const verdicts = new Map<string, Verdict[]>();
  const gates: (() => void)[] = [];
  let made = 0;
  return {
    /** Posts by id; a post made twice has two ids, unless its platform takes the repeat for the same. */
    public: new Map<string, Readonly<{ account: string; text: string }>>(),
    calls: [] as string[],
    nextId: () => `made-${(made += 1)}`,
    /** What the next calls of a step (or `remove`, `settle`) meet for an account. */
    script(account: { id: string }, step: string, ...next: readonly Verdict[]): void {
      const key = `${account.id} ${step}`;
      verdicts.set(key, [...(verdicts.get(key) ?? []), ...next]);
    },
    take: (account: string, step: string): Verdict => verdicts.get(`${account} ${step}`)?.shift() ?? {},
    /** A verdict that waits until `open` is called; `met` resolves when a call waits there. */
    gate(): Verdict & { met: Promise<void>; open(): void } {
      const { promise: hold, resolve: open } = Promise.withResolvers<void>();
      const { promise: met, resolve: onMet } = Promise.withResolvers<void>();
      gates.push(open);
      return { hold, open, met, onMet };
    },
    release(): void {
      for (const open of gates) open();
    },
    texts(account?: { id: string }): readonly string[] {
      const all = [...this.public.values()];
      return all.filter((post) => account === undefined || post.account === account.id).map(({ text }) => text);
    },
  };
}

const RULES: PostRules = Object.freeze({
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

type Traits = Readonly<{ visible?: boolean; removable?: boolean; posts?: boolean }>;

/** A platform whose write is idempotent (a key of ours) or visible (an id of its own, and a look-up). */
export function fakePlatform(net: Network, slug: PlatformSlug, traits: Traits): Platform {
  const { visible = false, removable = true, posts = true } = traits;
  const accountOf = (call: AccountCall) => call.session['account'] as string;
  const name = visible ? 'send' : 'write';

  async function meet(call: AccountCall, step: string, effect: () => void): Promise<Verdict> {
    const account = accountOf(call);
    net.calls.push(`${account} ${step}`);
    const verdict = net.take(account, step);
    verdict.onMet?.();
    await verdict.hold;
    await call.http({ method: 'POST', url: 'https://social.test', template: '/' });
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
    if (settled) return settled;
    const found = [...net.public].find(([, { account }]) => account === accountOf(call));
    return found ? { made: { id: found[0] } } : step === name ? 'absent' : 'unknown';
  }

  const common: Platform = {
    slug,
    title: slug,
    hosts: { real: {}, sandbox: () => ({}) },
    connect: { kind: 'direct', form: [], required: [], login: () => Promise.reject(new Error('not here')) },
  };
  if (!posts) return common;
  return {
    ...common,
    posts: {
      rules: RULES,
      publish: {
        steps: ({ segments, first_comment }) => [
          { name: 'prepare', kind: 'invisible' },
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
      metrics: async (_call, ids) => new Map(ids.map((id) => [id, { likes: 1, comments: 2, shares: 3, saves: 4 }])),
    },
  };
}
