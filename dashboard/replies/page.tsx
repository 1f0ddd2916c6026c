import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { ask } from '../lib/confirm.tsx';
import { makeSettling } from '../lib/debounce.ts';
import { focusDrawn } from '../lib/focus.ts';
import { Form } from '../lib/forms.tsx';
import { may } from '../lib/frame/may.ts';
import type { Brand, SavedReply } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon } from '../lib/parts.tsx';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { makeReplies, type Written } from './model.ts';

type Listed<T> = Readonly<{ data: readonly T[] }>;

const LONGEST_NAME = 80;
const LONGEST_TEXT = 5000;

const brands = firstAnswer<Listed<Brand>>('list_brands').data;
const brandNames = new Map(brands.map(({ id, name }) => [id, name]));
const first = firstAnswer<Listed<SavedReply>>('list_saved_replies').data;
const model = makeReplies({ call, first, newKey: pressKey, later: makeSettling(), say });

function Page(): JSX.Element {
  return (
    <div class="wide">
      <header class="bar">
        <h1>Saved replies</h1>
      </header>
      <p class="hint">
        Texts that you answer with again and again.{' '}
        {may('reply_to_comment') && (
          <>
            In the inbox, press <kbd>S</kbd> to put one into your answer.
          </>
        )}
      </p>
      {model.count.value === 0 ? (
        <div class="empty">
          <Icon name="replies" />
          <p>There is no saved reply yet. {may('create_saved_reply') && 'Write the first one below.'}</p>
        </div>
      ) : (
        <List />
      )}
      {may('create_saved_reply') && (
        <details open={first.length === 0}>
          <summary>Write a saved reply</summary>
          <Form class="card" keptAs="reply" onFilled={(fields) => model.create(writtenIn(fields))}>
            <Fields />
            <button class="primary" aria-disabled={model.isBusy.value}>
              Save
            </button>
          </Form>
        </details>
      )}
    </div>
  );
}

function List(): JSX.Element {
  const shown = model.shown.value;
  const { length: hits } = model.hits.value;
  return (
    <>
      <search class="filters">
        <input
          type="search"
          aria-label="Search saved replies"
          placeholder="Search"
          value={model.typed.value}
          onInput={({ currentTarget }) => model.search(currentTarget.value)}
        />
      </search>
      <p class="heard" role="status">
        {model.typed.value !== '' && (hits === 1 ? '1 found' : `${hits} found`)}
      </p>
      {hits === 0 && <p class="quiet">No saved reply has these words.</p>}
      {shown.length > 0 && (
        <ul class="rows card" aria-label="Saved replies">
          {shown.map((reply) => (
            <li key={reply.id}>{model.isEdited(reply.id) ? <Edit reply={reply} /> : <Row reply={reply} />}</li>
          ))}
        </ul>
      )}
    </>
  );
}

type ReplyProps = Readonly<{ reply: SavedReply }>;

const editId = (id: string): string => `edit-${id}`;

function Row({ reply }: ReplyProps): JSX.Element {
  const { id, name, text, brand_id } = reply;
  return (
    <>
      <div>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {brand_id !== null && (
          <small>
            only <bdi>{brandNames.get(brand_id) ?? 'a brand that is gone'}</bdi>
          </small>
        )}
        <p class="said">
          <bdi>{text}</bdi>
        </p>
      </div>
      <span class="actions">
        {may('update_saved_reply') && (
          <button
            type="button"
            class="small"
            id={editId(id)}
            aria-label={`Edit ${name}`}
            onClick={() => {
              model.edit(id);
              focusDrawn(() => document.getElementById(`name-${id}`));
            }}
          >
            Edit
          </button>
        )}
        {may('delete_saved_reply') && (
          <button type="button" class="small" aria-label={`Delete ${name}`} onClick={() => askToDelete(reply)}>
            Delete
          </button>
        )}
      </span>
    </>
  );
}

function Edit({ reply }: ReplyProps): JSX.Element {
  const { id } = reply;
  const back = () => focusDrawn(() => document.getElementById(editId(id)));
  async function change(written: Written): Promise<boolean> {
    const isDone = await model.change(id, written);
    if (isDone) back();
    return isDone;
  }
  return (
    <Form class="editing" keptAs={`reply ${id}`} onFilled={(fields) => change(writtenIn(fields))}>
      <Fields reply={reply} />
      <div class="actions">
        <button class="primary" aria-disabled={model.isBusy.value}>
          Save
        </button>
        <button
          type="reset"
          onClick={() => {
            model.leave(id);
            back();
          }}
        >
          Cancel
        </button>
      </div>
    </Form>
  );
}

const writtenIn = ({ name = '', text = '', brand }: Readonly<Record<string, string>>): Written => ({
  name,
  text,
  brand_id: brand ?? null,
});

function Fields({ reply }: Partial<ReplyProps>): JSX.Element {
  const ids = reply?.id ?? 'new';
  return (
    <>
      <div class="field">
        <label htmlFor={`name-${ids}`}>Name</label>
        <input id={`name-${ids}`} name="name" maxLength={LONGEST_NAME} required defaultValue={reply?.name} />
      </div>
      <div class="field">
        <label htmlFor={`text-${ids}`}>Text</label>
        <textarea
          id={`text-${ids}`}
          name="text"
          rows={4}
          maxLength={LONGEST_TEXT}
          required
          aria-describedby={`places-${ids}`}
          defaultValue={reply?.text}
        />
        <small id={`places-${ids}`}>
          <code>{'{first_name}'}</code> and <code>{'{name}'}</code> become the name of the person you answer.
        </small>
      </div>
      {(brands.length > 1 || (reply?.brand_id ?? null) !== null) && (
        <div class="field">
          <label htmlFor={`brand-${ids}`}>Brand</label>
          <select id={`brand-${ids}`} name="brand">
            <option value="">All brands</option>
            {brands.map(({ id, name }) => (
              <option key={id} value={id} selected={id === reply?.brand_id}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
    </>
  );
}

const askToDelete = (reply: SavedReply): void =>
  ask(() => ({
    title: `Delete ${reply.name}?`,
    yes: 'Delete',
    text: 'Nobody can put it into an answer any more. What was sent with it stays. This cannot be undone.',
    isBusy: model.isBusy.value,
    run: () => model.remove(reply),
  }));

show({ Page, heard: model.heard });
