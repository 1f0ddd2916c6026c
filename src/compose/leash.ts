import { makeActions } from '#engine/leash/actions.ts';
import { makeAnswers } from '#engine/leash/answers.ts';
import { makeConnections } from '#engine/leash/connections.ts';
import { makeHeld } from '#engine/leash/held.ts';
import { makeHeldTimes } from '#engine/leash/held-times.ts';
import { makeActionRunner } from '#engine/leash/run.ts';
import { makeTidy } from '#engine/leash/tidy.ts';
import { underKey } from '#db/access/request-key.ts';
import type { Idempotency } from '#engine/idempotency/index.ts';
import type { InboxModule } from '#engine/inbox/index.ts';
import type { Media } from '#engine/media/media.ts';
import { authorityOver, type Workspace } from '#kernel/authority.ts';
import { ApiError, type ErrorCode } from '#kernel/errors.ts';
import type { Invoke } from '#serve/invoke.ts';
import type { Setup } from './setup.ts';

const progress = (): void => {};
/** Reasons why a file need not be removed: a post uses it by now, or it is gone. */
const SETTLED: ReadonlySet<ErrorCode> = new Set(['media.in_use', 'media.not_found']);

type Parts = Readonly<{
  idempotency: Idempotency;
  forget: () => void;
  invoke: Invoke;
  media: Media;
  inbox: Pick<InboxModule, 'mayHaveHappened'>;
}>;

/** Creates what limits connections: who may call in a workspace, how freely, and what waits for a person. */
export function openLeash(
  { base, config, sealer, crash, toolsets }: Setup,
  { idempotency, forget, invoke, media, inbox }: Parts,
) {
  const deps = { ...base, sealer, rootUrl: config.rootUrl };
  const tools = new Map(toolsets.flatMap((set) => set.tools.map((tool) => [tool.name, tool] as const)));
  const files = {
    // The call itself has not begun, so nothing is recorded under its key.
    storeFile: async (workspace: Workspace, url: string) =>
      (await underKey({ record: async () => {} }, () => media.upload(workspace, { url }))).id,
    async dropFiles(workspaceId: string, ids: readonly string[]) {
      const whole = authorityOver(workspaceId);
      let isAll = true;
      for (const id of ids) {
        try {
          await media.remove(whole, id);
        } catch (error) {
          if (error instanceof ApiError && SETTLED.has(error.code)) continue;
          isAll = false;
          base.log.warn({ media_id: id, error }, 'a fetched file of an action could not be removed');
        }
      }
      return isAll;
    },
  };
  const { tidy, sweep } = makeTidy({ ...base, ...files });
  const runner = makeActionRunner({
    ...deps,
    tools,
    crash,
    tidy,
    once: idempotency.once,
    perform: (tool, input, { row, caller, recorded, checkOnly, seen }) =>
      invoke(tool, input, {
        facade: row.facade,
        caller,
        requestId: row.id,
        disconnectSignal: () => new AbortController().signal,
        progress,
        recorded,
        approved: true,
        checkOnly,
        seen,
      }),
  });
  return Object.freeze({
    held: Object.freeze({ ...files, ...makeHeld(deps), ...makeAnswers({ ...base, ...idempotency, ...inbox }) }),
    heldTimes: makeHeldTimes(deps),
    runAction: runner.run,
    actions: makeActions({ ...deps, tidy, check: runner.check }),
    sweepFiles: sweep,
    connections: makeConnections({ ...base, forget }),
  });
}
