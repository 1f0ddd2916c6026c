import { askRest, type Json } from '../../harness/calls/requests.ts';
import { upload, type Processes, type Seat } from '../../harness/processes.ts';
import { png } from '../../harness/media-samples.ts';
import { placeOf } from '../../platforms/conformance/process.ts';
import { openScenes } from '../../platforms/conformance/scene.ts';
import { nameOf, SUBJECTS } from '../../platforms/conformance/subjects.ts';
import type { openTap, Pushed } from './pushes.ts';

export type Stage = Readonly<{
  seat: Seat;
  /** The public address, which alone serves MCP. */
  address: string;
  key: string;
  /** A token of the dashboard, made anew before it ends. */
  dashboard(): Promise<string>;
  /** Keys of people who may be deleted. */
  leaving: readonly string[];
  /** What exists, by the names of the fields that take it: one of each list is drawn for every request. */
  things: Readonly<Record<string, readonly unknown[]>>;
  /** Ids of everything, also in a workspace of somebody else. */
  ids: readonly string[];
  pushes: readonly Pushed[];
  secrets: readonly string[];
}>;

/** Tells whoever waits for the soak. */
export const say = (line: string) => process.stdout.write(`${line}\n`);

const LEAVING = 5;
/** Whose workspace the server begins with. */
const OWNER = 'owner@localhost';
const PASSWORD = 'a password of nobody';
const TOKEN_MS = 5 * 60_000;

type Tap = Awaited<ReturnType<typeof openTap>>;

/** Somebody with a workspace of their own; answers their key. */
async function newcomer(seat: Seat, name: string): Promise<string> {
  const email = `${name}@example.org`;
  await seat.command(['user', 'create', '--email', email, '--password-stdin'], PASSWORD);
  return seat.command(['key', 'create', '--name', 'fuzz', '--email', email]);
}

/** Ids of a brand, a draft, a webhook and a key in a workspace of somebody else. */
async function foreignIds(seat: Seat): Promise<readonly string[]> {
  const key = await newcomer(seat, 'foreign');
  const ask = async (route: string, body: object) => (await askRest(seat.root(), key, route, body)).body.id as string;
  return [
    await ask('POST /v1/brands', { name: 'Foreign' }),
    await ask('POST /v1/posts', { text: 'Foreign', account_ids: [] }),
    await ask('POST /v1/webhooks', { url: 'https://example.org/hook', events: ['post.published'] }),
    await ask('POST /v1/keys', { name: 'foreign' }),
  ];
}

/** An account on every platform with something of everything, and the pushes that this took. */
export async function prepare(world: Processes, seat: Seat, tap: Tap): Promise<Stage> {
  await seat.start();
  const place = placeOf(world, seat);
  const scenes = [];
  for (const subject of SUBJECTS) {
    const opened = await openScenes(place, [subject]).catch((error: unknown) => {
      // The others are tried all the same.
      say(`nothing of ${nameOf(subject)}: ${String(error).slice(0, 300)}`);
      return [];
    });
    scenes.push(...opened);
  }
  for (const { subject, scene } of scenes) {
    for (const [kind, { before, send }] of Object.entries(subject.inbound ?? {})) {
      try {
        await before?.(scene);
        await send(scene);
      } catch (error) {
        say(`no ${kind} of ${nameOf(subject)}: ${String(error).slice(0, 300)}`);
      }
    }
  }
  await place.hear();
  const list = async (path: string): Promise<readonly Json[]> => (await seat.rest('GET', path)).body.data ?? [];
  const idsOf = async (path: string) => (await list(path)).map(({ id }) => id as string);
  const media = await upload(seat, 'a.png', 'image/png', png());
  await seat.rest('POST', '/v1/webhooks', { url: world.receiver.url, events: ['post.published', 'dm.sent'] });
  const { raw_key: key } = (await seat.rest('POST', '/v1/keys', { name: 'fuzz' })).body;
  const all = scenes.map(({ scene }) => scene);
  const things = {
    account_id: all.map(({ account }) => account),
    post_id: all.map(({ post }) => post).filter(Boolean),
    comment_id: all.map(({ comment }) => comment).filter(Boolean),
    conversation_id: all.map(({ conversation }) => conversation).filter(Boolean),
    review_id: all.map(({ review }) => review).filter(Boolean),
    brand_id: await idsOf('/v1/brands'),
    webhook_id: await idsOf('/v1/webhooks'),
    media_id: [media],
    source: [media, 'https://example.org/a.png'],
    platform: [...new Set(SUBJECTS.map(({ platform }) => platform.slug))],
    timezone: ['Europe/Berlin'],
    language: ['en_US'],
    code: ['123456'],
    pin: ['123456'],
    email: ['a@example.org'],
    to: ['4915112345678'],
  };
  const { apps = [] } = ((await world.control('twitter/apps').catch(() => ({}))) ?? {}) as { apps?: readonly Json[] };
  const secrets = ['sandbox', ...apps.map(({ consumer_secret }) => String(consumer_secret))];
  const own = Object.entries(things).flatMap(([name, some]) => (name.endsWith('_id') ? some : []));
  const ids = [...own, ...(await foreignIds(seat))];
  const leaving = await Promise.all(Array.from({ length: LEAVING }, (_, n) => newcomer(seat, `leaving${n}`)));
  return {
    seat,
    address: world.address,
    key,
    dashboard: renewed(() => seat.command(['token', 'create', '--user', OWNER])),
    leaving,
    things,
    ids,
    pushes: [...tap.pushes],
    secrets,
  };
}

/** What `make` makes, until it is too old. */
function renewed(make: () => Promise<string>): () => Promise<string> {
  let [last, until] = [Promise.resolve(''), 0];
  return () => {
    if (performance.now() < until) return last;
    until = performance.now() + TOKEN_MS;
    return (last = make());
  };
}
