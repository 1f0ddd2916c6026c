import type { JSX } from 'preact';
import { Icon, Mark, State } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { show } from '../lib/shell.tsx';
import { brands, media, one } from './composer.ts';
import { Editor } from './editor.tsx';
import { Announcer, Issues } from './issues.tsx';
import { Options } from './options.tsx';
import { Previews } from './previews.tsx';
import { Send } from './send.tsx';
import type { Destination } from './rules.ts';

const KEEPING = { '': '', writing: 'Keeping it on this device …', kept: 'Kept on this device' } as const;
const FIELDS: ReadonlySet<string> = new Set(['account_id', 'page_id', 'targets', 'visibility']);

function Page(): JSX.Element {
  const post = one.post.value;
  const title = post === undefined ? 'New post' : 'Edit post';
  const { length: faults } = one.faults.value;
  document.title = `${faults > 0 ? `(${faults} to mend) ` : ''}${title} · Rostra`;
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- files can be dropped anywhere; the button takes them too
    <div class="compose" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <header class="bar">
        <h1>{title}</h1>
        {post !== undefined && <State status={post.status} />}
        <p class="zone quiet">{KEEPING[one.keeping.value]}</p>
      </header>
      <Notices />
      <Announcer />
      {one.isEditable.value ? (
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
          This post is out, or on its way, and cannot be changed any more.{' '}
          <a href={`/dashboard/posts/${post!.id}`}>See what became of it</a> or{' '}
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

/** Changes of the post by others. */
function Notices(): JSX.Element {
  return (
    <>
      {one.elsewhere.value !== undefined && (
        <div class="note" role="alert">
          <strong>This post was changed elsewhere while you wrote.</strong> It says now: “
          <bdi>{one.elsewhere.value.text ?? ''}</bdi>”
          <div class="actions">
            <button type="button" onClick={one.takeTheirs}>
              Show it as it is now
            </button>
            <button type="button" onClick={one.keepMine}>
              Go on with mine
            </button>
          </div>
        </div>
      )}
      {one.isElsewhereOpen.value && (
        <div class="note" role="alert">
          Another tab writes on this post too. What is kept last stays.
        </div>
      )}
      {one.isRestored.value && one.elsewhere.value === undefined && (
        <div class="note" role="status">
          What you wrote last time is here again.{' '}
          <button type="button" class="link" onClick={one.startAnew}>
            Throw it away
          </button>
        </div>
      )}
    </>
  );
}

function Accounts(): JSX.Element {
  const destinations = one.destinations.value;
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
    <div role="group" aria-label="Post to" class="accounts">
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

/** One press for a brand, whose posts mostly go to all its accounts. */
function All({ members }: Readonly<{ members: readonly Destination[] }>): JSX.Element | null {
  const ids = members.filter(({ hindrance }) => hindrance === undefined).map(({ id }) => id);
  if (ids.length < 2) return null;
  const areChosen = ids.every((id) => one.draft.value.chosen.includes(id));
  return (
    <button type="button" class="link" onClick={() => one.choose(ids, !areChosen)}>
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
        checked={one.draft.value.chosen.includes(id)}
        disabled={hindrance !== undefined && !one.draft.value.chosen.includes(id)}
        onChange={() => one.toggle(id)}
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

// Also while somebody types, unlike keys without a modifier.
document.addEventListener('keydown', (event) => {
  if (!(event.metaKey || event.ctrlKey) || !one.isEditable.value) return;
  if (document.querySelector('dialog[open]') !== null) return;
  if (event.key === 'Enter') void one.schedule();
  else if (event.key === 's') void one.keep();
  else return;
  event.preventDefault();
});

show({ Page, heard: one.heard });
