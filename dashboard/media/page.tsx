import type { JSX } from 'preact';
import { sizeOf } from '#kernel/people/size.ts';
import { pressKey } from '../lib/call.ts';
import { ask } from '../lib/confirm.tsx';
import { Copy } from '../lib/forms.tsx';
import { may } from '../lib/frame/may.ts';
import { Thumbnail } from '../lib/media/thumbnail.tsx';
import type { Answer, Input, MediaItem } from '../lib/operations.ts';
import { firstAnswer, pageToken, ZONE } from '../lib/page.ts';
import { Icon, Time, Zone } from '../lib/parts.tsx';
import { call, session, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { Drop } from '../lib/upload/drop.tsx';
import { makeUpload } from '../lib/upload/send.ts';
import { makeMedia } from './model.ts';
import { counted } from '#kernel/people/counted.ts';

const model = makeMedia({
  call,
  send: makeUpload({
    token: pageToken,
    check: session.check,
    zone: ZONE,
    call,
    newRequest: () => new XMLHttpRequest(),
  }),
  input: firstAnswer<Input<'list_media'>>('input'),
  first: firstAnswer<Answer<'list_media'>>('list_media'),
  storage: firstAnswer<Answer<'get_storage_usage'>>('get_storage_usage'),
  newKey: pressKey,
  say,
});

function Page(): JSX.Element {
  return (
    <div class="wide">
      <header class="bar">
        <h1>Media</h1>
        <Zone />
      </header>
      <Storage />
      {may('get_media_upload_url') && (
        <Drop
          label="Upload files, or drop them here"
          accept="image/*,video/*,audio/*,application/pdf"
          multiple
          onFiles={(files) => void model.upload(files)}
        />
      )}
      <Uploads />
      {model.items.value.length === 0 ? (
        <div class="empty">
          <Icon name="media" />
          <p>No file is stored yet.</p>
        </div>
      ) : (
        <Grid />
      )}
    </div>
  );
}

function Storage(): JSX.Element {
  const { used_bytes: used, limit_bytes: limit, count } = model.storage.value;
  const files = counted(count, 'file');
  return (
    <div class="narrow">
      <p id="storage">
        {files}, {sizeOf(used)} used {limit === -1 ? 'of unlimited storage' : `of ${sizeOf(limit)}`}
      </p>
      {limit > 0 && <meter aria-labelledby="storage" min={0} max={limit} value={used} high={limit * 0.9} />}
    </div>
  );
}

function Uploads(): JSX.Element | null {
  const uploads = model.uploads.value;
  if (uploads.length === 0) return null;
  return (
    <ul class="rows card narrow" aria-label="Uploads in progress">
      {uploads.map((one) => (
        <li key={one.key}>
          <div>
            <bdi>{one.file.name}</bdi> <small>{sizeOf(one.file.size)}</small>
            {one.problem === undefined ? (
              <progress aria-label={`Upload of ${one.file.name}`} value={one.share} />
            ) : (
              <p class="bad" role="alert">
                {one.problem}
              </p>
            )}
          </div>
          {one.problem === undefined ? (
            <button
              type="button"
              class="small"
              aria-label={`Cancel the upload of ${one.file.name}`}
              onClick={one.cancel}
            >
              Cancel
            </button>
          ) : (
            <span class="actions">
              <button type="button" class="small" onClick={() => void model.tryAgain(one)}>
                Try again
              </button>
              <button type="button" class="small" onClick={() => model.giveUp(one.key)}>
                Give up
              </button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Grid(): JSX.Element {
  return (
    <>
      <ul class="media" aria-label="Files">
        {model.items.value.map((item) => (
          <li key={item.id} class="card">
            <a class="thumb" href={item.url} target="_blank" rel="noreferrer" aria-label={`Open ${item.filename}`}>
              <Thumb item={item} />
            </a>
            <strong>
              <bdi>{item.filename}</bdi>
            </strong>
            <small>
              {item.content_type}, {sizeOf(item.size_bytes)}
              {item.width !== null && item.height !== null && `, ${item.width} × ${item.height}`}
              <br />
              <Time at={item.created_at} />
            </small>
            <a
              href={`/dashboard/posts?media=${encodeURIComponent(item.id)}`}
              aria-label={`Where it is used: ${item.filename}`}
            >
              Where it is used
            </a>
            <details>
              <summary>Id</summary>
              <Copy what={`the id of ${item.filename}`} text={item.id} />
            </details>
            {may('delete_media') && (
              <button
                type="button"
                class="small"
                aria-label={`Delete ${item.filename}`}
                aria-disabled={model.isBusy.value}
                onClick={() => askToDelete(item)}
              >
                Delete
              </button>
            )}
          </li>
        ))}
      </ul>
      {model.hasMore.value && (
        <button type="button" onClick={() => void model.more()}>
          Show more
        </button>
      )}
    </>
  );
}

function Thumb({
  item: { content_type, filename, thumbnail_url: small, url },
}: Readonly<{ item: MediaItem }>): JSX.Element {
  if (small !== null) return <Thumbnail url={small} name={filename} isLazy />;
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- its first frame, without sound
  if (content_type.startsWith('video/')) return <video src={url} preload="metadata" muted />;
  return <Icon name="media" />;
}

const askToDelete = (item: MediaItem): void =>
  ask(() => ({
    title: `Delete ${item.filename}?`,
    yes: 'Delete',
    text: 'Files that posts still need are kept. Published posts keep their pictures. This cannot be undone.',
    isBusy: model.isBusy.value,
    run: () => model.remove(item),
  }));

show({ Page, isUnderWay: model.isSending });
