import type { Toolset } from '#call/tool.ts';
import { MCP, REST } from '../../http/areas.ts';
import { CORE } from '../core.ts';
import type { Card } from './card.ts';
import type { Skill } from './skills.ts';

/** `/llms.txt` (llmstxt.org): what the server is, and where a model can read more. */
export function writeLlmsTxt(
  { title, description }: Card,
  rootUrl: string,
  toolsets: readonly Toolset[],
  skills: readonly Skill[],
): string {
  const link = (name: string, path: string, note: string) => `- [${name}](${rootUrl}${path}): ${note}`;
  const files = skills.flatMap(({ frontmatter, files: [main, ...parts] }) => [
    link(`Skill ${frontmatter.name}`, main!.path, frontmatter.description),
    ...parts.map((part) => link(part.title, part.path, `Part of the skill ${frontmatter.name}.`)),
  ]);
  return [
    `# ${title}`,
    '',
    `> ${description}`,
    '',
    'Every operation is a tool over MCP and a route of the REST API. Both take `Authorization: Bearer` with an API key, or with the token that an OAuth client gets once a person has signed in and agreed.',
    '',
    '## Addresses',
    '',
    link('MCP server', MCP, 'Streamable HTTP.'),
    link(`MCP server, ${CORE.length} tools`, `${MCP}?view=core`, 'The tools that most days ask for.'),
    link('REST API', REST, 'The base URL of all routes.'),
    link('OpenAPI description', '/openapi.json', 'Every route with its parameters, answers and errors.'),
    ...(files.length === 0 ? [] : ['', '## How to use it', '', ...files]),
    '',
    '## Optional',
    '',
    link('Server card', '/.well-known/mcp/server-card.json', 'What MCP registries read.'),
    ...toolsets.map(({ id, title: name, description: about }) => link(name, `${MCP}/x/${id}`, about)),
    '',
  ].join('\n');
}
