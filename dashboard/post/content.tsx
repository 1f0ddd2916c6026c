import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { MediaItem, Post, Target } from '../lib/operations.ts';
import { Thumbnail } from '../lib/media/thumbnail.tsx';
import { call } from '../lib/shell.tsx';
import { isLoadable } from '../inbox/parts.tsx';

type File = Pick<MediaItem, 'filename' | 'thumbnail_url'>;
type Ref = Post['media'][number];

const known = signal<Readonly<Record<string, File>>>({});

/** How many files one request can name. */
const MOST_NAMED = 100;

/** Reads stored files that are unknown. */
async function look(media: readonly Ref[]): Promise<void> {
  const unknown = media.filter(({ source, source_type }) => source_type === 'media_id' && !(source in known.value));
  const media_ids = [...new Set(unknown.map(({ source }) => source))].slice(0, MOST_NAMED);
  if (media_ids.length === 0) return;
  const files = await call('list_media', { media_ids, limit: MOST_NAMED }).catch(() => undefined);
  known.value = { ...known.value, ...Object.fromEntries((files?.data ?? []).map((file) => [file.id, file])) };
}

let looking = Promise.resolve();

/** The content for all accounts: text, files, the rest of the thread, and the first comment. */
export function Content({ post }: Readonly<{ post: Post }>): JSX.Element {
  const { text, title, media, segments, first_comment } = post;
  return (
    <section class="card content" aria-label="What it says">
      {title !== null && text !== null && (
        <h2>
          <bdi>{title}</bdi>
        </h2>
      )}
      <p class="text">
        <bdi>{text ?? title ?? 'This post has no text.'}</bdi>
      </p>
      <Files media={media} />
      {segments.map((segment, at) => (
        <div class="part" key={at}>
          <p class="text">
            <bdi>{typeof segment['text'] === 'string' ? segment['text'] : ''}</bdi>
          </p>
          <Files media={segment.media} />
        </div>
      ))}
      {first_comment !== null && (
        <p class="text">
          <strong>First comment:</strong> <bdi>{first_comment}</bdi>
        </p>
      )}
    </section>
  );
}

const sourcesOf = (media: readonly Ref[]): string => media.map(({ source }) => source).join(' ');

/** The content that an account has instead of the common one. */
export function OwnContent({ post, target }: Readonly<{ post: Post; target: Target }>): JSX.Element | null {
  const { text, title, first_comment, media } = target;
  const hasOwnFiles = sourcesOf(media) !== sourcesOf(post.media);
  if (text === null && title === null && first_comment === null && !hasOwnFiles) return null;
  return (
    <div class="part">
      <p class="quiet">Different on this account</p>
      {title !== null && (
        <strong>
          <bdi>{title}</bdi>
        </strong>
      )}
      {text !== null && (
        <p class="text">
          <bdi>{text}</bdi>
        </p>
      )}
      {hasOwnFiles && (media.length === 0 ? <p class="quiet">Without files.</p> : <Files media={media} />)}
      {first_comment !== null && (
        <p class="text">
          <strong>First comment:</strong> <bdi>{first_comment}</bdi>
        </p>
      )}
    </div>
  );
}

function Files({ media }: Readonly<{ media: readonly Ref[] }>): JSX.Element | null {
  useEffect(() => void (looking = looking.then(() => look(media))), [sourcesOf(media)]);
  if (media.length === 0) return null;
  return (
    <ul class="tray" aria-label="Pictures and videos">
      {media.map(({ source, source_type, type }, at) => {
        const file = known.value[source];
        const address = isLoadable(source) ? source : undefined;
        const url = source_type === 'url' ? address : (file?.thumbnail_url ?? undefined);
        const name = file?.filename ?? `File ${at + 1}`;
        return (
          <li key={at}>
            <Thumbnail url={type === 'image' ? url : undefined} name={name} alt={name} isLazy />
          </li>
        );
      })}
    </ul>
  );
}
