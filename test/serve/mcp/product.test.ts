import { describe, expect, it } from 'vitest';
import { platforms } from '#platforms/index.ts';
import { supportedBy } from '#platforms/support.ts';
import { listTools, offeredOf } from '#serve/mcp/catalogue.ts';
import { MAX_INSTRUCTIONS, writeInstructions } from '#serve/mcp/instructions.ts';
import { COMPLETIONS, offeredPrompts, PROMPTS } from '#serve/mcp/prompts.ts';
import { RESOURCES } from '#serve/mcp/resources.ts';
import { toolsets } from '#tools/index.ts';

const entries = listTools(toolsets);
const names = new Set(entries.map((entry) => entry.tool.name));
const tokensOf = (text: string) => Buffer.byteLength(text) / 4;

/** What a post may consist of is the widest input there is. */
const WIDE: ReadonlySet<string> = new Set(['create_post', 'update_post', 'validate_post', 'import_posts']);

describe('what an assistant is shown', () => {
  it.each(entries.map((entry) => [entry.tool.name, entry.listed]))(
    '%s costs at most 450 tokens, the content of a post 600',
    (name, listed) => expect(tokensOf(listed)).toBeLessThanOrEqual(WIDE.has(name) ? 600 : 450),
  );

  it('costs at most 200 tokens per tool on the whole', () => {
    // What somebody with full access is shown, and what a version with every connector would show.
    for (const list of [listTools(offeredOf(toolsets, supportedBy(platforms.values()))), entries]) {
      const total = list.reduce((sum, { listed }) => sum + tokensOf(listed), 0);
      expect(total / list.length).toBeLessThanOrEqual(200);
    }
  });

  it('is at most 13,000 tokens to a model, which is shown names, descriptions and inputs', () => {
    const seen = listTools(offeredOf(toolsets, supportedBy(platforms.values()))).map(({ listed }) => {
      const { name, description, inputSchema } = JSON.parse(listed) as Record<string, unknown>;
      return { name, description, inputSchema };
    });
    // A token of o200k_base is 4.4 bytes of this list.
    expect(Buffer.byteLength(JSON.stringify(seen)) / 4.4).toBeLessThanOrEqual(13_000);
  });

  it('says the rules within what hosts keep', () => {
    const all = offeredOf(toolsets, supportedBy(platforms.values()));
    const offered = all.filter(({ tools }) => tools.some(({ leashed }) => leashed !== true));
    const text = writeInstructions(offered);
    expect(text.length).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
    expect(text).toContain('strangers');
    for (const { id } of offered) expect(text).toContain(`- ${id}: `);
  });

  it.each(entries.map((entry) => [entry.tool.name, JSON.parse(entry.listed)]))(
    '%s is plain to every host',
    (_, tool) => {
      expect(tool.name).toMatch(/^[a-z0-9_]{1,40}$/);
      expect(tool.title).not.toBe('');
      expect(tool.description.length).toBeLessThanOrEqual(1024);
      for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref']) expect(tool.inputSchema).not.toHaveProperty(keyword);
      const { title, idempotentHint = true, ...hints } = tool.annotations;
      expect([title, idempotentHint]).toEqual([tool.title, true]);
      expect(Object.entries(hints).map(([hint, value]) => `${hint}: ${typeof value}`)).toEqual([
        'readOnlyHint: boolean',
        'destructiveHint: boolean',
        'openWorldHint: boolean',
      ]);
    },
  );
});

describe('what stands beside the tools', () => {
  it('serves the inbox as well as the posts', () => {
    const prompts = offeredPrompts(PROMPTS, names);
    expect([...prompts.keys()].toSorted()).toEqual([
      'draft_reply',
      'plan_week_of_posts',
      'repurpose_post',
      'review_digest',
      'triage_inbox',
      'why_did_post_fail',
    ]);
    const templates = RESOURCES.map(({ uri }) => uri).filter((uri) => uri.includes('{'));
    expect(templates).toEqual(['social://posts/{post_id}', 'social://conversations/{conversation_id}']);
  });

  it.each(RESOURCES)('$uri is read by a tool that reads', ({ uri, tool }) => {
    const entry = entries.find((candidate) => candidate.tool.name === tool);
    expect(entry?.tool.effect).toBe('read');
    const fields = entry?.tool.input.shape as Record<string, unknown>;
    for (const [, field] of uri.matchAll(/\{(\w+)\}/g)) expect(fields).toHaveProperty(field!);
  });

  it.each(PROMPTS)('$name names tools that exist, and only those', ({ tools, write, arguments: takes }) => {
    for (const tool of tools) expect(names).toContain(tool);
    const text = JSON.stringify(write(Object.fromEntries(takes.map(({ name }) => [name, `<${name}>`]))));
    for (const { name } of takes) expect(text).toContain(`<${name}>`);
    const mentioned = [...names].filter((name) => new RegExp(`\\b${name}\\b`).test(text));
    expect(mentioned.toSorted()).toEqual([...tools].toSorted());
  });

  it('completes from tools that exist', () => {
    for (const completion of COMPLETIONS) if ('tool' in completion) expect(names).toContain(completion.tool);
  });
});
