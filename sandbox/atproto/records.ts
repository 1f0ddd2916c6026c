import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Blobs } from './blobs.ts';
import { blobsIn, seal, tid, type BlobLink } from './ipld.ts';
import { uriOf } from './formats.ts';
import { invalid, XrpcError } from './xrpc.ts';

export type RecordRow = Readonly<{
  did: string;
  collection: string;
  rkey: string;
  cid: string;
  json: string;
  /** The version that readers see; for an edited post, the first one. */
  shown_cid: string;
  shown_json: string;
  root_uri: string | null;
  media: number;
  indexed_at: number;
  sort_at: number;
}>;

export type VersionRow = Readonly<{
  seq: number;
  rkey: string;
  action: 'create' | 'update' | 'delete';
  cid: string | null;
  json: string | null;
  rev: string;
  at: number;
}>;

type Commit = Readonly<{ cid: string; rev: string }>;

/** One change. `swap` is the expected version: a cid, null for no record, undefined for any. */
export type Write = Readonly<{
  action: 'create' | 'update' | 'delete';
  collection: string;
  rkey: string;
  sealed?: { cid: string; json: string } | undefined;
  swap?: string | null | undefined;
}>;

export type Records = Readonly<{
  get(did: string, collection: string, rkey: string): RecordRow | undefined;
  list(
    did: string,
    collection: string,
    page: { after: string | undefined; reverse: boolean; limit: number },
  ): readonly RecordRow[];
  collections(did: string): readonly string[];
  versions(did: string, collection: string): readonly VersionRow[];
  commits(did: string): number;
  /** Applies all writes as one commit, or none. Inside a transaction. */
  commit(did: string, writes: readonly Write[], swapCommit?: string): Commit;
  /** The keys of the person's other likes, reposts, follows or blocks with the same target. */
  rivals(did: string, collection: string, record: Record<string, unknown>): readonly string[];
  /** Makes a new record key. Inside a transaction. */
  nextKey(did: string): string;
  reset(): void;
}>;

type Reading = Readonly<{
  linksOf(collection: string, record: Record<string, unknown>): readonly Readonly<{ kind: string; target: string }>[];
  hasMedia(record: Record<string, unknown>): boolean;
  /** Whether readers still see the first version after an edit. */
  keepsFirst(collection: string): boolean;
  allows(did: string, root: string): boolean;
  /** Called for a new record, inside the transaction. */
  added(
    row: Readonly<{ did: string; collection: string; rkey: string; sort_at: number }>,
    record: Record<string, unknown>,
  ): void;
  /** Called for a deleted or replaced record, inside the transaction. */
  removed(did: string, collection: string, rkey: string): void;
}>;

type RecordsWorld = Readonly<{ clock: Clock; blobs: Blobs; reading: Reading }>;

const CLOCK_ID = 23;

function refuseConflict({ action, swap }: Write, current: RecordRow | undefined, uri: string): void {
  const found = current?.cid ?? null;
  if (swap !== undefined && swap !== found) throw invalid(`Record was at ${found}`, 'InvalidSwap');
  // Here the real server fails because of its own index.
  if (action === 'create' && current !== undefined)
    throw new XrpcError(500, 'InternalServerError', 'Internal Server Error');
  if (action !== 'create' && current === undefined) throw invalid(`Could not locate record: ${uri}`, 'RecordNotFound');
}

/** Limits a date in the future to now, so that such a post does not stay at the top. */
function sortTimeOf(record: Record<string, unknown>, now: number): number {
  const content = Date.parse(String(record['createdAt']));
  return Number.isNaN(content) ? now : Math.max(0, Math.min(content, now));
}

function makeApply({ db }: Store, { clock, blobs, reading }: RecordsWorld) {
  const get = db.prepare('select * from bsky_record where did = ? and collection = ? and rkey = ?');

  const put = db.prepare(`
    insert into bsky_record (did, collection, rkey, cid, json, shown_cid, shown_json, root_uri, media, indexed_at, sort_at)
    values (@did, @collection, @rkey, @cid, @json, @cid, @json, @root_uri, @media, @now, @sort_at)
    on conflict do update set cid = excluded.cid, json = excluded.json,
      shown_cid = case when @frozen then shown_cid else excluded.cid end,
      shown_json = case when @frozen then shown_json else excluded.json end`);

  const drop = db.prepare('delete from bsky_record where did = ? and collection = ? and rkey = ?');

  const remember = db.prepare(
    'insert into bsky_version (did, collection, rkey, action, cid, json, rev, at) values (?, ?, ?, ?, ?, ?, ?, ?)',
  );

  const link = db.prepare('insert into bsky_link (did, collection, rkey, kind, target) values (?, ?, ?, ?, ?)');

  const unlink = db.prepare('delete from bsky_link where did = ? and collection = ? and rkey = ?');

  /** Links a record to the records it refers to. Returns the root of its thread. */
  function linkUp(did: string, { collection, rkey }: Write, record: Record<string, unknown>): string | null {
    const links = reading.linksOf(collection, record);
    const root = links.find(({ kind }) => kind === 'root')?.target;
    // The author's server stores a reply that the thread does not allow, but nobody indexes it.
    const outside = root !== undefined && !reading.allows(did, root);
    for (const { kind, target } of links)
      link.run(did, collection, rkey, outside && kind === 'reply' ? 'outside' : kind, target);
    return root ?? null;
  }

  function apply(did: string, write: Write, rev: string, staying: readonly BlobLink[]): void {
    const { action, collection, rkey, sealed } = write;
    const current = get.get(did, collection, rkey) as RecordRow | undefined;
    const uri = uriOf(did, collection, rkey);
    refuseConflict(write, current, uri);
    const now = clock.now();
    unlink.run(did, collection, rkey);
    remember.run(did, collection, rkey, action, sealed?.cid ?? null, sealed?.json ?? null, rev, now);
    // Readers still see the first version of a post, so its notifications stay.
    const kept = reading.keepsFirst(collection) && action === 'update';
    if (!kept) reading.removed(did, collection, rkey);
    if (sealed === undefined) {
      blobs.release(did, uri, staying);
      drop.run(did, collection, rkey);
      return;
    }
    const record = JSON.parse(sealed.json) as Record<string, unknown>;
    const held = blobsIn(record);
    blobs.release(did, uri, staying);
    blobs.hold(did, uri, held);
    const root = linkUp(did, write, record);
    const sort_at = sortTimeOf(record, now);
    put.run({
      did,
      collection,
      rkey,
      ...sealed,
      root_uri: root,
      media: reading.hasMedia(record) ? 1 : 0,
      now,
      sort_at,
      frozen: reading.keepsFirst(collection) ? 1 : 0,
    });
    if (!kept) reading.added({ did, collection, rkey, sort_at }, record);
  }

  return Object.freeze({ get, apply });
}

