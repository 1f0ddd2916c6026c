/** Google's resumable uploads. A session's URL is all that is needed to send byte ranges to it. */
import type { Context } from 'koa';
import type { Doc, DocStore } from '../kit/docs.ts';
import type { Blob, Files, Writer } from '../kit/files.ts';
import { randomText } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { answer } from '../kit/api/routes.ts';
import type { Settings } from '../kit/settings.ts';
import type { GoogleCall } from './calls.ts';
import { GoogleError } from './errors.ts';

/** An upload that is in progress, owned by `page_id`. */
export type Session = Doc &
  Readonly<{
    page_id: string;
    blob: string;
    total?: number | undefined;
    stored: number;
    made?: string;
    isGone?: boolean;
  }>;

export const UPLOAD_SETTINGS = Object.freeze({
  session_days: 7,
  /** How many of the next parts fail, for each kind of failure. */
  upload_half: 0,
  upload_503: 0,
  upload_forgets: 0,
  upload_gone_before_end: 0,
  upload_gone_after_end: 0,
});
type Trouble = Exclude<keyof typeof UPLOAD_SETTINGS, 'session_days'>;

/** The start of a part, its announced length, and whether it is the last one. */
type Range = Readonly<{ from: number; length: number; total: number | undefined; isLast: boolean }>;

const UNIT = 256 * 1024;
const DAY_MS = 86_400_000;

const refuse = (status: number, reason: string, message: string) =>
  new GoogleError(status, undefined, message, { errors: [{ reason }] });
const gone = () => refuse(404, 'notFound', 'The upload session cannot be found.');
const badRange = (message: string) => refuse(400, 'badRequest', message);
const unavailable = () => refuse(503, 'backendError', 'Backend Error');

/** Parses `Content-Range`; undefined if the request only asks for the status. */
function rangeOf(ctx: Context): Range | undefined {
  const given = ctx.get('content-range');
  const { length } = ctx.request;
  if (given === '') {
    if (length === undefined) throw badRange('A length is required.');
    return { from: 0, length, total: length, isLast: true };
  }
  if (/^bytes \*\/(?:\d+|\*)$/.test(given)) return undefined;
  const [, from, to, total] = /^bytes (\d+)-(\d+|\*)\/(\d+|\*)$/.exec(given) ?? [];
  if (from === undefined) throw badRange('Failed to parse Content-Range header.');
  const size = total === '*' ? undefined : Number(total);
  const end = to === '*' ? size : Number(to) + 1;
  const span = end === undefined ? (length ?? Number.POSITIVE_INFINITY) : end - Number(from);
  if (span < 0 || (length !== undefined && length !== span && Number.isFinite(span)))
    throw badRange('Content-Range does not fit the length of the body.');
  // A range without an end includes all bytes that follow.
  return { from: Number(from), length: span, total: size, isLast: to === '*' || end === size };
}

function checkRange({ from, isLast, length, total }: Range, session: Session): void {
  if (total !== undefined && session.total !== undefined && total !== session.total)
    throw badRange('The total size has changed.');
  if (from > session.stored) throw badRange('Bytes are missing before this part.');
  if (!isLast && length % UNIT !== 0) throw badRange('The size of a part must be a multiple of 256 KiB.');
}

export function announcedIn(
  { ctx, params }: GoogleCall,
  types: RegExp,
  mostBytes: number,
): Readonly<{ total: number | undefined }> {
  if (params.text('uploadType') !== 'resumable') throw badRange('Only resumable uploads are taken.');
  const type = ctx.get('x-upload-content-type') || 'application/octet-stream';
  if (!types.test(type)) throw badRange(`Media type '${type}' is not supported.`);
  const size = ctx.get('x-upload-content-length');
  const total = size === '' ? undefined : Number(size);
  if (total !== undefined && !(total <= mostBytes)) throw refuse(413, 'uploadTooLarge', 'The file is too large.');
  return { total };
}

/** Receives a part. If the connection breaks, the whole units that arrived are kept. */
async function receive(
  ctx: Context,
  { from, length, total }: Range,
  { writer, most, stopAt }: Readonly<{ writer: Writer; most: number; stopAt(end: number): void }>,
): Promise<void> {
  const end = Math.min(from + length, total ?? most);
  let isWhole = false;
  try {
    for await (const chunk of ctx.req) {
      if (writer.at() + (chunk as Buffer).length > end) throw badRange('More bytes came than were announced.');
      writer.add(chunk as Buffer);
    }
    // A range without an end is complete when the body ends.
    isWhole = length === Number.POSITIVE_INFINITY || writer.at() === end;
  } finally {
    writer.flush();
    if (!isWhole) stopAt(writer.at());
  }
}

