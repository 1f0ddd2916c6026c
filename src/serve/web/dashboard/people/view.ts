import { GIVEN_ROLES, wordsOf, type Role } from '#kernel/people/roles.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { drawCheckbox, drawField, drawRadio } from '../../kit/form-fields.ts';
import { drawTime } from '../../kit/times.ts';
import { isAbout, type Filled } from '../frame.ts';
import { drawRowForm } from '../view.ts';
import { HAND_OVER, INVITE, PEOPLE, REMOVE, REVOKE, ROLE } from './paths.ts';

/** Records as the operations return them. */
export type PersonView = Readonly<{
  id: string;
  name: string;
  email: string;
  role: Role;
  is_you: boolean;
  disabled: boolean;
  created_at: string;
}>;
export type InvitationView = Readonly<{
  id: string;
  email: string;
  role: Role;
  invited_by: string;
  expires_at: string;
}>;

type PeoplePage = Readonly<{
  people: readonly PersonView[];
  invitations: readonly InvitationView[];
  /** The CSRF token for the forms. */
  field: Html;
  zone: string;
  /** Whether invitations are mailed too. */
  byMail: boolean;
  /** Whether the visitor is the owner of the workspace. */
  isOwner: boolean;
  filled: Filled | undefined;
}>;

/** The people of a workspace, the open invitations, and the form for another one. */
export function drawPeople(page: PeoplePage): Html {
  const { people, field, zone } = page;
  const isAlone = people.length === 1;
  return html`${
      isAlone
        ? html`<p>You are the only person in this workspace. Invite the others who work on its accounts.</p>`
        : html`<p>Who works in this workspace, and what each may do.</p>`
    }
    <ul class="rows">
      ${people.map((person) => drawPerson(person, field, zone))}
    </ul>
    ${drawInvitations(page)} ${drawInvite(page)} ${page.isOwner && !isAlone && drawHandOver(people)}`;
}

function drawPerson(person: PersonView, field: Html, zone: string): Html {
  const { id, name, email, role, is_you, disabled, created_at } = person;
  return html`<li>
    <div>
      <strong><bdi>${name}</bdi></strong
      >${is_you && html` (you)`} <bdi>${email}</bdi><br />
      <small class="quiet">
        ${wordsOf(role).title}, since
        ${drawTime(created_at, zone)}${disabled && html`; disabled by the operator of the server`}
      </small>
      ${role !== 'owner' && drawRoleForm(person, field)}
    </div>
    ${
      role !== 'owner' &&
      html`<a
        ${attributes({
          class: 'button small',
          href: `${REMOVE}?person=${id}`,
          'aria-label': is_you ? 'Leave the workspace' : `Remove ${name}`,
        })}
        >${is_you ? 'Leave' : 'Remove'}</a
      >`
    }
  </li>`;
}

const drawRoleForm = ({ id, name, role, is_you }: PersonView, field: Html): Html =>
  html`<details>
    <summary>Change the role<span class="heard"> of ${name}</span></summary>
    <form method="post" action="${ROLE}">
      ${field}
      <input ${attributes({ type: 'hidden', name: 'user_id', value: id })} />
      ${drawRoles(role, html`<span class="heard"> of ${name}</span>`)}
      <p class="hint">
        Apps that ${is_you ? 'you' : 'they'} connected get the new role too. API keys that ${is_you ? 'you' : 'they'}
        made keep their rights: see <a href="/dashboard/keys">API keys</a>.
      </p>
      ${is_you && html`<p class="hint">If you take another role, an administrator has to give you this one back.</p>`}
      <div class="actions"><button>Save the role</button></div>
    </form>
  </details>`;

const drawRoles = (chosen: string, whose?: Html): Html =>
  html`<fieldset>
    <legend>Role${whose}</legend>
    ${GIVEN_ROLES.map((role) => drawRadio('role', role, wordsOf(role).title, wordsOf(role).meaning, role === chosen))}
  </fieldset>`;

function drawInvitations({ invitations, field, zone }: PeoplePage): Html | undefined {
  if (invitations.length === 0) return undefined;
  return html`<h2>Open invitations</h2>
    <ul class="rows">
      ${invitations.map(
        ({ id, email, role, invited_by, expires_at }) =>
          html`<li>
            <div>
              <strong><bdi>${email}</bdi></strong
              ><br />
              <small class="quiet">
                ${wordsOf(role).title}, invited by <bdi>${invited_by}</bdi>; until ${drawTime(expires_at, zone)}
              </small>
            </div>
            ${drawRowForm(REVOKE, field, 'invitation_id', id, 'Revoke', `Revoke the invitation of ${email}`)}
          </li>`,
      )}
    </ul>`;
}

function drawInvite({ field, byMail, filled }: PeoplePage): Html {
  return html`<h2>Invite somebody</h2>
    <p>
      ${byMail ? 'The link is sent to them by mail, and shown to you once.' : 'No mail is sent: you send the link yourself.'}
      Whoever has it can join in that role until it is used, for 7 days.
    </p>
    <form ${attributes({ method: 'post', action: INVITE, 'data-busy': 'Inviting …' })}>
      ${field}
      ${drawField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        hint: 'They will sign in with it.',
        maxlength: 254,
        value: filled?.fields.get('email') ?? undefined,
        wrong: isAbout(filled, 'email'),
      })}
      ${drawRoles(filled?.fields.get('role') ?? 'editor')}
      <div class="actions"><button class="primary">${byMail ? 'Send the invitation' : 'Make the link'}</button></div>
    </form>`;
}

/** Leads to the page of its own that asks for the password. */
function drawHandOver(people: readonly PersonView[]): Html {
  const others = people.filter(({ is_you, disabled }) => !is_you && !disabled);
  if (others.length === 0) return html``;
  return html`<h2>Hand the workspace over</h2>
    <p>Make another person the owner. You stay an administrator.</p>
    <form ${attributes({ method: 'get', action: HAND_OVER, class: 'fields' })}>
      <div>
        <label for="field-person">New owner</label>
        <select ${attributes({ id: 'field-person', name: 'person' })}>
          ${others.map(({ id, name, email }) => html`<option ${attributes({ value: id })}>${name} (${email})</option>`)}
        </select>
      </div>
      <button>Continue</button>
    </form>`;
}

/** What a person loses who is removed or leaves, and whether their keys end. */
export function drawKeysToEnd(keys: readonly Readonly<{ name: string }>[], isYou: boolean): Html | undefined {
  if (keys.length === 0) return undefined;
  const title = isYou ? 'The API keys that you made are revoked' : 'The API keys that they made are revoked';
  return html`<p>${title}:</p>
    <ul>
      ${keys.map(({ name }) => html`<li><bdi>${name}</bdi></li>`)}
    </ul>
    ${
      !isYou &&
      drawCheckbox(
        'keep_keys',
        'yes',
        'Keep these keys',
        'Only if programs that go on use them, and the person who leaves does not know them.',
        false,
      )
    }`;
}

export const backToPeople = html`<p><a class="button" href="${PEOPLE}">Back to the people</a></p>`;
