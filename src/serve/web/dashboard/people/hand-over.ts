import type { Config } from '#kernel/config/config.ts';
import { attributes, html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { BILLING } from '../../kit/billing-path.ts';
import { drawField } from '../../kit/form-fields.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { PauseAccess } from '../../pause/take-over.ts';
import type { Trail } from '../../kit/trail.ts';
import { personOf, type Visitor } from '../../sign-in/visitors.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { HAND_OVER, PEOPLE } from './paths.ts';
import type { PersonView } from './view.ts';

export type HandOverAccess = Readonly<{
  trail: Trail;
  /** Whose is the server. */
  pause: Pick<PauseAccess, 'isOwner'>;
  config: Pick<Config, 'stripe'>;
}>;

/** The page on which the owner makes another person the owner. It asks for the password. */
export function makeHandOverRoute(
  { visitors, operate, send, list, forThose }: Frame,
  { trail, pause, config }: HandOverAccess,
): Route {
  const hasBilling = config.stripe !== undefined;

  /** The person who can become the owner; undefined if the visitor is not the owner. */
  async function heirOf(ctx: RequestContext, visitor: Visitor, id: string | null): Promise<PersonView | undefined> {
    if (visitor.role !== 'owner') return undefined;
    const people = await list<PersonView>(ctx, visitor, 'list_people');
    return people.find((one) => one.id === id && !one.is_you && !one.disabled);
  }

  async function ask(ctx: RequestContext, visitor: Visitor, heir: PersonView, filled?: Filled): Promise<void> {
    const { id, name, email } = heir;
    const ownsServer = await pause.isOwner(visitor.caller.userId);
    const body = html`<p>
        <strong><bdi>${name}</bdi></strong> (<bdi>${email}</bdi>) becomes the owner of this workspace: they may do
        everything, and only they can delete it or hand it over.
      </p>
      ${
        ownsServer &&
        html`<p>
          You are the owner of this server too. Unless its operator appointed you, that passes on with the workspace:
          the new owner sees its health and can end a pause.
        </p>`
      }
      ${
        hasBilling &&
        html`<p>
          The payment provider keeps the e-mail address that it has for this workspace, until it is changed under
          <a href="${BILLING}">Billing</a>.
        </p>`
      }
      <p>You stay an administrator. You cannot take this back; only the new owner can make you the owner again.</p>
      <form ${attributes({ method: 'post', action: HAND_OVER })}>
        ${visitors.field(visitor)}
        <input ${attributes({ type: 'hidden', name: 'person', value: id })} />
        ${drawField({
          name: 'password',
          label: 'Your password',
          type: 'password',
          autocomplete: 'current-password',
          wrong: isAbout(filled, 'password'),
        })}
        <div class="actions">
          <button class="primary">Hand the workspace over</button>
          <a class="button" href="${PEOPLE}">Cancel</a>
        </div>
      </form>`;
    await send(ctx, visitor, { path: PEOPLE, title: 'Hand the workspace over?', body }, filled);
  }

  async function handOver(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const heir = await heirOf(ctx, visitor, fields.get('person'));
    if (heir === undefined) return sendOn(ctx, PEOPLE);
    const { refusal } = await operate(ctx, visitor, 'update_person', {
      user_id: heir.id,
      role: 'owner',
      password: fields.get('password') ?? '',
    });
    if (refusal?.detail.meta?.['field'] === 'password') {
      await trail.note(ctx, { tool: 'confirm_password', person: personOf(visitor), isRefused: true });
    }
    if (refusal) await ask(ctx, visitor, heir, { refusal, fields });
    else sendOn(ctx, PEOPLE);
  }

  return {
    path: HAND_OVER,
    GET: forThose('update_person', async (ctx, visitor) => {
      const heir = await heirOf(ctx, visitor, new URLSearchParams(ctx.querystring).get('person'));
      await (heir === undefined ? sendOn(ctx, PEOPLE) : ask(ctx, visitor, heir));
    }),
    POST: forThose('update_person', handOver),
  };
}
