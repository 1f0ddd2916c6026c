import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { ask } from '../../lib/confirm.tsx';
import type { Comment, InboxPost } from '../../lib/operations.ts';
import { addressOf, inbox } from '../inbox.ts';
import { keyOf, type Item } from '../list/items.ts';
import { Face, isLoadable, Moment, webAddress } from '../parts.tsx';
import { focusReply } from '../reply/box.tsx';
import { Extras, Files, Out } from './extras.tsx';
import type { Thread } from './reading.ts';
import { counted } from '#kernel/people/counted.ts';
import { wordsOfPost } from '#kernel/people/known-post.ts';

type PostCardProps = Readonly<{ post: InboxPost; isLinked: boolean }>;

export function PostCard({ post, isLinked }: PostCardProps): JSX.Element {
  const { id, account_id, thumbnail, permalink, comment_count, like_count } = post;
  const address = webAddress(permalink);
  const all = addressOf('comments', { item: keyOf('post', account_id, id) });
  return (
    <article class="about" aria-label="Your post">
      {thumbnail !== null && isLoadable(thumbnail) && (
        <img src={thumbnail} alt="" loading="lazy" referrerpolicy="no-referrer" />
      )}
      <p class="words">
        <bdi>{wordsOfPost(post)}</bdi>
      </p>
      <small>
        {counted(comment_count, 'comment')}, {counted(like_count, 'like')}
        {isLinked && (
          <>
            {' · '}
            <a href={all}>all comments</a>
          </>
        )}
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

type CommentsProps = Readonly<{ item: Item; thread: Thread }>;

export function Comments({ item, thread: { comments, next, isLoading, detail } }: CommentsProps): JSX.Element {
  const known = new Set(comments.map(({ id }) => id));
  const below = Map.groupBy(comments, ({ parent_id }) => (parent_id !== null && known.has(parent_id) ? parent_id : ''));
  const drawn = (parent: string): JSX.Element[] =>
    (below.get(parent) ?? []).map((comment) => (
      <li key={comment.id}>
        <OneComment item={item} comment={comment} isOpen={comment.id === item.id} />
        {below.has(comment.id) && <ol class="comments">{drawn(comment.id)}</ol>}
      </li>
    ));
  return (
    <>
      {comments.length === 0 && detail !== undefined && !isLoading && <p class="quiet">There are no comments.</p>}
      <ol class="comments">{drawn('')}</ol>
      {next !== undefined && (
        <button type="button" class="small" aria-disabled={isLoading} onClick={() => void inbox.threads.more(item)}>
          {isLoading ? 'Loading …' : 'More comments'}
        </button>
      )}
    </>
  );
}

type OneProps = Readonly<{ item: Item; comment: Comment; isOpen: boolean }>;

function OneComment({ item, comment, isOpen }: OneProps): JSX.Element {
  const { author, text, content, created_at, is_owner, is_hidden, answered, metadata, like_count } = comment;
  const said = [
    ...(like_count > 0 ? [counted(like_count, 'like')] : []),
    ...(is_hidden ? ['hidden from others'] : []),
    ...(answered ? ['answered'] : []),
  ];
  return (
    <article
      class={`comment ${isOpen ? 'is-open' : ''} ${is_hidden ? 'is-hidden' : ''}`}
      aria-label={`Comment of ${author.name}`}
    >
      <Face name={author.name} picture={author.avatar_url} />
      <div class="who">
        <p class="line">
          <span>
            <strong>
              <bdi>{author.name}</bdi>
            </strong>
            {is_owner && <small> you</small>}
          </span>
          <Moment at={created_at} />
        </p>
        <p class="said">
          <bdi>{text}</bdi>
        </p>
        <Files files={content.media} />
        <Extras metadata={metadata} />
        <small>{said.join(' · ')}</small>
        <Acts item={item} comment={comment} />
      </div>
    </article>
  );
}

function Acts({ item, comment }: Omit<OneProps, 'isOpen'>): JSX.Element {
  const { acts, drafts, threads } = inbox;
  const { id, author, capabilities, is_hidden, is_liked, reply_count, permalink } = comment;
  const { can_reply, can_private_reply, can_hide, can_like, can_delete } = capabilities;
  const address = webAddress(permalink);
  const isChosen = useComputed(() => inbox.target.value?.comment?.id === id).value;
  const button = (title: string, run: () => unknown, isOn?: boolean) => (
    <button
      type="button"
      class="link"
      aria-pressed={isOn}
      aria-label={`${title}: comment of ${author.name}`}
      onClick={() => void run()}
    >
      {title}
    </button>
  );
  function answer(isPrivate: boolean): void {
    drafts.write(item.key, { to: id });
    focusReply(isPrivate);
  }
  const remove = () =>
    ask(() => ({
      title: 'Delete this comment?',
      text: `This deletes the comment of ${author.name} on the platform. It cannot be undone.`,
      yes: 'Delete',
      run: () => acts.remove(item, comment),
    }));
  const isRead =
    reply_count > 0 &&
    item.kind === 'post' &&
    !threads.of(item.key).value.comments.some(({ parent_id }) => parent_id === id);
  return (
    <div class="acts">
      {can_reply && button('Answer', () => answer(false), isChosen)}
      {can_private_reply && button('In private', () => answer(true))}
      {can_like && button('Like', () => acts.like(item, comment, !is_liked), is_liked)}
      {can_hide && button(is_hidden ? 'Show' : 'Hide', () => acts.hide(item, comment, !is_hidden))}
      {can_delete && button('Delete', remove)}
      {isRead && button(`Show ${counted(reply_count, 'answer')}`, () => threads.answers(item, comment))}
      {address !== undefined && <Out href={address}>See it</Out>}
    </div>
  );
}
