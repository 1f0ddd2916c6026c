import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '#db/store/store.ts';
import { readUsage } from '#db/access/usage.ts';
import type { Workspace } from '#kernel/authority.ts';
import type { Progress } from '#call/context.ts';
import type { FetchedFile, FetchFile } from '#call/ports.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { isRehearsal } from '#kernel/effects/rehearsal.ts';
import { ApiError, fail, orRefusalLater } from '#kernel/errors.ts';
import { LARGEST_IMPORT_BYTES } from '#kernel/limits/sizes.ts';
import { allowanceOf } from '#kernel/plans.ts';
import { makeAddressBook, type ComposeDeps } from '../content/addressing.ts';
import { refuseFetchedLater } from '../content/refusals.ts';
import type { PostLookup, Requester } from '../read/lookup.ts';
import { acceptDraft, type Draft } from './accept.ts';
import { createPosts, repeatsAmong, type Import, type RowResult } from './create-many.ts';
import { makeAccountNames, type Drafted } from './account-names.ts';
import type { Cells, CsvRow, Header } from './csv.ts';
import type { CsvFormat, Encoding } from './csv-format.ts';
import type { NewPost } from './rows.ts';

/** Exactly one of `file`, `csv` and `url` is set; a file must be readable more than once. */
export type ImportInput = Readonly<{
  file?: AsyncIterable<Uint8Array> | undefined;
  csv?: string | undefined;
  url?: string | undefined;
  /** Determines the outcome of every row without creating anything. */
  dryRun: boolean;
  columns: readonly string[];
  /** The one required column. */
  needed: string;
  /** Returns the draft of a row; refuses an invalid one. */
  draftOf(cells: Cells): Draft;
}>;

type ImportDeps = Readonly<{
  store: Store;
  clock: Clock;
  composing: ComposeDeps;
  lookup: PostLookup;
  fetchFile: FetchFile;
}>;

type Source = AsyncIterable<Uint8Array>;

export type Imported = Readonly<{
  file: string;
  created: number;
  failed: number;
  errors: readonly Readonly<{ row: number; code: string; message: string }>[];
  made: readonly string[];
}>;

const NOTHING: Omit<Imported, 'file'> = Object.freeze({ created: 0, failed: 0, errors: [], made: [] });

const UPLOAD_FIRST = 'Add it with upload_media, name its id in the column media, then ask again.';
const MOST_ROWS = 10_000;
/** Rows per transaction and event-loop turn: a crash loses one batch at most, and other work waits for one at most. */
const BATCH = 25;
const BATCH_BYTES = 65_536;
/** How many bytes are searched for rows in one event-loop turn. */
const PIECE_BYTES = 16_384;
const PROGRESS_ROWS = 100;
/** The most posts and errors a response lists; `created` and `failed` count all. */
const SHOWN_POSTS = 100;
const SHOWN_ERRORS = 1000;

async function sourceOf(fetchFile: ImportDeps['fetchFile'], { file, csv, url }: ImportInput): Promise<FetchedFile> {
  const given = [file, csv, url].filter((one) => one !== undefined);
  if (given.length === 0) {
    fail('validation.field_required', { message: 'Send a file, a csv text or a url.', meta: { field: 'file' } });
  }
  if (given.length > 1) {
    fail('validation.field_invalid', { message: 'Send one of file, csv and url.', meta: { field: 'file' } });
  }
  if (url !== undefined) return fetchFile({ url, field: 'url', maxBytes: LARGEST_IMPORT_BYTES });
  return { source: file ?? textSource(csv!), drop: async () => {} };
}

