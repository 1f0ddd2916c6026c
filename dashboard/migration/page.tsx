import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { makeSettling } from '../lib/debounce.ts';
import type { Migration } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, Zone } from '../lib/parts.tsx';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { makeMigration, type Provider } from './model.ts';
import { Start } from './start.tsx';
import { Started } from './started.tsx';

const providers = firstAnswer<readonly Provider[]>('providers');
const provider = firstAnswer<Provider>('provider');
const sandbox = firstAnswer<string | null>('sandbox');
const model = makeMigration({
  call,
  provider: provider.name,
  first: firstAnswer<Migration>('get_migration'),
  newKey: pressKey,
  later: makeSettling(1000),
  say,
});

function Page(): JSX.Element {
  return (
    <div class="wide">
      <header class="bar">
        <h1>Move here from another provider</h1>
        <Zone />
      </header>
      <p class="narrow">
        Accounts move one at a time, while your programs go on working. The accounts come; posts and their pictures stay
        where they were published, and an <a href="/dashboard/exports">export</a> reads them once an account is
        connected here.
      </p>
      <Steps />
      {model.migration.value.started ? (
        <Started model={model} provider={provider} />
      ) : (
        <Start model={model} provider={provider} providers={providers} sandbox={sandbox} />
      )}
    </div>
  );
}

/** The progress of the migration: completed steps and those to come. */
function Steps(): JSX.Element {
  const steps = model.steps.value;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol class="steps card narrow" aria-label="Steps">
      {steps.map(({ title, isDone }, at) => (
        <li key={title} class={isDone ? 'done' : ''} aria-current={at === next ? 'step' : undefined}>
          <Icon name={isDone ? 'published' : 'draft'} label={isDone ? 'Done:' : 'To do:'} />
          <span>{title}</span>
        </li>
      ))}
    </ol>
  );
}

show({ Page, heard: model.heard });
