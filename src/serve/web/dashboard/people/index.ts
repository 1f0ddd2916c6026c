import { GIVEN_ROLES, wordsOf, type Role } from '#kernel/people/roles.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import { drawTime } from '../../kit/times.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Filled, Frame } from '../frame.ts';
import { makeShownOncePage, type ShownOnceDeps } from '../settings/shown-once.ts';
import { makeHandOverRoute, type HandOverAccess } from './hand-over.ts';
import { INVITE, INVITED, PEOPLE as PATH, REVOKE, ROLE } from './paths.ts';
import { makeRemoveRoute, type RemovalAccess } from './remove.ts';
import { backToPeople, drawPeople, type InvitationView, type PersonView } from './view.ts';

export type PeopleAccess = RemovalAccess & HandOverAccess;

type FreshInvitation = Readonly<{ email: string; role: Role; url: string; mailed: boolean; expires_at: string }>;

/** The pages about the people of the workspace: their roles, invitations, and who leaves. */
export function makePeopleRoutes(frame: Frame, access: PeopleAccess, deps: ShownOnceDeps): readonly Route[] {
  const { visitors, operate, send, list, rowForm, forThose } = frame;
  const invited = makeShownOncePage<FreshInvitation>(frame, deps, {
    name: 'invitation',
    path: INVITED,
    current: PATH,
    needs: 'invite_person',
    title: 'The link of the invitation',
    draw: drawInvited,
  });

  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const [people, invitations] = await Promise.all([
      list<PersonView>(ctx, visitor, 'list_people'),
      list<InvitationView>(ctx, visitor, 'list_invitations'),
    ]);
    const body = drawPeople({
      people,
      invitations,
      field: visitors.field(visitor),
      zone: visitor.caller.workspace.timezone,
      byMail: access.people.mailsInvitations,
      isOwner: visitor.role === 'owner',
      filled,
    });
    await send(ctx, visitor, { path: PATH, title: 'People', body }, filled);
  }

  async function invite(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const made = await operate(ctx, visitor, 'invite_person', {
      email: fields.get('email') ?? '',
      role: fields.get('role') ?? '',
    });
    if (made.refusal) return show(ctx, visitor, { refusal: made.refusal, fields });
    const { email, role, url, mailed, expires_at } = bodyOf<FreshInvitation>(made);
    invited.show(ctx, visitor, { email, role, url, mailed, expires_at });
  }

  async function changeRole(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    // Handing the workspace over has a page of its own.
    const role = GIVEN_ROLES.find((one) => one === fields.get('role'));
    if (role === undefined) return sendOn(ctx, PATH);
    const { refusal } = await operate(ctx, visitor, 'update_person', { user_id: fields.get('user_id') ?? '', role });
    if (refusal) return show(ctx, visitor, { refusal, fields: new URLSearchParams() });
    const isOver = fields.get('user_id') === visitor.caller.userId && role !== 'admin';
    sendOn(ctx, isOver ? '/dashboard/settings' : PATH);
  }

  const back = (ctx: RequestContext) => sendOn(ctx, PATH);
  return Object.freeze([
    { path: PATH, GET: forThose('list_people', (ctx, visitor) => show(ctx, visitor)) },
    { path: INVITE, GET: back, POST: forThose('invite_person', invite) },
    invited.route,
    { path: ROLE, GET: back, POST: forThose('update_person', changeRole) },
    rowForm({ path: REVOKE, back: PATH, operation: 'revoke_invitation', field: 'invitation_id' }),
    makeRemoveRoute(frame, access),
    makeHandOverRoute(frame, access),
  ]);
}

function drawInvited(invitation: FreshInvitation | undefined, { caller: { workspace } }: Visitor): Html {
  if (invitation === undefined) {
    return html`<p>
        The link of an invitation is shown once, and there is none to show now. If you have not copied it, revoke the
        invitation and make another.
      </p>
      ${backToPeople}`;
  }
  const { email, role, url, mailed, expires_at } = invitation;
  const to = html`<strong><bdi>${email}</bdi></strong>`;
  return html`${
      mailed
        ? html`<p>A mail with this link was sent to ${to}; you can also send it yourself. It is not shown again.</p>`
        : html`<p>Send this link to ${to} yourself, as no mail is sent. Copy it now: it is not shown again.</p>`
    }
    <p class="secret" data-what="the link"><code>${url}</code></p>
    <p>
      Whoever has it can join in the role <strong>${wordsOf(role).title}</strong> until it is used, at the latest until
      ${drawTime(expires_at, workspace.timezone)}.
    </p>
    ${backToPeople}`;
}
