import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as fixtures from '../conformance/fixtures.ts';
import { runShipped, runSuite } from '../conformance/suite.ts';
import { caller, serveMcp, type Served } from '../harness/worlds/mcp.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

describe('the official conformance suite', () => {
  let full: Served;
  let bare: Served;
  beforeAll(async () => {
    const { toolsets, resources, prompts, extension } = fixtures;
    full = await serveMcp({ toolsets, resources, prompts, extension, callers: { identify: async () => caller } });
    const prompt = {
      name: 'own',
      title: 'Own',
      description: 'A prompt.',
      arguments: [],
      tools: [],
      write: () => 'Hello.',
    };
    bare = await serveMcp({ prompts: [prompt] });
  });
  afterAll(() => Promise.all([full.close(), bare.close()]));

  it.each(REVISIONS)('holds in full for %s over its fixtures', async (revision) => {
    const { code, output } = await runSuite(`${full.url}/mcp`, revision);
    expect(output).toMatch(/^Total: \d+ passed/m);
    expect({ code, why: code === 0 ? '' : output.slice(-8000) }).toEqual({ code: 0, why: '' });
  });

  it.each(REVISIONS)('holds for %s without them, behind a key, but for what they are', async (revision) => {
    const { code, output } = await runShipped(bare.url, 'good', revision);
    expect(output).toMatch(/^Total: \d+ passed/m);
    expect({ code, why: code === 0 ? '' : output.slice(-8000) }).toEqual({ code: 0, why: '' });
  });
});
