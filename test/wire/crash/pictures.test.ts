import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { blueskySubject } from '../../platforms/conformance/subjects/bluesky.ts';
import { sha256Of } from '../../harness/media-samples.ts';
import { phonePhoto } from '../../harness/pictures/samples.ts';
import { until } from '../../harness/processes.ts';
import { laneOf, postOf, type Own } from './posts.ts';
import { dieWhilePublishing, expectOnce, useCrashWorld, type Lane } from './world.ts';

const onLane = useCrashWorld(laneOf(blueskySubject));

/** Files of targets that are not final. */
function spooled({ seat }: Lane): readonly string[] {
  const all = readdirSync(join(seat.folder, 'spool', 'media'), { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function storePhoto({ seat }: Lane): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([await phonePhoto(900, 600, 6)], { type: 'image/jpeg' }), 'photo.jpg');
  const { body } = await seat.rest('POST', '/v1/media/upload', form);
  return body.id as string;
}

const hashes = new Set<string>();

/** The files of a post, as everybody gets them. */
async function filesOf({ processes }: Lane, uri: string): Promise<readonly Buffer[]> {
  const [repo, collection, rkey] = uri.slice('at://'.length).split('/');
  const read = async (method: string, query: Record<string, string>) => {
    const answer = await fetch(`${processes.twins}/bluesky/xrpc/${method}?${String(new URLSearchParams(query))}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const record = await read('com.atproto.repo.getRecord', { repo: repo!, collection: collection!, rkey: rkey! });
  const cids = [...record.toString().matchAll(/"\$link":"(\w+)"/g)].map(([, cid]) => cid!);
  return Promise.all(cids.map((cid) => read('com.atproto.sync.getBlob', { did: repo!, cid })));
}

type Case = Readonly<{ point: CrashPointName; nth: number; lost: boolean }>;

it.each<Case>([
  { point: 'publish.pictures.made', nth: 1, lost: false },
  { point: 'publish.pictures.made', nth: 1, lost: true },
  { point: 'publish.request.answered', nth: 1, lost: false },
])('one post with its picture, where the server dies after it was made to fit: %j', ({ point, nth, lost }) =>
  onLane(async (lane: Lane & Readonly<{ own: Own }>) => {
    const { seat, own } = lane;
    const source = await storePhoto(lane);
    const { input, seen } = await postOf(blueskySubject, 'text', own);
    await dieWhilePublishing(lane, [point, nth], { ...input, media_ids: [source] }, async () => {
      expect(spooled(lane)).toEqual([expect.stringMatching(/^fitted-/)]);
      if (lost) rmSync(join(seat.folder, 'spool', 'media'), { recursive: true });
    });
    const post = await expectOnce(lane, seen);
    const [made] = post.targets[0].converted_media;
    expect(made).toMatchObject({ source, content_type: 'image/jpeg', width: 900, height: 600 });
    const [file] = await filesOf(lane, post.targets[0].platform_post_id);
    expect(file!.length).toBe(made.size_bytes);
    // Made again, it has the same bytes.
    hashes.add(sha256Of(file!));
    expect(hashes.size).toBe(1);
    await until(async () => spooled(lane).length === 0 || undefined);
  }),
);
