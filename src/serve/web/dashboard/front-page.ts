import type { Config } from '#kernel/config/config.ts';
import { MCP, REFERENCE, REST, SANDBOX } from '../../http/areas.ts';
import { html } from '#kernel/text/html.ts';
import { sendPage } from '../kit/html-page.ts';
import { drawNoOwner } from '../sign-in/notes.ts';
import type { Handler } from '#kernel/route.ts';

export function makeFrontPage(
  { rootUrl, sandbox }: Pick<Config, 'rootUrl' | 'sandbox'>,
  version: string,
  isSetupNeeded: () => Promise<boolean>,
): Handler {
  const at = (path: string) => `${rootUrl}${path}`;
  return async function showFrontPage(ctx) {
    const setUp = await isSetupNeeded();
    sendPage(ctx, {
      title: 'Social inbox, publishing and webhooks',
      body: html`<h1>Rostra ${version}</h1>
        <p>One inbox, one publisher and one webhook stream for all your social accounts.</p>
        ${setUp && drawNoOwner()}
        <p><a class="button primary" href="/sign-in">Sign in</a></p>
        <h2>For assistants</h2>
        <p>Add this address to your assistant as a remote MCP server.</p>
        <dl>
          <dt>MCP</dt>
          <dd><code>${at(MCP)}</code></dd>
          <dt>Server card</dt>
          <dd><a href="${at('/.well-known/mcp/server-card.json')}">server-card.json</a></dd>
          <dt>For models</dt>
          <dd><a href="${at('/llms.txt')}">llms.txt</a></dd>
        </dl>
        <h2>For programs</h2>
        <p>Send an API key as <code>Authorization: Bearer …</code> with every request.</p>
        <dl>
          <dt>REST</dt>
          <dd><code>${at(REST)}</code></dd>
          <dt>Reference</dt>
          <dd><a href="${at(REFERENCE)}">Every operation, with examples</a></dd>
          <dt>OpenAPI</dt>
          <dd><a href="${at('/openapi.json')}">openapi.json</a></dd>
        </dl>
        ${
          sandbox &&
          html`<h2>To try it</h2>
            <p>
              The <a href="${at(SANDBOX)}">sandbox console</a> simulates the social networks: there you act as other
              people.
            </p>`
        }
        <p class="quiet">
          The README says how to begin; <code>docs/</code> beside it explains every operation and setting.
        </p>`,
    });
  };
}
