import { listTools } from '../../src/serve/mcp/catalogue.ts';
import { toolsets } from '../../tools/index.ts';
import { within, type Finding } from './finding.ts';

const BYTES_PER_TOKEN = 4;

/** What `tools/list` costs an assistant. */
export function benchTokens(): readonly Finding[] {
  const costs = listTools(toolsets)
    .map(({ tool, listed }) => ({ name: tool.name, tokens: Buffer.byteLength(listed) / BYTES_PER_TOKEN }))
    .toSorted((a, b) => b.tokens - a.tokens);
  const mean = costs.reduce((sum, { tokens }) => sum + tokens, 0) / costs.length;
  const widest = costs.slice(0, 4).map(({ name, tokens }) => `${name} ${tokens.toFixed(0)}`);
  return [
    {
      what: `tokens per tool (${costs.length} tools), mean`,
      ...within(180, mean),
      note: `bytes / ${BYTES_PER_TOKEN}`,
    },
    { what: 'tokens per tool, most', ...within(400, costs[0]!.tokens), note: widest.join(', ') },
  ];
}
