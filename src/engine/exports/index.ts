import type { Readable } from 'node:stream';
import {
  findExport,
  listExportPosts,
  listExports,
  loadExport,
  sweepExports,
  type ExportPostRow,
  type ExportRow,
} from '#db/exports/exports.ts';
import type { ExportStatus } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import { MINUTE } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { byCreation, type PageQuery, type WholeQuery } from '#kernel/pagination.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeClaimSigner } from '#kernel/sign.ts';
import { makeCreate } from './create.ts';
import type { ExportDeps } from './deps.ts';
import { presentExport, presentPost, type Files } from './present-export.ts';
import { removeExport } from './remove.ts';
import { makeRun } from './run.ts';

/** How long a file's URL works. */
const FILE_MS = 15 * MINUTE;
/** Posts in memory while a file is written. */
const PER_READ = 500;
const SWEEP_STEP = 500;

/** The writers of export files, by their names in URLs; loaded when first used. */
const KINDS = Object.freeze({
  xlsx: async () => (await import('./sheet.ts')).sheetOf,
  html: async () => (await import('./report/report.ts')).reportOf,
} as const);
type Kind = keyof typeof KINDS;

export type ExportFile = Readonly<{
  filename: string;
  content_type: string;
  inline: boolean;
  /** The hash of the file's inline style, for the Content-Security-Policy. */
  style?: string;
  body: Readable;
}>;

type ExportsDeps = ExportDeps & Readonly<{ sealer: Sealer; rootUrl: string }>;

/** Metrics of an account's posts, read from the platform, as a spreadsheet and as a report. */
export function makeExports({ sealer, rootUrl, ...deps }: ExportsDeps) {
  const { store, clock, lists, platforms } = deps;
  const signer = makeClaimSigner(sealer.derive('files'), 'GET');

  const hasExpired = ({ expires_at }: ExportRow) => expires_at <= clock.now();

  function filesOf(row: ExportRow): Files | null {
    if (row.status !== 'completed' || hasExpired(row)) return null;
    const url = (kind: Kind) => {
      const token = signer.sign([row.id, kind, clock.now() + FILE_MS]);
      return `${rootUrl}/files/${token}/${encodeURIComponent(`${nameOf(row)}.${kind}`)}`;
    };
    return { excel_url: url('xlsx'), report_url: url('html') };
  }

  async function exportOf(authority: Authority, id: string): Promise<ExportRow> {
    const row = (await findExport(store.db, authority, id)) ?? noSuch('export', id);
    if (row.status === 'completed' && hasExpired(row)) {
      fail('resource.gone', {
        message: 'This export has expired.',
        next: 'Create a new one with create_export.',
        meta: { resource: 'export', id },
      });
    }
    return row;
  }

  async function downloadable(id: string): Promise<ExportRow> {
    const row = await loadExport(store.db, id);
    return !row || row.status !== 'completed' || hasExpired(row) ? noSuch('export', id) : row;
  }

  return Object.freeze({
    create: makeCreate(deps),

    async list(authority: Authority, given: Readonly<{ status?: ExportStatus | undefined }>, page: PageQuery) {
      const answer = await lists.page(page, {
        name: 'exports',
        given,
        read: (filters, span) => listExports(store.db, authority, filters, span),
        position: byCreation,
        show: (rows) => rows.map((row) => presentExport(row, filesOf(row))),
      });
      return { ...answer, exports: answer.data };
    },

    async read(authority: Authority, id: string) {
      const row = await exportOf(authority, id);
      return presentExport(row, filesOf(row));
    },

    async posts(authority: Authority, id: string, { limit, cursor }: WholeQuery) {
      const row = await exportOf(authority, id);
      if (row.status !== 'completed') {
        fail('validation.field_invalid', {
          message: `export_id: this export is ${row.status}; its videos can be read once it is completed.`,
          meta: { field: 'export_id', status: row.status },
        });
      }
      const answer = await lists.page(
        { limit: limit ?? Math.max(1, row.posts), cursor },
        {
          name: 'export_videos',
          given: { id },
          read: (_, span) => listExportPosts(store.db, id, span.from?.at ?? 0, span.limit + 1),
          position: ({ position }) => ({ at: position + 1, id: '' }),
          show: (posts) => posts.map((post) => presentPost(post, row.platform)),
        },
      );
      return { ...answer, account_id: row.account_id, platform: row.platform, videos: answer.data };
    },

    remove: (authority: Authority, id: string) => removeExport(deps, authority, id),

    /** Opens the file of a signed URL; refuses a URL that was altered or has expired. */
    async open(token: string): Promise<ExportFile> {
      const [id, kind, until] = (signer.open(token) ?? []) as [string?, Kind?, number?];
      if (id === undefined || kind === undefined || until === undefined || until <= clock.now()) {
        fail('auth.invalid_secret', {
          message: 'This address is invalid or has expired.',
          next: 'Ask for a new one with get_export.',
        });
      }
      const row = await downloadable(id);
      const title = platforms.get(row.platform)?.title ?? row.platform;
      const write = await KINDS[kind]();
      return {
        filename: `${nameOf(row)}.${kind}`,
        ...(await write(row, () => postsOf(store, id, downloadable), title)),
      };
    },

    run: makeRun(deps),

    sweep: () => store.write((tx) => sweepExports(tx.db, clock.now(), SWEEP_STEP)),
  });
}

const nameOf = ({ platform, created_at }: ExportRow) =>
  `${platform}-${new Date(created_at).toISOString().slice(0, 10)}`;

export type Exports = ReturnType<typeof makeExports>;

/** Yields the posts for a file; throws if the export is deleted, as an incomplete file must not look complete. */
async function* postsOf(
  { db }: Store,
  id: string,
  downloadable: (id: string) => Promise<unknown>,
): AsyncGenerator<ExportPostRow> {
  for (let from = 0; ;) {
    const posts = await listExportPosts(db, id, from, PER_READ);
    await downloadable(id);
    yield* posts;
    const last = posts.at(-1);
    if (last === undefined || posts.length < PER_READ) return;
    from = last.position + 1;
  }
}
