import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Hosts, Session } from '#platforms/call.ts';
import { platforms } from '#platforms/index.ts';
import type { Done, OutgoingPost, Published, PublishCall } from '#platforms/posts.ts';

/** Posts as version 0.1.0 published them: the results of their steps as they were stored, and what came of them. */
type Stored = Readonly<{
  platform: string;
  kind?: string;
  hosts: Hosts;
  session: Session;
  post: OutgoingPost;
  done: Done;
  published: Published;
}>;
const stored = JSON.parse(readFileSync(new URL('stored-steps.json', import.meta.url), 'utf8')) as readonly Stored[];

class Reached extends Error {}
const reach = async (): Promise<never> => {
  throw new Reached('the outside was called');
};

const publishOf = ({ platform: slug, kind }: Stored) => {
  const platform = [...platforms.values()].find((one) => one.slug === slug)!;
  return (platform.kinds?.[kind ?? ''] ?? platform).posts!.publish;
};

describe.each(stored.map((one) => [one.platform, Object.keys(one.done).join(', '), one] as const))(
  '%s: %s',
  (_, __, one) => {
    const names = Object.keys(one.done);
    const publish = publishOf(one);

    it('is the same published post', () => {
      expect(JSON.parse(JSON.stringify(publish.finish(one.done, one.hosts)))).toEqual(one.published);
    });

    it('is the same in whatever order the store has its steps', () => {
      const done = Object.fromEntries(Object.entries(one.done).toReversed());
      expect(JSON.parse(JSON.stringify(publish.finish(done, one.hosts)))).toEqual(one.published);
    });

    it('goes on from any step', async () => {
      for (const [at, name] of names.entries()) {
        const done = Object.fromEntries(names.slice(0, at).map((before) => [before, one.done[before]]));
        expect(publish.steps(one.post, done).map((step) => step.name)).toContain(name);
        const { post, session, hosts } = one;
        const call: PublishCall = {
          post,
          session,
          hosts,
          done,
          settings: {},
          kept: undefined,
          open: reach,
          link: reach,
          keep: async () => {},
          http: reach,
          now: () => Date.parse('2026-11-28T12:00:00Z'),
        };
        const outcome = await publish.run(call, name).catch((error: unknown) => error);
        if (outcome instanceof Error) expect([name, outcome]).toEqual([name, expect.any(Reached)]);
      }
    });
  },
);

it('a thread of more than ten posts on X keeps its order, which is not that of the names of its steps', () => {
  const { publish } = platforms.get('twitter')!.posts!;
  const parts = Array.from({ length: 12 }, (_, index) => [`post.${index}`, { id: `id-${index}` }] as const);
  const done = Object.fromEntries(parts.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const { segments } = publish.finish(done, { api: 'https://api.x.com', web: 'https://x.com' });
  expect(segments!.map((part) => part.platform_post_id)).toEqual(parts.map(([, { id }]) => id));
});
