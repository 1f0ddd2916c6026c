import type { JSX } from 'preact';
import { may } from '../../lib/frame/may.ts';
import { Icon, Mark } from '../../lib/parts.tsx';
import { markOf } from '../../lib/platforms.ts';
import { accounts, inbox, isNarrow } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Face } from '../parts.tsx';
import { ReplyBox } from '../reply/box.tsx';
import { SavedReplies } from '../reply/saved.tsx';
import { ANSWERS } from '../reply/target.ts';
import { TemplateDialog } from '../reply/template.tsx';
import { Body } from './body.tsx';

const names = new Map(accounts.map(({ id, name }) => [id, name]));

export function Pane(): JSX.Element {
  const item = inbox.open.value;
  if (item === undefined)
    return (
      <section class="thread" aria-label="What is open">
        <p class="empty">Choose a conversation, or press J.</p>
      </section>
    );
  return (
    <section class="thread" aria-label="What is open">
      <Heading item={item} />
      <Body key={item.key} item={item} />
      {ANSWERS[item.kind].some(may) && (
        <>
          <ReplyBox key={`reply ${item.key}`} item={item} />
          <TemplateDialog item={item} />
          <SavedReplies item={item} />
        </>
      )}
    </section>
  );
}

function Heading({ item }: Readonly<{ item: Item }>): JSX.Element {
  const { name, picture, platform, accountId } = item;
  return (
    <header>
      {isNarrow.value && (
        <button type="button" class="square" aria-label="Back to the list" onClick={() => inbox.go(undefined)}>
          <Icon name="left" />
        </button>
      )}
      <Face name={name} picture={picture} />
      <div class="who">
        <h2 tabIndex={-1}>
          <bdi>{name === '' ? 'Loading …' : name}</bdi>
        </h2>
        <small>
          <Mark platform={platform} /> to <bdi>{names.get(accountId) ?? accountId}</bdi> on {markOf(platform).title}
        </small>
      </div>
      {item.kind === 'conversation' && may('update_conversation') && <Filing item={item} />}
    </header>
  );
}

function Filing({ item }: Readonly<{ item: Item }>): JSX.Element {
  return (
    <div class="actions">
      <button type="button" class="small" onClick={() => void inbox.unread()}>
        {item.count === 0 ? 'Unread' : 'Read'} <kbd>U</kbd>
      </button>
      <button type="button" class="small" onClick={() => void inbox.archive()}>
        {inbox.isArchived(item.key) ? 'Bring back' : 'Archive'} <kbd>E</kbd>
      </button>
    </div>
  );
}
