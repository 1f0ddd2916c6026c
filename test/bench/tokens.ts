import { platforms } from '#platforms/index.ts';
import { supportedBy } from '#platforms/support.ts';
import { listTools, offeredOf } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';
import { within, type Finding } from './finding.ts';

const BYTES_PER_TOKEN = 4;
/** Of the list of tools, by o200k_base. */
const BYTES_PER_MODEL_TOKEN = 4.4;
/** They take the content of a post, the widest input there is. */
const WIDE: ReadonlySet<string> = new Set(['create_post', 'update_post', 'validate_post', 'import_posts']);

/** What `tools/list` costs an assistant with full access. */
export function benchTokens(): readonly Finding[] {
  const entries = listTools(offeredOf(toolsets, supportedBy(platforms.values())));
  const costs = entries
    .map(({ tool, listed }) => ({ name: tool.name, tokens: Buffer.byteLength(listed) / BYTES_PER_TOKEN }))
    .toSorted((a, b) => b.tokens - a.tokens);
  const mean = costs.reduce((sum, { tokens }) => sum + tokens, 0) / costs.length;
  const most = (wide: boolean) => {
    const some = costs.filter(({ name }) => WIDE.has(name) === wide);
    const note = some.slice(0, 4).map(({ name, tokens }) => `${name} ${tokens.toFixed(0)}`);
    return { ...within(wide ? 600 : 450, some[0]!.tokens), note: note.join(', ') };
  };
  const seen = entries.map(({ listed }) => {
    const { name, description, inputSchema } = JSON.parse(listed) as Record<string, unknown>;
    return { name, description, inputSchema };
  });
  return [
    {
      what: 'tokens of all tools as a model sees them, without schemas of answers',
      ...within(13_000, Buffer.byteLength(JSON.stringify(seen)) / BYTES_PER_MODEL_TOKEN),
      note: `bytes / ${BYTES_PER_MODEL_TOKEN}`,
    },
    {
      what: `tokens per tool (${costs.length} tools), mean`,
      ...within(200, mean),
      note: `bytes / ${BYTES_PER_TOKEN}`,
    },
    { what: 'tokens per tool with the content of a post, most', ...most(true) },
    { what: 'tokens per other tool, most', ...most(false) },
  ];
}
