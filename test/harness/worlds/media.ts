import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Store as BareStore } from '#db/store/open.ts';
import { authorityOver } from '#kernel/authority.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { makeMedia } from '#engine/media/media.ts';
import { openMediaFiles } from '#engine/media/storage/open-files.ts';
import { newId } from '#kernel/ids.ts';
import { makeLog } from '#kernel/log.ts';
import type { PlanTier } from '#kernel/plans.ts';
import { makeOutbound } from '#kernel/net/request.ts';
import { makeSealer } from '#kernel/seal.ts';
import { makeFolder } from '../folders.ts';
import { lists } from '../lists.ts';
import { sharedWorkshop } from '../pictures/workshop.ts';
import { startS3 } from '../s3.ts';

export const START = Date.UTC(2026, 10, 21, 9);

export type World = Awaited<ReturnType<typeof makeWorld>>;

export type Shelf = 'disk' | 'bucket';

type Options = Readonly<{
  plan?: PlanTier;
  maxBytes?: number;
  allowPrivate?: 'on' | 'off';
  shelf?: Shelf;
  base?: string;
}>;

/** A media room on its own data folder, with one workspace; taken down when the test ends. */
export async function makeWorld(
  bare: BareStore,
  { plan = 'enterprise', maxBytes, allowPrivate = 'on', shelf = 'disk', base = 'https://media.test' }: Options = {},
) {
  const dataDir = makeFolder();
  let now = START;
  // Nothing here waits long: what is to happen later happens soon.
  const after = (_ms: number, fn: () => void) => {
    const timer = setImmediate(fn);
    return () => clearImmediate(timer);
  };
  const clock = { now: () => now, move: (ms: number) => void (now += ms), after };
  const store = productStore(bare, clock);
  const s3 = shelf === 'bucket' ? await startS3({ now: clock.now }) : undefined;
  const outbound = makeOutbound({
    allowPrivate,
    ownPort: () => undefined,
    trustedOrigins: () => (s3 ? [new URL(s3.settings.url).origin] : []),
    userAgent: 'test',
  });
  onTestFinished(() => outbound.close());
  const id = await addWorkspace(store, plan);
  const log = makeLog({ level: 'silent' });
  const shelves = await openMediaFiles({ config: { dataDir, mediaBucket: s3?.settings }, store, outbound, clock, log });
  /** The same room as another process has it, with parts of its own. */
  const another = (parts: Partial<Pick<Parameters<typeof makeMedia>[0], 'store' | 'files' | 'workshop'>>) =>
    makeMedia({
      lists,
      store,
      files: shelves,
      clock,
      newId,
      outbound,
      workshop: sharedWorkshop,
      sealer: makeSealer(['ab'.repeat(32)]),
      log,
      rootUrl: 'http://localhost:8080',
      bases: { real: base, sandbox: 'http://127.0.0.1:8080' },
      spoolDir: join(dataDir, 'spool'),
      ...(maxBytes !== undefined && { maxBytes }),
      ...parts,
    });
  return {
    media: another({}),
    shelves,
    another,
    store,
    owner: { id, plan },
    authority: authorityOver(id),
    clock,
    dataDir,
    /** The storage, where bytes are kept in a bucket. */
    s3,
    /** Names of all files below the data folder, and of the items with objects in the bucket. */
    files: () => [
      ...namesBelow(dataDir),
      ...[...(s3?.objects.keys() ?? [])].flatMap((key) => (key === 'rostra-owner' ? [] : [key.split('/')[1]!])),
    ],
    async used() {
      const own = store.db.selectFrom('workspaces').where('id', '=', id);
      return (await own.select('storage_bytes').executeTakeFirstOrThrow()).storage_bytes;
    },
  };
}

export async function addWorkspace(store: Pick<BareStore, 'write'>, plan: PlanTier = 'enterprise'): Promise<string> {
  const id = newId('ws', START);
  await store.write(({ db }) =>
    db.insertInto('workspaces').values({ id, plan, created_at: START, brands_count: 0, storage_bytes: 0 }).execute(),
  );
  return id;
}

/** What an address of the room carries. */
export const tokenOf = (url: string) => new URL(url).pathname.split('/')[2]!;

/** An address to put a picture at, and its token. */
export async function addressIn({ media, owner }: World, more: { media_type?: string; size_bytes?: number } = {}) {
  const address = await media.uploadUrl(owner, { media_type: 'image/png', filename: 'a.png', ...more });
  return { ...address, token: tokenOf(address.upload_url) };
}

/** A post that uses an item. */
export async function usePost({ store, owner }: World, mediaId: string): Promise<string> {
  const id = newId('post', START);
  await store.write(async ({ db }) => {
    await db
      .insertInto('posts')
      .values({
        id,
        workspace_id: owner.id,
        status: 'draft',
        visibility: 'public',
        media: [],
        segments: [],
        platform_data: {},
        sort_at: START,
        search: '',
        hidden: 0,
        retry_count: 0,
        version: 0,
        source: 'api',
        created_at: START,
        updated_at: START,
      })
      .execute();
    await db.insertInto('post_media').values({ post_id: id, media_id: mediaId }).execute();
  });
  return id;
}

/** The names of the files below a folder; looks again when one of its folders goes away meanwhile. */
function namesBelow(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return namesBelow(folder);
  }
}
