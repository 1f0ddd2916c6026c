import { html } from '#kernel/text/html.ts';
import type { Frame } from '../frame.ts';
import { makeShownOncePage, type ShownOnceDeps } from './shown-once.ts';

export type FreshKey = Readonly<{ name: string; raw_key: string }>;

/** The page that shows a new API key once. */
export function makeFreshKeyPage(frame: Frame, deps: ShownOnceDeps, keysPath: string) {
  return makeShownOncePage<FreshKey>(frame, deps, {
    name: 'new-key',
    path: `${keysPath}/new`,
    current: keysPath,
    needs: 'list_keys',
    title: 'Your new key',
    draw: (key) =>
      html`${
          key === undefined
            ? html`<p>
                A new key is shown once, and there is none to show now. If you have not copied yours, give it a new
                secret.
              </p>`
            : html`<p>
                  This is the key <strong><bdi>${key.name}</bdi></strong
                  >. Copy it now: it is not shown again.
                </p>
                <p class="secret"><code>${key.raw_key}</code></p>`
        }
        <p><a class="button" href="${keysPath}">Back to the keys</a></p>`,
  });
}
