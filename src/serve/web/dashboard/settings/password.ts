import type { Signin } from '#engine/signin/index.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { drawField } from '../../kit/form-fields.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Trail } from '../../kit/trail.ts';
import { personOf, type Visitor } from '../../sign-in/visitors.ts';
import { drawLostPassword } from '../../sign-in/notes.ts';
import {
  drawEndApps,
  drawPasswordFields,
  drawUsername,
  END_APPS,
  refuseDifferent,
} from '../../sign-in/person-fields.ts';
import { SETTINGS } from './settings-path.ts';

export type PasswordAccess = Pick<Signin, 'hasPassword' | 'changePassword' | 'passwordLength' | 'passwordLinks'>;

const PATH = '/dashboard/password';
const KEYS = html`the <a href="/dashboard/keys">API keys</a>`;
const CONNECTIONS = html`the <a href="/dashboard/assistants">connections</a>`;

/** The page on which people who know their password change it. */
export function makePasswordRoutes(
  { visitors, send, may }: Frame,
  signin: PasswordAccess,
  trail: Trail,
): readonly Route[] {
  const { min } = signin.passwordLength;

  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const body = html`<p>
        You stay signed in here, and every other browser is signed
        out.${may(visitor, 'list_keys') && ' API keys stay valid.'}
      </p>
      <form method="post" action="${PATH}">
        ${visitors.field(visitor)} ${drawUsername(visitor.email)}
        ${drawField({
          name: 'current',
          label: 'Current password',
          type: 'password',
          autocomplete: 'current-password',
          wrong: isAbout(filled, 'current'),
        })}
        ${drawPasswordFields({ label: 'New password', minLength: min, wrong: filled?.refusal.detail.meta?.['field'] })}
        ${drawEndApps(filled?.fields)}
        <div class="actions"><button class="primary">Change the password</button></div>
      </form>
      ${drawLostPassword(signin.passwordLinks !== undefined)}`;
    await send(ctx, visitor, { path: SETTINGS, title: 'Password', body }, filled);
  }

  async function showNone(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const body = html`<div class="note" role="note">
      <strong>You have no password.</strong> Your account was made without one. Ask whoever runs this server to set one
      with <code>rostra user password</code>.
    </div>`;
    await send(ctx, visitor, { path: SETTINGS, title: 'Password', body });
  }

  async function submit(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    if (!(await signin.hasPassword(visitor))) return showNone(ctx, visitor);
    const text = (name: string) => fields.get(name) ?? '';
    const [current, password, endApps] = [text('current'), text('password'), fields.has(END_APPS)];
    const refusal =
      refuseDifferent(password, text('repeated')) ??
      (await signin.changePassword(visitor, { current, password, endApps }));
    const step = { tool: 'change_password', person: personOf(visitor), input: { end_apps: endApps } } as const;
    if (refusal) {
      if (refusal.detail.meta?.['field'] === 'current') await trail.note(ctx, { ...step, isRefused: true });
      return show(ctx, visitor, { refusal, fields });
    }
    await trail.note(ctx, step);
    const body = html`<p role="status">
        Sign in with the new password from now on. You stay signed in here; every other browser is signed out.
      </p>
      ${drawRest(endApps, may(visitor, 'list_keys'))}
      <p><a class="button" href="/">Back to today</a></p>`;
    await send(ctx, visitor, { path: SETTINGS, title: 'Your password is changed', body });
  }

  return Object.freeze([
    {
      path: PATH,
      GET: visitors.signedIn(async (ctx, visitor) => {
        await ((await signin.hasPassword(visitor)) ? show(ctx, visitor) : showNone(ctx, visitor));
      }),
      POST: visitors.signedIn(submit),
    },
  ]);
}

/** What somebody who knew the old password may still use. */
function drawRest(endApps: boolean, hasKeys: boolean): Html {
  if (endApps) {
    return html`<p>Connected apps lose their access.</p>
      ${hasKeys && html`<p>Does somebody know the old password who should not? Look through ${KEYS} too.</p>`}`;
  }
  return html`<p>
    Does somebody know the old one who should not? Look through ${hasKeys && html`${KEYS} and `}${CONNECTIONS} too: they
    stay as they are.
  </p>`;
}
