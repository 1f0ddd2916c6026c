import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readFormat } from '#engine/publishing/create/csv-format.ts';
import { headerOf, readRow, rowsOf, type CsvRow, type RawRow } from '#engine/publishing/create/csv.ts';

const KNOWN = ['text', 'title', 'account_ids'];

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Everything a file says, read in chunks of a size. */
async function readAll(file: string | Buffer, size = 7): Promise<readonly CsvRow[]> {
  const raw: RawRow[] = [];
  const { delimiter, text } = await readFormat(inChunks(Buffer.from(file as string), size), KNOWN);
  for await (const row of rowsOf(text, delimiter)) raw.push(row);
  const header = headerOf(raw[0], { known: KNOWN, needed: 'text', delimiter });
  return raw.slice(1).map((row) => readRow(row, header));
}

const told = (rows: readonly CsvRow[]) =>
  rows.map((row) => ('cells' in row ? [row.row, row.cells] : [row.row, row.refused.message]));

const UNCLOSED = 'A quote is opened and never closed.';
const MISQUOTED = 'A cell with quotes in it must be in quotes, with each of its own doubled.';
const MORE = 'The row has more cells than the header; put texts with commas in quotes.';
const MORE_SEMICOLONS = 'The row has more cells than the header; put texts with semicolons in quotes.';

/** Files, and what is read of them by the number of the row's first line: cells, or why the row is refused. */
const FILES: readonly (readonly [what: string, file: string | Buffer, rows: Readonly<Record<number, unknown>>])[] = [
  ['a mark of the byte order', '\uFEFFtext\na', { 2: { text: 'a' } }],
  ['a mark before a quoted header', '\uFEFF"text","title"\na,b', { 2: { text: 'a', title: 'b' } }],
  ['names in any case, with spaces', ' Text , TITLE\na,b', { 2: { text: 'a', title: 'b' } }],
  ['LF', 'text\na\nb\n', { 2: { text: 'a' }, 3: { text: 'b' } }],
  ['CRLF', 'text\r\na\r\nb\r\n', { 2: { text: 'a' }, 3: { text: 'b' } }],
  ['CR', 'text\ra\rb\r', { 2: { text: 'a' }, 3: { text: 'b' } }],
  ['line ends of all kinds', 'text\r\na\nb\rc', { 2: { text: 'a' }, 3: { text: 'b' }, 4: { text: 'c' } }],
  ['blank lines', '\n\ntext,title\n\na,b\n , \n,,\n\nc', { 5: { text: 'a', title: 'b' }, 9: { text: 'c' } }],
  [
    'quotes, commas and lines in cells',
    'text,title\n"a ""b"",\nc\r\nd",e\nf',
    { 2: { text: 'a "b",\nc\r\nd', title: 'e' }, 5: { text: 'f' } },
  ],
  ['empty quoted cells', 'text,title\n"",""\na,""', { 2: {}, 3: { text: 'a' } }],
  ['spaces, which are kept', 'text\n a ', { 2: { text: ' a ' } }],
  ['columns without a name', 'text,,\na,,\nb,c', { 2: { text: 'a' }, 3: MORE }],
  [
    'a column without a name between others',
    'text,,title\na,,b\na,b,c',
    { 2: { text: 'a', title: 'b' }, 3: 'The row has a text in column 2, which has no name in the header.' },
  ],
  ['semicolons', 'text;title\na, b;"c;d"\n;;\ne;f;g', { 2: { text: 'a, b', title: 'c;d' }, 4: MORE_SEMICOLONS }],
  ['tabs', 'text\ttitle\na, b;\tc', { 2: { text: 'a, b;', title: 'c' } }],
  ['commas and a semicolon in the header', 'text,title\na;b,c', { 2: { text: 'a;b', title: 'c' } }],
  ['UTF-16 with its mark', Buffer.from('\uFEFFtext\ttitle\né😀\tb', 'utf16le'), { 2: { text: 'é😀', title: 'b' } }],
  [
    'UTF-16 the other way round',
    Buffer.from('\uFEFFtext;title\né😀;b', 'utf16le').swap16(),
    { 2: { text: 'é😀', title: 'b' } },
  ],
  ['rows that are too short', 'text,title\na', { 2: { text: 'a' } }],
  ['rows with empty cells too many', 'text\na,,', { 2: { text: 'a' } }],
  ['rows that are too long', 'text\na, b\nc', { 2: MORE, 3: { text: 'c' } }],
  ['a quote inside a cell', 'text,title\n5" wide,a\nb', { 2: MISQUOTED, 3: { text: 'b' } }],
  ['words behind a quoted cell', 'text,title\n"a"b,c\nd', { 2: MISQUOTED, 3: { text: 'd' } }],
  ['a quote that stays open', 'text\na\n"b\nc\n', { 2: { text: 'a' }, 3: UNCLOSED }],
  ['NUL', 'text\na\0b\nc', { 2: 'text must not contain a NUL character.', 3: { text: 'c' } }],
];