/** Creates posts from a CSV file: docs/contract/publishing.md#import. */
export function makeImport({ store, clock, composing, lookup, fetchFile }: ImportDeps) {
  async function refuseOverAllowance(workspace: Workspace, rows: number): Promise<void> {
    const now = clock.now();
    const { plan, name, max, period } = allowanceOf(workspace, 'posts', now);
    if (max < 0) return;
    const left = Math.max(0, max - (await readUsage(store.db, workspace.id, period.start)).posts);
    if (rows <= left) return;
    fail('billing.post_limit', {
      message: `The file has ${rows} rows, and ${left} of the ${max} posts of the ${name} plan are left until ${isoTime(period.end)}; nothing was created.`,
      meta: { plan, max },
      retryAfter: (period.end - now) / 1000,
    });
  }

  /** Creates a batch of rows, or determines its outcome in a dry run; looks up pages once for all. */
  async function takeBatch(
    requester: Requester,
    rows: readonly Drafted[],
    { done, seen, dryRun }: Readonly<{ done: Imported; seen: Set<string>; dryRun: boolean }>,
  ): Promise<Imported> {
    const now = clock.now();
    const drafts = rows.flatMap(({ draft }) => (draft instanceof ApiError ? [] : [draft]));
    const named = drafts.flatMap(({ targets }) => targets);
    const known = await makeAddressBook(composing, requester.authority, named);
    const accepted: (NewPost | ApiError)[] = [];
    for (const { draft } of rows) {
      accepted.push(
        draft instanceof ApiError
          ? draft
          : await orRefusalLater(() => acceptDraft(composing, requester, draft, known, now)),
      );
    }
    const posts = accepted.flatMap((post) => (post instanceof ApiError ? [] : [post]));
    const after = (outcomes: readonly RowResult[]) => {
      const next = outcomes.values();
      return added(
        done,
        accepted.map((post, index) => ({
          row: rows[index]!.row,
          outcome: post instanceof ApiError ? post : next.next().value!,
        })),
      );
    };
    if (posts.length === 0) return after([]);
    for (const { content, targets, intent } of posts) {
      const overrides = targets.map((target) => target.overrides);
      if (intent !== 'draft') refuseFetchedLater(content, overrides, UPLOAD_FIRST);
    }
    const work: Import = { workspace: requester.workspace, made: new Set(done.made), seen };
    if (dryRun) return after((await repeatsAmong(store, posts, work, now)).map((refusal) => refusal ?? ''));
    return store.write(async (tx) => {
      const imported = after(await createPosts(tx, posts, { ...work, seen: new Set() }, now));
      await tx.key?.record(imported);
      return imported;
    });
  }

  /** Imports a file; after an interruption, continues after the rows in `begun`. */
  return async function importPosts(
    requester: Requester,
    input: ImportInput,
    progress: Progress = () => {},
    begun?: Imported,
  ) {
    const { dryRun, draftOf } = input;
    const { source, drop } = await sourceOf(fetchFile, input);
    try {
      const { header, encoding, rows: total, hash } = await survey(source, input);
      if (begun !== undefined && begun.file !== hash) refuseChanged(begun);
      if (!dryRun && begun === undefined) await refuseOverAllowance(requester.workspace, total);
      const seen = new Set<string>();
      const nameAccounts = makeAccountNames(store.db, requester.authority);
      let done: Imported = begun ?? { ...NOTHING, file: hash };
      for await (const batch of batchesOf(source, { header, encoding }, done.created + done.failed)) {
        // SQLite returns synchronously, so without this a whole import would be a single event-loop turn.
        await nextTurn();
        const rows: Drafted[] = [];
        for (const one of batch) {
          rows.push({
            row: one.row,
            draft: 'cells' in one ? await orRefusalLater(() => draftOf(one.cells)) : one.refused,
          });
        }
        const before = done.created + done.failed;
        done = await takeBatch(requester, await nameAccounts(rows), { done, seen, dryRun: dryRun || isRehearsal() });
        const after = before + rows.length;
        const isStep = after === total || Math.floor(after / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS);
        if (isStep) progress(after, total, `${done.created} posts of ${total} rows`);
      }
      if (isRehearsal()) refusePointless(done);
      const { made, file: _, ...report } = done;
      const posts = await lookup.answers(requester.authority, made.slice(0, SHOWN_POSTS));
      return { dry_run: dryRun, encoding, delimiter: header.delimiter, total_rows: total, ...report, posts };
    } finally {
      await drop();
    }
  };
}

/** Adds the results of rows to an import; rows of a dry run create nothing. */
function added(done: Imported, rows: readonly Readonly<{ row: number; outcome: RowResult }>[]): Imported {
  const refused = rows.flatMap(({ row, outcome }) => (outcome instanceof ApiError ? [{ row, error: outcome }] : []));
  const errors = refused.map(({ row, error: { code, message } }) => ({ row, code, message }));
  const made = rows.flatMap(({ outcome }) => (outcome instanceof ApiError || outcome === '' ? [] : [outcome]));
  return {
    file: done.file,
    created: done.created + rows.length - refused.length,
    failed: done.failed + refused.length,
    errors: [...done.errors, ...errors].slice(0, SHOWN_ERRORS),
    made: [...done.made, ...made],
  };
}

