import { ApiError } from '#kernel/errors.ts';
import { asSeen } from '#kernel/text/blank.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { drawField } from '../kit/form-fields.ts';
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
  if (repeated !== password) return refuseField('repeated', 'The passwords differ; type the same twice.');
  return undefined;
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
  ${drawField({
    name: 'password',
    label: 'Password',
    type: 'password',
    hint: `At least ${minLength} characters.`,
    autocomplete: 'new-password',
    minlength: minLength,
    wrong: wrong === 'password',
  })}
  ${drawField({
    name: 'repeated',
    label: 'Password once more',
    type: 'password',
    autocomplete: 'new-password',
    minlength: minLength,
    wrong: wrong === 'repeated',
  })}`;
}
