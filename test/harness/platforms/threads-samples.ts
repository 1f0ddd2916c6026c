import { DAY } from '#kernel/clock.ts';
import { threads } from '#platforms/threads/index.ts';
import type { OutgoingPost } from '#platforms/posts.ts';
import { NOW, ok, scripted, type Script } from './script.ts';

export const SESSION = { token: 'LONG', user_id: '1', issued_at: NOW - 2 * DAY };

/** Threads, answering by `METHOD /path` below its version. */
export const threadsOf = (script: Script, session: object = SESSION) =>
  scripted(script, {
    hosts: threads.hosts.real,
    session: { ...session },
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname.replace('/v1.0/', '/')}`,
  });

export const iso = (ms: number) => new Date(ms).toISOString().replace('.000Z', '+0000');

/** Publishes a post step by step; each is tried again while Threads works on it. */
export async function publish(script: Script, post: OutgoingPost) {
  const world = threadsOf(script);
  const done: Record<string, unknown> = {};
  const { publish: publishing } = threads.posts!;
  for (const { name } of publishing.steps(post)) {
    let kept: unknown;
    const call = () => ({
      ...world.acting,
      post,
      done,
      kept,
      keep: async (value: unknown) => void (kept = value),
      link: async (ref: string) => `https://us.example/${ref}`,
    });
    for (let tries = 0; !Object.hasOwn(done, name); tries += 1) {
      try {
        done[name] = (await publishing.run(call(), name)) ?? null;
      } catch (error) {
        if ((error as { kind?: string }).kind !== 'pending' || tries > 5) throw error;
      }
    }
  }
  return { ...world, done, published: publishing.finish(done, threads.hosts.real) };
}

const made = (prefix: string) => {
  let count = 0;
  return () => ok({ id: `${prefix}${(count += 1)}` });
};

/** Makes and publishes everything at once. */
export const willing = (more: Script = {}): Script => ({
  'POST /1/threads': made('c'),
  'POST /1/threads_publish': made('m'),
  'GET /1/threads': ok({ data: [] }),
  'GET /1/replies': ok({ data: [] }),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`GET /c${n}`, ok({ id: `c${n}`, status: 'FINISHED' })])),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((n) => [`GET /m${n}`, ok({ id: `m${n}`, permalink: `https://threads.net/m${n}` })]),
  ),
  ...more,
});
