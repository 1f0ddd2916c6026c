import { PageError } from './forms.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import type { Action, ActionField, Twin } from './twin.ts';

/** Does a twin's action by its name: the one way in for the console's forms and for the control door. */
export async function perform(twin: Twin, name: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const action = twin.actions?.find((one) => one.name === name);
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== '' && value !== undefined));
  const missing = action?.fields.filter((field) => field.optional !== true && !Object.hasOwn(given, field.name)) ?? [];
  if (missing.length > 0) throw new PageError(400, `Fill in: ${missing.map(({ label }) => label).join(', ')}.`);
  const made = await twin.act?.(name, given);
  if (made === undefined) throw new PageError(404, 'There is no such action.');
  return made;
}

/** A field of an action's input as text; absent when it was left empty. */
export function textField(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new PageError(400, `The field ${name} must be text.`);
}

const option = (value: string, label: string) => html`<option value="${value}">${label}</option>`;

function drawField(twin: Twin, { name, label, input, choices, optional }: ActionField): Html {
  const known =
    input === 'person' ? () => twin.people().map(({ id, handle }) => ({ value: id, label: handle })) : choices;
  const need = optional !== true && html` required`;
  if (known !== undefined)
    return html`<label
      >${label}
      <select name="${name}" ${need}>
        ${optional === true && option('', '–')}${known().map((one) => option(one.value, one.label))}
      </select></label
    >`;
  if (input === 'lines') return html`<label>${label} <textarea name="${name}" rows="2" ${need}></textarea></label>`;
  return html`<label>${label} <input type="${input}" name="${name}" ${need} /></label>`;
}

/** The form of one action, folded until somebody opens it. */
export function drawAction(twin: Twin, action: Action, token: Html): Html {
  return html`<details>
    <summary>${action.label}</summary>
    <form method="post" action="/sandbox/act">
      ${token}<input type="hidden" name="network" value="${twin.slug}" /><input
        type="hidden"
        name="action"
        value="${action.name}"
      />
      ${action.fields.map((field) => drawField(twin, field))}<button>${action.label}</button>
    </form>
  </details>`;
}