export function openRecords(store: Store, { clock, blobs, reading }: RecordsWorld): Records {
  const { db } = store;
  const { get, apply } = makeApply(store, { clock, blobs, reading });
  const rivals = db.prepare('select rkey from bsky_link where did = ? and collection = ? and kind = ? and target = ?');
  const older = db.prepare(
    'select * from bsky_record where did = ? and collection = ? and rkey < ? order by rkey desc limit ?',
  );
  const newer = db.prepare(
    'select * from bsky_record where did = ? and collection = ? and rkey > ? order by rkey limit ?',
  );
  const collections = db.prepare('select distinct collection from bsky_record where did = ? order by collection');
  const versions = db.prepare('select * from bsky_version where did = ? and collection = ? order by seq');
  const repo = db.prepare('select last_us, commit_cid, commits from bsky_repo where did = ?');
  const advance = db.prepare(`
    insert into bsky_repo (did, last_us, commit_cid, commits) values (@did, @us, @cid, @made)
    on conflict do update set last_us = @us, commit_cid = coalesce(@cid, commit_cid), commits = commits + @made`);
  type RepoRow = { last_us: number; commit_cid: string | null; commits: number };
  const repoOf = (did: string) => repo.get(did) as RepoRow | undefined;

  function nextId(did: string, cidFor?: (rev: string) => string): { rev: string; cid: string } {
    const us = Math.max(clock.now() * 1000, (repoOf(did)?.last_us ?? 0) + 1);
    const rev = tid(us, CLOCK_ID);
    const cid = cidFor?.(rev);
    advance.run({ did, us, cid: cid ?? null, made: cid === undefined ? 0 : 1 });
    return { rev, cid: cid ?? '' };
  }

  return Object.freeze({
    get: (did: string, collection: string, rkey: string) => get.get(did, collection, rkey) as RecordRow | undefined,
    list: (did: string, collection: string, page: Parameters<Records['list']>[2]) =>
      (page.reverse
        ? newer.all(did, collection, page.after ?? '', page.limit)
        : older.all(did, collection, page.after ?? '\u{10ffff}', page.limit)) as RecordRow[],
    collections: (did: string) => (collections.all(did) as { collection: string }[]).map((row) => row.collection),
    versions: (did: string, collection: string) => versions.all(did, collection) as VersionRow[],
    commits: (did: string) => repoOf(did)?.commits ?? 0,
    commit(did: string, writes: readonly Write[], swapCommit?: string) {
      const before = repoOf(did)?.commit_cid ?? null;
      if (swapCommit !== undefined && swapCommit !== before) throw invalid(`Commit was at ${before}`, 'InvalidSwap');
      const data = writes.map(({ action, collection, rkey, sealed }) => [
        action,
        collection,
        rkey,
        sealed?.cid ?? null,
      ]);
      const commit = nextId(did, (rev) => seal({ did, version: 3, rev, prev: before, data }).cid);
      // Keep bytes that one write of the commit drops and another one uses.
      const staying = writes.flatMap(({ sealed }) => (sealed === undefined ? [] : blobsIn(JSON.parse(sealed.json))));
      for (const write of writes) apply(did, write, commit.rev, staying);
      return Object.freeze({ cid: commit.cid, rev: commit.rev });
    },
    rivals(did: string, collection: string, record: Record<string, unknown>) {
      const [only] = reading.keepsFirst(collection) ? [] : reading.linksOf(collection, record);
      return only === undefined
        ? []
        : (rivals.all(did, collection, only.kind, only.target) as { rkey: string }[]).map(({ rkey }) => rkey);
    },
    nextKey: (did: string) => nextId(did).rev,
    reset: () =>
      void db.exec(`delete from bsky_record; delete from bsky_version; delete from bsky_link; delete from bsky_repo;
        delete from bsky_notice; delete from bsky_seen`),
  });
}
