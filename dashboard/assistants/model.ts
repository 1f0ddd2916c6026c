import { computed, signal } from '@preact/signals';
import { isAboutAssistants } from '../lib/frame/counts.ts';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Action, Connection, LogEvent, NamedAccount } from '../lib/operations.ts';
import { makeArounds } from './around.ts';
import type { Kept } from './edits.ts';
import { makeQueue } from './queue.ts';

export type AssistantsDeps = Readonly<{
  call: Call;
  /** Whether the person decides about actions. */
  mayDecide: boolean;
  /** Whether the connections are all of the workspace, and not only the person's own. */
  seesAll: boolean;
  connections: readonly Connection[];
  held: readonly Action[];
  recent: readonly Action[];
  accounts: readonly Omit<NamedAccount, 'brand_id'>[];
  kept: Kept;
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

/** The connections of the workspace and the actions that wait for a person. */
export function makeAssistants({ call, accounts, newKey, later, say, mayDecide, seesAll, ...first }: AssistantsDeps) {
  const connections = signal(first.connections);
  const { isBusy, act } = makeActing({ call, newKey, say });
  const arounds = makeArounds({ call, accounts });
  const queue = makeQueue({ ...first, call, newKey, say, changed: ({ id }) => arounds.forget(id) });

  async function readConnections(): Promise<void> {
    connections.value = (await call('list_connections', {})).data;
  }

  const refresh = (): Promise<unknown> => Promise.all([readConnections(), mayDecide && queue.refresh()]);

  return {
    isBusy,
    queue,
    arounds,
    accounts,
    connections: computed(() => connections.value),
    mayDecide,
    seesAll,

    async end({ id, name }: Connection): Promise<void> {
      await act(async (callOnce) => {
        await callOnce('end_connection', { connection_id: id });
        return `${name} is ended: nothing that it holds is accepted any more.`;
      });
      await refresh().catch(() => undefined);
    },

    /** Reads everything again that a log entry may have changed. */
    heard(event: LogEvent): void {
      if (isAboutAssistants(event)) later(() => void refresh().catch(() => undefined));
    },
  };
}

const NAMES = [
  ['message', 'messages'],
  ['comment', 'public answers'],
  ['moderate', 'likes and hides'],
] as const;

/** What a connection did on its own today, with its daily limits if it has any. */
export function usedBy({ preset, used_today, caps }: Connection): string {
  if (preset === 'read' || preset === 'draft') return 'does none of this';
  const isCapped = preset === 'answer';
  return NAMES.map(([act, words]) => `${used_today[act]}${isCapped ? ` of ${caps[act]}` : ''} ${words}`).join(', ');
}
