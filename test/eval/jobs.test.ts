import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/fixtures.ts';
import { checkStep } from '../harness/calls/next-step.ts';
import { askTool } from '../harness/calls/requests.ts';
import baseline from './baseline.json' with { type: 'json' };
import { costOf, LARGEST, type Cost } from './cost.ts';
import { JOBS, type Ask } from './jobs.ts';
import { openStage } from './stage.ts';

/** Ids and times are not always as long. */
const SLACK = 1.02;

const it = test.extend('stage', { scope: 'file' }, forFile(openStage));

describe('what an assistant needs for', () => {
  it('is a workspace with accounts on six platforms', async ({ stage: { world, accounts } }) => {
    const { body } = await world.mcp('list_accounts');
    expect(body.data).toHaveLength(Object.keys(accounts).length);
  });

  it.for(JOBS)('$name', async ({ name, before, run }, { stage, task }) => {
    const { root, key } = stage.world;
    const sizes: number[] = [];
    let refusals = 0;
    const ask: Ask = async (tool, input = {}) => {
      const { isError, body } = await askTool(root, key, tool, input);
      sizes.push(JSON.stringify(body).length);
      if (isError) {
        refusals += 1;
        checkStep(body.error.message);
      }
      return body;
    };
    await before?.(stage);
    await run(ask, stage);
    const cost = costOf(sizes, refusals);
    task.meta.cost = cost;
    const known = (baseline as Readonly<Record<string, Omit<Cost, 'largest'>>>)[name]!;
    // Raise test/eval/baseline.json if what the job now returns is worth more calls or characters.
    expect(cost.calls).toBeLessThanOrEqual(known.calls);
    expect(cost.characters).toBeLessThanOrEqual(known.characters * SLACK);
    expect(cost.refusals).toBeLessThanOrEqual(known.refusals);
    expect(cost.largest).toBeLessThanOrEqual(LARGEST);
  });

  it('has a cost in the table for each job, and for nothing else', () => {
    expect(Object.keys(baseline)).toEqual(JOBS.map(({ name }) => name));
  });
});
