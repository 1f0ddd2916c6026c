import type { JSX } from 'preact';
import { Thumbnail } from '../lib/media/thumbnail.tsx';
import { Badge, Mark } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { media, composer } from './composer.ts';
import { mediaAt, type Media } from './draft.ts';
import { foldedAt, type Destination } from './rules.ts';

const LINKED = /(https?:\/\/\S+|(?<=^|\s)[#@][\p{L}\p{N}_.]+)/gu;
const MOST_SEEN = 4;
/** Platforms that show the picture first. */
const PICTURE_FIRST: ReadonlySet<string> = new Set(['instagram', 'pinterest', 'tiktok', 'youtube']);

/** Approximate previews for each destination. */
export function Previews(): JSX.Element {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
    <section class="previews" aria-label="Preview" tabIndex={0}>
      <h2>
        Preview <small>approximate</small>
      </h2>
      {composer.targets.value.length === 0 && <p class="quiet">Choose an account to preview the post.</p>}
      {composer.targets.value.map((target) => (
        <Preview key={target.id} target={target} />
      ))}
    </section>
  );
}

function Preview({ target }: Readonly<{ target: Destination }>): JSX.Element {
  const { platform, name, username, id } = target;
  const { text, instead, own, parts, title: common } = composer.draft.value;
  const title = own[id]?.title ?? common;
  const files = mediaAt(composer.draft.value, id);
  const isRefused = composer.faults.value.some((issue) => issue.id === id);
  const words = <Words text={instead[id] ?? text} platform={platform} />;
  const isPictureFirst = PICTURE_FIRST.has(platform);
  return (
    <article class="card preview" aria-label={`${markOf(platform).title}, ${name}`}>
      <header>
        <Mark platform={platform} />
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <small>
          <bdi>{username}</bdi>
        </small>
        {isRefused && <Badge sign="failed" word="Would be refused" />}
      </header>
      {isPictureFirst && <Pictures files={files} />}
      {target.rules.title.supported && title !== '' && (
        <strong>
          <bdi>{title}</bdi>
        </strong>
      )}
      {words}
      {!isPictureFirst && <Pictures files={files} />}
      {target.rules.threads.supported &&
        parts.map((part, at) => (
          <div class="part" key={at}>
            <Words text={part.text} platform={platform} />
          </div>
        ))}
    </article>
  );
}

function Words({ text, platform }: Readonly<{ text: string; platform: string }>): JSX.Element {
  if (text.trim() === '') return <p class="words quiet">Nothing written yet.</p>;
  const { shown, isFolded } = foldedAt(text, platform);
  return (
    <p class="words" dir="auto">
      {shown.split(LINKED).map((part, at) => (at % 2 === 1 ? <span class="linked">{part}</span> : part))}
      {isFolded && <span class="quiet"> … more</span>}
    </p>
  );
}

type PicturesProps = Readonly<{ files: readonly Media[] }>;

function Pictures({ files }: PicturesProps): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <div class={`pictures n${Math.min(files.length, MOST_SEEN)}`}>
      {files.slice(0, MOST_SEEN).map((file) => {
        const { source, alt, type } = file;
        const { name = '', large } = media.lookOf(file);
        return <Thumbnail key={source} url={type === 'image' ? large : undefined} name={name} alt={alt} />;
      })}
      {files.length > MOST_SEEN && <small class="rest">and {files.length - MOST_SEEN} more</small>}
    </div>
  );
}
