import { ApiError } from '#kernel/errors.ts';
import { inWords } from '#kernel/people/preview.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';

export type FieldTraits = Readonly<{
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url' | 'time';
  hint?: string;
  value?: string | undefined;
  autocomplete?: string;
  required?: boolean;
  minlength?: number;
  /** Never set for a password: browsers would silently cut a pasted one. */
  maxlength?: number;
  /** A handle or URL, which must not be capitalized automatically. */
  verbatim?: boolean;
  /** Shown and sent, but not to be changed. */
  readonly?: boolean;
  /** Marks the field as invalid and gives it the focus. */
  wrong?: boolean;
  /** Gives the field the focus after a refusal, even if another field caused it. */
  refused?: boolean;
  autofocus?: boolean;
}>;

function describedBy(id: string, hint: string, refused: boolean): string | undefined {
  const ids = [...(refused ? ['refusal'] : []), ...(hint === '' ? [] : [`${id}-hint`])];
  return ids.length === 0 ? undefined : ids.join(' ');
}

/** A field with a label. `refusal` is the id of the error message above the form. */
export function drawField(field: FieldTraits): Html {
  const { name, label, hint = '', type = 'text', required = true, wrong = false, refused = wrong } = field;
  const id = `field-${name}`;
  const input = attributes({
    id,
    name,
    type,
    required,
    readonly: field.readonly === true,
    value: type === 'password' ? undefined : field.value,
    autocomplete: field.autocomplete ?? 'off',
    minlength: field.minlength?.toString(),
    maxlength: field.maxlength?.toString(),
    'aria-describedby': describedBy(id, hint, refused),
    'aria-invalid': wrong ? 'true' : undefined,
    autofocus: refused || field.autofocus === true,
    autocapitalize: type === 'text' && !field.verbatim ? undefined : 'none',
    spellcheck: 'false',
  });
  return html`<div class="field">
    <label for="${id}">${label}${!required && html` <small>(optional)</small>`}</label>
    ${hint !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input ${input} />
  </div>`;
}

export function drawCheckbox(name: string, value: string, label: string | Html, hint: string, checked: boolean): Html {
  return html`<label class="tick">
    <input ${attributes({ type: 'checkbox', name, value, checked })} />
    <span><bdi>${label}</bdi>${hint !== '' && html` <small>${hint}</small>`}</span>
  </label>`;
}

export function drawRadio(name: string, value: string, label: string, hint: string, checked = false): Html {
  return html`<label class="tick">
    <input ${attributes({ type: 'radio', name, value, required: true, checked })} />
    <span><bdi>${label}</bdi>${hint !== '' && html` <small><bdi>${hint}</bdi></small>`}</span>
  </label>`;
}

type SelectTraits = Readonly<{
  name: string;
  label: string;
  /** The label of the option that selects nothing. */
  any: string;
  choices: readonly (readonly [value: string, label: string])[];
  value: string;
}>;

/** A labelled list in which one option, or none, is selected. */
export function drawSelect({ name, label, any, choices, value }: SelectTraits): Html {
  const id = `field-${name}`;
  const drawOption = ([one, says]: readonly [string, string]) =>
    html`<option ${attributes({ value: one, selected: one === value })}>${says}</option>`;
  return html`<div>
    <label for="${id}">${label}</label>
    <select ${attributes({ id, name })}>
      ${[['', any] as const, ...choices].map(drawOption)}
    </select>
  </div>`;
}

export function drawRefusal(message: string | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="refusal" id="refusal" role="alert">${message}</p>`;
}

/** A refusal whose message calls its field what people call it: by a label of the form, or in words. */
export function inFormWords(refusal: ApiError, labels: Readonly<Record<string, string>> = {}): ApiError {
  const { code, message, detail } = refusal;
  const field = detail.meta?.['field'];
  if (typeof field !== 'string' || !message.startsWith(field) || !/^[: ]/.test(message.slice(field.length))) {
    return refusal;
  }
  const words = labels[field] ?? inWords(field.split('.'));
  const named = words.charAt(0).toUpperCase() + words.slice(1) + message.slice(field.length);
  return new ApiError(code, { ...detail, message: named });
}
