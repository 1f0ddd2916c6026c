import { attributes } from '#kernel/text/html.ts';
import { PageError } from './forms.ts';
import { html, type Html } from './html.ts';
import type { Action, ActionField, Offer, Twin } from './twin.ts';

/** Runs an action of a simulator by name, for the console's forms and the control API. */
export async function perform(twin: Twin, name: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const action = twin.actions?.find((one) => one.name === name);
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== '' && value !== undefined));
  const missing = action?.fields.filter((field) => field.optional !== true && !Object.hasOwn(given, field.name)) ?? [];
  if (missing.length > 0) throw new PageError(400, `Fill in: ${missing.map(({ label }) => label).join(', ')}.`);
  const made = await twin.act?.(name, given);
  if (made === undefined) throw new PageError(404, 'There is no such action.');
  return made;
}

const option = (value: string, label: string) => html`<option value="${value}">${label}</option>`;
const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}" />`;

function drawField(field: ActionField): Html {
  const { name, input, optional } = field;
  const label = html`<span
    >${field.label}${optional === true && input !== 'flag' && html` <small>(optional)</small>`}</span
  >`;
  const need = attributes({ required: optional !== true });
  const known = field.choices?.();
  if (known !== undefined)
    return html`<label
      >${label}
      <select name="${name}" ${need}>
        ${optional === true && option('', '–')}${known.map((one) => option(one.value, one.label))}
      </select></label
    >`;
  if (input === 'flag')
    return html`<label class="tick"><input type="checkbox" name="${name}" value="true" /> ${label}</label>`;
  if (input === 'lines')
    return html`<label class="wide">${label} <textarea name="${name}" rows="2" ${need}></textarea></label>`;
  return html`<label>${label} <input type="${input}" name="${name}" ${need} /></label>`;
}

function drawForm(twin: Twin, action: Action, token: Html, given: Readonly<Record<string, string>>, label: string) {
  const request = action.fields.filter(({ name }) => !Object.hasOwn(given, name));
  const empty = request.find((field) => field.optional !== true && field.choices?.().length === 0);
  if (empty !== undefined) return html`<p class="quiet">${empty.label}: there is nothing to choose yet.</p>`;
  return html`<form method="post" action="/sandbox/act">
    ${token} ${hidden('network', twin.slug)} ${hidden('action', action.name)}
    ${Object.entries(given).map(([name, value]) => hidden(name, value))}
    ${request.map((field) => drawField(field))}<button>${label}</button>
  </form>`;
}

/** The form of one action, collapsed at first. */
export function drawAction(
  twin: Twin,
  action: Action,
  token: Html,
  given: Readonly<Record<string, string>> = {},
  label = action.label,
): Html {
  return html`<details>
    <summary>${label}</summary>
    ${drawForm(twin, action, token, given, label)}
  </details>`;
}

/** Puts the actions of a simulator next to what they act on. An action that needs no further input is a button. */
export function offering(twin: Twin, token: Html): Offer {
  return function offer(name, given, label) {
    const action = twin.actions?.find((one) => one.name === name);
    if (action === undefined) return html``;
    const isWhole = action.fields.every((field) => Object.hasOwn(given, field.name));
    return (isWhole ? drawForm : drawAction)(twin, action, token, given, label ?? action.label);
  };
}
