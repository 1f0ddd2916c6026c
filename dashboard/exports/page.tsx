import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { ask } from '../lib/confirm.tsx';
import { makeSettling } from '../lib/debounce.ts';
import { filledIn } from '../lib/forms.tsx';
import { Connecting } from '../lib/frame/connecting.tsx';
import { may } from '../lib/frame/may.ts';
import { accountOptions } from '../lib/frame/select.tsx';
import { makeTimer } from '../lib/frame/timer.ts';
import type { AbleAccount, Answer, Export } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Badge, Icon, Mark, Time, Zone } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { canExport, makeExports } from './model.ts';
import { counted } from '#kernel/people/counted.ts';

const accounts = firstAnswer<Readonly<{ data: readonly AbleAccount[] }>>('list_accounts').data;
const names = new Map(accountOptions(accounts));
const model = makeExports({
  call,
  first: firstAnswer<Answer<'list_exports'>>('list_exports'),
  newKey: pressKey,
  clock: () => Date.now(),
  later: makeSettling(),
  soon: makeTimer(),
  say,
});

/** An export uses up what the plan includes, so it is offered to people who can also stop it. */
const canMake = may('create_export') && may('delete_export');

function Page(): JSX.Element {
  useEffect(model.watch, []);
  return (
    <div class="wide">
      <header class="bar">
        <h1>Exports</h1>
        <Zone />
      </header>
      {canMake && <Make />}
      {model.isStale.value && (
        <div class="note" role="alert">
          The list could not be read; it is tried again by itself.
        </div>
      )}
      {model.exports.value.length === 0 ? (
        <div class="empty">
          <Icon name="exports" />
          <p>There are no exports yet.</p>
        </div>
      ) : (
        <ul class="rows card" aria-label="Exports">
          {model.exports.value.map((one) => (
            <Row key={one.id} one={one} />
          ))}
        </ul>
      )}
      {model.hasMore.value && (
        <button type="button" aria-disabled={model.isBusy.value} onClick={() => void model.more()}>
          Show more
        </button>
      )}
    </div>
  );
}

function Make(): JSX.Element {
  const possible = accounts.filter(canExport);
  const others = [...new Set(accounts.filter((one) => !canExport(one)).map(({ platform }) => platform))];
  return (
    <section class="card narrow" aria-labelledby="make">
      <h2 id="make">Export an account</h2>
      <p class="hint">
        Every post of the account, as far back as the platform goes, with its numbers: a spreadsheet, and a report to
        read or print.
      </p>
      {possible.length === 0 ? (
        <p>
          No account here can be exported. <Connecting />
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const { account = '', transcripts, vision } = filledIn(event.currentTarget);
            void model.make(account, { transcripts: transcripts !== undefined, vision: vision !== undefined });
          }}
        >
          <div class="field">
            <label htmlFor="account">Account</label>
            <select id="account" name="account">
              {accountOptions(possible).map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label class="tick">
              <input type="checkbox" name="transcripts" />
              <span>
                Also transcribe videos <small>(if the server has a model for it)</small>
              </span>
            </label>
            <label class="tick">
              <input type="checkbox" name="vision" />
              <span>
                Also describe pictures <small>(if the server has a model for it)</small>
              </span>
            </label>
          </div>
          <div class="actions">
            <button class="primary" aria-disabled={model.isBusy.value}>
              {model.isBusy.value ? 'Starting …' : 'Export'}
            </button>
          </div>
        </form>
      )}
      {others.length > 0 && (
        <p>
          <small>
            {others.map((slug) => markOf(slug).title).join(', ')} does not list posts, so there is no export.
          </small>
        </p>
      )}
    </section>
  );
}

const STATES = {
  waiting: { sign: 'scheduled', word: 'Waiting' },
  running: { sign: 'publishing', word: 'Reading' },
  ready: { sign: 'published', word: 'Ready' },
  expired: { sign: 'draft', word: 'Expired' },
  failed: { sign: 'failed', word: 'Failed' },
} as const;

function Row({ one }: Readonly<{ one: Export }>): JSX.Element {
  const { account_id, platform, created_at, expires_at, error, warnings, total_videos: posts, result } = one;
  const state = model.stateOf(one);
  const { sign, word } = STATES[state];
  const name = names.get(account_id) ?? 'An account that is gone';
  return (
    <li>
      <div>
        <Mark platform={platform} />{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <br />
        <small>
          <Time at={created_at} />, {counted(posts, 'post')}
          {state === 'ready' && expires_at !== null && (
            <>
              , kept until <Time at={expires_at} />
            </>
          )}
        </small>
        {state === 'running' && <Progress one={one} name={name} />}
        {state === 'failed' && (
          <p class="bad">
            <bdi>{error ?? 'It failed.'}</bdi> It cost nothing. Create it again once that is repaired.
          </p>
        )}
        {state === 'expired' && <p class="quiet">Its posts were removed. Create a new export above.</p>}
        {warnings.length > 0 && (
          <details>
            <summary>What is missing ({warnings.length})</summary>
            <ul class="bullets">
              {warnings.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </details>
        )}
        <div class="actions">
          {state === 'ready' && result !== null && <Files files={result} name={name} />}
          {may('delete_export') && (
            <button
              type="button"
              class="small"
              aria-label={`${isRunning(state) ? 'Stop the export' : 'Delete the export'} of ${name}`}
              onClick={() => askToDelete(one.id)}
            >
              {isRunning(state) ? 'Stop' : 'Delete'}
            </button>
          )}
        </div>
      </div>
      <Badge sign={sign} word={word} />
    </li>
  );
}

const isRunning = (state: keyof typeof STATES): boolean => state === 'waiting' || state === 'running';

type FilesProps = Readonly<{ files: NonNullable<Export['result']>; name: string }>;

function Files({ files: { excel_url, report_url }, name }: FilesProps): JSX.Element {
  return (
    <>
      <a class="button small" href={excel_url} aria-label={`Spreadsheet of ${name}`}>
        Spreadsheet
      </a>
      <a class="button small" href={report_url} target="_blank" rel="noreferrer" aria-label={`Report of ${name}`}>
        Report
      </a>
    </>
  );
}

/** Asks about an export as it is now: one that is done meanwhile is deleted, and not stopped. */
const askToDelete = (id: string): void =>
  ask(() => {
    const one = model.find(id);
    if (one === undefined) return undefined;
    const isStopped = isRunning(model.stateOf(one));
    return {
      title: isStopped ? 'Stop this export?' : 'Delete this export?',
      yes: isStopped ? 'Stop it' : 'Delete',
      text: isStopped
        ? 'What was read so far is removed. It will cost nothing, and you can create it again.'
        : 'Its spreadsheet and its report are removed for everybody, also where their addresses were passed on. This cannot be undone.',
      isBusy: model.isBusy.value,
      run: () => model.remove(one),
    };
  });

function Progress({ one, name }: Readonly<{ one: Export; name: string }>): JSX.Element {
  const label = `Export of ${name}`;
  // Until the platform says how many posts there are, the progress is unknown.
  return one.progress > 0 ? (
    <progress aria-label={label} max={100} value={one.progress} />
  ) : (
    <progress aria-label={label} />
  );
}

show({ Page, heard: model.heard });
