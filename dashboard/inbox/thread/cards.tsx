import type { JSX } from 'preact';
import { ask } from '../../lib/confirm.tsx';
import { may } from '../../lib/frame/may.ts';
import type { Mention, Review } from '../../lib/operations.ts';
import { inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Moment, Stars, webAddress } from '../parts.tsx';
import { Files, Out } from './extras.tsx';

type MentionProps = Readonly<{ mention: Mention; permalink: string | null }>;

export function MentionCard({ mention, permalink }: MentionProps): JSX.Element {
  const { content, created_at, answered } = mention;
  const address = webAddress(permalink);
  return (
    <article class="card text" aria-label="Mention">
      <p class="said">
        <bdi>{content.text}</bdi>
      </p>
      <Files files={content.media} />
      <small>
        <Moment at={created_at} />
        {answered && ' · answered'}
        {address !== undefined && (
          <>
            {' · '}
            <Out href={address}>see it</Out>
          </>
        )}
      </small>
    </article>
  );
}

type ReviewProps = Readonly<{ item: Item; review: Review }>;

export function ReviewCard({ item, review }: ReviewProps): JSX.Element {
  const { rating, text, created_at, reply, content } = review;
  const files = content.media.flatMap(({ type, url }) =>
    typeof type === 'string' && typeof url === 'string' ? [{ type, url }] : [],
  );
  const remove = () =>
    ask(() => ({
      title: 'Delete your answer?',
      text: 'It is deleted on the platform. This cannot be undone.',
      yes: 'Delete',
      run: () => inbox.acts.removeReply(item),
    }));
  return (
    <>
      <article class="card text" aria-label="Review">
        <Stars rating={rating} />
        <p class="said">
          <bdi>{text === '' ? 'No words.' : text}</bdi>
        </p>
        <Files files={files} />
        <small>
          <Moment at={created_at} />
        </small>
      </article>
      {reply !== null && (
        <article class="bubble ours" aria-label="Your answer">
          <p class="said">
            <bdi>{reply.text}</bdi>
          </p>
          <small>
            <Moment at={reply.updated_at} />
            {reply.state !== undefined && ` · ${reply.state.toLowerCase()}`}
          </small>
          {may('delete_review_reply') && (
            <button type="button" class="link" onClick={remove}>
              Delete the answer
            </button>
          )}
        </article>
      )}
    </>
  );
}
