import type { RequestContext } from '#kernel/route.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { sendPage } from '../kit/html-page.ts';

export function drawNoOwner(): Html {
  return html`<div class="note" role="note">
    This server has no owner yet. Every start of it prints a set-up link that works for an hour, or writes it to
    <code>first-run.txt</code> in its data folder. Open that link first; to get a new one, restart the server.
  </div>`;
}

/** Explains why no cookie came back. Redirecting to sign-in again would loop. */
export function showNoCookie(ctx: RequestContext, rootUrl: string): void {
  const signInUrl = `${rootUrl}/sign-in`;
  sendPage(ctx, {
    status: 400,
    title: 'No cookie came back',
    body: html`<h1>No cookie came back</h1>
      <p>This browser did not send back the cookie that signing in needs. Usually one of these is the reason:</p>
      <ul>
        <li>The page was not opened at <a href="${signInUrl}">${rootUrl}</a>, the address this server has.</li>
        ${
          rootUrl.startsWith('https:') &&
          html`<li>
            It was opened over <code>http:</code>, and this server's cookies are sent only over <code>https:</code>.
          </li>`
        }
        <li>The browser blocks cookies, or an extension removes them.</li>
      </ul>
      <p class="quiet">The operator can change the server's address with the setting <code>ROOT_URL</code>.</p>`,
  });
}

/** What an address is used for besides signing in. */
export const whatIsSent = (byMail: boolean): string =>
  byMail ? 'this server sends its mails to it' : 'nothing is sent to it';

/** What to do without the password; `byMail` is whether this server mails links for a new one. */
export const drawLostPassword = (byMail: boolean): Html =>
  byMail
    ? html`<p><a href="/forgot">Forgot your password?</a></p>`
    : html`<p class="quiet">
        The operator of this server can set a lost password with <code>rostra user password</code>.
      </p>`;

/** Says that the session in this browser ends; `when` is what ends it. */
export const drawOtherSession = (signedIn: string, when: string): Html =>
  html`<div class="note" role="note">
    This browser is signed in as <bdi>${signedIn}</bdi>, which ends when you ${when}. To stay signed in, open the link
    in another browser.
  </div>`;
