import type { JSX } from 'preact';
import { State } from '../lib/parts.tsx';
import { show } from '../lib/shell.tsx';
import { Accounts } from './accounts.tsx';
import { media, composer } from './composer.ts';
import { Editor } from './editor.tsx';
import { Announcer } from './issues.tsx';
import { Options } from './options.tsx';
import { Previews } from './previews.tsx';
import { Send } from './send.tsx';

const KEEPING = {
  '': '',
  writing: 'Saving on this device …',
  kept: 'Saved on this device',
  full: 'Not saved on this device: its storage is full',
} as const;

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

// Works while somebody types too, unlike keys without a modifier.
document.addEventListener('keydown', (event) => {
  if (!(event.metaKey || event.ctrlKey) || !composer.isEditable.value) return;
  if (document.querySelector('dialog[open]') !== null) return;
  if (event.key === 'Enter') void composer.schedule();
  else if (event.key === 's') void composer.keep();
  else return;
  event.preventDefault();
});

show({ Page, heard: composer.heard, isUnderWay: media.isSending });
