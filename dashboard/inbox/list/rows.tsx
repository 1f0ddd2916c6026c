import { useComputed } from '@preact/signals';
import { useRef, useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { Badge, Mark } from '../../lib/parts.tsx';
import { markOf } from '../../lib/platforms.ts';
import { addressOfItem, inbox } from '../inbox.ts';
import { Face, Moment, Stars } from '../parts.tsx';
import { blockWords, type Item } from './items.ts';

const { list } = inbox;

/** The list, and updates that came while the pointer was on it. */
export function Rows({ onChosen }: Readonly<{ onChosen(): void }>): JSX.Element {
  const updates = list.updates.value;
  const { isLoading, hasMore } = list;
  return (
    <>
      {updates.length > 0 && (
        <button type="button" onClick={list.showUpdates}>
          {updates.length} new
        </button>
      )}
      <ul
        class="items"
        aria-busy={isLoading.value}
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && list.point(true)}
        onPointerLeave={() => list.point(false)}
      >
        {list.items.value.map((item) => (
          <Row key={item.key} item={item} onChosen={onChosen} />
        ))}
      </ul>
      {hasMore.value && (
        <button type="button" aria-disabled={isLoading.value} onClick={() => void list.more()}>
          {isLoading.value ? 'Loading …' : 'Show more'}
        </button>
      )}
    </>
  );
}

type RowProps = Readonly<{ item: Item; onChosen(): void }>;

function Row({ item, onChosen }: RowProps): JSX.Element {
  const { key, kind, name, picture, platform, text, at, count, rating } = item;
  const isOpen = useComputed(() => inbox.openKey.value === key).value;
  const done = useComputed(() => list.settled.value.get(key)).value;
  const hasFailed = useComputed(() => inbox.outbox.failed.value.has(key)).value;
  const row = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOpen) row.current!.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li>
      <a
        ref={row}
        class={`item ${count > 0 && kind === 'conversation' ? 'unread' : ''} ${done === undefined ? '' : 'settled'}`}
        href={addressOfItem(key)}
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          inbox.go(key);
          onChosen();
        }}
      >
        <Face name={name} picture={picture} />
        <span class="gist">
          <span class="line">
            <strong>
              <bdi>{name}</bdi>
            </strong>
            <Moment at={at} />
          </span>
          <span class="words">
            {rating !== undefined && <Stars rating={rating} />}{' '}
            <bdi>{text === '' ? 'No words' : <Marked text={text} marks={item.found?.marks ?? []} />}</bdi>
          </span>
          <span class="line">
            <small>
              <Mark platform={platform} /> {TITLES[kind]} on {markOf(platform).title}
            </small>
            <Badges item={item} done={done} hasFailed={hasFailed} />
          </span>
        </span>
      </a>
    </li>
  );
}

type MarkedProps = Readonly<{ text: string; marks: NonNullable<Item['found']>['marks'] }>;

/** A text with the search words highlighted. */
function Marked({ text, marks }: MarkedProps): JSX.Element {
  const begins = [0, ...marks.map(({ to }) => to)];
  return (
    <>
      {marks.map(({ from, to }, nth) => (
        <>
          {text.slice(begins[nth], from)}
          <mark>{text.slice(from, to)}</mark>
        </>
      ))}
      {text.slice(begins.at(-1))}
    </>
  );
}

const TITLES: Readonly<Record<Item['kind'], string>> = {
  conversation: 'Message',
  comment: 'Comment',
  mention: 'Mention',
  review: 'Review',
  post: 'Post',
};

type BadgesProps = Readonly<{ item: Item; done: string | undefined; hasFailed: boolean }>;

function Badges({ item: { kind, count, blocked }, done, hasFailed }: BadgesProps): JSX.Element {
  return (
    <span class="states">
      {hasFailed && <Badge sign="failed" word="Not sent" />}
      {done !== undefined && !hasFailed && <Badge sign="published" word={done} />}
      {blocked !== undefined && done === undefined && <small class="warn">{blockWords(blocked)}</small>}
      {count > 0 && kind !== 'comment' && (
        <span class="count">
          {count}
          <span class="heard"> {kind === 'post' ? 'comments' : 'unread'}</span>
        </span>
      )}
    </span>
  );
}
