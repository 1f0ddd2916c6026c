import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from '@fastify/busboy';
import { ApiError, fail } from '#kernel/errors.ts';
import { canonicalJson } from '#kernel/text/json.ts';
import { openScratch } from '#kernel/folders.ts';
import { sha256 } from '#kernel/sign.ts';
import { allowLong } from './pace.ts';

/** The file of a form. Its stream can be read repeatedly until the form is closed. */
export type FormFile = Readonly<{
  filename: string | undefined;
  contentType: string;
  size: number;
  stream: AsyncIterable<Uint8Array>;
}>;

export type Form = Readonly<{
  fields: Readonly<Record<string, string>>;
  file: FormFile | undefined;
  /** Depends on the parts, not on the boundary. Compared when an Idempotency-Key is repeated. */
  hash: string;
  /** Releases the file. Call it at the end of the request, even after a failure. */
  close(): Promise<void>;
}>;

export type FormLimits = Readonly<{
  maxFileBytes: number;
  /** The advice in the refusal of a larger file. */
  largerFiles?: string | undefined;
  /** The folder of the temporary file, which is unlinked while open so that a crash leaves nothing. */
  spoolDir: string;
}>;

const PARTS = 20;
const HEADER_BYTES = 16_384;
const FIELD_BYTES = 65_536;
/** The largest size of a form, not counting its file. */
const OVERHEAD = PARTS * (FIELD_BYTES + HEADER_BYTES);
const STEP = 65_536;

/** Reads a multipart form with at most one file, within docs/contract/limits.md#bodies. */
export async function readMultipart(req: IncomingMessage, limits: FormLimits): Promise<Form> {
  const parser = await parserFor(req, limits.maxFileBytes);
  const parts = collect(parser, limits);
  try {
    await feed(req, parser, parts, { most: limits.maxFileBytes + OVERHEAD, tooLarge: () => tooLarge(limits) });
    return await Promise.race([parts.finished, parts.broken]);
  } catch (error) {
    parser.destroy();
    await parts.drop();
    throw error;
  }
}

/** Yields the bytes of a form's file, or nothing if the form has none. */
export async function* fileBytesOf(req: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const parser = await parserFor(req, Number.POSITIVE_INFINITY);
  const found = Promise.withResolvers<BusboyFileStream | undefined>();
  const breaking = makeBreaking(parser);
  parser.on('file', (_name, stream) => {
    breaking.follow(stream);
    found.resolve(stream);
  });
  parser.on('finish', () => found.resolve(undefined));
  const tooMuch = () => new ApiError('http.413', { meta: { max_bytes: maxBytes } });
  const feeding = feed(req, parser, breaking, { most: maxBytes + OVERHEAD, tooLarge: tooMuch });
  feeding.catch(breaking.end);
  try {
    for await (const chunk of (await Promise.race([found.promise, breaking.broken])) ?? []) yield chunk as Buffer;
    await feeding;
  } catch (error) {
    throw breaking.failure() ?? error;
  } finally {
    breaking.end(unreadable('The form is no longer being read.'));
    parser.destroy();
  }
}

/** The bytes of an upload. Stopping early keeps the connection open so that a refusal can be sent. */
export async function* bytesOf(req: IncomingMessage): AsyncGenerator<Uint8Array> {
  allowLong(req);
  try {
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    fail('validation.body_invalid', { message: 'The body ended before it was complete.', cause });
  }
}

function unreadable(message: string): ApiError {
  return new ApiError('validation.body_invalid', { message });
}

/** The error for a file that is too large, with where to send a larger one. */
function tooLarge({ maxFileBytes, largerFiles: next }: FormLimits): ApiError {
  const message = `The file is larger than the ${maxFileBytes} bytes that a form may have.`;
  return new ApiError('http.413', { message, next, meta: { max_bytes: maxFileBytes } });
}

async function parserFor(req: IncomingMessage, fileSize: number): Promise<BusboyInstance> {
  const type = req.headers['content-type'] ?? '';
  // Some clients send JSON by mistake. They get the error about the form below, which explains what to send.
  if (type !== '' && !/^(?:multipart\/form-data|application\/json)\b/i.test(type))
    fail('http.415', { message: 'The body must be a form.', next: 'Send it as multipart/form-data.' });
  if (!/^multipart\/form-data\s*;.*\bboundary\s*=\s*"?[^\s";]/i.test(type)) {
    throw unreadable('The body must be multipart/form-data with the file as the part "file".');
  }
  const limits = {
    fileSize,
    files: 1,
    parts: PARTS,
    fieldSize: FIELD_BYTES,
    headerSize: HEADER_BYTES,
    headerPairs: 20,
  };
  const isPartAFile = (name: string | undefined, _type: string | undefined, filename: string | undefined) =>
    name === 'file' || filename !== undefined;
  // Loaded when the first form arrives.
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({ headers: req.headers as BusboyHeaders, limits, isPartAFile });
  } catch (cause) {
    throw new ApiError('validation.body_invalid', { message: 'The Content-Type of the form cannot be read.', cause });
  }
}

