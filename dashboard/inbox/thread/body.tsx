import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Sendings } from '../reply/sendings.tsx';
import { Comments, PostCard } from './comments.tsx';
import { MentionCard, ReviewCard } from './cards.tsx';
import { Messages } from './messages.tsx';
import type { Thread } from './reading.ts';
import { Trouble } from '../../lib/parts.tsx';

type BodyProps = Readonly<{ item: Item }>;

/** The content of a thread, and the messages that are being sent. */
export function Body({ item }: BodyProps): JSX.Element {
  const thread = inbox.threads.of(item.key).value;
  const body = useRef<HTMLDivElement>(null);
  const { detail, problem, isLoading, messages } = thread;
  // A late message may be sorted before the last one, so several ids count. Older messages do not affect this.
  const newest = messages
    .slice(-5)
    .map(({ id }) => id)
    .join();
  const isFound = messages.some(({ id }) => id === item.found?.id);
  const sending = useMemo(() => inbox.outbox.of(item.key), [item.key]).value.length;
  useEffect(() => {
    if (item.found !== undefined && detail !== undefined) void inbox.threads.until(item, item.found.id);
  }, [item.found?.id, detail === undefined]);
  // Runs after the reply field is rendered, which takes some of the height.
  useEffect(() => {
    if (item.kind !== 'conversation') return;
    const room = body.current!;
    const found = room.querySelector('.is-found');
    if (found !== null) return found.scrollIntoView({ block: 'center' });
    [...room.querySelectorAll('.bubble')].at(-1)?.scrollIntoView({ block: 'end' });
    room.scrollTop = room.scrollHeight;
  }, [newest, sending, isFound]);
  // When the reply field grows or shrinks, the messages above it keep their distance to it.
  useEffect(() => {
    if (item.kind !== 'conversation') return undefined;
    const room = body.current!;
    let height = room.clientHeight;
    const watch = new ResizeObserver(() => {
      const grown = room.clientHeight - height;
      height = room.clientHeight;
      // At the end of the thread, the browser has already scrolled.
      if (room.scrollTop + height < room.scrollHeight - 1) room.scrollTop -= grown;
    });
    watch.observe(room);
    return () => watch.disconnect();
  }, [item.kind]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
    <div class="body" ref={body} tabIndex={0} role="group" aria-label="What was written" aria-busy={isLoading}>
      {problem !== undefined && <Trouble text={problem} again={() => inbox.read(item)} />}
      {detail === undefined ? <Known item={item} /> : <Read item={item} thread={thread} />}
      <Sendings item={item} />
    </div>
  );
}

/** The text from the list, until the thread has been read. */
function Known({ item: { text, kind } }: BodyProps): JSX.Element {
  return (
    <div class={kind === 'conversation' ? 'bubble' : 'card text'}>
      <bdi>{text}</bdi>
    </div>
  );
}

function Read({ item, thread }: BodyProps & Readonly<{ thread: Thread }>): JSX.Element {
  const { review, mention, post, permalink } = thread.detail!;
  return (
    <>
      {post !== null && <PostCard post={post} isLinked={item.kind === 'comment'} />}
      {item.kind === 'conversation' && <Messages item={item} thread={thread} />}
      {(item.kind === 'comment' || item.kind === 'post') && <Comments item={item} thread={thread} />}
      {mention !== undefined && <MentionCard mention={mention} permalink={permalink ?? null} />}
      {review !== undefined && <ReviewCard item={item} review={review} />}
    </>
  );
}
