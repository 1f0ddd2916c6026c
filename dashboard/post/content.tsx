import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Answer, Post } from '../lib/operations.ts';
import { Thumbnail } from '../lib/media/thumbnail.tsx';
import { call } from '../lib/shell.tsx';

type File = Pick<Answer<'verify_media_upload'>, 'filename' | 'thumbnail_url'>;
type Ref = Post['media'][number];

const known = signal<Readonly<Record<string, File>>>({});

/** Reads what is not known yet of stored files. */
async function look(media: readonly Ref[]): Promise<void> {
  const ids = media.filter(({ source_type }) => source_type === 'media_id').map(({ source }) => source);
  const unknown = ids.filter((id) => known.value[id] === undefined);
  const read = unknown.map(async (media_id) => {
    const file = await call('verify_media_upload', { media_id }).catch(() => undefined);
    if (file !== undefined) known.value = { ...known.value, [media_id]: file };
  });
  await Promise.all(read);
}

/** What a post says to all accounts: its text and files, the rest of its thread, and the first comment. */
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

function Files({ media }: Readonly<{ media: readonly Ref[] }>): JSX.Element | null {
  const sources = media.map(({ source }) => source).join(' ');
  useEffect(() => void look(media), [sources]);
  if (media.length === 0) return null;
  return (
    <ul class="tray" aria-label="Pictures and videos">
      {media.map(({ source, source_type, type }, at) => {
        const file = known.value[source];
        const url = source_type === 'url' ? source : (file?.thumbnail_url ?? undefined);
        const name = file?.filename ?? `File ${at + 1}`;
        return (
          <li key={source}>
            <Thumbnail url={type === 'image' ? url : undefined} name={name} alt={name} isLazy />
          </li>
        );
      })}
    </ul>
  );
}
