import { fail } from '#kernel/errors.ts';
import { type Delimiter, DELIMITERS, namesIn, rowsOf } from './csv.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
export type CsvFormat = Readonly<{ encoding: Encoding; delimiter: Delimiter }>;

type Source = AsyncIterable<Uint8Array>;

/** How many bytes of a file certainly contain its header. */
const HEAD_BYTES = 65_536;

const MARKS: readonly (readonly [mark: string, encoding: Encoding])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];
/** The first bytes of Excel workbooks: a ZIP archive, or the older container format. */
const WORKBOOK = /^(?:504b0304|d0cf11e0)/;

/** Converts a file to UTF-8; `isMarked` means that a byte order mark named its encoding. */
export async function readFormat(
  source: Source,
  known: readonly string[],
  given?: Encoding,
): Promise<CsvFormat & Readonly<{ text: Source; isMarked: boolean }>> {
  const raw = await beginningOf(source);
  const start = raw.head.toString('hex', 0, 4);
  if (WORKBOOK.test(start)) {
    const message = 'The file is an Excel workbook. Save it as "CSV UTF-8" and send that.';
    fail('validation.field_invalid', { message, meta: { field: 'file' } });
  }
  const marked = MARKS.find(([mark]) => start.startsWith(mark))?.[1];
  const encoding = given ?? marked ?? 'utf-8';
  const { head, all } = await beginningOf(decoded(raw.all, encoding));
  return { encoding, delimiter: await delimiterOf(head, known), text: all, isMarked: marked !== undefined };
}

export function refuseMixed(line: number): never {
  const message = `The file is UTF-8, except for line ${line}. Save it as "CSV UTF-8" and send that.`;
  fail('validation.field_invalid', { message, meta: { field: 'file', row: line } });
}

export async function* decoded(source: Source, encoding: Encoding): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-8') return yield* source;
  const decoder = new TextDecoder(encoding);
  for await (const chunk of source) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** The first bytes of a source, and a source that still yields all of it. */
async function beginningOf(source: Source): Promise<Readonly<{ head: Buffer; all: Source }>> {
  const chunks = source[Symbol.asyncIterator]();
  const begun: Buffer[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { done, value } = await chunks.next();
    if (done) break;
    // Copied, as the source may reuse its memory.
    begun.push(Buffer.from(value));
    size += value.byteLength;
  }
  async function* all() {
    try {
      yield* begun;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  return { head: Buffer.concat(begun), all: all() };
}

/** The delimiter with which the header contains the most known column names. */
async function delimiterOf(head: Buffer, known: readonly string[]): Promise<Delimiter> {
  const found = await Promise.all(
    DELIMITERS.map(async (delimiter) => {
      const { value: row } = await rowsOf([head], delimiter).next();
      const names = namesIn(row ?? undefined, delimiter);
      const count = names instanceof Error ? 0 : names.filter((name) => known.includes(name)).length;
      return { delimiter, count };
    }),
  );
  const most = Math.max(...found.map(({ count }) => count));
  return found.find(({ count }) => count === most)!.delimiter;
}
