import { ApiError } from '#kernel/errors.ts';
import { asSeen } from '#kernel/text/blank.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { drawCheckbox, drawField } from '../kit/form-fields.ts';
import { isName, LONGEST_NAME } from '../kit/person-name.ts';

/** A form that was refused, without its passwords. */
export type FilledPerson = Readonly<{ email: string; name: string; refusal: ApiError }>;

/** The refusal of one field of a form. */
export const refuseField = (field: string, message: string): ApiError =>
  new ApiError('validation.field_invalid', { message, meta: { field } });

/** The field that a refusal is about. */
export const wrongFieldOf = (filled: FilledPerson | undefined): unknown => filled?.refusal.detail.meta?.['field'];

/** The name and password that a new person entered, with the refusal if they are invalid. */
export function personIn(fields: URLSearchParams) {
  const name = asSeen(fields.get('name') ?? '').trim();
  const password = fields.get('password') ?? '';
  return { name, password, refusal: refusalOf(name, password, fields.get('repeated') ?? '') };
}

function refusalOf(name: string, password: string, repeated: string): ApiError | undefined {
  if (!isName(name)) return refuseField('name', 'Enter your name.');
  return refuseDifferent(password, repeated);
}

/** The refusal of a password that was not typed the same twice. */
export function refuseDifferent(password: string, repeated: string): ApiError | undefined {
  return repeated === password ? undefined : refuseField('repeated', 'The passwords differ; type the same twice.');
}

type PersonFields = Readonly<{ filled: FilledPerson | undefined; nameHint: string; minLength: number }>;

/** The fields for the name of a new person and for their password, twice. */
export function drawPersonFields({ filled, nameHint, minLength }: PersonFields, autofocus = false): Html {
  const wrong = wrongFieldOf(filled);
  return html`${drawField({
    name: 'name',
    label: 'Your name',
    hint: nameHint,
    autocomplete: 'name',
    maxlength: LONGEST_NAME,
    value: filled?.name,
    wrong: wrong === 'name',
    autofocus,
  })}
  ${drawPasswordFields({ label: 'Password', minLength, wrong })}`;
}

type PasswordFields = Readonly<{ label: string; minLength: number; wrong: unknown; autofocus?: boolean }>;

/** The fields for a password that is chosen, twice; `wrong` is the name of the field that was refused. */
export function drawPasswordFields({ label, minLength, wrong, autofocus = false }: PasswordFields): Html {
  return html`${drawField({
    name: 'password',
    label,
    type: 'password',
    hint: `At least ${minLength} characters.`,
    autocomplete: 'new-password',
    minlength: minLength,
    wrong: wrong === 'password',
    autofocus,
  })}
  ${drawField({
    name: 'repeated',
    label: `${label} once more`,
    type: 'password',
    autocomplete: 'new-password',
    minlength: minLength,
    wrong: wrong === 'repeated',
  })}`;
}

/** A hidden field: password managers need the username that belongs to a new password. */
export function drawUsername(email: string): Html {
  const field = attributes({ id: 'field-username', type: 'email', autocomplete: 'username', value: email });
  return html`<div hidden>
    <label for="field-username">E-mail address</label>
    <input ${field} readonly />
  </div>`;
}

export const END_APPS = 'end_apps';
const END_APPS_HINT =
  'For when somebody else may have known the old password. Apps then have to ask you again before they act for you.';

/** The choice to disconnect apps when a password changes. */
export const drawEndApps = (fields: URLSearchParams | undefined): Html =>
  drawCheckbox(END_APPS, 'yes', 'End connected apps as well', END_APPS_HINT, fields?.has(END_APPS) ?? false);
