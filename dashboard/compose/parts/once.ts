import type { Signal } from '@preact/signals';
import { isFinal, KNOWN_MS, type Call, type RefusedError } from '../../lib/call.ts';
import type { Input, Post } from '../../lib/operations.ts';

/** A request whose result is unknown, to be repeated unchanged; `at` is when it was first sent. */
export type Unanswered = Readonly<
  { key: string; at: number } & (
    | { name: 'create_post'; input: Input<'create_post'> }
    | { name: 'publish_post'; input: Input<'publish_post'> }
  )
>;

type OnceDeps = Readonly<{
  call: Call;
  newKey(): string;
  now(): number;
  unanswered: Signal<Unanswered | undefined>;
  keep(): void;
}>;

/** Sends requests that must not happen twice. One with an unknown result is repeated before anything else. */
export function makeOnce({ call, newKey, now, unanswered, keep }: OnceDeps) {
  const fresh = () => ({ key: newKey(), at: now() });

  async function send(request: Unanswered): Promise<Post> {
    unanswered.value = request;
    keep();
    try {
      const post = await call(request.name, request.input as Input<'create_post'> & Input<'publish_post'>, request.key);
      unanswered.value = undefined;
      return post;
    } catch (error) {
      if (isFinal(error)) unanswered.value = undefined;
      throw error;
    }
  }

  return {
    create: (input: Input<'create_post'>) => send({ name: 'create_post', input, ...fresh() }),
    publish: (post_id: string) => send({ name: 'publish_post', input: { post_id }, ...fresh() }),

    /** Drops a request that is too old to be repeated safely; returns whether there was one. */
    forgetOld(): boolean {
      if (unanswered.value === undefined || now() - unanswered.value.at < KNOWN_MS) return false;
      unanswered.value = undefined;
      keep();
      return true;
    },
    /** Repeats the request with the unknown result. Returns its post; undefined if there is none or it was refused. */
    async repeat(): Promise<Post | undefined> {
      if (unanswered.value === undefined) return undefined;
      try {
        return await send(unanswered.value);
      } catch (error) {
        if (!isFinal(error) || (error as RefusedError).code === 'post.publish_failed') throw error;
        return undefined;
      }
    },
  };
}
