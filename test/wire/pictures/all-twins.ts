import { join } from 'node:path';
import Database from 'better-sqlite3';
import { platforms } from '#platforms/index.ts';
import { withAllSettings } from '#platforms/shared/kinds.ts';
import { openSandbox, TWINS } from '#sandbox/network.ts';
import { makeFolder } from '../../harness/folders.ts';
import { makeWorld } from '../../harness/world.ts';
import { placeIn } from '../../platforms/conformance/place.ts';
import { openScenes } from '../../platforms/conformance/scene.ts';
import type { Subject } from '../../platforms/conformance/subject.ts';

/** A world with an account of each subject, whose simulators keep what arrives in a file that is read from outside. */
export async function openArrivals(subjects: readonly Subject[]) {
  const sandboxFile = join(makeFolder(), 'sandbox.db');
  let answering = 0;
  const world = await makeWorld({
    // Simulators answer, and fetch files.
    gate(req, res, pass) {
      if (/^\/(?:sandbox|media)\//.test(req.url!)) {
        answering += 1;
        res.once('close', () => (answering -= 1));
      }
      pass();
    },
    env: { LOG_LEVEL: 'error' },
    surroundings: {
      sandboxFile,
      checkOutput: false,
      platforms: new Map([...platforms].map(([slug, platform]) => [slug, withAllSettings(platform)])),
      openSandbox: (options) => openSandbox({ ...options, control: true, rateLimits: false }),
    },
  });
  await world.product.sandbox!.open();
  const place = placeIn(world, () => answering > 0);
  const scenes = await openScenes(place, subjects);
  /** Where accounts publish: a pin needs a board. */
  const accounts = await Promise.all(
    scenes.map(async ({ subject: { platform }, scene: { account } }) => {
      const { data } = (await place.rest(`GET /v1/posts/validate?account_id=${account}`)).body;
      const board_id: string | undefined = data[platform.slug]?.board?.boards?.[0]?.board_id;
      return { platform, target: { account_id: account, ...(board_id !== undefined && { board_id }) } };
    }),
  );
  return { world, rest: place.rest, upload: place.upload, accounts, read: readerOf(sandboxFile) };
}

type Row = Readonly<{ at: number; id: string; bytes: Buffer }>;

/**
 * Makes a function that answers the file that a simulator has stored since it was last called; parts are stored
 * before the whole.
 */
function readerOf(file: string) {
  const db = new Database(file, { readonly: true });
  const seen = new Map<string, number>();
  return (slug: string): Buffer | undefined => {
    const { prefix } = TWINS.find((twin) => twin.slug === slug)!;
    // Bluesky keeps equal bytes once, with the time when they came last.
    const [table, at, id] =
      slug === 'bluesky' ? ['bsky_blob', 'created_at', 'cid'] : [`${prefix}_piece`, 'rowid', 'id'];
    const rows = db
      .prepare(`select ${at} as at, ${id} as id, bytes from ${table} where ${at} > ? order by ${at}`)
      .all(seen.get(slug) ?? 0) as readonly Row[];
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    seen.set(slug, last.at);
    return Buffer.concat(rows.filter((row) => row.id === last.id).map(({ bytes }) => bytes));
  };
}
