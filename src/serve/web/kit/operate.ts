import type { AnyTool, Toolset } from '#call/tool.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { Role } from '#kernel/people/roles.ts';
import { hasAccess } from '../../access.ts';
import type { Invoke } from '../../invoke.ts';
import type { RequestContext } from '#kernel/route.ts';
import type { Visitor } from '../sign-in/visitors.ts';

export type OperationResult = Readonly<
  { body: unknown; refusal?: undefined } | { body?: undefined; refusal: ApiError }
>;

/** Calls an operation as the signed-in person. */
export type Operate = (
  ctx: RequestContext,
  visitor: Visitor,
  name: string,
  input?: Readonly<Record<string, unknown>>,
) => Promise<OperationResult>;

/** The operations that a person may not call because of their role. */
export type DeniedTo = (visitor: Visitor) => ReadonlySet<string>;

/** Computes once for each role which operations it may not call. */
export function makeDeniedTo(toolsets: readonly Toolset[]): DeniedTo {
  const tools = toolsets.flatMap((set) => set.tools);
  const denied = new Map<Role, ReadonlySet<string>>();
  return function deniedTo({ caller, role }) {
    const known = denied.get(role) ?? new Set(tools.filter((tool) => !hasAccess(tool, caller)).map(({ name }) => name));
    denied.set(role, known);
    return known;
  };
}

/** Calls operations for pages, by the same path and rules as for any other client. */
export function makeOperate(toolsets: readonly Toolset[], invoke: Invoke): Operate {
  const tools = new Map(toolsets.flatMap((set) => set.tools.map((tool): [string, AnyTool] => [tool.name, tool])));
  const progress = () => {};

  return async function operate(ctx, { caller }, name, input = {}) {
    const result = await invoke(tools.get(name)!, input, {
      facade: 'rest',
      caller,
      requestId: ctx.state.requestId,
      disconnectSignal: () => new AbortController().signal,
      progress,
      page: true,
    });
    return result.ok ? { body: result.body } : { refusal: result.error };
  };
}

/** The items that an operation lists; empty if it was refused. */
export function listedIn<T>({ refusal, body }: OperationResult): readonly T[] {
  return refusal ? [] : (body as { data: readonly T[] }).data;
}

/** The body of a result; throws if the call was refused. */
export function bodyOf<T>(operated: OperationResult): T {
  if (operated.refusal) throw operated.refusal;
  return operated.body as T;
}
