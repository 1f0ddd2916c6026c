import type { JSX } from 'preact';
import type { Post } from '../operations.ts';
import { Marks, State, Time } from '../parts.tsx';

/** What a post is called in a list. */
export const wordsOf = ({ text, title }: Pick<Post, 'text' | 'title'>): string => text ?? title ?? 'No text';

/** A post in one line, with a link to its page. */
export function PostRow({ post }: Readonly<{ post: Post }>): JSX.Element {
  const at = post.published_at ?? post.scheduled_at ?? (post.status === 'draft' ? null : post.created_at);
  return (
    <a class={`post ${post.status}`} href={`/dashboard/posts/${post.id}`}>
      <State status={post.status} />
      <span class="words">
        <bdi>{wordsOf(post)}</bdi>
      </span>
      <Marks targets={post.targets} />
      {at === null ? <span class="quiet">no time yet</span> : <Time at={at} />}
    </a>
  );
}
