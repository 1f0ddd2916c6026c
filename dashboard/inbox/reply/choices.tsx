import type { JSX } from 'preact';
import type { InboxThread } from '../../lib/operations.ts';
import { inbox } from '../inbox.ts';
import type { Choice, Draft } from './drafts.ts';

type ChoicesProps = Readonly<{ thread: string; draft: Draft; parts: NonNullable<InboxThread['parts']> }>;

const MOST_BUTTONS = 3;
const LONGEST = 20;

/** Buttons that the recipient can press instead of writing, if the platform supports them. */
export function Choices({ thread, draft, parts }: ChoicesProps): JSX.Element | null {
  const { quick_replies, buttons } = parts;
  const kinds = [
    ...(quick_replies > 0 ? [['quick_replies', 'Quick replies'] as const] : []),
    ...(buttons.length > 0 ? [['buttons', 'Buttons'] as const] : []),
  ];
  const [first] = kinds;
  if (first === undefined) return null;
  const { as = first[0], rows = [] } = draft.choices ?? {};
  const most = as === 'buttons' ? MOST_BUTTONS : quick_replies;
  const set = (choices: NonNullable<Draft['choices']>) =>
    inbox.drafts.write(thread, { choices: choices.rows.length === 0 ? undefined : choices });
  const setRow = (at: number, change: Partial<Choice>) =>
    set({ as, rows: rows.map((row, nth) => (nth === at ? { ...row, ...change } : row)) });
  const add = () => set({ as, rows: [...rows, { title: '' }] });
  if (rows.length === 0)
    return (
      <button type="button" class="small" onClick={add}>
        Add {kinds.map(([, title]) => title.toLowerCase()).join(' or ')}
      </button>
    );
  return (
    <fieldset class="choosing">
      <legend>To press instead of writing</legend>
      {kinds.length > 1 && (
        <select
          aria-label="What is pressed"
          value={as}
          onChange={({ currentTarget }) => {
            const to = kinds.find(([kind]) => kind === currentTarget.value)![0];
            set({ as: to, rows: rows.slice(0, to === 'buttons' ? MOST_BUTTONS : quick_replies) });
          }}
        >
          {kinds.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      )}
      {rows.map(({ title, url = '' }, at) => (
        <div class="line" key={at}>
          <input
            aria-label={`Words of ${at + 1}`}
            maxLength={LONGEST}
            placeholder="Words"
            value={title}
            onInput={({ currentTarget }) => setRow(at, { title: currentTarget.value })}
          />
          {as === 'buttons' && buttons.includes('url') && (
            <input
              type="url"
              aria-label={`Address of ${at + 1}`}
              placeholder="https://… if it opens a page"
              value={url}
              onInput={({ currentTarget }) => setRow(at, { url: currentTarget.value })}
            />
          )}
          <button
            type="button"
            class="small"
            aria-label={`Remove ${title === '' ? at + 1 : title}`}
            onClick={() => set({ as, rows: rows.filter((_, nth) => nth !== at) })}
          >
            Remove
          </button>
        </div>
      ))}
      {rows.length < most && (
        <button type="button" class="small" onClick={add}>
          One more
        </button>
      )}
    </fieldset>
  );
}
