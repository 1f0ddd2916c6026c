import { tableOf } from '#kernel/text/table.ts';
import { wordsIn } from '../kit/acts.ts';
import { graphemes } from '../kit/api/checks.ts';
import { makeDue } from '../kit/due.ts';
import { digits } from '../kit/ids.ts';
import { isConnected, siteOf } from './accounts.ts';
import type { Post, Target } from './docs.ts';
import type { World } from './world.ts';

const LONGEST: ReadonlyMap<string, readonly [number, string]> = tableOf({
  twitter: [280, 'X'],
  threads: [500, 'Threads'],
  bluesky: [300, 'Bluesky'],
});

export function stateOf({ is_draft, targets }: Pick<Post, 'is_draft' | 'targets'>) {
  const has = (status: Target['status']) => targets.some((one) => one.status === status);
  if (is_draft) return 'draft';
  if (has('pending')) return 'scheduled';
  if (has('published')) return has('failed') || has('cancelled') ? 'partial' : 'published';
  return has('failed') ? 'failed' : 'cancelled';
}

/** The content of a post on one platform. */
export const saidOn = ({ fields }: Pick<Post, 'fields'>, { own }: Target) => ({
  content: own.customContent ?? fields.content ?? '',
  media: own.customMedia ?? fields.mediaItems ?? [],
});

export function makePublishing({ docs, settings, options: { store, clock } }: World) {
  function failureOf(post: Post, target: Target): Target['failure'] {
    const account = docs.get('account', target.account);
    if (account === undefined || !isConnected(account)) {
      const errorMessage = 'The access token has expired. Please reconnect your account.';
      return { errorMessage, errorCategory: 'auth_expired', errorSource: 'user' };
    }
    const [most, name] = LONGEST.get(target.platform) ?? [Infinity, ''];
    if (graphemes(saidOn(post, target).content) > most) {
      const errorMessage = `Post text exceeds the ${most} character limit for ${name}.`;
      return { errorMessage, errorCategory: 'user_content', errorSource: 'user' };
    }
    const isFailing = wordsIn(settings.get('failing_platforms'))?.includes(target.platform) === true;
    const errorMessage = 'The platform could not complete the request.';
    return isFailing ? { errorMessage, errorCategory: 'platform_error', errorSource: 'platform' } : undefined;
  }
  function send(post: Post, target: Target): Target {
    const failure = failureOf(post, target);
    if (failure !== undefined) return { ...target, status: 'failed', failure };
    const id = digits(18);
    const url = `${siteOf(docs.get('account', target.account)!) ?? `https://${target.platform}.example`}/posts/${id}`;
    return { ...target, status: 'published', published: { id, url, at: clock.now() }, failure: undefined };
  }
  function publish(id: string): Post {
    const post = docs.get('post', id)!;
    const targets = post.targets.map((one) => (one.status === 'pending' ? send(post, one) : one));
    return docs.change('post', id, { targets, updated_at: clock.now() });
  }
  const { run, add, close } = makeDue(
    { store, clock, nodes: docs },
    (id) => void publish(id),
    () => {},
  );

  return Object.freeze({
    publish,
    due: run,
    close,
    /** Sets the time of a post, and sends it at once if the time has passed. Inside a transaction. */
    settle(post: Post): Post {
      docs.put('post', post);
      docs.remove('due', post.id);
      if (post.is_draft) return post;
      add(post.id, Math.max(0, (post.scheduled_at ?? 0) - clock.now()));
      return docs.get('post', post.id)!;
    },
    remove(id: string): void {
      docs.remove('due', id);
      docs.remove('post', id);
    },
  });
}
export type Publishing = ReturnType<typeof makePublishing>;
