import type { JSX, TargetedClipboardEvent, TargetedKeyboardEvent } from 'preact';
import { Icon, Mark } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { media, one, writing } from './composer.ts';
import { Issues, nameOf } from './issues.tsx';
import { Tray } from './tray.tsx';
import type { Meter } from './rules.ts';

const RING = 2 * Math.PI * 7;
const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
]);

/** The destination being edited, if it is still chosen. */
const current = () => one.targets.value.find(({ id }) => id === writing.value);

export function Editor(): JSX.Element {
  const target = current();
  const { text, instead, parts, comment } = one.draft.value;
  const own = target === undefined ? undefined : instead[target.id];
  const hasThreads = one.targets.value.some(({ rules }) => rules.threads.supported);
  return (
    <div class="card words-card">
      <Tabs />
      <div role="tabpanel" id="words" aria-labelledby={`tab-${target?.id ?? 'all'}`}>
        <label class="heard" for="text">
          {target === undefined ? 'Text for all accounts' : `Text for ${target.name}`}
        </label>
        <textarea
          id="text"
          dir="auto"
          rows={6}
          placeholder="What would you like to say?"
          aria-describedby="text-issues meters"
          value={own ?? text}
          onInput={({ currentTarget }) => one.say(target?.id, currentTarget.value)}
          onPaste={paste}
        />
        {target !== undefined && own !== undefined && (
          <p class="quiet">
            This account says something of its own.{' '}
            <button type="button" class="link" onClick={() => one.sayTheSame(target.id)}>
              Use the text of all again
            </button>
          </p>
        )}
        <Issues id="text-issues" about={(field) => field === 'text' || field === 'segments'} />
      </div>
      {parts.map((part, at) => (
        <PartField key={at} at={at} text={part.text} />
      ))}
      <Tray />
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
        {(hasThreads || parts.length > 0) && (
          <button type="button" class="bare" onClick={addPart}>
            <Icon name="plus" /> Thread
          </button>
        )}
        <button type="button" class="bare" aria-pressed={comment !== undefined} onClick={pressComment}>
          <Icon name="speech" /> First comment
        </button>
        <ul class="meters" id="meters" aria-label="What is left of the text">
          {one.meters.value.map((meter) => (
            <MeterRing key={meter.destination.id} meter={meter} />
          ))}
        </ul>
      </div>
      <TitleField />
      {comment !== undefined && <CommentField comment={comment} />}
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
  const { parts } = one.draft.value;
  one.write({ parts: [...parts, { text: '', media: [] }] });
  requestAnimationFrame(() => document.getElementById(`part-${parts.length}`)?.focus());
}

function pressComment(): void {
  one.toggleComment();
  if (one.draft.value.comment !== undefined) requestAnimationFrame(() => document.getElementById('comment')?.focus());
}

function Tabs(): JSX.Element {
  const at = current()?.id;
  const tabs = [undefined, ...one.targets.value.map(({ id }) => id)];
  function move(event: TargetedKeyboardEvent<HTMLDivElement>): void {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const to = tabs.at((tabs.indexOf(at) + step) % tabs.length);
    writing.value = to;
    requestAnimationFrame(() => document.getElementById(`tab-${to ?? 'all'}`)?.focus());
  }
  return (
    <div class="tabs" role="tablist" aria-label="Whose text" tabIndex={-1} onKeyDown={move}>
      {tabs.map((id) => {
        const target = one.targets.value.find((each) => each.id === id);
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
            {target === undefined ? (
              'All accounts'
            ) : (
              <>
                <Mark platform={target.platform} /> <bdi>{target.name}</bdi>
                {one.draft.value.instead[target.id] !== undefined && <span class="heard">, a text of its own</span>}
                {one.draft.value.instead[target.id] !== undefined && <span class="dot" />}
              </>
            )}
          </button>
        );
      })}
    </div>
  );
}

function PartField({ at, text }: Readonly<{ at: number; text: string }>): JSX.Element {
  const { parts } = one.draft.value;
  return (
    <div class="option">
      <label for={`part-${at}`}>Post {at + 2} of the thread</label>
      <textarea
        id={`part-${at}`}
        dir="auto"
        rows={3}
        value={text}
        onInput={({ currentTarget }) =>
          one.write({ parts: parts.with(at, { ...parts[at]!, text: currentTarget.value }) })
        }
      />
      <button
        type="button"
        class="link"
        onClick={() => {
          one.removePart(at);
          requestAnimationFrame(() => document.getElementById(at === 0 ? 'text' : `part-${at - 1}`)?.focus());
        }}
      >
        Remove post {at + 2}
      </button>
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

function TitleField(): JSX.Element | null {
  const titled = one.targets.value.filter(({ rules }) => rules.title.supported);
  if (titled.length === 0 && one.draft.value.title === '') return null;
  return (
    <div class="option">
      <label>
        Title
        <input
          id="title"
          dir="auto"
          aria-describedby="title-hint title-issues"
          maxLength={1000}
          value={one.draft.value.title}
          onInput={({ currentTarget }) => one.write({ title: currentTarget.value })}
        />
      </label>
      <small id="title-hint">Shown on {namesOf(titled.map(({ platform }) => platform))}</small>
      <Issues id="title-issues" about={(field) => field === 'title'} />
    </div>
  );
}

function CommentField({ comment }: Readonly<{ comment: string }>): JSX.Element {
  const without = one.targets.value.filter(({ takesComment }) => !takesComment).map(({ platform }) => platform);
  const { own } = one.draft.value;
  const different = one.targets.value.filter(
    ({ id, takesComment }) => takesComment && own[id]?.first_comment !== undefined,
  );
  return (
    <div class="option">
      <label>
        First comment
        <textarea
          id="comment"
          dir="auto"
          rows={2}
          placeholder="Hashtags and links often go here"
          aria-describedby="comment-hint comment-issues"
          value={comment}
          onInput={({ currentTarget }) => one.write({ comment: currentTarget.value })}
        />
      </label>
      <small id="comment-hint">{without.length > 0 && `Left out on ${namesOf(without)}, which takes none.`}</small>
      {different.map(({ id, name }) => (
        <p key={id} class="quiet">
          <bdi>{name}</bdi> {own[id]!.first_comment === '' ? 'gets none.' : `gets its own: “${own[id]!.first_comment}”`}{' '}
          <button type="button" class="link" onClick={() => one.setOwn(id, { first_comment: null })}>
            Use this one there too
          </button>
        </p>
      ))}
      <Issues id="comment-issues" about={(field) => field === 'first_comment'} />
    </div>
  );
}

const namesOf = (platforms: readonly string[]) => [...new Set(platforms)].map((each) => markOf(each).title).join(', ');