/** Before a person is asked to approve: refuses a file of which no row can be imported. */
function refusePointless({ created, errors: [first] }: Imported): void {
  if (created > 0) return;
  const why =
    first === undefined ? 'the file has no rows.' : `every row is refused. Row ${first.row}: ${first.message}`;
  fail('validation.field_invalid', { message: `csv: ${why}`, meta: { field: 'csv', code: first?.code } });
}

/** Refuses to continue with a different file. */
function refuseChanged({ created, failed }: Imported): never {
  fail('resource.conflict', {
    message: `url: the file has changed since its first ${created + failed} rows were imported (${created} posts).`,
    next: 'Send the missing rows with a new Idempotency-Key.',
    meta: { field: 'url' },
  });
}

type Surveyed = Pick<CsvFormat, 'encoding'> & Readonly<{ header: Header; rows: number; hash: string }>;

/** The first pass: refuses an invalid file before anything is created. If it is not UTF-8, Windows-1252 is assumed. */
async function survey(source: Source, input: ImportInput, given?: Encoding): Promise<Surveyed> {
  const { headerOf, isText, rowsOf, seemsUtf8 } = await import('./csv.ts');
  const { readFormat, refuseMixed } = await import('./csv-format.ts');
  const { columns: known, needed } = input;
  const hash = createHash('sha256');
  const { encoding, delimiter, text, isMarked } = await readFormat(inPieces(capped(source, hash)), known, given);
  const reread = () => survey(source, input, 'windows-1252');
  const rules = { known, needed, delimiter };
  let header: Header | undefined;
  let rows = 0;
  let isUtf8 = isMarked;
  let odd: number | undefined;
  for await (const row of rowsOf(text, delimiter)) {
    if (!isText(row)) odd ??= row.line;
    isUtf8 ||= seemsUtf8(row);
    if (odd !== undefined && isUtf8) refuseMixed(odd);
    if (odd !== undefined && !header) return reread();
    if (header) rows += 1;
    else header = headerOf(row, rules);
    if (rows > MOST_ROWS) {
      const message = `A file has at most ${MOST_ROWS} rows below its header.`;
      fail('validation.field_invalid', { message, meta: { field: 'file', max_rows: MOST_ROWS } });
    }
  }
  if (odd !== undefined) return reread();
  return { header: header ?? headerOf(undefined, rules), encoding, rows, hash: hash.digest('hex') };
}

/** The second pass: yields batches of rows, without the header and the rows that are already done. */
async function* batchesOf(
  source: Source,
  { header, encoding }: Pick<Surveyed, 'header' | 'encoding'>,
  taken: number,
): AsyncGenerator<readonly CsvRow[]> {
  const { readRow, rowsOf } = await import('./csv.ts');
  const { decoded } = await import('./csv-format.ts');
  let batch: CsvRow[] = [];
  let size = 0;
  let left = taken + 1;
  for await (const raw of rowsOf(decoded(inPieces(source), encoding), header.delimiter)) {
    if (left > 0) {
      left -= 1;
      continue;
    }
    batch.push(readRow(raw, header));
    size += raw.bytes?.length ?? 0;
    if (batch.length < BATCH && size < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

async function* capped(source: Source, hash: Hash): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > LARGEST_IMPORT_BYTES) {
      const message = `The file is larger than the ${LARGEST_IMPORT_BYTES} bytes that are allowed.`;
      fail('http.413', { message, meta: { max_bytes: LARGEST_IMPORT_BYTES } });
    }
    hash.update(chunk);
    yield chunk;
  }
}

/** Yields a source in small pieces, each in its own event-loop turn. */
async function* inPieces(source: Source): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength; from += PIECE_BYTES) {
      await nextTurn();
      yield chunk.subarray(from, from + PIECE_BYTES);
    }
  }
}

function textSource(text: string): Source {
  const bytes = Buffer.from(text);
  return {
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  };
}
