import type { JSX } from 'preact';
import { counted } from '#kernel/people/counted.ts';
import { pressKey } from '../lib/call.ts';
import { pageToken, ZONE } from '../lib/page.ts';
import { Zone } from '../lib/parts.tsx';
import { session, show } from '../lib/shell.tsx';
import { Drop } from '../lib/upload/drop.tsx';
import { makeSendForm } from '../lib/upload/send.ts';
import { makeImport, type StepOf } from './model.ts';

const sendForm = makeSendForm({ token: pageToken, check: session.check, zone: ZONE });
const model = makeImport({
  newKey: pressKey,
  zone: ZONE,
  send: (file, { isCheck, key, onShare }) =>
    sendForm(new XMLHttpRequest(), {
      path: '/posts/import',
      fields: { file, dry_run: String(isCheck) },
      key,
      onShare,
    }),
});

function Page(): JSX.Element {
  return (
    <div class="wide">
      <header class="bar">
        <h1>Import posts</h1>
        <Zone />
      </header>
      <p class="narrow">
        Plan many posts in a spreadsheet, one per row, and save it as CSV. Rows with a time are scheduled, the others
        become drafts. Nothing is created until you have seen what the check says.
      </p>
      <p class="narrow">
        <a href="/dashboard/posts/import/template" download>
          Template with your accounts
        </a>
      </p>
      <Columns />
      <Drop
        label="Choose a CSV file, or drop it here"
        accept=".csv,.tsv,.txt,text/csv"
        onFiles={([file]) => file !== undefined && void model.check(file)}
      />
      {model.problem.value !== undefined && (
        <p class="refusal narrow" role="alert">
          {model.problem.value}
        </p>
      )}
      <Outcome />
    </div>
  );
}

const COLUMNS: readonly (readonly [name: string, holds: string])[] = [
  ['text', 'what the post says. It may be empty if there is media'],
  ['account_ids', 'where it goes, as platform:name. Several are separated by |'],
  ['scheduled_at', `when, such as 2026-12-31 14:00 (${ZONE})`],
  ['media', 'addresses of pictures and videos, or ids of files in Media. Several are separated by |'],
  ['title', 'the title, on platforms that have one'],
  ['first_comment', 'a comment to write below the post'],
  ['visibility', 'public, private, connections_only or logged_in, on platforms that offer it'],
  ['board_id', 'the board of Pinterest'],
  ['platform_data', 'what else a platform offers, as JSON'],
];

const Columns = (): JSX.Element => (
  <details class="narrow">
    <summary>Columns</summary>
    <ul class="bullets">
      {COLUMNS.map(([name, holds]) => (
        <li key={name}>
          <code>{name}</code>: {holds}
        </li>
      ))}
    </ul>
  </details>
);

const DELIMITERS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const;

function Outcome(): JSX.Element | null {
  const step = model.step.value;
  if (step.name === 'choosing') return null;
  return (
    <section class="card narrow outcome" aria-labelledby="outcome">
      <h2 id="outcome">
        <bdi>{step.file.name}</bdi>
      </h2>
      {'report' in step ? <Result {...step} /> : <Running {...step} />}
    </section>
  );
}

function Running({ name, share }: StepOf<'checking' | 'importing'>): JSX.Element {
  const words = name === 'checking' ? 'Checking' : 'Importing';
  return (
    <>
      <p role="status">{words} …</p>
      {/* When the file has arrived, nobody knows how long its rows take. */}
      {share < 1 ? <progress aria-label={words} value={share} /> : <progress aria-label={words} />}
    </>
  );
}

function Result({ name, report }: StepOf<'checked' | 'imported'>): JSX.Element {
  const { created, failed, encoding, delimiter } = report;
  return (
    <>
      <p role="status">{name === 'checked' ? checkedWords(report) : importedWords(report)}</p>
      {name === 'checked' && created > 0 && (
        <div class="actions">
          <button type="button" class="primary" onClick={() => void model.run()}>
            Import {counted(created, 'post')}
          </button>
        </div>
      )}
      {name === 'imported' && created > 0 && (
        <p>
          <a href="/dashboard/posts?view=scheduled">Scheduled posts</a>,{' '}
          <a href="/dashboard/posts?view=draft">drafts</a>
        </p>
      )}
      {failed > 0 && <Refused failed={failed} />}
      <p class="hint">
        Read as {encoding.toUpperCase()} with {DELIMITERS[delimiter]} between the columns. If letters such as é come out
        wrong, save the file as CSV UTF-8.
      </p>
    </>
  );
}

type Counts = Readonly<{ created: number; total_rows: number }>;

function checkedWords({ created, total_rows: total }: Counts): string {
  if (total === 0) return 'The file has no rows below its header.';
  if (created === 0) return 'No row can be imported. Correct the file, and choose it again.';
  return created === total
    ? `All rows can be imported: ${counted(total, 'post')}.`
    : `${created} of ${total} rows can be imported.`;
}

function importedWords({ created, total_rows: total }: Counts): string {
  if (created === total) return `${counted(created, 'post')} imported.`;
  return `${counted(created, 'post')} imported, ${counted(total - created, 'row')} not. Correct these rows in a file that has only them and the header.`;
}

function Refused({ failed }: Readonly<{ failed: number }>): JSX.Element {
  const { shown, more } = model.errors.value;
  return (
    <>
      <h3 id="refused">Not possible: {counted(failed, 'row')}</h3>
      <ul class="rows" aria-labelledby="refused">
        {shown.map(({ row, message }) => (
          <li key={row}>
            <div>
              <strong>Line {row}</strong> <bdi>{message}</bdi>
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <button type="button" onClick={model.showAll}>
          Show {more} more
        </button>
      )}
      {failed > shown.length + more && <p>Only the first {shown.length + more} are listed.</p>}
    </>
  );
}

show({ Page, isUnderWay: () => model.step.peek().name === 'importing' });
