import type { JSX } from 'preact';
import { Icon } from '../lib/parts.tsx';
import { ZONE } from '../lib/page.ts';
import { markOf } from '../lib/platforms.ts';
import { Confirm } from '../lib/confirm.tsx';
import { shortDay } from '../lib/days.ts';
import { one } from './composer.ts';
import type { Destination } from './rules.ts';

/** The time, and the buttons for storing and sending. */
export function Send(): JSX.Element {
  const isScheduled = one.post.value?.status === 'scheduled';
  const isFailed = one.post.value?.status === 'failed';
  const can = one.can.value;
  const { length: faults } = one.faults.value;
  const button = (
    title: string,
    run: () => unknown,
    more: Readonly<{ isOpen: boolean; kind?: string; keys?: string }>,
  ) => (
    <button type="button" class={more.kind} aria-disabled={!more.isOpen} onClick={() => void run()}>
      {title} {more.keys !== undefined && <kbd>{more.keys}</kbd>}
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
              value={one.draft.value.when}
              onInput={({ currentTarget }) => one.write({ when: currentTarget.value })}
            />
          </label>
          <small id="when-zone">As clocks in {ZONE.replaceAll('_', ' ')} show it</small>
          {one.targets.value.map((target) => (
            <OwnTime key={target.id} target={target} />
          ))}
        </div>
      )}
      {one.problem.value !== undefined && (
        <p class="refusal" role="alert">
          {one.problem.value}
        </p>
      )}
      {faults > 0 && (
        <p class="bad">
          <Icon name="failed" /> {faults === 1 ? 'One thing' : `${faults} things`} to mend first.
        </p>
      )}
      <div class="actions">
        {!isFailed &&
          button(isScheduled ? 'Save with this time' : 'Schedule', one.schedule, {
            isOpen: can.send,
            kind: 'primary',
            keys: '⌘↵',
          })}
        {!isFailed && button('Publish now …', one.ask, { isOpen: can.send })}
        {isScheduled
          ? button('Make it a draft', one.unschedule, { isOpen: can.keep })
          : button(isFailed ? 'Save' : 'Keep as draft', one.keep, { isOpen: can.keep, keys: '⌘S' })}
      </div>
      {one.isAsking.value && <AskToPublish />}
    </div>
  );
}

/** A time that one account keeps, whatever the others do. */
function OwnTime({ target: { id, name } }: Readonly<{ target: Destination }>): JSX.Element | null {
  const at = one.draft.value.own[id]?.scheduled_at;
  if (!at) return null;
  const [day = '', time] = one.whenOf(at).split('T');
  return (
    <p class="quiet">
      <bdi>{name}</bdi> has a time of its own: {shortDay(day)}, {time}.{' '}
      <button type="button" class="link" onClick={() => one.setOwn(id, { scheduled_at: null })}>
        Use the time of all
      </button>
    </p>
  );
}

function AskToPublish(): JSX.Element {
  return (
    <Confirm title="Publish now?" yes="Publish" onYes={one.publish} onNo={one.dismiss}>
      <p>It goes out at once, and everybody can see it:</p>
      <ul class="plainly">
        {one.targets.value.map(({ id, name, platform }) => (
          <li key={id}>
            <bdi>{name}</bdi> on {markOf(platform).title}
          </li>
        ))}
      </ul>
    </Confirm>
  );
}
