import type { JSX } from 'preact';
import { isLoadable, webAddress } from '../parts.tsx';

type File = Readonly<{ type: string; url: string | null }>;

/** Files of a message or comment. Pictures and sound are shown in place, others as links. */
export function Files({ files }: Readonly<{ files: readonly File[] }>): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <div class="files">
      {files.map((file, at) => (
        <Shown key={`${at} ${file.url}`} file={file} />
      ))}
    </div>
  );
}

function Shown({ file: { type, url } }: Readonly<{ file: File }>): JSX.Element {
  const address = webAddress(url);
  if (address === undefined) return <span class="quiet">{type}, which the platform does not show</span>;
  if (isLoadable(address)) {
    if (type === 'image') return <img src={address} alt="Sent file" loading="lazy" referrerpolicy="no-referrer" />;
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- people send none
    if (type === 'video') return <video src={address} controls preload="none" aria-label="Video" />;
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- people send none
    if (type === 'audio') return <audio src={address} controls preload="none" aria-label="Sound" />;
  }
  return <Out href={address}>{type === 'link' ? address : `Open the ${type}`}</Out>;
}

type OutProps = Readonly<{ href: string; children: preact.ComponentChildren }>;

/** A link to another site. */
export const Out = ({ href, children }: OutProps): JSX.Element => (
  <a href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
);

type Metadata = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const words = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');
const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** The parts of a message apart from its text, by their name in metadata. */
const PARTS: readonly (readonly [name: string, draw: (value: Fields) => JSX.Element | null])[] = [
  ['location', drawPlace],
  ['story', (story) => drawLink(story, 'The story')],
  ['shared', (shared) => drawLink(shared, words(shared['title']) || 'What was shared')],
  ['poll', drawPoll],
  [
    'referral',
    (referral) => <Line title="Came from">{words(referral['source']) || words(referral['ref']) || 'an ad'}</Line>,
  ],
  ['order', () => <Line title="Order">see it on the platform</Line>],
];

export function Extras({ metadata }: Readonly<{ metadata: Metadata }>): JSX.Element {
  const choices = [...listIn(metadata['buttons']), ...listIn(metadata['quick_replies'])];
  return (
    <>
      {PARTS.map(([name, draw]) => {
        const value = metadata[name];
        return isFields(value) ? <div key={name}>{draw(value)}</div> : null;
      })}
      {listIn(metadata['contacts']).map((contact, at) => (
        <Line key={at} title="Contact">
          {contactWords(contact)}
        </Line>
      ))}
      {listIn(metadata['products']).map((product, at) => (
        <Line key={at} title="Product">
          {words(product['title']) || words(product['id'])}
        </Line>
      ))}
      {choices.length > 0 && (
        <ul class="choices" aria-label="Offered to press">
          {choices.map((choice, at) => (
            <li key={at}>
              <bdi>{words(choice['title'])}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type LineProps = Readonly<{ title: string; children: preact.ComponentChildren }>;

const Line = ({ title, children }: LineProps): JSX.Element => (
  <p class="quiet">
    {title}: <bdi>{children}</bdi>
  </p>
);

/** A contact in the format of WhatsApp or Telegram. */
function contactWords(contact: Fields): string {
  const { name, phones, first_name, last_name, phone_number } = contact;
  const full = isFields(name) ? words(name['formatted_name']) : [words(first_name), words(last_name)].join(' ').trim();
  const numbers = [...listIn(phones).map(({ phone }) => words(phone)), words(phone_number)];
  return [full, ...numbers].filter(Boolean).join(', ');
}

function drawPlace({ latitude, longitude, name, address }: Fields): JSX.Element {
  const at = [latitude, longitude].map(words);
  const where = [words(name), words(address)].filter(Boolean).join(', ') || at.join(', ');
  const [north, east] = at;
  const map = `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=16/${north}/${east}`;
  return (
    <p>
      Place: <bdi>{at.every((number) => number !== '') ? <Out href={map}>{where}</Out> : where}</bdi>
    </p>
  );
}

function drawLink({ url }: Fields, title: string): JSX.Element | null {
  const address = webAddress(url);
  return address === undefined ? null : (
    <p>
      <Out href={address}>
        <bdi>{title}</bdi>
      </Out>
    </p>
  );
}

function drawPoll({ question, options }: Fields): JSX.Element {
  const titles = Array.isArray(options) ? options.map((one) => (isFields(one) ? words(one['text']) : words(one))) : [];
  return <Line title="Poll">{[words(question), ...titles].filter(Boolean).join(' · ')}</Line>;
}

/** The emoji reactions to a message. */
export function Reactions({ metadata }: Readonly<{ metadata: Metadata }>): JSX.Element | null {
  const reactions = listIn(metadata['reactions']);
  if (reactions.length === 0) return null;
  return (
    <ul class="reactions" aria-label="Reactions">
      {reactions.map(({ emoji, by }, at) => {
        const who = isFields(by) ? words(by['name']) : '';
        return (
          <li key={at} title={who}>
            {words(emoji)} <span class="heard">{who}</span>
          </li>
        );
      })}
    </ul>
  );
}
