import { afterAll, describe, expect, it } from 'vitest';
import { skills } from '#compose/package.ts';
import * as fixtures from '../conformance/fixtures.ts';
import { runScenario, runShipped, runSuite, type Verdict } from '../conformance/suite.ts';
import { caller, serveMcp } from '../harness/worlds/mcp.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

describe('the official conformance suite', async () => {
  const { toolsets, resources, prompts, extension } = fixtures;
  const callers = { identify: async () => caller };
  const full = await serveMcp({ toolsets, resources, prompts, extension, callers }, afterAll);
  const own = { name: 'own', title: 'Own', description: 'A prompt.', arguments: [], tools: [], write: () => 'Hello.' };
  const skilled = await serveMcp({ skills, callers }, afterAll);
  const bare = await serveMcp({ prompts: [own] }, afterAll);

  function expectToHold({ code, output }: Verdict): void {
    expect(output).toMatch(/^Total: \d+ passed/m);
    expect({ code, why: code === 0 ? '' : output.slice(-8000) }).toEqual({ code: 0, why: '' });
  }

  it.each(REVISIONS)('holds in full for %s over its fixtures', async (revision) =>
    expectToHold(await runSuite(`${full.url}/mcp`, revision)),
  );

  it.each(REVISIONS)('holds for %s without them, behind a key, but for what they are', async (revision) =>
    expectToHold(await runShipped(bare.url, 'good', revision)),
  );

  it.each(['enumeration', 'manifest'])('holds for the %s of skills', async (part) => {
    const { code, output } = await runScenario(`${skilled.url}/mcp`, `sep-2640-skills-${part}`);
    expect(output).toMatch(/Passed: \d+\/\d+, 0 failed, 0 warnings/);
    expect(code).toBe(0);
  });
});
