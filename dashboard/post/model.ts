import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { messageForPeople, RefusedError, type Call } from '../lib/call.ts';
import type { Analytics, LogEntry, LogEvent, Post, Target } from '../lib/operations.ts';
import { EDITABLE, FAILED, PUBLIC, WAITING } from '../lib/posts/states.ts';
import { wallTimeOf } from '../lib/time.ts';
import { firstDays } from '#kernel/people/first-days.ts';

type PostDeps = Readonly<{
  call: Call;
  post: Post;
  logs: readonly LogEntry[];
  /** What a published post gained, by day. */
  gained: Analytics | null;
  zone: string;
  clock(): number;
  newKey(): string;
  later(run: () => void): void;
  say: Say;
  /** Opens the list with a message, after the post has been deleted. */
  leave(words: string): void;
}>;

/** Actions that need confirmation. */
export type Question = 'doubt' | 'publish' | 'unpublish' | 'delete';

export function makePost(deps: PostDeps) {
  const { call, newKey, later, say, leave, zone, clock } = deps;
  const post = signal(deps.post);
  const logs = signal(deps.logs);
  const gained = signal(deps.gained);
  const question = signal<Question | undefined>(undefined);
  let isGone = false;
  /** Why a retry was not made: the post may already be public. */
  const doubt = signal('');
  const post_id = deps.post.id;
  const { isBusy, act: actOnce } = makeActing({ call, newKey, say });

  async function refresh(): Promise<void> {
    const [fresh, entries] = await Promise.all([call('get_post', { post_id }), call('list_post_logs', { post_id })]);
    post.value = fresh;
    logs.value = entries.data;
    if (fresh.published_at === null) return;
    const days = firstDays(wallTimeOf(fresh.published_at, zone).day, wallTimeOf(clock(), zone).day);
    gained.value = await call('get_analytics', { post_id, group_by: 'day', ...days });
  }

  /** Runs one action at a time and then reads the post again. */
  async function act(run: Parameters<typeof actOnce>[0]): Promise<void> {
    if (isBusy.value) return;
    question.value = undefined;
    await actOnce(run);
    if (!isGone) await refresh().catch(() => undefined);
  }

  async function retryWith(confirmed: boolean, callOnce: Call): Promise<string> {
    await callOnce('retry_post', { post_id, confirm_not_published: confirmed });
    return 'Publishing again.';
  }

  return {
    post: computed(() => post.value),
    logs: computed(() => logs.value),
    gained: computed(() => gained.value),
    question: computed(() => question.value),
    doubt: computed(() => doubt.value),
    isBusy,
    canPublish: computed(() => WAITING.has(post.value.status) && post.value.targets.length > 0),
    canEdit: computed(() => EDITABLE.has(post.value.status)),
    canRetry: computed(() => FAILED.includes(post.value.status)),
    canUnpublish: computed(() => PUBLIC.has(post.value.status)),

    ask: (what: Question) => void (question.value = what),
    dismiss: () => void (question.value = undefined),

    /** Retries failed targets. If that might publish the post twice, a person has to check first. */
    async retry(): Promise<void> {
      let held: string | undefined;
      await act(async (callOnce) => {
        try {
          return await retryWith(false, callOnce);
        } catch (error) {
          if (!(error instanceof RefusedError) || error.code !== 'post.state_invalid') throw error;
          held = error.message;
          return 'Nothing was published: look at the platform first.';
        }
      });
      if (held === undefined) return;
      doubt.value = held;
      question.value = 'doubt';
    },
    /** Retries after a person has checked that the post is not public. */
    retryAnyway: () => act((callOnce) => retryWith(true, callOnce)),

    publish: () =>
      act(async (callOnce) => {
        const { status } = await callOnce('publish_post', { post_id });
        return status === 'published' ? 'Published.' : 'Sent; the outcome appears here.';
      }),

    unpublish: () =>
      act(async (callOnce) => {
        const { results } = await callOnce('unpublish_post', { post_id });
        const left = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'not_supported');
        return left.length === 0
          ? 'Taken down.'
          : `Not taken down everywhere: ${messageForPeople(left[0]!.message ?? left[0]!.outcome, zone)}`;
      }),

    remove: () =>
      act(async (callOnce) => {
        const { remaining } = await callOnce('delete_post', { post_id });
        if (remaining.length > 0) return 'Deleted here, but still public on a platform.';
        isGone = true;
        leave('Deleted.');
        return undefined;
      }),

    /** Reads the post again when it changes. During an action this is not needed, as the action does so at its end. */
    heard({ category, resource_id }: LogEvent): void {
      if (category !== 'post' || resource_id !== post_id || isBusy.value || isGone) return;
      later(() => void refresh().catch(() => undefined));
    },
  };
}

type Cure = Readonly<{ title: string; canConnect: boolean }>;

/** What a person can do about a failed target; `title` is that of its platform. */
export function cureOf({ error }: Target, { title, canConnect }: Cure): string | undefined {
  if (error === null) return undefined;
  if (error.category === 'auth' && !canConnect) return 'Ask an administrator to connect the account again.';
  return CURES.get(error.category) ?? `Publish again; if ${title} refuses once more, its own words above say why.`;
}

/** By error category. Errors of the platform and of this server have no entry. */
const CURES: ReadonlyMap<string, string> = new Map([
  ['auth', 'Connect the account again, then publish again.'],
  ['rate_limit', 'Wait a while, then publish again.'],
  ['validation', 'Change the post, then publish again.'],
]);
