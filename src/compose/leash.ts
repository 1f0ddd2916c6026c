import { makeActions } from '#engine/leash/actions.ts';
import { makeAnswers } from '#engine/leash/answers.ts';
import { makeConnections } from '#engine/leash/connections.ts';
import { makeHeld } from '#engine/leash/held.ts';
import { makeActionRunner } from '#engine/leash/run.ts';
import type { Idempotency } from '#engine/idempotency/index.ts';
import type { Invoke } from '#serve/invoke.ts';
import type { Setup } from './setup.ts';

const { signal } = new AbortController();
const progress = (): void => {};

/** What may call in a workspace and how freely, and what waits for a person. */
export function openLeash(
  { base, config, sealer, crash, toolsets }: Setup,
  { idempotency, forget, invoke }: Readonly<{ idempotency: Idempotency; forget: () => void; invoke: Invoke }>,
) {
  const deps = { ...base, sealer, rootUrl: config.rootUrl };
  const tools = new Map(toolsets.flatMap((set) => set.tools.map((tool) => [tool.name, tool] as const)));
  const runner = makeActionRunner({
    ...deps,
    tools,
    crash,
    once: idempotency.once,
    perform: (tool, input, { row, caller, recorded, checkOnly }) =>
      invoke(tool, input, {
        facade: row.facade,
        caller,
        requestId: row.id,
        signal,
        progress,
        recorded,
        approved: true,
        checkOnly,
      }),
  });
  return Object.freeze({
    held: Object.freeze({ ...makeHeld(deps), ...makeAnswers({ ...base, ...idempotency }) }),
    runAction: runner.run,
    actions: makeActions({ ...deps, check: runner.check }),
    connections: makeConnections({ ...base, forget }),
  });
}
