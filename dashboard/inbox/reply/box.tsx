import type { JSX, TargetedKeyboardEvent } from 'preact';
import { excessesOf, type Counting } from '#kernel/text/length.ts';
import { MODIFIER } from '../../lib/keys.ts';
import { inbox, isNarrow } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Choices } from './choices.tsx';
import { chooseTemplate } from './template-dialog.tsx';

/** Puts the cursor where an answer is written, in public or in private where both are possible. */
export function focusReply(isPrivate: boolean): void {
  const [item, target] = [inbox.open.peek(), inbox.target.peek()];
  if (item !== undefined && target?.canBePrivate === true) inbox.drafts.write(item.key, { isPrivate });
  document.getElementById('reply')?.focus();
}

/** What an answer is written in, kept for each thread. */
export function ReplyBox({ item }: Readonly<{ item: Item }>): JSX.Element | null {
  const { detail } = inbox.threads.of(item.key).value;
  const target = inbox.target.value;
  const draft = inbox.drafts.of(item.key).value;
  if (detail === undefined) return null;
  if (detail.blocked !== null)
    return (
      <p class="note">
        Nothing can be sent until this account is connected again. <a href="/dashboard/accounts">Connect it again</a>
      </p>
    );
  if (target === undefined || detail.text_rule === null)
    return <p class="note">The platform offers no way to answer this.</p>;
  const { max, counting, max_bytes } = detail.text_rule;
  const rule = { max, counting: counting as Counting, max_bytes };
  const excesses = excessesOf(draft.text, rule);
  const isSendable = target.missing === undefined && draft.text.trim() !== '' && excesses.length === 0;
  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Window item={item} />
      <div class="line">
        <label for="reply">
          <bdi>{target.label}</bdi>
        </label>
        {draft.to !== undefined && draft.to !== item.id && (
          <button type="button" class="link" onClick={() => inbox.drafts.write(item.key, { to: undefined })}>
            Not this comment
          </button>
        )}
        {target.canBePrivate && (
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
      {target.missing !== undefined && (
        <p class="warn" role="status">
          {target.missing}
        </p>
      )}
      <textarea
        id="reply"
        rows={2}
        value={draft.text}
        aria-describedby="reply-length"
        onInput={({ currentTarget }) => inbox.drafts.write(item.key, { text: currentTarget.value })}
        onKeyDown={onKey}
      />
      {detail.parts && <Choices thread={item.key} draft={draft} parts={detail.parts} />}
      <div class="actions">
        <button class="primary" aria-disabled={!isSendable}>
          Send <kbd>{MODIFIER} ↵</kbd>
        </button>
        <small id="reply-length" class="bad">
          {excesses.map((excess) => `The text ${excess}.`).join(' ')}
        </small>
      </div>
    </form>
  );

  function onKey(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Escape') leave();
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      send();
    }
  }

  function send(): void {
    if (!isSendable) return;
    void inbox.reply();
    // What waits for an answer is gone through one by one.
    if (inbox.view === 'unanswered') leave();
  }
}

/** Goes from the field to what is open, where single keys do something. */
function leave(): void {
  const place = isNarrow.peek() ? '.thread h2' : '.item[aria-current]';
  document.querySelector<HTMLElement>(place)?.focus({ preventScroll: true });
}

/** Until when people can be written to, and what reaches them otherwise. */
function Window({ item }: Readonly<{ item: Item }>): JSX.Element | null {
  const window = inbox.messageWindow.value;
  if (window === undefined) return null;
  return (
    <p class={window.isClosed || window.tag !== undefined ? 'warn' : 'quiet'}>
      <bdi>{window.text}</bdi>{' '}
      {window.byTemplate && (
        <button type="button" class="link" onClick={() => chooseTemplate(item)}>
          Send a template
        </button>
      )}
    </p>
  );
}
