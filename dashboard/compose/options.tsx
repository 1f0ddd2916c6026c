import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { Mark } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call } from '../lib/shell.tsx';
import { composer } from './composer.ts';
import { Issues } from './issues.tsx';
import { useOpened } from './opened.ts';
import { Field } from './option-field.tsx';
import type { Destination } from './rules.ts';

/** These options are set from the descriptions of the files. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['alts', 'alt_text']);

/** The options that are specific to the chosen platforms. */
export function Options(): JSX.Element {
  const platforms = Map.groupBy(composer.targets.value, ({ platform }) => platform);
  return (
    <div class="only">
      {[...platforms].map(([platform, targets]) => (
        <Platform key={platform} platform={platform} targets={targets} />
      ))}
    </div>
  );
}

type PlatformProps = Readonly<{ platform: string; targets: readonly Destination[] }>;

function Platform({ platform, targets }: PlatformProps): JSX.Element | null {
  const [first] = targets;
  const { options, board, visibilities } = first!.rules;
  const fields = Object.entries(options?.properties ?? {}).filter(([name]) => !DESCRIPTIONS.has(name));
  // Some platforms have an option of their own for who may see a post.
  const hasOwnPrivacy = fields.some(([name]) => name.startsWith('privacy_'));
  const isAbout = (field: string) =>
    field.startsWith(`platform_data.${platform}.`) ||
    (board.required && field === 'board_id') ||
    (field === 'visibility' && !hasOwnPrivacy && visibilities.length > 1);
  const isConcerned = composer.issues.value.some((issue) => issue.platform === platform && isAbout(issue.field));
  const values = composer.draft.value.options[platform] ?? {};
  const box = useOpened(isConcerned || board.required);
  if (fields.length === 0 && !board.required && visibilities.length < 2) return null;
  return (
    <details class="card options" ref={box}>
      <summary>
        <Mark platform={platform} /> Only on {markOf(platform).title}
        <small>{Object.keys(values).length > 0 && `${Object.keys(values).length} set`}</small>
      </summary>
      {targets.map((target) => board.required && <BoardField key={target.id} target={target} />)}
      {visibilities.length > 1 &&
        !hasOwnPrivacy &&
        targets.map((target) => <VisibilityField key={target.id} target={target} />)}
      {fields.map(([name, property]) => (
        <Field
          key={name}
          id={`${platform}-${name}`}
          name={name}
          property={property}
          value={values[name]}
          isRequired={false}
          set={(value) => composer.setOption(platform, name, value)}
        />
      ))}
      <Issues id={`${platform}-issues`} about={isAbout} />
    </details>
  );
}

function VisibilityField({ target }: Readonly<{ target: Destination }>): JSX.Element {
  const { id, name, rules } = target;
  return (
    <div class="option">
      <label for={`${id}-visibility`}>Who may see it ({name})</label>
      <select
        id={`${id}-visibility`}
        value={composer.draft.value.own[id]?.visibility ?? ''}
        onChange={({ currentTarget }) => composer.setOwn(id, { visibility: (currentTarget.value || null) as null })}
      >
        <option value="">Everybody (default)</option>
        {rules.visibilities.map((value) => (
          <option key={value} value={value}>
            {value.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </div>
  );
}

type Board = Readonly<{ board_id: string; name: string }>;
const boards = signal<Readonly<Record<string, readonly Board[] | string>>>({});

/** Loads the boards of an account; after an error it can be called again. */
async function loadBoards({ accountId, platform }: Destination): Promise<void> {
  if (Array.isArray(boards.value[accountId])) return;
  boards.value = { ...boards.value, [accountId]: [] };
  try {
    const { data } = await call('get_constraints', { account_id: accountId });
    const { board } = data[platform] as unknown as Readonly<{ board: Readonly<{ boards?: readonly Board[] }> }>;
    boards.value = { ...boards.value, [accountId]: board.boards ?? [] };
  } catch (error) {
    boards.value = { ...boards.value, [accountId]: (error as Error).message };
  }
}

function BoardField({ target }: Readonly<{ target: Destination }>): JSX.Element {
  const { id, accountId, name } = target;
  useEffect(() => void loadBoards(target), [accountId]);
  const known = boards.value[accountId] ?? [];
  return (
    <div class="option">
      <label for={`${id}-board`}>Board of {name}</label>
      {typeof known === 'string' ? (
        <p class="bad">
          {known}{' '}
          <button type="button" id={`${id}-board`} class="link" onClick={() => void loadBoards(target)}>
            Try again
          </button>
        </p>
      ) : (
        <select
          id={`${id}-board`}
          required
          value={composer.draft.value.own[id]?.board_id ?? ''}
          onChange={({ currentTarget }) => composer.setOwn(id, { board_id: currentTarget.value || null })}
        >
          <option value="">Choose a board</option>
          {known.map((board) => (
            <option key={board.board_id} value={board.board_id}>
              {board.name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
