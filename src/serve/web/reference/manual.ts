import type { Toolset } from '#call/tool.ts';
import type { StaticDocument } from '#kernel/document.ts';
import type { Html } from '#kernel/text/html.ts';
import type { Examples } from '../../openapi/index.ts';
import { drawErrorsPage, drawEventsPage, drawScopesPage } from './catalogues.ts';
import { REFERENCE } from '../../http/areas.ts';
import { drawn } from './frame.ts';
import { drawOperation } from './operation.ts';
import { drawFound, drawOverview, searchable } from './overview.ts';

/** The pages of the reference, each rendered on its first request. */
export type Manual = Readonly<{
  /** A page by name; the first page has an empty name. Undefined if there is none. */
  page(name: string): Promise<StaticDocument | undefined>;
  search(query: string): Html;
}>;

export function makeManual({ toolsets, rootUrl }: Readonly<{ toolsets: readonly Toolset[]; rootUrl: string }>): Manual {
  const pages = new Map<string, () => Promise<StaticDocument>>([
    ['', async () => drawn('API reference', REFERENCE, drawOverview(toolsets, rootUrl))],
    ['errors', async () => drawErrorsPage()],
    [
      'events',
      async () =>
        drawEventsPage(await load(() => import('../../reference/event-samples.json', { with: { type: 'json' } }))),
    ],
    ['scopes', async () => drawScopesPage(toolsets)],
  ]);
  for (const set of toolsets) {
    for (const tool of set.tools) {
      pages.set(tool.name, async () => {
        const examples = await load<Examples>(() => import('../../openapi/examples.json', { with: { type: 'json' } }));
        return drawOperation(tool, set, rootUrl, examples[tool.name]);
      });
    }
  }
  const known = new Map<string, Promise<StaticDocument>>();
  let entries: ReturnType<typeof searchable> | undefined;

  return Object.freeze({
    async page(name: string) {
      const draw = pages.get(name);
      if (draw === undefined) return undefined;
      const page = known.get(name) ?? draw();
      known.set(name, page);
      return page;
    },
    search: (query: string) => drawFound((entries ??= searchable(toolsets)), query),
  });
}

async function load<T>(read: () => Promise<{ default: T }>): Promise<T> {
  return (await read()).default;
}
