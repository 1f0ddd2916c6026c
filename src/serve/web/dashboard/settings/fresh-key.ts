import { html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { makeShownOnce, type ShownOnceDeps } from './shown-once.ts';

export type FreshKey = Readonly<{ name: string; raw_key: string }>;

/** The page that shows a new API key once. Loading it again makes no other key, as it is no answer to a form. */
export function makeFreshKeyPage({ visitors, send }: Frame, deps: ShownOnceDeps, keysPath: string) {
  const secret = makeShownOnce<FreshKey>(deps, 'new-key');
  const path = `${keysPath}/new`;

  async function draw(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const key = secret.take(ctx, visitor.sessionId);
    const words =
      key === undefined
        ? html`<p>
            A new key is shown once, and there is none to show now. If you have not copied yours, give it a new secret.
          </p>`
        : html`<p>
              This is the key <strong><bdi>${key.name}</bdi></strong
              >. Copy it now: it is not shown again.
            </p>
            <p class="secret"><code>${key.raw_key}</code></p>`;
    const body = html`${words}
      <p><a class="button" href="${keysPath}">Back to the keys</a></p>`;
    await send(ctx, visitor, { path: keysPath, title: 'Your new key', body });
  }

  const route: Route = { path, GET: visitors.signedIn(draw) };

  return Object.freeze({
    route,
    show(ctx: RequestContext, { sessionId }: Visitor, { name, raw_key }: FreshKey): void {
      secret.put(ctx, sessionId, { name, raw_key });
      sendOn(ctx, path);
    },
  });
}
