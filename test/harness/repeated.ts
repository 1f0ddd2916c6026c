import { connectFacebook, until, type Answer, type Json, type Processes, type Seat } from './processes.ts';

/** Something a client asks for with a key, and how often its effect is there. */
export type Kind = Readonly<{
  ask(name: string): Readonly<{ path: string; body: object }>;
  count(name: string): Promise<number>;
}>;

/** How far the clock goes while something is waited for, and how often. */
const HURRY = { everyMs: 100, ms: 1000 };

/** An account with a thread and a comment to answer, and what a client may ask for twice. */
export async function openKinds(world: Processes, seat: Seat): Promise<Readonly<Record<string, Kind>>> {
  const { control } = world;
  const account = await connectFacebook(world, seat, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' });
  const input = { text: 'Fresh bread', account_ids: [account], publish_now: true };
  const { body: post } = await seat.rest('POST', '/v1/posts', input);
  const on = post.results[0].platform_post_id;
  await control('facebook/comment', { person: 'fred.sandbox.test', on, message: 'Is it rye?' });
  const [page] = (await seat.rest('GET', `/v1/accounts/${account}/pages`)).body.data;
  const whom = { person: 'mia.sandbox.test', page: page.platform_page_id };
  await control('facebook/message', { ...whom, text: 'Are you open?' });
  const first = (path: string): Promise<Json> =>
    until(async () => {
      seat.pass(HURRY.ms);
      return ((await seat.rest('GET', path)).body.data as Json[])[0];
    }, HURRY.everyMs);
  const thread = await first('/v1/inbox/conversations');
  const comment = await first(`/v1/inbox/comments/${post.id}`);

  const seen = (what: string, is: (row: Json) => boolean) => async () =>
    ((await control(`facebook/${what}`)) as Json[]).filter((row) => row.deleted_at === undefined && is(row)).length;
  const listed = (path: string, is: (row: Json) => boolean) => async () =>
    ((await seat.rest('GET', path)).body.data as Json[]).filter(is).length;
  const kind = (
    ask: (name: string) => readonly [path: string, body: object],
    count: (name: string) => () => Promise<number>,
  ): Kind => ({
    ask(name) {
      const [path, body] = ask(name);
      return { path: `/v1${path}`, body };
    },
    count: (name) => count(name)(),
  });
  const posts = (name: string) => listed(`/v1/posts?search=${encodeURIComponent(name)}`, ({ text }) => text === name);
  return {
    message: kind(
      (text) => [`/inbox/conversations/${thread.id}/messages`, { text }],
      (name) => seen('messages', ({ text }) => text === name),
    ),
    reply: kind(
      (text) => [`/inbox/comments/${post.id}`, { text, comment_id: comment.id }],
      (name) => seen('comments', ({ message }) => message === name),
    ),
    draft: kind((text) => ['/posts', { text, account_ids: [account] }], posts),
    post: kind(
      (text) => ['/posts', { text, account_ids: [account], publish_now: true }],
      (name) => seen('posts', ({ message }) => message === name),
    ),
    endpoint: kind(
      (name) => [
        '/webhooks',
        { url: `${world.receiver.url}/${name.replaceAll(' ', '-')}`, events: ['review.received'] },
      ],
      (name) => listed('/v1/webhooks', ({ url }) => url.endsWith(`/${name.replaceAll(' ', '-')}`)),
    ),
    key: kind(
      (name) => ['/keys', { name }],
      (name) => listed('/v1/keys', (row) => row.name === name),
    ),
    brand: kind(
      (name) => ['/brands', { name }],
      (name) => listed('/v1/brands', (row) => row.name === name),
    ),
  };
}

/** Asks with a key. */
export function askKeyed(seat: Seat, kind: Kind, name: string): Promise<Answer> {
  const { path, body } = kind.ask(name);
  return seat.rest('POST', path, body, { 'Idempotency-Key': name.replaceAll(' ', '-') });
}

/** Asks again as long as the answer says that the first is still at work; the clock goes on meanwhile. */
export async function askUntilSettled(seat: Seat, kind: Kind, name: string): Promise<Answer> {
  const timer = setInterval(() => seat.pass(HURRY.ms), HURRY.everyMs);
  try {
    return await until(async () => {
      const answer = await askKeyed(seat, kind, name);
      return answer.status === 409 && answer.headers.has('retry-after') ? undefined : answer;
    }, HURRY.everyMs);
  } finally {
    clearInterval(timer);
  }
}
