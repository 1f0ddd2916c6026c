import { isAscii, isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { ApiError, fail } from '#kernel/errors.ts';
import { nearestNames } from '#kernel/text/nearest.ts';

/** Possible delimiters; if several fit, the first is used. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A raw row; `bytes` is undefined if the row was too large. */
export type RawRow = Readonly<{ line: number; bytes: Buffer | undefined }>;

/** The delimiter, and the column names in order; undefined for a column without a name. */
export type Header = Readonly<{ delimiter: Delimiter; names: readonly (string | undefined)[] }>;

/** A row's cells by column, without empty ones. */
export type Cells = Readonly<Record<string, string>>;

/** A parsed row or its refusal, with the number of its first line. */
export type CsvRow = Readonly<{ row: number; cells: Cells }> | Readonly<{ row: number; refused: ApiError }>;

/** Larger rows are refused and not kept in memory. */
const ROW_BYTES = 1_000_000;
const CELL_BYTES = 100_000;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from('\uFEFF');

const BETWEEN: Readonly<Record<Delimiter, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

/** The parser's state after a byte; a quote opens a cell only at its beginning. */
type At = 'begin' | 'plain' | 'quoted' | 'closed';

/** Splits a CSV file into rows before parsing them, so that a broken row affects no other. Keeps one in memory. */
export async function* rowsOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  delimiter: Delimiter = ',',
): AsyncGenerator<RawRow> {
  const between = delimiter.charCodeAt(0);
  const empty: ReadonlySet<number> = new Set([between, 0x20, 0x09]);
  let pieces: Buffer[] = [];
  let size = 0;
  let position = 0;
  let at: At = 'begin';
  let blank = true;
  let line = 1;
  let begun = 1;
  let afterCr = false;

  const keep = (piece: Buffer) => {
    size += piece.length;
    if (size > ROW_BYTES) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const take = (): RawRow | undefined => {
    const row = { line: begun, bytes: size > ROW_BYTES ? undefined : Buffer.concat(pieces, size) };
    const found = blank ? undefined : row;
    pieces = [];
    size = 0;
    at = 'begin';
    blank = true;
    return found;
  };

  for await (const bytes of source) {
    // Copied, as the source may reuse its memory.
    const chunk = Buffer.from(bytes);
    let from = 0;
    for (let index = 0; index < chunk.length; index += 1, position += 1) {
      const byte = chunk[index]!;
      if (position < BOM.length && byte === BOM[position]) continue;
      const ends = byte === LF || byte === CR;
      if (ends && !(byte === LF && afterCr)) line += 1;
      if (ends && at !== 'quoted') {
        // The LF of a CRLF would end an empty row, which does not count.
        keep(chunk.subarray(from, index));
        from = index + 1;
        const row = take();
        if (row) yield row;
        begun = line;
      } else {
        at = after(at, byte, between);
        blank &&= empty.has(byte);
      }
      afterCr = byte === CR;
    }
    keep(chunk.subarray(from));
  }
  const last = take();
  if (last) yield last;
}

function after(at: At, byte: number, between: number): At {
  if (at === 'quoted') return byte === QUOTE ? 'closed' : 'quoted';
  if (byte === between) return 'begin';
  // A doubled quote is a quote, and the cell continues.
  return byte === QUOTE && at !== 'plain' ? 'quoted' : 'plain';
}

type HeaderRules = Readonly<{ known: readonly string[]; needed: string; delimiter: Delimiter }>;

/** The names in a header, trimmed and in lower case. */
export function namesIn(row: RawRow | undefined, delimiter: Delimiter): readonly string[] | ApiError {
  const cells = row === undefined ? [] : cellsOf(row, delimiter);
  return cells instanceof ApiError ? cells : cells.map((name) => name.trim().toLowerCase());
}

/** Reads the header; refuses missing, duplicate and unknown columns. */
export function headerOf(row: RawRow | undefined, { known, needed, delimiter }: HeaderRules): Header {
  const names = namesIn(row, delimiter);
  if (names instanceof ApiError) fail(names.code, { message: `The header cannot be read. ${names.message}` });
  if (!names.includes(needed)) {
    const message = `The file needs a header with the column "${needed}"; columns are separated by commas, semicolons or tabs.`;
    fail('validation.field_required', { message, meta: { field: needed } });
  }
  const twice = known.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    const message = `The header has the column "${twice}" more than once.`;
    fail('validation.field_invalid', { message, meta: { field: twice } });
  }
  const unknown = names.find((name) => name !== '' && !known.includes(name));
  if (unknown !== undefined) refuseColumn(unknown, known);
  return { delimiter, names: names.map((name) => (name === '' ? undefined : name)) };
}