describe('a CSV file', () => {
  it.each(FILES)('may have %s', async (_, file, rows) => {
    const expected = Object.entries(rows).map(([line, row]) => [Number(line), row]);
    for (const size of [1, 2, 3, 7, 1000]) expect([size, told(await readAll(file, size))]).toEqual([size, expected]);
  });

  it('is read back as it was written, however it comes', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r', ' ', '|'), maxLength: 8 });
    const written = fc.array(fc.record({ text: cell, title: cell }), { minLength: 1, maxLength: 8 });
    const line = fc.constantFrom('\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(written, line, fc.integer({ min: 1, max: 40 }), async (posts, end, size) => {
        const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
        const file = ['text,title', ...posts.map(({ text, title }) => `${quoted(text)},${quoted(title)}`)];
        const rows = await readAll(file.join(end), size);
        const read = rows.map((row) => ('cells' in row ? { text: '', title: '', ...row.cells } : row.refused));
        // Quotes alone are no blank row: an empty post is the business of whoever reads it.
        expect(read).toEqual(posts);
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['blank lines', '\n\n , \n'],
    ['no text', 'title\na'],
    ['bars', 'text|title\na|b'],
  ])('of %s has no header', async (_, file) => {
    await expect(readAll(file)).rejects.toMatchObject({
      code: 'validation.field_required',
      detail: { meta: { field: 'text' } },
    });
  });

  it('names no column twice that is known', async () => {
    const twice = { code: 'validation.field_invalid', detail: { meta: { field: 'title' } } };
    await expect(readAll('text,title,Title\na,b,c')).rejects.toMatchObject(twice);
    await expect(readAll('text,"title\na')).rejects.toMatchObject({ code: 'validation.field_invalid' });
  });

  it.each([
    ['titel', 'There is no column "titel"; did you mean "title"? Columns are: text, title, account_ids.'],
    [
      'Account ID',
      'There is no column "account id"; did you mean "account_ids"? Columns are: text, title, account_ids.',
    ],
    ['mood', 'There is no column "mood". Columns are: text, title, account_ids.'],
  ])('has no column that nobody reads: %s', async (name, message) => {
    await expect(readAll(`text,${name}\na,b`)).rejects.toMatchObject({ code: 'validation.field_invalid', message });
  });

  it.each([
    ['504b0304', 'a workbook'],
    ['d0cf11e0', 'an older workbook'],
  ])('is no workbook: %s', async (start) => {
    const refused = readAll(Buffer.concat([Buffer.from(start, 'hex'), Buffer.from('text')]));
    await expect(refused).rejects.toThrow('Save it as "CSV UTF-8"');
  });

  it('has cells and rows of a bounded size; a row that is larger is never held, and harms no other', async () => {
    const wide = 'x'.repeat(100_001);
    const huge = `"${'y,\n"" '.repeat(250_000)}"`;
    const rows = told(await readAll(`text,title\n${wide},a\n${huge},b\nc,${wide}\nd,e\n`, 65_536));
    expect(rows).toEqual([
      [2, 'text: a cell has at most 100000 bytes.'],
      [3, 'A row has at most 1000000 bytes.'],
      [250_004, 'title: a cell has at most 100000 bytes.'],
      [250_005, { text: 'd', title: 'e' }],
    ]);
  });

  it('is read no further than it is asked for', async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pulled += 1;
        yield Buffer.from('a\n'.repeat(100));
      }
    }
    const rows = rowsOf(endless());
    for (let count = 0; count < 250; count += 1) await rows.next();
    await rows.return(undefined);
    expect(pulled).toBe(3);
  });
});
