import { connectFacebook, until, type Answer, type Json, type Processes, type Seat } from './processes.ts';

/** Something a client asks for with a key, and how often its effect is there. */
export type Kind = Readonly<{
  ask(name: string): Readonly<{ path: string; body: object }>;
  count(name: string): Promise<number>;
}>;

/** How far the clock goes while something is waited for, and how often. */
const HURRY = { everyMs: 100, ms: 1000 };

/** What is asked for below `/v1`, and how often it is there. */
export function kind(
  ask: (name: string) => readonly [path: string, body: object],
  count: (name: string) => Promise<number>,
): Kind {
  return {
    ask(name) {
      const [path, body] = ask(name);
      return { path: `/v1${path}`, body };
    },
    count,
  };
}

/** The first row of a list that is as it should be, once there is one. */
const waitFor = (seat: Seat, path: string, is: (row: Json) => boolean = () => true): Promise<Json> =>
  until(async () => {
    seat.pass(HURRY.ms);
    return ((await seat.rest('GET', path)).body.data as Json[]).find(is);
  }, HURRY.everyMs);

/** A conversation of an account and a comment on a post of it, and what the owner says there. */
export async function answersTo(
  seat: Seat,
  post: string,
  counts: Readonly<Record<'message' | 'reply', Kind['count']>>,
) {
  const thread = await waitFor(seat, '/v1/inbox/conversations');
  const comment = await waitFor(seat, `/v1/inbox/comments/${post}`, ({ text }) => text === QUESTION);
  return {
    message: kind((text) => [`/inbox/conversations/${thread.id}/messages`, { text }], counts.message),
    reply: kind((text) => [`/inbox/comments/${post}`, { text, comment_id: comment.id }], counts.reply),
  };
}

export const QUESTION = 'Is it rye?';

/** Publishes a post that people may ask about: our id, and the platform's. */
export async function publishBread(seat: Seat, account: string): Promise<Readonly<{ id: string; on: string }>> {
  const input = { text: 'Fresh bread', account_ids: [account], publish_now: true };
  const { body } = await seat.rest('POST', '/v1/posts', input);
  return { id: body.id, on: body.results[0].platform_post_id };
}

/** An account of facebook with a thread and a comment to answer; `write` is what a person says in the thread. */
export async function openFacebook(world: Processes, seat: Seat) {
  const { control } = world;
  const account = await connectFacebook(world, seat, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' });
  const { id, on } = await publishBread(seat, account);
  await control('facebook/comment', { person: 'fred.sandbox.test', on, message: QUESTION });
  const [page] = (await seat.rest('GET', `/v1/accounts/${account}/pages`)).body.data;
  const write = (text: string): Promise<Json> =>
    control('facebook/message', { person: 'mia.sandbox.test', page: page.platform_page_id, text });
  await write('Are you open?');
  const count = async (what: string, is: (row: Json) => boolean) =>
    ((await control(`facebook/${what}`)) as Json[]).filter((row) => row.deleted_at === undefined && is(row)).length;
  const answers = await answersTo(seat, id, {
    message: (name) => count('messages', ({ from_page, text }) => from_page && text === name),
    reply: (name) => count('comments', ({ message }) => message === name),
  });
  const post = kind(
    (text) => ['/posts', { text, account_ids: [account], publish_now: true }],
    (name) => count('posts', ({ message, is_published }) => is_published && message === name),
  );
  return { account, write, kinds: { ...answers, post } };
}

/** An account with a thread and a comment to answer, and what a client may ask for twice. */
export async function openKinds(world: Processes, seat: Seat): Promise<Readonly<Record<string, Kind>>> {
  const { account, kinds } = await openFacebook(world, seat);
  const listed = async (path: string, is: (row: Json) => boolean) =>
    ((await seat.rest('GET', path)).body.data as Json[]).filter(is).length;
  const named = (what: string) =>
    kind(
      (name) => [`/${what}`, { name }],
      (name) => listed(`/v1/${what}`, (row) => row.name === name),
    );
  const hookOf = (name: string) => `${world.receiver.url}/${name.replaceAll(' ', '-')}`;
  return {
    ...kinds,
    draft: kind(
      (text) => ['/posts', { text, account_ids: [account] }],
      (name) => listed(`/v1/posts?search=${encodeURIComponent(name)}`, ({ text }) => text === name),
    ),
    endpoint: kind(
      (name) => ['/webhooks', { url: hookOf(name), events: ['review.received'] }],
      (name) => listed('/v1/webhooks', ({ url }) => url === hookOf(name)),
    ),
    key: named('keys'),
    brand: named('brands'),
  };
}

/** Asks with a key. */
export function askKeyed(seat: Seat, kind: Kind, name: string): Promise<Answer> {
  const { path, body } = kind.ask(name);
  return seat.rest('POST', path, body, { 'Idempotency-Key': name.replaceAll(' ', '-') });
}

/** Asks again as long as the answer says that the first is still at work. */
export const askAgain = (seat: Seat, kind: Kind, name: string): Promise<Answer> =>
  until(async () => {
    const answer = await askKeyed(seat, kind, name);
    return answer.status === 409 && answer.headers.has('retry-after') ? undefined : answer;
  }, HURRY.everyMs);

/** The same; the clock goes on meanwhile. */
export async function askUntilSettled(seat: Seat, kind: Kind, name: string): Promise<Answer> {
  const timer = setInterval(() => seat.pass(HURRY.ms), HURRY.everyMs);
  try {
    return await askAgain(seat, kind, name);
  } finally {
    clearInterval(timer);
  }
}
