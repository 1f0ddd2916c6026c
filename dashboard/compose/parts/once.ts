import type { Signal } from '@preact/signals';
import { RefusedError, type Call } from '../../lib/call.ts';
import type { Input, Post } from '../../lib/operations.ts';

/** A request that may have been carried out, to be repeated exactly as it was. */
export type Unanswered = Readonly<
  { key: string } & (
    | { name: 'create_post'; input: Input<'create_post'> }
    | { name: 'publish_post'; input: Input<'publish_post'> }
  )
>;

type OnceDeps = Readonly<{
  call: Call;
  newKey(): string;
  unanswered: Signal<Unanswered | undefined>;
  /** Keeps the request on this device. */
  keep(): void;
}>;

/** Refusals that say nothing about whether a repeat is carried out. */
const UNSETTLED: ReadonlySet<number> = new Set([401, 408, 429]);

function isFinal(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return false;
  const { status, meta } = error;
  return status < 500 && !UNSETTLED.has(status) && !(status === 409 && meta['field'] === 'Idempotency-Key');
}

/** Sends requests that must not happen twice; one without an answer is repeated before anything else. */
export function makeOnce({ call, newKey, unanswered, keep }: OnceDeps) {
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
    create: (input: Input<'create_post'>) => send({ name: 'create_post', input, key: newKey() }),
    publish: (post_id: string) => send({ name: 'publish_post', input: { post_id }, key: newKey() }),

    /** The post of the unanswered request; undefined if there is none, or it was refused. */
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
