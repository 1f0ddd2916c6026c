import type { Json, Processes, Seat } from '../harness/processes.ts';
import { doorOf } from '../platforms/conformance/process.ts';
import { wrongsOf } from '../platforms/conformance/checks/outcome.ts';
import type { Plan } from './plans.ts';

/** What went wrong, by post, and how many posts and sends of each kind there were. */
export type Verdict = Readonly<{
  lost: readonly string[];
  twice: readonly string[];
  events: readonly string[];
  entries: readonly string[];
  kinds: Record<string, number>;
}>;

/** Compares what the product says with what the public sees, and with what was reported about it. */
export async function inspect(world: Processes, seat: Seat, plans: readonly Plan[]): Promise<Verdict> {
  const door = doorOf(world, seat);
  const posts = Map.groupBy(await everything(seat, '/v1/posts?sort=created_asc'), ({ text }) => String(text));
  const entries = countBy(await everything(seat, '/v1/posts/logs?days=7'), (entry) => entry.post_id);
  const told = deliveriesBy(world, ({ event, data }) =>
    event === 'post.retried' || event === 'dm.sent' ? undefined : String(data['post_id']),
  );
  const sent = deliveriesBy(world, ({ event, data }) => (event === 'dm.sent' ? data['content'].text : undefined));
  const found = { lost: [] as string[], twice: [] as string[], events: [] as string[], entries: [] as string[] };
  for (const plan of plans) {
    const { text, kind } = plan;
    if (plan.what === 'send') {
      const times = await plan.one.seen(door, text);
      const reports = sent.get(text)?.size ?? 0;
      if (times === 0) found.lost.push(`${text} (${kind})`);
      if (times > 1) found.twice.push(`${text} (${kind}), seen ${times} times`);
      if (reports > 1) found.events.push(`${text} (${kind}), ${reports} events`);
      continue;
    }
    const [post, ...more] = posts.get(text) ?? [];
    const describe = `${text} (${kind}): ${post?.status} ${JSON.stringify(post?.results[0].error)}`;
    if (post === undefined) {
      found.lost.push(describe);
      continue;
    }
    const seen = await plan.one.seen(door, text);
    const wrongs = wrongsOf(post, seen, plan.one);
    const isTwice = more.length > 0 || seen.some(({ ever }) => ever > 1);
    if (isTwice) found.twice.push(`${describe}, ${more.length + 1} posts, ${wrongs.join()}`);
    else if (wrongs.length > 0) found.lost.push(`${describe}, ${wrongs.join()}`);
    // Each round, the first one and every retry, ends in one of both.
    const rounds = 1 + post.retry_count;
    if (told.get(post.id)?.size !== rounds) found.events.push(`${describe}, ${told.get(post.id)?.size} events`);
    if (entries.get(post.id) !== rounds) found.entries.push(`${describe}, ${entries.get(post.id)} entries`);
  }
  return { ...found, kinds: Object.fromEntries(countBy(plans, ({ kind }) => kind)) };
}

/** The deliveries of events, however often each was sent, by what they are about. */
function deliveriesBy({ receiver }: Processes, about: (body: Json) => string | undefined): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { headers, body } of receiver.received) {
    const key = about(body);
    if (key !== undefined) found.set(key, (found.get(key) ?? new Set()).add(String(headers['x-service-delivery'])));
  }
  return found;
}

function countBy<T>(rows: readonly T[], key: (row: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return counts;
}

/** All pages of a list. */
export async function everything(seat: Seat, path: string): Promise<readonly Json[]> {
  const rows: Json[] = [];
  for (let cursor = ''; ;) {
    const more = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await seat.rest('GET', `${path}&limit=100${more}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    rows.push(...body.data);
    cursor = body.next_cursor;
    if (cursor === '') return rows;
  }
}
