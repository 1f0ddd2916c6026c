import type { People } from '#engine/users/people.ts';
import { attributes, html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn, sendPage } from '../../kit/html-page.ts';
import { listedIn } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Filled, Frame } from '../frame.ts';
import { SETTINGS } from '../settings/settings-path.ts';
import { PEOPLE, REMOVE } from './paths.ts';
import { drawKeysToEnd, type PersonView } from './view.ts';

export type RemovalAccess = Readonly<{
  people: Pick<People, 'keysOf' | 'mailsInvitations'>;
  workspaceName(workspaceId: string): Promise<string>;
}>;

type Leaver = Pick<PersonView, 'id' | 'name' | 'email' | 'is_you'>;

/** The page that asks before a person is removed or leaves. Everybody but the owner may leave. */
export function makeRemoveRoute(
  { visitors, operate, send, forThose }: Frame,
  { people, workspaceName }: RemovalAccess,
): Route {
  const returnPath = ({ is_you }: Leaver) => (is_you ? SETTINGS : PEOPLE);

  /** The person with an id whom the visitor may remove; without an id, the visitor. */
  async function leaverOf(ctx: RequestContext, visitor: Visitor, id: string | null): Promise<Leaver | undefined> {
    const { userId, name } = visitor.caller;
    if (id === null || id === userId) {
      return visitor.role === 'owner' ? undefined : { id: userId, name, email: visitor.email, is_you: true };
    }
    const listed = listedIn<PersonView>(await operate(ctx, visitor, 'list_people'));
    return listed.find((one) => one.id === id && one.role !== 'owner');
  }

  async function ask(ctx: RequestContext, visitor: Visitor, leaver: Leaver, filled?: Filled): Promise<void> {
    const { id, name, email, is_you } = leaver;
    const [keys, workspace] = await Promise.all([
      people.keysOf(visitor.caller, id),
      workspaceName(visitor.caller.workspace.id),
    ]);
    const says = is_you
      ? html`<p>
          You leave the workspace of <strong><bdi>${workspace}</bdi></strong
          >. Your sign-in is deleted, and the apps that you connected lose their access. What you made stays. You come
          back only with another invitation.
        </p>`
      : html`<p>
          <strong><bdi>${name}</bdi></strong> (<bdi>${email}</bdi>) is signed out everywhere and can no longer sign in,
          and the apps that they connected lose their access. What they made stays.
        </p>`;
    const body = html`${says}
      <form ${attributes({ method: 'post', action: REMOVE })}>
        ${visitors.field(visitor)}
        <input ${attributes({ type: 'hidden', name: 'person', value: id })} />
        ${drawKeysToEnd(keys, is_you)}
        <div class="actions">
          <button class="primary">${is_you ? 'Leave the workspace' : 'Remove this person'}</button>
          <a class="button" href="${returnPath(leaver)}">Cancel</a>
        </div>
      </form>`;
    const title = is_you ? 'Leave this workspace?' : 'Remove this person?';
    await send(ctx, visitor, { path: returnPath(leaver), title, body }, filled);
  }

  async function remove(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const leaver = await leaverOf(ctx, visitor, fields.get('person') ?? '');
    if (leaver === undefined) return sendOn(ctx, PEOPLE);
    const workspace = await workspaceName(visitor.caller.workspace.id);
    const { refusal } = await operate(ctx, visitor, 'remove_person', {
      user_id: leaver.id,
      end_keys: !fields.has('keep_keys'),
    });
    if (refusal) return ask(ctx, visitor, leaver, { refusal, fields });
    if (!leaver.is_you) return sendOn(ctx, PEOPLE);
    await visitors.signOut(ctx);
    sendPage(ctx, {
      title: 'You have left',
      body: html`<h1>You have left the workspace of <bdi>${workspace}</bdi></h1>
        <p>You are signed out. If you want to come back, ask an administrator of the workspace for an invitation.</p>`,
    });
  }

  return {
    path: REMOVE,
    GET: forThose('remove_person', async (ctx, visitor) => {
      const leaver = await leaverOf(ctx, visitor, new URLSearchParams(ctx.querystring).get('person'));
      await (leaver === undefined ? sendOn(ctx, PEOPLE) : ask(ctx, visitor, leaver));
    }),
    POST: forThose('remove_person', remove),
  };
}
