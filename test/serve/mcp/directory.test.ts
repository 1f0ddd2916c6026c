import { describe, expect, it } from 'vitest';
import { listTools } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';

type Listed = Readonly<{ name: string; title: string; description: string; annotations: Record<string, unknown> }>;

const tools = listTools(toolsets).map(({ tool, listed }) => ({ tool, listed: JSON.parse(listed) as Listed }));

describe('what directories of connectors ask of every tool', () => {
  it('is a name of at most 64 plain characters, and a title', () => {
    for (const { listed } of tools) {
      expect(listed.name).toMatch(/^[a-z_]{1,64}$/);
      expect([listed.name, listed.title]).toEqual([listed.name, expect.stringMatching(/^[A-Z]/)]);
      expect(listed.annotations['title']).toBe(listed.title);
    }
  });

  it('is one hint that says whether it reads or destroys, and never both', () => {
    for (const { tool, listed } of tools) {
      const { readOnlyHint, destructiveHint, openWorldHint } = listed.annotations;
      expect([typeof readOnlyHint, typeof destructiveHint, typeof openWorldHint]).toEqual(Array(3).fill('boolean'));
      expect([listed.name, readOnlyHint === true && destructiveHint === true]).toEqual([listed.name, false]);
      if (tool.http.method === 'DELETE') expect([listed.name, readOnlyHint]).toEqual([listed.name, false]);
    }
  });
});
