import type { JSX } from 'preact';
import { focusDrawn } from '../lib/focus.ts';
import { markOf } from '../lib/platforms.ts';
import { composer, target } from './composer.ts';
import { Issues } from './issues.tsx';
import type { Destination } from './rules.ts';

type OwnNoteProps = Readonly<{ text: string; back: string; onBack(): void }>;

/** Says what differs for this account, with a button that undoes it. */
export function OwnNote({ text, back, onBack }: OwnNoteProps): JSX.Element {
  return (
    <p class="quiet">
      {text}{' '}
      <button type="button" class="link" onClick={onBack}>
        {back}
      </button>
    </p>
  );
}

/** The field for a later post of a thread. */
export function PartField({ at, text }: Readonly<{ at: number; text: string }>): JSX.Element {
  const { parts } = composer.draft.value;
  return (
    <div class="option">
      <label for={`part-${at}`}>Post {at + 2} of the thread</label>
      <textarea
        id={`part-${at}`}
        dir="auto"
        rows={3}
        value={text}
        onInput={({ currentTarget }) =>
          composer.write({ parts: parts.with(at, { ...parts[at]!, text: currentTarget.value }) })
        }
      />
      <button
        type="button"
        class="link"
        onClick={() => {
          composer.removePart(at);
          focusDrawn(() => document.getElementById(at === 0 ? 'text' : `part-${at - 1}`));
        }}
      >
        Remove post {at + 2}
      </button>
    </div>
  );
}

export function TitleField(): JSX.Element {
  const at = target.value;
  const { title, own } = composer.draft.value;
  const titled = (at === undefined ? composer.targets.value : [at]).filter(({ rules }) => rules.title.supported);
  const mine = at === undefined ? undefined : (own[at.id]?.title ?? undefined);
  const isShown = titled.length > 0 || (at === undefined && title !== '');
  return (
    <>
      {isShown && (
        <div class="option">
          <label>
            Title
            <input
              id="title"
              dir="auto"
              aria-describedby="title-hint title-issues"
              maxLength={1000}
              value={mine ?? title}
              onInput={({ currentTarget: { value } }) =>
                at === undefined ? composer.write({ title: value }) : composer.setOwn(at.id, { title: value })
              }
            />
          </label>
          <small id="title-hint">Shown on {namesOf(titled)}</small>
          {at !== undefined && mine !== undefined && (
            <OwnNote
              text="This account has its own title."
              back="Use the title for all accounts"
              onBack={() => composer.setOwn(at.id, { title: null })}
            />
          )}
        </div>
      )}
      <Issues id="title-issues" about={(field) => field === 'title'} />
    </>
  );
}

export function CommentField(): JSX.Element {
  const at = target.value;
  const { comment } = composer.draft.value;
  return (
    <>
      {at === undefined ? comment !== undefined && <CommentOfAll comment={comment} /> : <OwnComment at={at} />}
      <Issues id="comment-issues" about={(field) => field === 'first_comment'} />
    </>
  );
}

function CommentOfAll({ comment }: Readonly<{ comment: string }>): JSX.Element {
  const without = composer.targets.value.filter(({ takesComment }) => !takesComment);
  const { own } = composer.draft.value;
  const different = composer.targets.value.filter(
    ({ id, takesComment }) => takesComment && own[id]?.first_comment !== undefined,
  );
  return (
    <div class="option">
      <Comment text={comment} write={(text) => composer.write({ comment: text })} />
      <small id="comment-hint">{without.length > 0 && `Left out on ${namesOf(without)}, which takes none.`}</small>
      {different.map(({ id, name }) => (
        <p key={id} class="quiet">
          <bdi>{name}</bdi> {own[id]!.first_comment === '' ? 'gets none.' : `gets its own: “${own[id]!.first_comment}”`}{' '}
          <button type="button" class="link" onClick={() => composer.setOwn(id, { first_comment: null })}>
            Use this one there too
          </button>
        </p>
      ))}
    </div>
  );
}

function OwnComment({ at: { id, takesComment } }: Readonly<{ at: Destination }>): JSX.Element | null {
  const { comment = '', own } = composer.draft.value;
  if (!takesComment) return null;
  const mine = own[id]?.first_comment ?? comment;
  return (
    <div class="option">
      <Comment text={mine} write={(text) => composer.setOwn(id, { first_comment: text === comment ? null : text })} />
      {mine !== comment && (
        <OwnNote
          text={mine === '' ? 'This account gets no first comment.' : 'This account has its own first comment.'}
          back="Use the first comment for all accounts"
          onBack={() => composer.setOwn(id, { first_comment: null })}
        />
      )}
    </div>
  );
}

type CommentProps = Readonly<{ text: string; write(text: string): void }>;

const Comment = ({ text, write }: CommentProps): JSX.Element => (
  <label>
    First comment
    <textarea
      id="comment"
      dir="auto"
      rows={2}
      placeholder="Hashtags and links often go here"
      aria-describedby="comment-hint comment-issues"
      value={text}
      onInput={({ currentTarget }) => write(currentTarget.value)}
    />
  </label>
);

const namesOf = (targets: readonly Destination[]) =>
  [...new Set(targets.map(({ platform }) => markOf(platform).title))].join(', ');
