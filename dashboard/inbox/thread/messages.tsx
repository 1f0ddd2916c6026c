import type { JSX } from 'preact';
import type { Message } from '../../lib/operations.ts';
import { Icon } from '../../lib/parts.tsx';
import { inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Moment } from '../parts.tsx';
import { Extras, Files, Reactions } from './extras.tsx';
import type { Thread } from './reading.ts';

type MessagesProps = Readonly<{ item: Item; thread: Thread }>;

/** The messages of a conversation, with the newest at the end. */
export function Messages({ item, thread: { messages, next, isLoading } }: MessagesProps): JSX.Element {
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (
    <>
      {next !== undefined && (
        <button type="button" class="small" aria-disabled={isLoading} onClick={() => void inbox.threads.more(item)}>
          {isLoading ? 'Loading …' : 'Earlier messages'}
        </button>
      )}
      <ol class="messages">
        {messages.map((message) => (
          <Bubble
            key={message.id}
            message={message}
            isFound={message.id === item.found?.id}
            answered={byId.get(message.reply_to_message_id ?? '')}
          />
        ))}
      </ol>
    </>
  );
}

/** The delivery states of sent messages. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['sent', 'Sent'],
  ['delivered', 'Delivered'],
  ['read', 'Read'],
]);

type BubbleProps = Readonly<{ message: Message; isFound: boolean; answered: Message | undefined }>;

function Bubble({ message, isFound, answered }: BubbleProps): JSX.Element {
  const { direction, sender_name, text, attachments, metadata, status, created_at } = message;
  if (metadata['notice'] !== undefined)
    return (
      <li class="notice quiet">
        <bdi>{text}</bdi> <Moment at={created_at} />
      </li>
    );
  const isOurs = direction === 'outgoing';
  return (
    <li class={`bubble ${isOurs ? 'ours' : ''} ${isFound ? 'is-found' : ''}`}>
      <span class="heard">
        <bdi>{sender_name}</bdi>:
      </span>
      {answered !== undefined && (
        <blockquote>
          <bdi>{answered.text === '' ? 'a file' : answered.text}</bdi>
        </blockquote>
      )}
      {text !== '' && (
        <p class="said">
          <bdi>{text}</bdi>
        </p>
      )}
      <Files files={attachments} />
      <Extras metadata={metadata} />
      <Reactions metadata={metadata} />
      <small>
        <Moment at={created_at} />
        {metadata['edited_at'] !== undefined && ' · edited'}
        {isOurs && STATES.has(status) && ` · ${STATES.get(status)}`}
        {status === 'failed' && (
          <span class="bad">
            {' '}
            <Icon name="failed" /> Not delivered
          </span>
        )}
      </small>
    </li>
  );
}
