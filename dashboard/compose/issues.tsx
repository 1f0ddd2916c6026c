import { effect, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { makeDebounce } from '../lib/debounce.ts';
import { focusDrawn } from '../lib/focus.ts';
import { canConnect } from '../lib/frame/connecting.tsx';
import { Icon } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { composer, media, writing } from './composer.ts';
import type { Fit } from './draft.ts';
import type { Issue } from './rules.ts';

/** Long enough not to interrupt somebody who is still typing. */
const PAUSE_MS = 1_500;
const announced = signal('');
const later = makeDebounce(PAUSE_MS);
effect(() => {
  const sentences = new Set(composer.issues.value.map((issue) => sentenceOf(issue)));
  later(() => void (announced.value = [...sentences].join(' ')));
});

/** Announces to screen readers, after a pause, what has to be corrected. */
export function Announcer(): JSX.Element {
  return (
    <p class="heard" role="status">
      {announced.value}
    </p>
  );
}

/** The issues of some fields, each with a way to fix it. */
export function Issues({ id, about }: Readonly<{ id: string; about(field: string): boolean }>): JSX.Element {
  const found = composer.issues.value.filter(({ field }) => about(field));
  return (
    <ul class="issues" id={id}>
      {found.map((issue, at) => (
        <li key={`${issue.id} ${issue.field} ${issue.part} ${at}`} class={issue.isWarning ? 'warn' : 'bad'}>
          <Icon name={issue.isWarning ? 'partial' : 'failed'} label={issue.isWarning ? 'Perhaps:' : 'Refused:'} />
          <span>
            {sentenceOf(issue)} {found.findIndex((other) => isAlike(issue, other)) === at && <Cure issue={issue} />}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Whether the same fix solves both issues. */
const isAlike = (issue: Issue, { id, field, part }: Issue): boolean =>
  issue.id === id && issue.field === field && issue.part === part;

/** Names of fields, for messages such as "is required". */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['account_id', 'the account'],
  ['board_id', 'the board'],
  ['scheduled_at', 'the time'],
  ['text', 'the text'],
  ['title', 'the title'],
]);

/** How the server names the file that an issue is about, if there are several. */
const MEDIUM = /^(Picture|Video|File) (\d+): /;

/** What programs are told to send for another shape; people get buttons. */
const RESHAPED = / \(\d+ x \d+\); media\[\]\.fit .*$/;

/** A sentence about an issue, such as "Bluesky: exceeds 300 character limit (301/300)." */
function sentenceOf(issue: Issue): string {
  const { field, part } = issue;
  const medium = MEDIUM.exec(issue.message);
  const message = issue.message.slice(medium?.[0].length ?? 0).replace(RESHAPED, '');
  const subject = message.startsWith('is ') ? SUBJECTS.get(field) : undefined;
  const words = subject === undefined ? message : `${subject} ${message}`;
  const place = [
    nameOf(issue),
    ...(part === undefined ? [] : [`post ${part + 2} of the thread`]),
    ...(medium === null ? [] : [`${medium[1]!.toLowerCase()} ${medium[2]}`]),
  ];
  return `${place.join(', ')}: ${words.replace(/\.$/, '')}.`;
}

/** The platform, with the name of the account if the platform is chosen more than once. */
export function nameOf({ id, platform }: Pick<Issue, 'id' | 'platform'>): string {
  const { title } = markOf(platform);
  const alike = composer.targets.value.filter((target) => target.platform === platform);
  const name = alike.length < 2 ? undefined : alike.find((target) => target.id === id)?.name;
  return name === undefined ? title : `${title}, ${name}`;
}

/** Scrolls to the first issue that must be corrected, and focuses it. */
export function showFirst(): void {
  const first = document.querySelector<HTMLElement>('.issues .bad');
  first?.scrollIntoView({ block: 'center' });
  if (first === null) return;
  first.tabIndex = -1;
  first.focus();
}

const focusOn = (id: string) => focusDrawn(() => document.getElementById(id));

type CureProps = Readonly<{ issue: Issue }>;

/** A button that fixes an issue. Screen readers also announce the account. */
const button = (issue: Issue, title: string, run: () => void) => (
  <button type="button" class="link" onClick={run}>
    {title}
    <span class="heard">, {nameOf(issue)}</span>
  </button>
);

function Cure({ issue }: CureProps): JSX.Element | null {
  const { id, field, isWarning, message } = issue;
  const destination = composer.destinations.value.find((each) => each.id === id);
  if (destination === undefined || isWarning) return null;
  const leaveOut = button(issue, 'Leave it out', () => composer.toggle(destination.id));
  if (field === 'text') return <TextCure issue={issue} />;
  if (field === 'account_id') {
    if (destination.isGone === true) return leaveOut;
    if (destination.hindrance === undefined) return null;
    return canConnect ? <a href="/dashboard/accounts">Connect it again</a> : leaveOut;
  }
  if (field === 'media' && message.startsWith('needs ')) {
    return (
      <>
        {button(issue, 'Add a file', () => document.getElementById('files')?.click())} or {leaveOut}
      </>
    );
  }
  if (field === 'media') {
    return (
      <>
        {button(issue, 'Take some away for it', () => {
          writing.value = id;
          focusDrawn(() => document.querySelector<HTMLElement>('.tray li:last-child button:last-child'));
        })}{' '}
        or {leaveOut}
      </>
    );
  }
  if (RESHAPED.test(message) && issue.part === undefined) {
    const reshape = (title: string, fit: Fit) => button(issue, title, () => reshapeAt(id!, field, fit));
    return (
      <>
        {reshape('Add borders', 'pad')}, {reshape('Crop it', 'crop')} or {leaveOut}
      </>
    );
  }
  if (field.startsWith('media') || field === 'segments' || field === 'first_comment') return leaveOut;
  return null;
}

/** Reshapes the picture of a destination that `field` names, and leads to where this can be undone. */
function reshapeAt(id: string, field: string, fit: Fit): void {
  const at = Number(field.split('.')[1]);
  writing.value = composer.draft.value.own[id]?.media ? id : undefined;
  media.reshape(writing.value, at, fit);
  focusDrawn(() => document.querySelector<HTMLElement>(`.tray li:nth-child(${at + 1}) .link`));
}

/** All accounts share the texts of a thread, except that an account may have another first text. */
function TextCure({ issue }: CureProps): JSX.Element {
  const { id, part } = issue;
  const isCommon = part !== undefined || composer.draft.value.instead[id!] === undefined;
  const canSplit = composer.isThread.value && isCommon;
  return (
    <>
      {canSplit &&
        button(issue, 'Split it into a thread', () => {
          void composer.split(part).then((isSplit) => isSplit && focusOn(part === undefined ? 'text' : `part-${part}`));
        })}
      {canSplit && part === undefined && ' or '}
      {part === undefined &&
        button(issue, 'Write another text for it', () => {
          writing.value = id;
          focusOn('text');
        })}
    </>
  );
}