const MAX_SHOWN_LENGTH = 64;

/** Refuses an unknown column and suggests a known one with a similar name. */
function refuseColumn(unknown: string, known: readonly string[]): never {
  // A part of the name may be a known column, as in "media_url".
  const words = unknown.split(/[^\p{L}\p{N}]+/u);
  const near = nearestNames(unknown, known)[0] ?? known.find((one) => words.includes(one));
  const name = unknown.slice(0, MAX_SHOWN_LENGTH);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  const message = `There is no column "${name}"${hint === '' ? '.' : hint} Columns are: ${known.join(', ')}.`;
  fail('validation.field_invalid', { message, meta: { field: name, columns: known } });
}

export function readRow(raw: RawRow, { delimiter, names }: Header): CsvRow {
  const cells = cellsOf(raw, delimiter);
  if (cells instanceof ApiError) return { row: raw.line, refused: cells };
  const unnamed = cells.findIndex((cell, index) => cell !== '' && names[index] === undefined);
  if (unnamed >= 0) {
    const isInside = names.slice(unnamed).some((name) => name !== undefined);
    const message = isInside
      ? `The row has a text in column ${unnamed + 1}, which has no name in the header.`
      : `The row has more cells than the header; put texts with ${BETWEEN[delimiter]} in quotes.`;
    return { row: raw.line, refused: invalid(message) };
  }
  const named: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? '';
    if (name === undefined || cell === '') continue;
    if (Buffer.byteLength(cell) > CELL_BYTES) {
      return { row: raw.line, refused: invalid(`${name}: a cell has at most ${CELL_BYTES} bytes.`) };
    }
    if (cell.includes('\0')) return { row: raw.line, refused: invalid(`${name} must not contain a NUL character.`) };
    named[name] = cell;
  }
  return { row: raw.line, cells: named };
}

/** Whether a row is valid UTF-8; also true for a row that was too large. */
export function isText({ bytes }: RawRow): boolean {
  return bytes === undefined || isUtf8(bytes);
}

/** Whether a row was probably meant as UTF-8: half of its non-ASCII bytes decode, which rarely happens by chance. */
export function seemsUtf8({ bytes }: RawRow): boolean {
  if (bytes === undefined || isAscii(bytes)) return false;
  if (isUtf8(bytes)) return true;
  const characters = bytes.toString().match(/\P{ASCII}/gu) ?? [];
  return characters.filter((one) => one === '\uFFFD').length * 2 <= characters.length;
}

function cellsOf({ bytes }: RawRow, delimiter: Delimiter): readonly string[] | ApiError {
  if (bytes === undefined) return invalid(`A row has at most ${ROW_BYTES} bytes.`);
  try {
    return (
      parse(bytes, { bom: true, delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n', '\r'] })[0] ?? []
    );
  } catch (error) {
    const open = (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED';
    return invalid(
      open
        ? 'A quote is opened and never closed.'
        : 'A cell with quotes in it must be in quotes, with each of its own doubled.',
    );
  }
}

function invalid(message: string): ApiError {
  return new ApiError('validation.field_invalid', { message });
}
