import type { JSX } from 'preact';
import { Confirm } from '../lib/confirm.tsx';
import { wordsOf } from '../lib/posts/post-row.tsx';
import { Dialog } from '../lib/frame/dialog.tsx';
import { may } from '../lib/frame/may.ts';
import { counted } from '#kernel/people/counted.ts';
import { ACTIONS, MOVE } from './actions.ts';
import type { Bulk } from './bulk.ts';

/** What the person may do to posts. Without any of it, there is no reason to select posts. */
const actions = ACTIONS.filter(({ needs }) => may(needs));
export const canSelect = actions.length > 0;

type BulkProps = Readonly<{ bulk: Bulk }>;

/** Selects all posts that are shown, and offers what can be done to those that are selected. */
export function Selected({ bulk }: BulkProps): JSX.Element {
  const count = bulk.selected.value.length;
  const running = bulk.progress.value;
  const offered = actions.filter((action) => bulk.suiting(action).length > 0);
  return (
    <div class="bulk actions" role="group" aria-label="Selected posts">
      <label class="tick">
        <input
          type="checkbox"
          checked={bulk.isAll.value}
          indeterminate={count > 0 && !bulk.isAll.value}
          onChange={bulk.turnAll}
        />
        <span>{count === 0 ? 'Select all on this page' : `${count} selected`}</span>
      </label>
      {offered.map((action) => (
        <button
          key={action.title}
          type="button"
          class="small"
          aria-disabled={running !== undefined}
          onClick={() => bulk.ask(action)}
        >
          {action.title}
        </button>
      ))}
      {running !== undefined && (
        <>
          <span role="status" class="heard">
            {running.action.doing} {counted(running.of, 'post')}
          </span>
          <progress aria-label={running.action.doing} max={running.of} value={running.done} />
          <span aria-hidden="true">
            {running.done} of {running.of}
          </span>
          <button type="button" class="small" onClick={bulk.stop}>
            Stop
          </button>
        </>
      )}
    </div>
  );
}

/** Asks before an action begins. Its title names how many posts it concerns. */
export function Ask({ bulk }: BulkProps): JSX.Element | null {
  const action = bulk.asked.value;
  if (action === undefined) return null;
  const count = bulk.suiting(action).length;
  const title = action.ask(counted(count, 'post'));
  const rest = bulk.selected.value.length - count;
  const others = rest > 0 && (
    <p class="quiet">
      {counted(rest, 'other selected post')} will stay as {rest === 1 ? 'it is' : 'they are'}. {action.others}
    </p>
  );
  if (action === MOVE) {
    return (
      <Dialog title={title} onClose={bulk.dismiss}>
        {others}
        <Move bulk={bulk} />
      </Dialog>
    );
  }
  return (
    <Confirm title={title} yes={action.title} onYes={() => bulk.run(action)} onNo={bulk.dismiss}>
      <p>{action.effect}</p>
      {others}
    </Confirm>
  );
}

function Move({ bulk }: BulkProps): JSX.Element {
  function send(event: SubmitEvent): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const by = Number(fields.get('by')) * (fields.get('direction') === 'earlier' ? -1 : 1);
    void bulk.run(MOVE, { by, unit: fields.get('unit') === 'hours' ? 'hours' : 'days' });
  }
  return (
    <form onSubmit={send}>
      <div class="actions">
        <input type="number" name="by" aria-label="By how much" required min={1} max={9999} step={1} defaultValue="1" />
        <select name="unit" aria-label="Unit">
          <option value="days">days</option>
          <option value="hours">hours</option>
        </select>
        <select name="direction" aria-label="Direction">
          <option value="later">later</option>
          <option value="earlier">earlier</option>
        </select>
      </div>
      <p class="quiet">Each keeps its time of day if you move it by days.</p>
      <div class="actions">
        <button class="primary">Move</button>
        <button type="button" onClick={bulk.dismiss}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The posts that an action failed for, each with the reason. */
export function Failures({ bulk }: BulkProps): JSX.Element | null {
  const outcome = bulk.outcome.value;
  if (outcome === undefined) return null;
  const { action, of, failures, left } = outcome;
  return (
    <div class="refusal" role="alert">
      {failures.length > 0 && (
        <p>
          {failures.length} of {counted(of, 'post')} could not be {action.done}:
        </p>
      )}
      <ul class="bullets">
        {failures.map(({ post, text }) => (
          <li key={post.id}>
            <a href={`/dashboard/posts/${post.id}`}>
              <bdi>{wordsOf(post)}</bdi>
            </a>
            : {text}
          </li>
        ))}
      </ul>
      {left > 0 && <p>Stopped: {counted(left, 'post')} not tried. What was not tried stays selected.</p>}
      <div class="actions">
        <button type="button" class="small" onClick={bulk.close}>
          Dismiss
        </button>
      </div>
    </div>
  );
}

/** Moves the focus to what can be done to the selected posts. */
export function focusActions(): void {
  const [box, first = box] = document.querySelectorAll<HTMLElement>('.bulk :is(input, button)');
  first?.focus();
}
