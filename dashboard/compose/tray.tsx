import type { JSX } from 'preact';
import { focusDrawn } from '../lib/focus.ts';
import { Thumbnail } from '../lib/media/thumbnail.tsx';
import { Icon } from '../lib/parts.tsx';
import { media, composer, target } from './composer.ts';
import { mediaAt } from './draft.ts';
import { OwnNote } from './fields.tsx';
import { Issues } from './issues.tsx';

export function Tray(): JSX.Element {
  const at = target.value;
  const { own, media: common } = composer.draft.value;
  const items = mediaAt(composer.draft.value, at?.id);
  const isOwn = at !== undefined && Boolean(own[at.id]?.media);
  return (
    <>
      {at !== undefined && !isOwn && common.length > 0 && (
        <p class="quiet">These files are for all accounts. Changes here apply only to this account.</p>
      )}
      <ul class="tray" aria-label="Pictures and videos">
        {items.map((item, index) => {
          const { source, type, fit = 'none', alt } = item;
          const { name: known, url } = media.lookOf(item);
          const name = known ?? `File ${index + 1}`;
          return (
            <li key={source}>
              <Thumbnail url={type === 'image' ? url : undefined} name={name} />
              <input
                aria-label={`Description of ${name}`}
                placeholder={type === 'image' ? 'Describe the image' : 'Describe it'}
                maxLength={1000}
                value={alt}
                onInput={({ currentTarget }) => media.describe(index, currentTarget.value)}
              />
              <span class="group">
                <button
                  type="button"
                  class="square"
                  aria-label={`Move ${name} earlier`}
                  aria-disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <Icon name="left" />
                </button>
                <button
                  type="button"
                  class="square"
                  aria-label={`Move ${name} later`}
                  aria-disabled={index === items.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <Icon name="right" />
                </button>
                <button type="button" class="square" aria-label={`Remove ${name}`} onClick={() => remove(index)}>
                  <Icon name="close" />
                </button>
              </span>
              {fit !== 'none' && <Reshaped name={name} fit={fit} undo={() => reshape(index)} />}
            </li>
          );
        })}
        {media.sendingHere.value.map((upload) => {
          const { key, file, share, problem } = upload;
          return (
            <li key={key}>
              <span class="blank">{file.name}</span>
              {problem === undefined ? (
                <progress max="1" value={share} aria-label={`Sending ${file.name}`} />
              ) : (
                <p class="bad" role="alert">
                  {problem}
                </p>
              )}
              <span class="group">
                {problem !== undefined && (
                  <button type="button" onClick={() => media.retry(key)}>
                    Try again
                  </button>
                )}
                <button type="button" onClick={() => media.cancel(upload)}>
                  {problem === undefined ? 'Cancel' : 'Remove'}
                </button>
              </span>
            </li>
          );
        })}
      </ul>
      {isOwn && (
        <OwnNote
          text="This account has its own files."
          back="Use the files for all accounts"
          onBack={() => composer.useFilesOfAll(at.id)}
        />
      )}
      <Issues id="media-issues" about={(field) => field.startsWith('media')} />
    </>
  );
}

type ReshapedProps = Readonly<{ name: string; fit: 'pad' | 'crop'; undo(): void }>;

/** Says that a picture changes where its shape is refused, with a button that undoes it. */
function Reshaped({ name, fit, undo }: ReshapedProps): JSX.Element {
  return (
    <p class="quiet">
      {fit === 'pad' ? 'Gets borders' : 'Is cropped'} where its shape is refused.{' '}
      <button type="button" class="link" onClick={undo}>
        Undo<span class="heard"> for {name}</span>
      </button>
    </p>
  );
}

const buttonsAt = (at: number) => document.querySelectorAll<HTMLElement>(`.tray li:nth-child(${at + 1}) button`);

/** The focus follows the item that moves. */
function move(at: number, by: 1 | -1): void {
  const to = media.move(at, by);
  focusDrawn(() => buttonsAt(to)[by === -1 ? 0 : 1]);
}

function reshape(at: number): void {
  media.reshape(target.value?.id, at, 'none');
  focusDrawn(() => buttonsAt(at)[0]);
}

function remove(at: number): void {
  media.remove(at);
  focusDrawn(() => buttonsAt(Math.max(0, at - 1))[2] ?? document.getElementById('files'));
}
