import type { Json, Processes, Seat } from '../harness/processes.ts';
import type { Plan } from './plans.ts';

/** What went wrong, by post, and how many posts of each kind there were. */
export type Verdict = Readonly<{
  lost: readonly string[];
  twice: readonly string[];
  events: readonly string[];
  entries: readonly string[];
  kinds: Record<string, number>;
}>;

type Sight = Readonly<{ times(plan: Plan, post: Json): readonly number[]; strangers: readonly string[] }>;

/** Compares what the product says with what the public sees, and with what was told about it. */
export async function inspect(world: Processes, seat: Seat, plans: readonly Plan[]): Promise<Verdict> {
  const posts = new Map<string, Json[]>();
  for (const post of await everything(seat, '/v1/posts?sort=created_asc'))
    posts.set(post.text, [...(posts.get(post.text) ?? []), post]);
  const entries = countBy(await everything(seat, '/v1/posts/logs?days=7'), (entry) => entry.post_id);
  const told = new Map<string, Set<string>>();
  for (const { headers, body } of world.receiver.received) {
    if (body.event === 'post.retried') continue;
    const post = String(body.data['post_id']);
    told.set(post, (told.get(post) ?? new Set()).add(String(headers['x-service-delivery'])));
  }
  const sight = await look(world, plans, posts);
  const found = { lost: [] as string[], twice: [...sight.strangers], events: [] as string[], entries: [] as string[] };
  for (const plan of plans) {
    const [post, ...more] = posts.get(plan.text) ?? [];
    const describe = `${plan.text} (${plan.kind}): ${post?.status} ${JSON.stringify(post?.results[0].error)}`;
    if (post?.status !== 'published') {
      found.lost.push(describe);
      continue;
    }
    const times = sight.times(plan, post);
    if (times.some((n) => n === 0)) found.lost.push(`${describe}, seen ${times.join()}`);
    if (more.length > 0 || times.some((n) => n > 1)) found.twice.push(`${describe}, seen ${times.join()}`);
    // Each round, the first one and every retry, ends in one of both.
    const rounds = 1 + post.retry_count;
    if (told.get(post.id)?.size !== rounds) found.events.push(`${describe}, ${told.get(post.id)?.size} events`);
    if (entries.get(post.id) !== rounds) found.entries.push(`${describe}, ${entries.get(post.id)} entries`);
  }
  return { ...found, kinds: Object.fromEntries(countBy(plans, ({ kind }) => kind)) };
}

/** What was ever public, by text; stories have none, and are known by the ids that the product was told. */
async function look(world: Processes, plans: readonly Plan[], posts: ReadonlyMap<string, Json[]>): Promise<Sight> {
  const bluesky = (await world.control('posts')) as Json[];
  const facebook = ((await world.control('facebook/posts')) as Json[]).filter(({ versions }) =>
    versions.some(({ record }: Json) => record.is_published),
  );
  const threads = (await world.control('threads/posts')) as Json[];
  const comments = countBy(
    [...((await world.control('facebook/comments')) as Json[]), ...threads],
    ({ message, text }) => message ?? text,
  );
  const texts = new Map<string, number>();
  const add = (text: string, n: number) => texts.set(text, (texts.get(text) ?? 0) + n);
  for (const { text, versions } of bluesky) add(text, versions.length);
  for (const { text } of threads) add(text, 1);
  for (const { message, story } of facebook) if (story === undefined && message !== undefined) add(message, 1);
  const stories = countBy(
    facebook.filter(({ story }) => story !== undefined),
    ({ id }) => id,
  );
  const ours = new Set(
    plans.flatMap(({ text, parts }) =>
      parts === 'story' ? (posts.get(text) ?? []).map(({ results }) => results[0].platform_post_id) : [],
    ),
  );
  return {
    times: ({ parts, comment }, post) => [
      ...(parts === 'story'
        ? [stories.get(post.results[0].platform_post_id) ?? 0]
        : parts.map((text) => texts.get(text) ?? 0)),
      ...(comment === undefined ? [] : [comments.get(comment) ?? 0]),
    ],
    strangers: [...stories.keys()].filter((id) => !ours.has(id)).map((id) => `a story nobody asked for: ${id}`),
  };
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
