import type { JSX } from 'preact';
import { Icon, Mark } from '../lib/parts.tsx';
import { MODIFIER } from '../lib/keys.ts';
import { ZONE } from '../lib/page.ts';
import { accountTitle, markOf } from '../lib/platforms.ts';
import { Confirm } from '../lib/confirm.tsx';
import { composer } from './composer.ts';
import { showFirst } from './issues.tsx';
import { useOpened } from './opened.ts';
import type { Destination } from './rules.ts';

/** The time, and the buttons to store and to send. */
export function Send(): JSX.Element {
  const isScheduled = composer.post.value?.status === 'scheduled';
  const isFailed = composer.post.value?.status === 'failed';
  const can = composer.can.value;
  const { length: faults } = composer.faults.value;
  const button = (
    title: string,
    run: () => unknown,
    more: Readonly<{ isOpen: boolean; kind?: string; key?: string }>,
  ) => (
    <button
      type="button"
      class={more.kind}
      aria-disabled={!more.isOpen}
      aria-keyshortcuts={more.key && `Control+${more.key} Meta+${more.key}`}
      onClick={() => void run()}
    >
      {title}{' '}
      {more.key !== undefined && <kbd aria-hidden="true">{`${MODIFIER} ${more.key === 'Enter' ? '↵' : more.key}`}</kbd>}
    </button>
  );
  return (
    <div class="card send">
      {!isFailed && (
        <div class="option">
          <label>
            When
            <input
              id="when"
              type="datetime-local"
              aria-describedby="when-zone"
              value={composer.draft.value.when}
              onInput={({ currentTarget }) => composer.write({ when: currentTarget.value })}
            />
          </label>
          <small id="when-zone">As clocks in {ZONE.replaceAll('_', ' ')} show it</small>
          <button type="button" class="link" onClick={() => void composer.useNextTime()}>
            Next free time
          </button>
          <span class="heard" role="status">
            {composer.found.value}
          </span>
          <OwnTimes />
        </div>
      )}
      {composer.problem.value !== undefined && (
        <p class="refusal" role="alert">
          {composer.problem.value}
        </p>
      )}
      {faults > 0 && (
        <p class="bad">
          <Icon name="failed" /> {faults === 1 ? 'One thing' : `${faults} things`} to fix first.{' '}
          <button type="button" class="link" onClick={showFirst}>
            Show {faults === 1 ? 'it' : 'the first'}
          </button>
        </p>
      )}
      <div class="actions">
        {!isFailed &&
          button(isScheduled ? 'Save with this time' : 'Schedule', composer.schedule, {
            isOpen: can.send,
            kind: 'primary',
            key: 'Enter',
          })}
        {!isFailed && button('Publish now …', composer.ask, { isOpen: can.send })}
        {isScheduled
          ? button('Make it a draft', composer.unschedule, { isOpen: can.keep })
          : button(isFailed ? 'Save' : 'Keep as draft', composer.keep, { isOpen: can.keep, key: 'S' })}
      </div>
      {composer.isAsking.value && <AskToPublish />}
    </div>
  );
}

/** The times of single accounts, which changes to the common time do not affect. */
function OwnTimes(): JSX.Element | null {
  const targets = composer.targets.value;
  const { own } = composer.draft.value;
  const hasOwn = targets.some(({ id }) => own[id]?.scheduled_at !== undefined);
  const box = useOpened(hasOwn);
  if (targets.length < 2 && !hasOwn) return null;
  return (
    <details ref={box}>
      <summary>Another time for one account</summary>
      {targets.map((target) => (
        <OwnTime key={target.id} target={target} />
      ))}
    </details>
  );
}

function OwnTime({ target: { id, name, platform } }: Readonly<{ target: Destination }>): JSX.Element {
  const at = composer.draft.value.own[id]?.scheduled_at;
  return (
    <div class="option">
      <label>
        <span>
          Time of <Mark platform={platform} /> <bdi>{name}</bdi>
          <span class="heard">, {markOf(platform).title}</span>
        </span>
        <input
          type="datetime-local"
          aria-describedby="when-zone"
          value={at ? composer.whenOf(at) : ''}
          onInput={({ currentTarget }) => composer.setOwnTime(id, currentTarget.value)}
        />
      </label>
      {at ? (
        <button
          type="button"
          class="link"
          aria-label={`Use the time for all accounts: ${accountTitle({ name, platform })}`}
          onClick={() => composer.setOwnTime(id, '')}
        >
          Use the time for all accounts
        </button>
      ) : (
        <small>As all</small>
      )}
    </div>
  );
}

function AskToPublish(): JSX.Element {
  const { own } = composer.draft.value;
  const isAnyTimed = composer.targets.value.some(({ id }) => own[id]?.scheduled_at !== undefined);
  return (
    <Confirm title="Publish now?" yes="Publish" isSafe onYes={composer.publish} onNo={composer.dismiss}>
      <p>It is published at once, and everybody can see it:</p>
      <ul class="plainly">
        {composer.targets.value.map(({ id, name, platform }) => (
          <li key={id}>
            <bdi>{name}</bdi> on {markOf(platform).title}
          </li>
        ))}
      </ul>
      {isAnyTimed && <p>No account has a time of its own.</p>}
    </Confirm>
  );
}
