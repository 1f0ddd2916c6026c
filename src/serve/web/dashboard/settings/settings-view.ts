import { wordsOf, type Role } from '#kernel/people/roles.ts';
import type { Device } from '#engine/signin/devices.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { drawCheckbox, drawField, drawRadio } from '../../kit/form-fields.ts';
import type { BrandView } from '../../kit/leash-form.ts';
import type { Theme } from '../../kit/theme.ts';
import { drawTime } from '../../kit/times.ts';
import { LONGEST_NAME } from '../../kit/person-name.ts';
import { drawRowForm } from '../view.ts';
import { browserOf } from './browsers.ts';
import { PEOPLE, REMOVE } from '../people/paths.ts';
import { NOTIFICATIONS, SETTINGS } from './settings-path.ts';

export type SettingsView = Readonly<{
  /** The CSRF token for the forms. */
  field: Html;
  name: string;
  email: string;
  role: Role;
  /** Whether the person may call an operation. */
  may(operation: string): boolean;
  timezone: string;
  theme: Theme;
  devices: readonly Device[];
  brands: readonly BrandView[];
  wrongName: boolean;
}>;

const THEME_WORDS: Readonly<Record<Theme, readonly [title: string, meaning: string]>> = Object.freeze({
  system: ['As the system', 'It follows the setting of this device.'],
  light: ['Light', ''],
  dark: ['Dark', ''],
});

/** All settings: forms for the small ones, links for those with a page of their own. */
export function drawSettings(view: SettingsView): Html {
  return html`${drawPerson(view)} ${drawLook(view)} ${drawDevices(view)} ${drawWorkspace(view)}`;
}

function drawPerson({ field, name, email, role, may, wrongName }: SettingsView): Html {
  return html`<h2>You</h2>
    <form ${attributes({ method: 'post', action: `${SETTINGS}/name` })}>
      ${field}
      ${drawField({
        name: 'name',
        label: 'Your name',
        hint:
          role === 'owner'
            ? 'People see it when they connect an account to your workspace, and beside what you decide.'
            : 'The others in the workspace see it, also beside what you decide.',
        maxlength: LONGEST_NAME,
        autocomplete: 'name',
        value: name,
        wrong: wrongName,
      })}
      <div class="actions"><button>Save the name</button></div>
    </form>
    <p>You sign in as <bdi>${email}</bdi>. <a href="/dashboard/password">Change the password</a></p>
    ${may('set_notifications') && html`<p><a href="${NOTIFICATIONS}">E-mail notifications</a></p>`}
    <p>
      Your role is <strong>${wordsOf(role).title}</strong>. ${wordsOf(role).meaning}
      ${may('list_people') && html`<a href="${PEOPLE}">The people of the workspace</a>`}
    </p>`;
}

function drawLook({ field, theme }: SettingsView): Html {
  return html`<h2>This browser</h2>
    <form ${attributes({ method: 'post', action: `${SETTINGS}/theme` })}>
      ${field}
      <fieldset>
        <legend>Theme</legend>
        ${Object.entries(THEME_WORDS).map(([value, [title, meaning]]) => drawRadio('theme', value, title, meaning, value === theme))}
      </fieldset>
      <div class="actions"><button>Save the theme</button></div>
    </form>
    <div id="single-keys" hidden>
      ${drawCheckbox('single_keys', 'yes', 'Single-key shortcuts', 'Such as J for the next one. Switch them off if you speak to your device, or press keys by accident.', false)}
      <p class="hint"><kbd>?</kbd> lists the keys; with Ctrl or ⌘ and K you reach every page.</p>
    </div>`;
}

function drawDevices({ field, timezone, devices }: SettingsView): Html {
  return html`<h2>Where you are signed in</h2>
    <ul class="rows">
      ${devices.map(
        ({ id, agent, signedInAt, isThis }) =>
          html`<li>
            <div>
              <strong>${browserOf(agent)}</strong>${isThis && html` (this browser)`}<br />
              <small class="quiet">signed in ${drawTime(signedInAt, timezone)}</small>
            </div>
            ${
              !isThis &&
              drawRowForm(`${SETTINGS}/devices/end`, field, 'device', id, 'Sign out', `Sign out: ${browserOf(agent)}`)
            }
          </li>`,
      )}
    </ul>
    ${
      devices.length > 1 &&
      html`<form ${attributes({ method: 'post', action: `${SETTINGS}/devices/end-others`, class: 'actions' })}>
        ${field}
        <button>Sign out everywhere else</button>
      </form>`
    }
    <p class="quiet">To end the access of apps and keys, go to <a href="/dashboard/assistants">Assistants</a>.</p>`;
}

function drawWorkspace({ timezone, brands, role, may }: SettingsView): Html {
  return html`<h2>The workspace</h2>
    <dl>
      <dt>Timezone</dt>
      <dd>${timezone} ${may('patch_me') && html`<a href="/dashboard/timezone">Change the timezone</a>`}</dd>
      <dt>Posting times</dt>
      <dd><a href="/dashboard/posting-times">When you usually publish</a></dd>
      ${
        may('list_redirect_uris') &&
        html`<dt>Redirect addresses</dt>
          <dd><a href="/dashboard/redirect-uris">Where connecting an account may end</a></dd>`
      }
      <dt>The server</dt>
      <dd><a href="/dashboard/health">Its health</a>, for its owner</dd>
      <dt>For programs</dt>
      <dd>
        ${may('list_keys') && html`<a href="/dashboard/keys">API keys</a>,`}
        <a href="/dashboard/token">${may('list_keys') ? 'dashboard' : 'Dashboard'} token</a>
      </dd>
    </dl>
    <h2>Brands</h2>
    <ul class="rows">
      ${brands.map(
        ({ id, name }) =>
          html`<li>
            <div><bdi>${name}</bdi></div>
            ${
              may('delete_brand') &&
              html`<a
                ${attributes({ class: 'button small', href: `${SETTINGS}/brands/${id}`, 'aria-label': `Delete ${name}` })}
                >Delete</a
              >`
            }
          </li>`,
      )}
    </ul>
    ${may('create_brand') && html`<p>Create and rename brands under <a href="/dashboard/accounts">Accounts</a>.</p>`}
    ${role === 'owner' ? drawDelete() : drawLeave()}`;
}

const drawDelete = (): Html =>
  html`<h2>Delete</h2>
    <p>
      This deletes everything for good: people, accounts, posts, messages, files, keys and webhooks. To leave it to
      somebody else, hand it over under <a href="${PEOPLE}">People</a>.
    </p>
    <p><a ${attributes({ class: 'button', href: `${SETTINGS}/delete` })}>Delete the workspace …</a></p>`;

const drawLeave = (): Html =>
  html`<h2>Leave</h2>
    <p>Your sign-in ends, and what you made stays. You come back only with another invitation.</p>
    <p><a class="button" href="${REMOVE}">Leave the workspace …</a></p>`;

type Question = Readonly<{ action: string; field: Html; what: string; expected: string; says: Html; wrong: boolean }>;

/** Asks for confirmation before something that cannot be undone. The person has to type the name. */
export function drawTypedQuestion({ action, field, what, expected, says, wrong }: Question): Html {
  return html`${says}
    <form ${attributes({ method: 'post', action })}>
      ${field}
      ${drawField({ name: 'confirm', label: what, hint: `Type ${expected} to confirm.`, verbatim: true, wrong })}
      <div class="actions">
        <button class="primary">Delete</button>
        <a class="button" href="${SETTINGS}">Cancel</a>
      </div>
    </form>`;
}
