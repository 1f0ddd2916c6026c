import type { JSX, TargetedClipboardEvent, TargetedKeyboardEvent } from 'preact';
import { focusDrawn } from '../lib/focus.ts';
import { Icon, Mark } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { media, composer, target, writing } from './composer.ts';
import { CommentField, OwnNote, PartField, TitleField } from './fields.tsx';
import { Issues, nameOf } from './issues.tsx';
import { Tray } from './tray.tsx';
import type { Meter } from './rules.ts';

const RING = 2 * Math.PI * 7;
const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
]);

export function Editor(): JSX.Element {
  const at = target.value;
  const { text, instead, parts } = composer.draft.value;
  const own = at === undefined ? undefined : instead[at.id];
  return (
    <div class="card words-card">
      <Tabs />
      <div role="tabpanel" id="words" aria-labelledby={`tab-${at?.id ?? 'all'}`}>
        <label class="heard" for="text">
          {at === undefined ? 'Text for all accounts' : `Text for ${at.name}`}
        </label>
        <textarea
          id="text"
          dir="auto"
          rows={6}
          placeholder="What would you like to say?"
          aria-describedby="text-issues meters"
          value={own ?? text}
          onInput={({ currentTarget }) => composer.say(at?.id, currentTarget.value)}
          onPaste={paste}
        />
        {at !== undefined && own !== undefined && (
          <OwnNote
            text="This account has its own text."
            back="Use the text for all accounts"
            onBack={() => composer.useTextOfAll(at.id)}
          />
        )}
        <Issues id="text-issues" about={(field) => field === 'text' || field === 'segments'} />
        {at === undefined
          ? parts.map((part, index) => <PartField key={index} at={index} text={part.text} />)
          : parts.length > 0 && <p class="quiet">Write the rest of the thread under “All accounts”.</p>}
        <Tray />
        <Tools />
        <TitleField />
        <CommentField />
      </div>
    </div>
  );
}

function Tools(): JSX.Element {
  const { parts, comment } = composer.draft.value;
  const hasThreads = composer.targets.value.some(({ rules }) => rules.threads.supported);
  return (
    <div class="tools">
      <label class="button bare">
        <Icon name="image" /> Picture or video
        <input
          class="heard"
          id="files"
          type="file"
          accept="image/*,video/*,application/pdf"
          multiple
          onChange={({ currentTarget }) => {
            media.add([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
      </label>
      {target.value === undefined && (
        <>
          {(hasThreads || parts.length > 0) && (
            <button type="button" class="bare" onClick={addPart}>
              <Icon name="plus" /> Thread
            </button>
          )}
          <button type="button" class="bare" aria-pressed={comment !== undefined} onClick={pressComment}>
            <Icon name="speech" /> First comment
          </button>
        </>
      )}
      <ul class="meters" id="meters" aria-label="What is left of the text">
        {composer.meters.value.map((meter) => (
          <MeterRing key={meter.destination.id} meter={meter} />
        ))}
      </ul>
    </div>
  );
}

function paste(event: TargetedClipboardEvent<HTMLTextAreaElement>): void {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  media.add(files);
}

function addPart(): void {
  const { parts } = composer.draft.value;
  composer.write({ parts: [...parts, { text: '', media: [] }] });
  focusDrawn(() => document.getElementById(`part-${parts.length}`));
}

function pressComment(): void {
  composer.toggleComment();
  if (composer.draft.value.comment !== undefined) focusDrawn(() => document.getElementById('comment'));
}

function Tabs(): JSX.Element {
  const at = target.value?.id;
  const tabs = [undefined, ...composer.targets.value.map(({ id }) => id)];
  function move(event: TargetedKeyboardEvent<HTMLDivElement>): void {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const to = tabs.at((tabs.indexOf(at) + step) % tabs.length);
    writing.value = to;
    focusDrawn(() => document.getElementById(`tab-${to ?? 'all'}`));
  }
  return (
    <div class="tabs" role="tablist" aria-label="Text for" tabIndex={-1} onKeyDown={move}>
      {tabs.map((id) => {
        const account = composer.targets.value.find((each) => each.id === id);
        return (
          <button
            key={id ?? 'all'}
            type="button"
            role="tab"
            id={`tab-${id ?? 'all'}`}
            aria-controls="words"
            aria-selected={id === at}
            tabIndex={id === at ? 0 : -1}
            onClick={() => void (writing.value = id)}
          >
            {account === undefined ? (
              'All accounts'
            ) : (
              <>
                <Mark platform={account.platform} /> <bdi>{account.name}</bdi>
                <span class="heard">, {markOf(account.platform).title}</span>
                {composer.isDifferent(account.id) && (
                  <>
                    <span class="heard">, different from all</span>
                    <span class="dot" />
                  </>
                )}
              </>
            )}
          </button>
        );
      })}
    </div>
  );
}

function MeterRing({ meter }: Readonly<{ meter: Meter }>): JSX.Element {
  const { destination, length, most, left } = meter;
  const isTight = left < Math.max(20, most / 10);
  const level = isTight ? 'warn' : '';
  const words = left < 0 ? `${-left} too many` : `${left} left`;
  return (
    <li class={`meter ${left < 0 ? 'bad' : level}`}>
      <svg viewBox="0 0 18 18" aria-hidden="true">
        <circle cx="9" cy="9" r="7" />
        <circle cx="9" cy="9" r="7" class="share" stroke-dasharray={`${Math.min(1, length / most) * RING} ${RING}`} />
      </svg>
      <Mark platform={destination.platform} />
      <span class="heard">
        {nameOf(destination)}: {words}
      </span>
      {isTight && <b aria-hidden="true">{left}</b>}
    </li>
  );
}
