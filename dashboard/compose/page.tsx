import type { JSX } from 'preact';
import { Icon, Mark, State } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { show } from '../lib/shell.tsx';
import { brands, media, composer } from './composer.ts';
import { Editor } from './editor.tsx';
import { Announcer, Issues } from './issues.tsx';
import { Options } from './options.tsx';
import { Previews } from './previews.tsx';
import { Send } from './send.tsx';
import type { Destination } from './rules.ts';

const KEEPING = { '': '', writing: 'Saving on this device …', kept: 'Saved on this device' } as const;
const FIELDS: ReadonlySet<string> = new Set(['account_id', 'page_id', 'targets', 'visibility']);

function Page(): JSX.Element {
  const post = composer.post.value;
  const title = post === undefined ? 'New post' : 'Edit post';
  const { length: faults } = composer.faults.value;
  document.title = `${faults > 0 ? `(${faults} to fix) ` : ''}${title} · Rostra`;
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- files can be dropped anywhere; the button takes them too
    <div class="compose" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <header class="bar">
        <h1>{title}</h1>
        {post !== undefined && <State status={post.status} />}
        <p class="zone quiet">{KEEPING[composer.keeping.value]}</p>
      </header>
      <Notices />
      <Announcer />
      {composer.isEditable.value ? (
        <div class="split">
          <form class="editor" onSubmit={(event) => event.preventDefault()}>
            <Accounts />
            <Editor />
            <Options />
            <Send />
          </form>
          <Previews />
        </div>
      ) : (
        <div class="note" role="note">
          This post has been published, or is on its way, and can no longer be changed.{' '}
          <a href={`/dashboard/posts/${post!.id}`}>See the result</a> or{' '}
          <a href={`/dashboard/compose?copy=${post!.id}`}>write one like it</a>.
        </div>
      )}
    </div>
  );
}

function drop(event: DragEvent): void {
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  media.add(files);
}

/** Notices about changes that others made to the post. */
function Notices(): JSX.Element {
  return (
    <>
      {composer.elsewhere.value !== undefined && (
        <div class="note" role="alert">
          <strong>This post was changed elsewhere while you wrote.</strong> It says now: “
          <bdi>{composer.elsewhere.value.text ?? ''}</bdi>”
          <div class="actions">
            <button type="button" onClick={composer.takeTheirs}>
              Show the new version
            </button>
            <button type="button" onClick={composer.keepMine}>
              Keep my version
            </button>
          </div>
        </div>
      )}
      {composer.isElsewhereOpen.value && (
        <div class="note" role="alert">
          This post is open in another tab too. Whatever is saved last is kept.
        </div>
      )}
      {composer.isRestored.value && composer.elsewhere.value === undefined && (
        <div class="note" role="status">
          Here is what you wrote last time.{' '}
          <button type="button" class="link" onClick={composer.startAnew}>
            Discard it
          </button>
        </div>
      )}
    </>
  );
}

function Accounts(): JSX.Element {
  const destinations = composer.destinations.value;
  if (destinations.length === 0) {
    return (
      <div class="empty">
        <Icon name="accounts" />
        <p>No account is connected yet. You can still write a draft.</p>
        <a class="button" href="/dashboard/accounts">
          Connect an account
        </a>
      </div>
    );
  }
  const byBrand = Map.groupBy(destinations, ({ brandId }) => brandId);
  return (
    <div {...(byBrand.size > 1 && { role: 'group', 'aria-label': 'Post to' })} class="accounts">
      {[...byBrand].map(([brandId, members]) => (
        <fieldset key={brandId} class="brand">
          <legend>
            {byBrand.size === 1 ? 'Post to' : <bdi>{brands.find(({ id }) => id === brandId)?.name ?? 'Post to'}</bdi>}
          </legend>
          {members.map((destination) => (
            <AccountBox key={destination.id} destination={destination} />
          ))}
          {members.length > 2 && <All members={members} />}
        </fieldset>
      ))}
      <Issues id="account-issues" about={(field) => FIELDS.has(field)} />
    </div>
  );
}

/** Chooses all accounts of a brand at once, as its posts mostly go to all of them. */
function All({ members }: Readonly<{ members: readonly Destination[] }>): JSX.Element | null {
  const ids = members.filter(({ hindrance }) => hindrance === undefined).map(({ id }) => id);
  if (ids.length < 2) return null;
  const areChosen = ids.every((id) => composer.draft.value.chosen.includes(id));
  return (
    <button type="button" class="link" onClick={() => composer.choose(ids, !areChosen)}>
      {areChosen ? 'None of these' : `All ${ids.length}`}
    </button>
  );
}

function AccountBox({ destination }: Readonly<{ destination: Destination }>): JSX.Element {
  const { id, platform, name, hindrance } = destination;
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={composer.draft.value.chosen.includes(id)}
        disabled={hindrance !== undefined && !composer.draft.value.chosen.includes(id)}
        onChange={() => composer.toggle(id)}
      />
      <Mark platform={platform} />
      <span>
        <bdi>{name}</bdi>
        <small>
          {markOf(platform).title}
          {hindrance !== undefined && `, ${hindrance}`}
        </small>
      </span>
    </label>
  );
}

// Works while somebody types too, unlike keys without a modifier.
document.addEventListener('keydown', (event) => {
  if (!(event.metaKey || event.ctrlKey) || !composer.isEditable.value) return;
  if (document.querySelector('dialog[open]') !== null) return;
  if (event.key === 'Enter') void composer.schedule();
  else if (event.key === 's') void composer.keep();
  else return;
  event.preventDefault();
});

show({ Page, heard: composer.heard });
