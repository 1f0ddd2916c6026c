import type { Toolset } from '#call/tool.ts';
import { sendDocument, type StaticDocument } from '#kernel/document.ts';
import { fail } from '#kernel/errors.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { headersOf, sendPage } from '../kit/html-page.ts';
import { REFERENCE } from '../../http/areas.ts';
import { LONGEST_QUERY, referencePage } from './frame.ts';
import type { Manual } from './manual.ts';

type ReferenceDeps = Readonly<{ toolsets: readonly Toolset[]; rootUrl: string }>;

/** The public reference. Pages are rendered from the declarations on their first request and then kept. */
export function makeReferenceRoutes(deps: ReferenceDeps): readonly Route[] {
  let manual: Promise<Manual> | undefined;
  const open = () => (manual ??= import('./manual.ts').then(({ makeManual }) => makeManual(deps)));

  async function show(ctx: RequestContext, name: string): Promise<void> {
    const page = await (await open()).page(name);
    if (page === undefined) fail('http.404');
    await send(ctx, page);
  }

  async function showOverview(ctx: RequestContext): Promise<void> {
    const query = new URLSearchParams(ctx.querystring).get('q')?.trim().slice(0, LONGEST_QUERY) ?? '';
    if (query === '') return show(ctx, '');
    const found = (await open()).search(query);
    sendPage(ctx, referencePage(`Search: ${query}`, '', found, query));
  }

  return [
    { path: REFERENCE, GET: showOverview },
    { path: `${REFERENCE}/{operation}`, GET: (ctx, { operation }) => show(ctx, operation!) },
  ];
}

function send(ctx: RequestContext, page: StaticDocument): Promise<void> {
  return sendDocument(ctx, page, { ...headersOf({ forms: 'own' }), 'Cache-Control': 'public, max-age=300' });
}
