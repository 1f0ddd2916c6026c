import { RefusedError, type Call } from '#dashboard/lib/call.ts';
import type { LogEvent, Post } from '#dashboard/lib/operations.ts';

type Calls = [name: string, input: any, key: string | undefined][];

/** A caller of operations whose answers a test gives, and what it was asked. */
export function answering(answers: Readonly<Record<string, (input: any) => unknown>>) {
  const calls: Calls = [];
  const call = (async (name: string, input: any, key: string | undefined) => {
    calls.push([name, input, key]);
    const answer = answers[name];
    if (answer === undefined) throw new Error(`nobody answers ${name}`);
    return answer(input);
  }) as Call;
  return { call, calls };
}

/** A refusal of the server. */
export const aRefusal = (message: string, status = 400): RefusedError =>
  new RefusedError(status, { code: 'request.invalid', message, request_id: 'req_1' });

/** A post as the server answers it. */
export const aPost = (more: Partial<Post> = {}): Post =>
  ({
    id: 'post_1',
    status: 'draft',
    text: 'Hello',
    targets: [],
    scheduled_at: null,
    published_at: null,
    ...more,
  }) as Post;

/** An entry of the events log. */
export const anEvent = (more: Partial<LogEvent>): LogEvent =>
  ({ id: 'e', category: 'post', action: 'post_updated', status: 'success', resource_id: null, ...more }) as LogEvent;
