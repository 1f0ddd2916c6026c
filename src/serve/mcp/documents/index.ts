import type { Toolset } from '#call/tool.ts';
import type { Links } from '#kernel/config/links.ts';
import { staticDocument, type StaticDocument } from '#kernel/document.ts';
import { cardOf, type Card } from './card.ts';
import { writeLlmsTxt } from './llms-txt.ts';
import { MARKDOWN, type Skill } from './skills.ts';

/** Public documents about the server, by path. */
export function publicDocuments(
  card: Card,
  rootUrl: string,
  toolsets: readonly Toolset[],
  skills: readonly Skill[],
  links: Links = {},
): ReadonlyMap<string, StaticDocument> {
  const described = JSON.stringify(cardOf(card, rootUrl, toolsets, links));
  const catalogue = JSON.stringify({
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${new URL(rootUrl).hostname}:mcp:${card.name.split('/').at(-1)}`,
        type: 'application/mcp-server-card+json',
        url: `${rootUrl}/mcp/server-card`,
      },
    ],
  });
  const markdown = (text: string) => staticDocument(`${MARKDOWN}; charset=utf-8`, text);
  return new Map([
    ['/.well-known/mcp/server-card.json', staticDocument('application/json', described)],
    ['/mcp/server-card', staticDocument('application/mcp-server-card+json', described)],
    ['/.well-known/ai-catalog.json', staticDocument('application/json', catalogue)],
    ['/llms.txt', markdown(writeLlmsTxt(card, rootUrl, toolsets, skills))],
    ...skills.flatMap(({ files }) => files.map(({ path, text }) => [path, markdown(text)] as const)),
  ]);
}
