import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Answer, Post, Target } from '../lib/operations.ts';
import { Thumbnail } from '../lib/media/thumbnail.tsx';
import { call } from '../lib/shell.tsx';
import { isLoadable } from '../inbox/parts.tsx';

type File = Pick<Answer<'verify_media_upload'>, 'filename' | 'thumbnail_url'>;
type Ref = Post['media'][number];

const known = signal<Readonly<Record<string, File>>>({});

/** Reads unknown stored files one after the other, because a post may have many. */
async function look(media: readonly Ref[]): Promise<void> {
  for (const { source: media_id, source_type } of media) {
    if (source_type !== 'media_id' || known.value[media_id] !== undefined) continue;
    const file = await call('verify_media_upload', { media_id }).catch(() => undefined);
    if (file !== undefined) known.value = { ...known.value, [media_id]: file };
  }
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
