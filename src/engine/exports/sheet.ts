import { writeXlsxStream } from 'hucre/xlsx';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { ExportPostRow, ExportRow } from '#db/exports/exports.ts';
import { cut } from '#kernel/text/length.ts';
import { viewsOf } from './present-export.ts';

/** The most characters in a spreadsheet cell. */
const LONGEST = 32_767;
const TIME = 'yyyy-mm-dd hh:mm';
const COUNT = '#,##0';
/** Characters that XML cannot represent. */
// oxlint-disable-next-line no-control-regex -- these are what is taken out
const UNSAYABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

type Cell = string | number | Date | null;

type Column = Readonly<{
  header: string;
  width: number;
  numFmt?: string;
  cell(post: ExportPostRow): Cell;
}>;

function words(text: string | null | undefined): Cell {
  return text ? cut(text.toWellFormed().replace(UNSAYABLE, ''), LONGEST) : null;
}

const counted = (header: string, cell: Column['cell']): Column => ({ header, width: 11, numFmt: COUNT, cell });

function columnsOf({ transcripts, vision, extra_names }: ExportRow): readonly Column[] {
  const extras = extra_names.filter((name) => name !== 'views').map((name) => ({ name, header: titled(name) }));
  return [
    { header: 'Published (UTC)', width: 17, numFmt: TIME, cell: ({ published_at }) => new Date(published_at) },
    { header: 'Title', width: 30, cell: ({ title }) => words(title) },
    { header: 'Text', width: 60, cell: ({ text }) => words(text) },
    { header: 'Kind', width: 10, cell: ({ media }) => kindOf(media) },
    counted('Views', viewsOf),
    counted('Likes', ({ metrics }) => metrics?.likes ?? null),
    counted('Comments', ({ metrics }) => metrics?.comments ?? null),
    counted('Shares', ({ metrics }) => metrics?.shares ?? null),
    counted('Saves', ({ metrics }) => metrics?.saves ?? null),
    ...extras.map(({ name, header }) => counted(header, ({ metrics }) => metrics?.extra?.[name] ?? null)),
    counted('Seconds', ({ duration_ms }) => (duration_ms === null ? null : Math.round(duration_ms / 1000))),
    counted('Width', ({ width }) => width),
    counted('Height', ({ height }) => height),
    { header: 'Link', width: 40, cell: ({ permalink }) => words(permalink) },
    { header: 'Id', width: 24, cell: ({ platform_id }) => words(platform_id) },
    ...(transcripts
      ? [
          { header: 'Transcript', width: 60, cell: ({ insight }: ExportPostRow) => words(insight?.transcript) },
          { header: 'Language', width: 10, cell: ({ insight }: ExportPostRow) => words(insight?.transcript_lang) },
        ]
      : []),
    ...(vision
      ? [
          { header: 'In the picture', width: 60, cell: ({ insight }: ExportPostRow) => words(insight?.vision_summary) },
          { header: 'Category', width: 16, cell: ({ insight }: ExportPostRow) => words(insight?.vision_category) },
          {
            header: 'Elements',
            width: 40,
            cell: ({ insight }: ExportPostRow) => words(insight?.vision_elements?.join(', ')),
          },
        ]
      : []),
  ];
}

const titled = (name: string): string => {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

function kindOf(media: ExportPostRow['media']): string {
  if (media.length > 1) return 'several';
  return media[0]?.type ?? 'text';
}

/** Posts as a spreadsheet, streamed, with a fixed header row. Cells are typed, so no text becomes a formula. */
export async function sheetOf(row: ExportRow, posts: () => AsyncIterable<ExportPostRow>) {
  const columns = columnsOf(row);
  async function* rows() {
    for await (const post of posts()) yield columns.map(({ cell }) => cell(post));
  }
  const stream = writeXlsxStream(rows(), {
    name: 'Posts',
    columns: columns.map(({ header, width, numFmt }) => ({ header, width, ...(numFmt !== undefined && { numFmt }) })),
    freezePane: { rows: 1 },
  });
  return {
    content_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    inline: false,
    body: Readable.fromWeb(stream as ReadableStream),
  };
}