type ResumableOptions<S extends Session> = Readonly<{
  twin: TwinOptions;
  docs: DocStore<{ session: S; blob: Blob }>;
  files: Files;
  settings: Settings<typeof UPLOAD_SETTINGS>;
  mostBytes: number;
  /** Creates the object from the whole file and returns its id. Inside a transaction. */
  make(session: S, blob: Blob): string;
  /** How the API shows the object. */
  show(made: string): unknown;
}>;

export function makeResumable<S extends Session>(options: ResumableOptions<S>) {
  const { docs, files, settings, mostBytes, make, show } = options;
  const { store, clock } = options.twin;
  const change = (id: string, patch: Partial<Session>) => docs.change('session', id, patch as Partial<S>);

  /** Whether a part has to fail in this way; counts it down. */
  function troubled(name: Trouble): boolean {
    const left = settings.get(name);
    if (left > 0) settings.set({ [name]: left - 1 });
    return left > 0;
  }
  function find(id: string): S {
    const found = docs.get('session', id);
    const isOver = found === undefined || found.isGone === true;
    if (isOver || found.at + settings.get('session_days') * DAY_MS <= clock.now()) throw gone();
    return found;
  }
  function resume(id: string) {
    const { stored } = docs.get('session', id)!;
    return answer('', 308, { 'content-length': '0', ...(stored > 0 && { range: `bytes=0-${stored - 1}` }) });
  }
  async function finish(id: string): Promise<string> {
    const blob = await files.finish(docs.get('session', id)!.blob);
    return store.write(() => {
      const session = docs.get('session', id)!;
      if (session.made !== undefined) return session.made;
      const made = make(session, blob);
      change(id, { made });
      return made;
    });
  }
  /** Cuts the file off after the last whole unit. */
  function stopAt({ id, blob }: Session, end: number): void {
    const kept = Math.floor(end / UNIT) * UNIT;
    store.write(() => {
      files.write(blob, kept, new Uint8Array());
      change(id, { stored: kept });
    });
  }
  function end(ctx: Context, id: string): GoogleError {
    ctx.req.resume();
    change(id, { isGone: true });
    return gone();
  }

  return Object.freeze({
    /** Begins an upload whose session has these fields. Inside a transaction. */
    begin(address: string, fields: Omit<S, keyof Session> & Pick<Session, 'page_id' | 'total'>) {
      const id = randomText(32);
      const own = { id, at: clock.now(), blob: files.open('upload').id, stored: 0 };
      docs.put('session', { ...own, ...fields } as unknown as S);
      const location = `${address}?uploadType=resumable&upload_id=${id}`;
      return answer('', 200, { location, 'x-guploader-uploadid': id, 'content-length': '0' });
    },
    async take({ ctx, params }: GoogleCall): Promise<unknown> {
      const session = find(params.required('upload_id'));
      const { id, stored, total, made } = session;
      const range = rangeOf(ctx);
      if (made !== undefined) {
        ctx.req.resume();
        return show(made);
      }
      if (range === undefined) return stored === total && stored > 0 ? show(await finish(id)) : resume(id);
      const { from, isLast } = range;
      checkRange(range, session);
      if (isLast && troubled('upload_gone_before_end')) throw end(ctx, id);
      const announced = range.total ?? total;
      const writer = files.writer(session.blob, from, (end) => change(id, { stored: end, total: announced }));
      const stop = (end: number) => stopAt(session, end);
      await receive(ctx, { ...range, total: announced }, { writer, most: mostBytes, stopAt: stop });
      if (troubled('upload_forgets')) stopAt(session, from);
      else if (troubled('upload_half')) stopAt(session, from + (docs.get('session', id)!.stored - from) / 2);
      else if (troubled('upload_503')) {
        if (isLast) stopAt(session, from);
        throw unavailable();
      } else if (isLast) {
        const done = show(await finish(id));
        if (troubled('upload_gone_after_end')) throw end(ctx, id);
        return done;
      }
      return resume(id);
    },
  });
}
