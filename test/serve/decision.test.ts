import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectedAs, type Caller } from '#call/caller.ts';
import { isForPeople, type AnyTool } from '#call/tool.ts';
import { makeLog } from '#kernel/log.ts';
import { isRehearsal } from '#kernel/effects/rehearsal.ts';
import { policyOf, PRESETS, type Preset } from '#kernel/limits/leash.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { TOOLS } from '../harness/calls/operations.ts';
import { aCaller, freely } from '../harness/toys.ts';
import { sources } from '../architecture/source.ts';

/** Whether an operation is run for a key with limits, and what is written down of it. */
async function tries(tool: AnyTool, preset: Preset) {
  const done: string[] = [];
  const caller: Caller = {
    ...aCaller,
    ...connectedAs(aCaller.id, aCaller.authority, { policy: policyOf(preset), decides: null }),
  };
  const invoke = makeInvoke({
    modules: {},
    log: makeLog({ level: 'silent' }),
    meterHeaders: async () => ({}),
    ...freely,
    held: { ...freely.held, hold: async () => ({ body: { held: {} }, kept: true }) },
    audit: {
      ...freely.audit,
      begin: async ({ verdict }) => {
        done.push(verdict);
        return 'aud_1';
      },
      note: async ({ verdict }) => void done.push(verdict),
    },
    checkOutput: false,
  });
  // What is rehearsed is not done.
  const run = async () => {
    if (!isRehearsal()) done.push('run');
    return {};
  };
  const bare = {
    ...tool,
    input: z.object({}),
    run,
    resume: undefined,
    lighter: undefined,
    brief: undefined,
  };
  const disconnectSignal = () => new AbortController().signal;
  await invoke(bare, {}, { facade: 'rest', caller, requestId: 'r', disconnectSignal, progress: () => {} });
  return done;
}

const EFFECTS = TOOLS.filter(({ effect }) => effect !== 'read');

describe('the decision about a call', () => {
  it.for(PRESETS.filter((preset) => preset !== 'full'))('comes before every effect under %s', async (preset) => {
    const { acts } = policyOf(preset);
    for (const tool of EFFECTS) {
      const done = await tries(tool, preset);
      const verdict = acts[tool.act!];
      if (isForPeople(tool)) expect([tool.name, done]).toEqual([tool.name, []]);
      else if (done.length === 0)
        expect([tool.name, 'admin' in tool.access || 'scope' in tool.access]).toEqual([tool.name, true]);
      else
        expect([tool.name, done]).toEqual([
          tool.name,
          verdict === 'allow' ? ['allow', 'run'] : [verdict === 'deny' ? 'deny' : 'hold'],
        ]);
    }
  });

  it('is taken in one place: nothing else runs an operation', () => {
    const running = /\btool\.(?:run|resume)\b|\.run\(parsed/;
    const files = sources.filter(({ code }) => running.test(code));
    expect(files.map(({ path }) => path)).toEqual(['src/serve/invoke.ts']);
  });
});
