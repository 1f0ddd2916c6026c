import type { AccountCall } from '#platforms/call.ts';
import type { Done, OutgoingPost, Posts, PublishCall } from '#platforms/posts.ts';

type CallOf = (acting: AccountCall, post: OutgoingPost, done: Done) => PublishCall;

/** Runs the steps of a post from where it stands; stops with what a step throws. */
export const stepsOf =
  ({ publish }: Pick<Posts, 'publish'>, callOf: CallOf) =>
  async (acting: AccountCall, post: OutgoingPost, before: Done = {}): Promise<Done> => {
    const done: Record<string, unknown> = { ...before };
    for (const { name } of publish.steps(post)) {
      if (Object.hasOwn(done, name)) continue;
      const result: unknown = await publish.run(callOf(acting, post, done), name);
      done[name] = JSON.parse(JSON.stringify(result ?? null)) as unknown;
    }
    return done;
  };

/** A post with nothing but what is said. */
export function postOf(post: Partial<OutgoingPost>): OutgoingPost {
  return { text: '', media: [], segments: [], visibility: 'public', options: {}, ...post };
}
