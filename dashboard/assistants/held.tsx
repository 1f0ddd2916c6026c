import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { requesterOf, deciderOf, isChoosable, labelOf, postOf, titleOf } from '#kernel/people/preview.ts';
import { forPeople } from '#kernel/people/sentences.ts';
import { textsIn } from '#kernel/text/pointers.ts';
import type { Action } from '../lib/operations.ts';
import { Badge, Time } from '../lib/parts.tsx';
import { assistants, denying } from './assistants.ts';
import { Details, WORDS } from './details.tsx';
import { stateOf } from './preview.ts';

const { queue } = assistants;

type ActionProps = Readonly<{ action: Action }>;

/** The state of an action as an icon and text. */
export function Standing({ action }: ActionProps): JSX.Element {
  const [sign, word] = stateOf(action);
  return <Badge sign={sign} word={word} />;
}

/** A requested action. The open one shows everything that it would do. */
export function Held({ action }: ActionProps): JSX.Element {
  const { id, input, created_at } = action;
  const isOpen = useComputed(() => queue.current.value === id).value;
  const isChosen = queue.chosen.value.has(id);
  const [first] = textsIn(input);
  const title = titleOf(action);
  return (
    <li class="card held" aria-current={isOpen ? 'true' : undefined}>
      <header>
        {isChoosable(action) && (
          <input type="checkbox" aria-label={`Choose: ${title}`} checked={isChosen} onChange={() => queue.turn(id)} />
        )}
        <button type="button" class="bare" id={id} aria-expanded={isOpen} onClick={() => queue.go(id)}>
          <strong>{title}</strong>{' '}
          <small>
            <bdi>{requesterOf(action)}</bdi>, <Time at={created_at} />
          </small>
          {!isOpen && first !== undefined && (
            <span class="words">
              <bdi>{first[1]}</bdi>
            </span>
          )}
        </button>
        <Standing action={action} />
      </header>
      {isOpen && <Open action={action} />}
    </li>
  );
}

function Open({ action }: ActionProps): JSX.Element {
  const problem = queue.problems.value.get(action.id);
  return (
    <>
      <Details action={action} />
      {problem !== undefined && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
      {action.state === 'held' ? <Decision action={action} /> : <Outcome action={action} />}
    </>
  );
}

/** The editable texts and the buttons for the decision. */
function Decision({ action }: ActionProps): JSX.Element {
  const { id, input } = action;
  const isBusy = queue.isBusy.value;
  const isChanged = Object.keys(queue.changesOf(action)).length > 0;
  return (
    <>
      {textsIn(input).map(([pointer, text]) => (
        <div key={pointer}>
          <label htmlFor={`${id}${pointer}`}>{labelOf(pointer, input, WORDS)}</label>
          <textarea
            id={`${id}${pointer}`}
            rows={4}
            maxLength={100_000}
            value={queue.textOf(id, pointer, text)}
            onInput={({ currentTarget }) => queue.edit(id, pointer, currentTarget.value)}
          />
        </div>
      ))}
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={() => void queue.approve([action])}>
          {isChanged ? 'Approve with my changes' : 'Approve'} <kbd>A</kbd>
        </button>
        <button type="button" aria-disabled={isBusy} onClick={() => void (denying.value = [action])}>
          Deny … <kbd>D</kbd>
        </button>
        {isChanged && (
          <button type="button" class="link" onClick={() => queue.undoEdits(id)}>
            Undo my changes
          </button>
        )}
      </div>
    </>
  );
}

/** What was decided, and the result. */
export function Outcome({ action }: ActionProps): JSX.Element {
  const { edits, input, note, error } = action;
  const decider = deciderOf(action);
  const post = postOf(action);
  return (
    <>
      {textsIn(input).map(([pointer, text]) => (
        <p key={pointer} class="text said">
          <bdi>{edits?.[pointer] ?? text}</bdi>
        </p>
      ))}
      {error !== null && (
        <p class="refusal">
          {forPeople(error.message)} <small>Code {error.code}</small>
        </p>
      )}
      <p class="quiet">
        {decider !== undefined && (
          <>
            Decided by <bdi>{decider}</bdi>.{' '}
          </>
        )}
        {edits !== null && 'With other texts than asked for. '}
        {note !== null && (
          <>
            Note: <bdi>{note}</bdi>{' '}
          </>
        )}
        {post !== undefined && <a href={`/dashboard/posts/${post}`}>See the post</a>}
      </p>
    </>
  );
}
