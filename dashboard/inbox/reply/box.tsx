import type { JSX, TargetedKeyboardEvent } from 'preact';
import { WHO_CONNECTS } from '#kernel/people/sentences.ts';
import { canConnect } from '../../lib/frame/connecting.tsx';
import { MODIFIER } from '../../lib/keys.ts';
import { focusOpen } from '../focus.ts';
import { inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Choices } from './choices.tsx';
import { chooseSaved, FIELD } from './saved.tsx';
import { chooseTemplate } from './template.tsx';

/** Moves the cursor to the reply field, and chooses between public and private where both are possible. */
export function focusReply(isPrivate: boolean): void {
  const [item, target] = [inbox.open.peek(), inbox.target.peek()];
  // Until the thread has been read, the choice is kept, so that no private reply is sent in public.
  const canChoose = target === undefined ? isPrivate && item?.kind === 'comment' : target.canBePrivate;
  if (item !== undefined && canChoose) inbox.drafts.write(item.key, { isPrivate });
  document.getElementById(FIELD)?.focus();
}

/** The reply form. Its draft is kept for each thread. */
export function ReplyBox({ item }: Readonly<{ item: Item }>): JSX.Element {
  const { detail } = inbox.threads.of(item.key).value;
  const draft = inbox.drafts.of(item.key).value;
  const isAnswerable = inbox.isAnswerable.value;
  // Text that has been typed, and a field that has the cursor, stay even if no reply turns out to be possible.
  if (!isAnswerable && draft.text === '' && document.activeElement?.id !== FIELD) return <Unanswerable item={item} />;
  const isWaiting = inbox.isWaiting(item.key);
  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Window item={item} />
      {isAnswerable ? <Addressee item={item} /> : <Unanswerable item={item} />}
      <textarea
        id={FIELD}
        rows={2}
        readOnly={isWaiting || (!isAnswerable && draft.text === '')}
        value={draft.text}
        aria-label={isAnswerable ? undefined : 'What you wrote'}
        aria-describedby="reply-length"
        onInput={({ currentTarget }) => inbox.drafts.write(item.key, { text: currentTarget.value })}
        onKeyDown={onKey}
      />
      {detail?.parts && <Choices thread={item.key} draft={draft} parts={detail.parts} />}
      <div class="actions">
        <button class="primary" aria-disabled={!inbox.isSendable.value}>
          Send <kbd>{MODIFIER} ↵</kbd>
        </button>
        <button type="button" class="small" aria-haspopup="dialog" onClick={chooseSaved}>
          Saved replies <kbd>S</kbd>
        </button>
        <small id="reply-length" class="bad">
          {inbox.excesses.value.map((excess) => `The text ${excess}.`).join(' ')}
        </small>
        {isWaiting && <small role="status">Sent once the thread has loaded</small>}
      </div>
    </form>
  );

  function onKey(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
    const isModified = event.metaKey || event.ctrlKey;
    if (event.key === 'Escape') return focusOpen();
    if (!isModified || (event.key !== 'Enter' && event.key !== '/')) return;
    event.preventDefault();
    if (event.key === 'Enter') send();
    else chooseSaved();
  }

  function send(): void {
    if (!inbox.isSendable.peek()) return;
    void inbox.reply();
    // In this view, people go through the items one by one with the keyboard.
    if (inbox.view === 'unanswered') focusOpen();
  }
}

type ItemProps = Readonly<{ item: Item }>;

/** Why nothing can be sent. */
function Unanswerable({ item }: ItemProps): JSX.Element {
  const isBlocked = typeof inbox.threads.of(item.key).value.detail?.blocked === 'string';
  if (!isBlocked) return <p class="note">The platform offers no way to answer this.</p>;
  return (
    <p class="note">
      Nothing can be sent until this account is connected again.{' '}
      {canConnect ? <a href="/dashboard/accounts">Connect it again</a> : WHO_CONNECTS}
    </p>
  );
}

/** Whom a reply goes to, and whether it is public. */
function Addressee({ item }: ItemProps): JSX.Element {
  const target = inbox.target.value;
  const { to } = inbox.drafts.of(item.key).value;
  return (
    <>
      <div class="line">
        <label for={FIELD}>
          <bdi>{target?.label ?? `Answer ${item.name}`}</bdi>
        </label>
        {to !== undefined && to !== item.id && (
          <button type="button" class="link" onClick={() => inbox.drafts.write(item.key, { to: undefined })}>
            Not this comment
          </button>
        )}
        {target?.canBePrivate && (
          <label class="tick">
            <input
              type="checkbox"
              checked={target.isPrivate}
              onChange={({ currentTarget }) => inbox.drafts.write(item.key, { isPrivate: currentTarget.checked })}
            />
            <span>In private</span>
          </label>
        )}
      </div>
      {target?.missing !== undefined && (
        <p class="warn" role="status">
          {target.missing}
        </p>
      )}
    </>
  );
}

/** Until when people can be written to, and what still reaches them afterwards. */
function Window({ item }: ItemProps): JSX.Element | null {
  const window = inbox.messageWindow.value;
  if (window === undefined) return null;
  return (
    <p class={window.isClosed || window.tag !== undefined ? 'warn' : 'quiet'}>
      <bdi>{window.text}</bdi>{' '}
      {window.byTemplate && (
        <button type="button" class="link" onClick={() => void chooseTemplate(item)}>
          Send a template
        </button>
      )}
    </p>
  );
}
