import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { requesterOf, titleOf } from '#kernel/people/preview.ts';
import { Confirm } from '../lib/confirm.tsx';
import { Dialog } from '../lib/frame/dialog.tsx';
import type { Shortcut } from '../lib/keys.ts';
import { Icon, Time, Zone } from '../lib/parts.tsx';
import { show } from '../lib/shell.tsx';
import { approveMeant, approving, assistants, denying, denyMeant, editOpen, go } from './assistants.ts';
import { Clients } from './clients.tsx';
import { Connections } from './connections.tsx';
import { Held, Outcome, Standing } from './held.tsx';

const { queue } = assistants;
/** The typed reason, which is kept while the dialog is closed. */
const reason = signal('');

function Page(): JSX.Element {
  const waiting = queue.waiting.value.length;
  document.title = `${waiting === 0 ? '' : `(${waiting}) `}Assistants · Rostra`;
  return (
    <div class="wide">
      <header class="bar">
        <h1>Assistants</h1>
        <Zone />
      </header>
      {assistants.mayDecide && <Queue />}
      <Connections />
      <Decided />
      <Clients />
      {denying.value.length > 0 && <Deny />}
      {approving.value.length > 0 && <ApproveSeveral />}
    </div>
  );
}

function Queue(): JSX.Element {
  const rows = queue.rows.value;
  const chosen = queue.chosenOnes.value.length;
  return (
    <section aria-labelledby="waiting">
      <header class="bar">
        <h2 id="waiting">
          Waiting for you <span class="count">{queue.waiting.value.length}</span>
        </h2>
      </header>
      {rows.length === 0 && (
        <div class="empty">
          <Icon name="published" />
          <p>Nothing is waiting for you.</p>
          <p>Requests of limited assistants wait here until you decide.</p>
        </div>
      )}
      <ol class="queue">
        {rows.map((action) => (
          <Held key={action.id} action={action} />
        ))}
      </ol>
      {chosen > 0 && (
        <div class="actions" role="group" aria-label="What was chosen">
          <strong>{chosen} chosen</strong>
          <button type="button" class="primary" aria-disabled={queue.isBusy.value} onClick={approveMeant}>
            Approve
          </button>
          <button type="button" aria-disabled={queue.isBusy.value} onClick={denyMeant}>
            Deny …
          </button>
          <button type="button" class="link" onClick={queue.chooseNone}>
            Choose none
          </button>
        </div>
      )}
    </section>
  );
}

function Decided(): JSX.Element | null {
  const decided = queue.decided.value;
  if (decided.length === 0) return null;
  return (
    <section aria-labelledby="decided">
      <h2 id="decided">Decided recently</h2>
      <ul class="rows card">
        {decided.map((action) => (
          <li key={action.id}>
            <details>
              <summary>
                {titleOf(action)}{' '}
                <small>
                  <bdi>{requesterOf(action)}</bdi>, <Time at={action.created_at} />
                </small>
              </summary>
              <Outcome action={action} />
            </details>
            <Standing action={action} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Deny(): JSX.Element {
  const actions = denying.value;
  const close = () => void (denying.value = []);
  const isBusy = queue.isBusy.value;
  async function deny(): Promise<void> {
    if (isBusy) return;
    const note = reason.value.trim();
    close();
    if (await queue.deny(actions, note === '' ? undefined : note)) reason.value = '';
  }
  return (
    <Dialog title={actions.length === 1 ? `Deny: ${titleOf(actions[0]!)}?` : `Deny ${actions.length}?`} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void deny();
        }}
      >
        <label htmlFor="reason">
          Why <small>(optional, told to the one who asked)</small>
        </label>
        <textarea
          id="reason"
          rows={3}
          maxLength={1000}
          value={reason.value}
          onInput={({ currentTarget }) => void (reason.value = currentTarget.value)}
        />
        <div class="actions">
          <button class="primary" aria-disabled={isBusy}>
            Deny
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function ApproveSeveral(): JSX.Element {
  const actions = approving.value;
  const close = () => void (approving.value = []);
  const approve = () => {
    close();
    return queue.approve(actions);
  };
  return (
    <Confirm
      title={actions.length === 1 ? 'Approve what is ticked?' : `Approve ${actions.length}?`}
      yes={actions.length === 1 ? 'Approve it' : 'Approve all'}
      isSafe
      isBusy={queue.isBusy.value}
      onYes={approve}
      onNo={close}
    >
      <ul class="bullets">
        {actions.map((action) => (
          <li key={action.id}>
            {titleOf(action)} <small>{requesterOf(action)}</small>
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

const decisions: readonly Shortcut[] = [
  { keys: 'j', does: 'Next', run: () => go(1) },
  { keys: 'k', does: 'Previous', run: () => go(-1) },
  { keys: 'a', does: 'Approve', run: approveMeant },
  { keys: 'd', does: 'Deny', run: denyMeant },
  { keys: 'e', does: 'Edit the text', run: editOpen },
  {
    keys: 'x',
    does: 'Choose, for several at once',
    run: () => queue.current.value !== undefined && queue.turn(queue.current.value),
  },
];

show({
  Page,
  heard: assistants.heard,
  shortcuts: assistants.mayDecide ? decisions : [],
});
