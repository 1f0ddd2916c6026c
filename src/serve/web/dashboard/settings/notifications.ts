import type { RequestContext, Route } from '#kernel/route.ts';
import { html } from '#kernel/text/html.ts';
import { drawCheckbox } from '../../kit/form-fields.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Filled, Frame } from '../frame.ts';
import { NOTIFICATIONS, SETTINGS } from './settings-path.ts';

type NotificationsView = Readonly<{
  mail: boolean;
  email: string;
  notifications: readonly Readonly<{ kind: string; title: string; meaning: string; chosen: boolean }>[];
}>;

/** The page on which people choose what they are notified of by mail. */
export function makeNotificationsRoutes({ visitors, operate, send, forThose }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const { mail, email, notifications } = bodyOf<NotificationsView>(await operate(ctx, visitor, 'get_notifications'));
    const isChosen = filled && ((kind: string) => filled.fields.getAll('kind').includes(kind));
    const body = html`${
        mail
          ? html`<p>
              They go to <bdi>${email}</bdi>, at most one every 15 minutes. A mail says what needs your attention, and
              links to the page where you can do something about it.
            </p>`
          : html`<p class="note">
              This server sends no mail yet. Whoever runs it can name a mail server (<code>SMTP_URL</code>). What you
              choose here counts from then on.
            </p>`
      }
      <form method="post" action="${NOTIFICATIONS}">
        ${visitors.field(visitor)}
        <fieldset>
          <legend>Send me a mail about</legend>
          ${notifications.map(({ kind, title, meaning, chosen }) =>
            drawCheckbox('kind', kind, title, meaning, isChosen ? isChosen(kind) : chosen),
          )}
        </fieldset>
        <div class="actions"><button class="primary">Save</button></div>
      </form>`;
    await send(ctx, visitor, { path: SETTINGS, title: 'E-mail notifications', body }, filled);
  }

  async function save(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const { refusal } = await operate(ctx, visitor, 'set_notifications', { kinds: fields.getAll('kind') });
    if (refusal) await show(ctx, visitor, { refusal, fields });
    else sendOn(ctx, SETTINGS);
  }

  return Object.freeze([
    {
      path: NOTIFICATIONS,
      GET: forThose('set_notifications', (ctx, visitor) => show(ctx, visitor)),
      POST: forThose('set_notifications', save),
    },
  ]);
}
