import { handleOf } from '#kernel/text/handle.ts';
import { isoTime } from '#kernel/clock.ts';
import type { ApiError } from '#kernel/errors.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { drawTime } from '../kit/times.ts';
import type { Connect, ConnectPending } from './pending.ts';
import { drawField, drawRefusal, inFormWords } from '../kit/form-fields.ts';

type DirectForm = NonNullable<ConnectPending['form']>;
type Field = DirectForm[number];

export type ConnectView = Readonly<{
  pending: ConnectPending;
  workspaceName: string;
  /** URL of the sandbox console, which lists the test users and their passwords. */
  consoleUrl: string;
  action: string;
  token: Html;
}>;

export type Filled = Readonly<{ values: Readonly<Record<string, string>>; refusal: ApiError }>;

export function headingOf({ platform, username, invitedUntil }: ConnectPending): string {
  if (invitedUntil !== undefined) return `You are invited to connect ${platform.title}`;
  return username === undefined ? `Connect ${platform.title}` : `Connect ${platform.title} again`;
}

export function drawForm(view: ConnectView, form: DirectForm, filled: Filled | undefined): Html {
  const wrong = filled?.refusal.detail.meta?.['field'];
  const values = filled?.values ?? {};
  // After a refusal, the invalid field gets the focus, or else the password, which is empty again.
  const first = filled && (form.find(({ name }) => name === wrong) ?? form.find(({ type }) => type === 'password'));
  const draw = (field: Field) =>
    drawField({
      ...field,
      value: values[field.name],
      verbatim: true,
      wrong: field.name === wrong,
      refused: field === first,
    });
  const extra = form.filter(({ required }) => !required);
  const open = extra.some((field) => values[field.name] !== undefined || field === first);
  return html`<h1>${headingOf(view.pending)}</h1>
    ${filled && drawRefusal(inFormWords(filled.refusal, labelsOf(form)).message)} ${drawDetails(view)}
    <form method="post" action="${view.action}">
      ${view.token} ${form.filter(({ required }) => required).map(draw)}
      ${
        extra.length > 0 &&
        html`<details ${attributes({ open })}>
          <summary>More options</summary>
          ${extra.map(draw)}
        </details>`
      }
      <div class="actions">
        <button class="primary">Connect</button>
        <button name="cancel" value="yes" formnovalidate>Cancel</button>
      </div>
    </form>
    ${drawAfterwards(view)}`;
}

const labelsOf = (form: DirectForm) => Object.fromEntries(form.map(({ name, label }) => [name, label]));

/** The page before a platform's consent page: a link for each login, and one to the password form if there is one. */
export function drawInterstitial(view: ConnectView, consents: ReturnType<Connect['consents']>): Html {
  return html`<h1>${headingOf(view.pending)}</h1>
    ${drawDetails(view)}
    <p>
      ${consents.map(({ title }) => title).join(' or ')} itself asks for your consent. This server never sees your
      password.
    </p>
    <div class="actions">
      ${consents.map(({ title, url }) => html`<a class="button primary" href="${url}">Continue to ${title}</a>`)}
      <form method="post" action="${view.action}">
        ${view.token}
        <button name="cancel" value="yes">Cancel</button>
      </form>
    </div>
    ${
      view.pending.form &&
      html`<p class="quiet">
        <a href="${view.action.replace('/go?', '/form?')}">Connect with credentials instead</a>
      </p>`
    }
    ${drawAfterwards(view)}`;
}

/** Account, brand and workspace, so that somebody else's link cannot attach an account unnoticed. */
function drawDetails({ pending, workspaceName, consoleUrl }: ConnectView): Html {
  const { row, brandName, username, invitedUntil } = pending;
  const title = pending.platform.title;
  return html`${
      row.network === 'sandbox' &&
      html`<div class="note" role="note">
        <strong>Sandbox.</strong> This connects to the simulator of ${title} that is part of this server, not to the
        real one. Its people${pending.form && ' and their passwords'} are listed in the
        <a href="${consoleUrl}" target="_blank" rel="noopener">sandbox console</a> (opens in a new tab).
      </div>`
    }
    <dl>
      ${
        invitedUntil !== undefined &&
        html`<dt>Invited by</dt>
          <dd><bdi>${workspaceName}</bdi></dd>
          <dt>Platform</dt>
          <dd>${title}</dd>`
      }
      ${
        username !== undefined &&
        html`<dt>Account</dt>
          <dd><bdi>${handleOf(username)}</bdi></dd>`
      }
      <dt>Brand</dt>
      <dd>${brandName === undefined ? 'a new one, named after the account' : html`<bdi>${brandName}</bdi>`}</dd>
      ${
        invitedUntil === undefined
          ? html`<dt>Workspace</dt>
              <dd><bdi>${workspaceName}</bdi></dd>`
          : html`<dt>Open until</dt>
              <dd>${drawTime(isoTime(invitedUntil), 'UTC')}</dd>`
      }
    </dl>
    <p class="quiet">
      Everyone who works in this workspace can then read and publish with the account. Go on only if that is what you
      want.
    </p>`;
}

function drawAfterwards({ pending }: ConnectView): Html | undefined {
  const { redirect_uri: target } = pending.row;
  if (target === null) return undefined;
  return html`<p class="quiet">Afterwards you return to <bdi>${new URL(target).host}</bdi>.</p>`;
}
