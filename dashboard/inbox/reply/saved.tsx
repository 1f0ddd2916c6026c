import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { Chooser } from '../../lib/frame/chooser.tsx';
import type { SavedReply } from '../../lib/operations.ts';
import { beginningOf, filledFor, found, sorted } from '../../lib/replies/saved.ts';
import { call } from '../../lib/shell.tsx';
import { accounts, inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import { Trouble } from '../../lib/parts.tsx';

/** The id of the reply field. */
export const FIELD = 'reply';

const brandOf = new Map(accounts.map(({ id, brand_id }) => [id, brand_id]));
/** The thread for which a saved reply is being chosen. */
const chosenFor = signal<string | undefined>(undefined);
const replies = signal<readonly SavedReply[] | undefined>(undefined);
const problem = signal<string | undefined>(undefined);

const field = () => document.querySelector<HTMLTextAreaElement>(`#${FIELD}`);

/** Opens the list of saved replies if a reply is possible. */
export function chooseSaved(): void {
  const item = inbox.open.peek();
  const into = field();
  if (item === undefined || into === null || into.readOnly) return;
  chosenFor.value = item.key;
  void read();
}

async function read(): Promise<void> {
  problem.value = undefined;
  try {
    replies.value = sorted((await call('list_saved_replies', {})).data);
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

const close = () => void (chosenFor.value = undefined);

/** Inserts a saved reply at the cursor, or replaces the selected text. */
function put(item: Item, { text }: SavedReply): void {
  const into = field();
  close();
  if (into === null || into.readOnly) return;
  const { comment } = inbox.target.peek() ?? {};
  const person = comment?.author.name ?? (item.kind === 'post' ? undefined : item.name);
  // Waits until the list has closed and returned the focus.
  queueMicrotask(() => {
    into.focus();
    insert(into, filledFor(text, person));
  });
}

/** Inserts a text as if it had been typed, so that it can be undone. */
function insert(into: HTMLTextAreaElement, text: string): void {
  // oxlint-disable-next-line typescript/no-deprecated -- the only way that the browser's undo knows of
  if (document.activeElement === into && document.execCommand('insertText', false, text)) return;
  into.setRangeText(text, into.selectionStart, into.selectionEnd, 'end');
  into.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** The saved replies for the open item's brand, with a search field. */
export function SavedReplies({ item }: Readonly<{ item: Item }>): JSX.Element | null {
  if (chosenFor.value !== item.key) return null;
  const brand = brandOf.get(item.accountId);
  const own = (replies.value ?? []).filter(({ brand_id }) => brand_id === null || brand_id === brand);
  return (
    <Chooser
      title="Saved replies"
      prompt="Find a saved reply"
      find={(typed) => found(own, typed)}
      nameOf={({ id }) => id}
      draw={({ name, text }) => (
        <span class="saved">
          <bdi>{name}</bdi>
          <small>
            <bdi>{beginningOf(text)}</bdi>
          </small>
        </span>
      )}
      onChosen={(one) => put(item, one)}
      onClose={close}
      none={<None isEmpty={own.length === 0} />}
      note={<Problem />}
    />
  );
}

/** Why the list could not be read. Replies from an earlier reading can still be chosen. */
function Problem(): JSX.Element | null {
  return problem.value === undefined ? null : <Trouble text={problem.value} again={read} />;
}

function None({ isEmpty }: Readonly<{ isEmpty: boolean }>): JSX.Element | null {
  if (replies.value === undefined && problem.value !== undefined) return null;
  if (replies.value === undefined) return <p role="status">Loading …</p>;
  return (
    <p class="quiet">
      {isEmpty ? 'There is no saved reply yet.' : 'No saved reply has these words.'}{' '}
      <a href="/dashboard/replies">{isEmpty ? 'Write the first one' : 'Write one'}</a>
    </p>
  );
}