async function feed(
  req: IncomingMessage,
  parser: BusboyInstance,
  parts: Pick<Breaking, 'broken' | 'failure'>,
  { most, tooLarge: refusal }: Readonly<{ most: number; tooLarge(): ApiError }>,
): Promise<void> {
  let total = 0;
  for await (const chunk of bytesOf(req)) {
    total += chunk.byteLength;
    if (total > most) throw refusal();
    const failure = parts.failure();
    if (failure) throw failure;
    if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), parts.broken]);
  }
  parser.end();
}

type Breaking = Readonly<{
  /** Rejects with the first error. */
  broken: Promise<never>;
  failure(): Error | undefined;
  /** Ends the file's stream on the first error. */
  follow(file: BusboyFileStream): void;
  end(error: Error): void;
}>;

/** Keeps the first error of a form, wherever it occurs. */
function makeBreaking(parser: BusboyInstance): Breaking {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  let failure: Error | undefined;
  let source: BusboyFileStream | undefined;
  const end = (error: Error) => {
    failure ??= error;
    reject(failure);
    source?.destroy(failure);
  };
  const incomplete = () => end(unreadable('The multipart form is incomplete or malformed.'));
  parser.on('error', incomplete);
  return { broken, failure: () => failure, follow: (file) => void (source = file.on('error', incomplete)), end };
}

type Parts = Pick<Breaking, 'broken' | 'failure'> & Readonly<{ finished: Promise<Form>; drop(): Promise<void> }>;

function collect(parser: BusboyInstance, limits: FormLimits): Parts {
  const fields = Object.create(null) as Record<string, string>;
  const { broken, failure, follow, end } = makeBreaking(parser);
  let source: BusboyFileStream | undefined;
  let spooled: Promise<Spooled> | undefined;
  let labels: Readonly<{ name: string; filename: string | undefined; contentType: string }> | undefined;

  parser.on('partsLimit', () => end(unreadable(`A form has at most ${PARTS} parts.`)));
  parser.on('filesLimit', () => end(unreadable('A form has at most one file.')));
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) end(unreadable(`A field has at most ${FIELD_BYTES} bytes.`));
    if (name !== undefined) fields[name] = value;
  });
  parser.on('file', (name, stream, filename, _encoding, contentType) => {
    source = stream;
    labels = { name, filename, contentType };
    follow(stream);
    stream.on('limit', () => end(tooLarge(limits)));
    spooled = spool(stream, limits.spoolDir, end);
    spooled.catch(end);
  });

  async function form(): Promise<Form> {
    const file = await spooled;
    const error = failure();
    if (error) throw error;
    const hash = sha256(canonicalJson([fields, labels ?? null, file?.digest ?? null]));
    return Object.freeze({
      fields,
      file: file && labels && { filename: labels.filename, contentType: labels.contentType, ...contentOf(file) },
      hash,
      close: async () => file?.handle.close(),
    });
  }

  const finished = once(parser, 'finish').then(form);
  // The reader may have stopped at `broken` and then never awaits this promise.
  finished.catch(() => {});
  return {
    finished,
    broken,
    failure,
    async drop() {
      source?.destroy();
      const file = await spooled?.catch(() => undefined);
      await file?.handle.close();
    },
  };
}

type Spooled = Readonly<{ handle: FileHandle; size: number; digest: string }>;

/** Copies a form's file to an unlinked temporary file. Its space is freed when the handle is closed. */
async function spool(stream: BusboyFileStream, folder: string, unwritten: (error: Error) => void): Promise<Spooled> {
  const handle = await openScratch(folder, 'form');
  const hash = createHash('sha256');
  let size = 0;
  let whole = false;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      hash.update(chunk);
      // Reported before the stream is destroyed, because that error would blame the sender.
      await handle.writeFile(chunk).catch((error: Error) => {
        unwritten(error);
        throw error;
      });
    }
    whole = true;
  } finally {
    if (!whole) await handle.close();
  }
  return { handle, size, digest: hash.digest('hex') };
}

function contentOf({ handle, size }: Spooled): Pick<FormFile, 'size' | 'stream'> {
  return {
    size,
    stream: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < size;) {
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(STEP), 0, STEP, at);
          if (bytesRead === 0) return;
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      },
    },
  };
}
