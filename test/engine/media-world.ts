import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Store } from '../../db/open.ts';
import { makeMedia, type Media } from '../../src/engine/media/media.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { PlanTier } from '../../src/kernel/plans.ts';
import { makeOutbound } from '../../src/kernel/request.ts';
import { makeSealer } from '../../src/kernel/seal.ts';

export const START = Date.UTC(2026, 10, 21, 9);

export type World = Readonly<{
  media: Media;
  store: Store;
  owner: { id: string; plan: PlanTier };
  reach: { workspace: string };
  clock: { now(): number; move(ms: number): void };
  dataDir: string;
  /** Names of all files below the data folder. */
  files(): string[];
  used(): Promise<number>;
}>;

type Options = Readonly<{ plan?: PlanTier; maxBytes?: number; allowPrivate?: 'on' | 'off' }>;

/** A media room on its own data folder, with one workspace; taken down when the test ends. */
export async function makeWorld(
  store: Store,
  { plan = 'enterprise', maxBytes, allowPrivate = 'on' }: Options = {},
): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rostra-media-'));
  let now = START;
  const clock = { now: () => now, move: (ms: number) => void (now += ms) };
  const outbound = makeOutbound({
    allowPrivate,
    ownPort: () => undefined,
    trustedOrigins: () => [],
    userAgent: 'test',
  });
  onTestFinished(async () => {
    await outbound.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const id = await addWorkspace(store, plan);
  const media = makeMedia({
    store,
    clock,
    newId,
    outbound,
    sealer: makeSealer(['ab'.repeat(32)]),
    dataDir,
    rootUrl: 'http://localhost:8080',
    ...(maxBytes !== undefined && { maxBytes }),
  });
  return {
    media,
    store,
    owner: { id, plan },
    reach: { workspace: id },
    clock,
    dataDir,
    files: () =>
      readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name),
    async used() {
      const row = await store.db
        .selectFrom('workspaces')
        .select('storage_bytes')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.storage_bytes;
    },
  };
}

export async function addWorkspace(store: Store, plan: PlanTier = 'enterprise'): Promise<string> {
  const id = newId('ws', START);
  await store.write(({ db }) =>
    db.insertInto('workspaces').values({ id, plan, created_at: START, brands_count: 0, storage_bytes: 0 }).execute(),
  );
  return id;
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
        media: '[]',
        segments: '[]',
        platform_data: '{}',
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
