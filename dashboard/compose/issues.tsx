import type { JSX } from 'preact';
import { Icon } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { destinations, one, writing } from './composer.ts';
import type { Issue } from './rules.ts';

/** The issues of some fields, each with a remedy. */
export function Issues({ id, about }: Readonly<{ id: string; about(field: string): boolean }>): JSX.Element {
  const found = one.issues.value.filter(({ field }) => about(field));
  return (
    <ul class="issues" id={id} aria-live="polite">
      {found.map((issue) => (
        <li key={`${issue.id} ${issue.field} ${issue.part} ${issue.message}`} class={issue.isWarning ? 'warn' : 'bad'}>
          <Icon name={issue.isWarning ? 'partial' : 'failed'} label={issue.isWarning ? 'Perhaps:' : 'Refused:'} />
          <span>
            {sentenceOf(issue, nameOf(issue))}. <Cure issue={issue} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A sentence about an issue, such as "Bluesky: exceeds 300 character limit (301/300)". */
function sentenceOf({ platform, message, part }: Issue, name?: string): string {
  const { title } = markOf(platform);
  const where = name === undefined ? title : `${title}, ${name}`;
  return `${where}${part === undefined ? '' : `, post ${part + 2} of the thread`}: ${message}`;
}

/** The name of the account, if its platform occurs twice. */
function nameOf({ id, platform }: Issue): string | undefined {
  const alike = one.targets.value.filter((target) => target.platform === platform);
  return alike.length < 2 ? undefined : alike.find((target) => target.id === id)?.name;
}

function Cure({ issue }: Readonly<{ issue: Issue }>): JSX.Element | null {
  const { id, field, isWarning } = issue;
  const destination = destinations.find((each) => each.id === id);
  if (destination === undefined || isWarning) return null;
  const button = (title: string, run: () => void) => (
    <button type="button" class="link" onClick={run}>
      {title}
    </button>
  );
  const leaveOut = button('Leave it out', () => one.toggle(destination.id));
  if (field === 'text' && issue.part === undefined) {
    return button('Write another text for it', () => {
      writing.value = destination.id;
      requestAnimationFrame(() => document.getElementById('text')?.focus());
    });
  }
  if (field === 'account_id')
    return destination.hindrance === undefined ? null : <a href="/dashboard/accounts">Connect it again</a>;
  if (field === 'media') {
    return (
      <>
        {button('Add a file', () => document.getElementById('files')?.click())} or {leaveOut}
      </>
    );
  }
  if (field.startsWith('media') || field === 'segments' || field === 'first_comment') return leaveOut;
  return null;
}
