import type { AnyTool, Toolset } from '../../../call/tool.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Invoke } from '../../invoke.ts';
import type { RequestContext } from '../../../kernel/route.ts';
import type { Visitor } from '../sign-in/visitors.ts';

/** What an operation answered a page: its body, or why not. */
export type Operated = Readonly<{ body: unknown; refusal?: undefined } | { refusal: ApiError }>;

/** Calls an operation as the person who is signed in. */
export type Operate = (
  ctx: RequestContext,
  visitor: Visitor,
  name: string,
  input?: Readonly<Record<string, unknown>>,
) => Promise<Operated>;

/** The operations as pages call them: by the same path as every client, so that the same rules hold. */
export function makeOperate(toolsets: readonly Toolset[], invoke: Invoke): Operate {
  const tools = new Map(toolsets.flatMap((set) => set.tools.map((tool): [string, AnyTool] => [tool.name, tool])));
  const { signal: gone } = new AbortController();
  const progress = () => {};

  return async function operate(ctx, { caller }, name, input = {}) {
    const outcome = await invoke(tools.get(name)!, input, {
      facade: 'rest',
      caller,
      requestId: ctx.state.requestId,
      gone,
      progress,
    });
    return outcome.ok ? { body: outcome.body } : { refusal: outcome.error };
  };
}

/** The body of an answer that a page cannot do without. */
export function bodyOf<T>(operated: Operated): T {
  if (operated.refusal) throw operated.refusal;
  return operated.body as T;
}
