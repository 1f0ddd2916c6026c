/** What templates must look like before anybody reviews them. */
import { badParam, GraphError } from '../../graph/api/errors.ts';
import { isObject } from '../../kit/api/checks.ts';
import type { Fields, Template } from '../docs.ts';

/** A refusal of a template, with what WhatsApp calls the flaw. */
export const flawed = (subcode: number, title: string, says: string): GraphError =>
  new GraphError(100, 'Invalid parameter', { subcode, is_transient: false, title, says });

export const CATEGORIES = Object.freeze(['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const);
const FORMATS = new Set(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']);
const WITH_FILES = new Set(['IMAGE', 'VIDEO', 'DOCUMENT']);
const BUTTONS = new Set(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG']);
const TYPES = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);
const LONGEST = Object.freeze({ HEADER: 60, BODY: 1024, FOOTER: 60 });

/** The names of the places of a text, in their order. */
export const placesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)),
];
export const componentOf = ({ components }: Pick<Template, 'components'>, type: string): Fields | undefined =>
  components.find((one) => one['type'] === type);
export const buttonsOf = (template: Pick<Template, 'components'>): readonly Fields[] =>
  (componentOf(template, 'BUTTONS')?.['buttons'] ?? []) as readonly Fields[];

function checkText(type: keyof typeof LONGEST, text: unknown): string {
  if (typeof text !== 'string' || text === '') throw badParam(`Component ${type} must have a text`);
  if (text.length > LONGEST[type])
    throw flawed(2388040, 'Character Limit Hit', `The text of ${type} is longer than ${LONGEST[type]} characters.`);
  return text;
}

function checkHeader(header: Fields): void {
  const { format, text, example } = header;
  if (typeof format !== 'string' || !FORMATS.has(format))
    throw flawed(2388047, 'Message Header Format Is Incorrect', 'The header has no format that exists.');
  const shown = isObject(example) ? example : {};
  if (WITH_FILES.has(format) && !Array.isArray(shown['header_handle']))
    throw flawed(2388273, 'Missing sample', `A header of format ${format} needs a sample.`);
  if (format !== 'TEXT') return;
  const places = placesIn(checkText('HEADER', text));
  if (places.length > 1) throw flawed(2388047, 'Message Header Format Is Incorrect', 'A header has one variable.');
  if (places.length === 1 && !Array.isArray(shown['header_text'] ?? shown['header_text_named_params']))
    throw flawed(2388043, 'Missing sample', 'The variable of the header needs a sample.');
}

function checkBody(body: Fields, isNamed: boolean): void {
  const text = checkText('BODY', body['text']);
  const places = placesIn(text);
  if (places.length === 0) return;
  const isRow = places.every((name, at) => (isNamed ? /^[a-z_]+$/.test(name) : name === String(at + 1)));
  if (!isRow) throw flawed(2388072, 'Message Body Format Is Incorrect', 'The variables are not 1, 2, 3 and so on.');
  if (/^\s*\{\{|\}\}\s*$/.test(text))
    throw flawed(2388299, 'Leading or trailing params not allowed', 'Variables are not first or last in the text.');
  const shown = isObject(body['example']) ? body['example'] : {};
  const samples = isNamed
    ? shown['body_text_named_params']
    : (shown['body_text'] as readonly unknown[] | undefined)?.[0];
  if (!Array.isArray(samples) || samples.length !== places.length)
    throw flawed(2388043, 'Missing sample', 'Each variable of the body needs a sample.');
}

function checkButtons(buttons: unknown): void {
  if (!Array.isArray(buttons) || buttons.length === 0 || buttons.length > 10 || !buttons.every(isObject))
    throw badParam('Component BUTTONS must have 1 to 10 buttons');
  for (const { type, text } of buttons) {
    if (typeof type !== 'string' || !BUTTONS.has(type)) throw badParam('A button has no type that exists');
    if (typeof text === 'string' && text.length > 25)
      throw flawed(2388040, 'Character Limit Hit', 'The text of a button is longer than 25 characters.');
    if (['QUICK_REPLY', 'URL', 'PHONE_NUMBER'].includes(type) && typeof text !== 'string')
      throw badParam('A button must have a text');
  }
}

/** Checks the components of a template; the types are kept in capitals. */
export function readComponents(
  value: readonly unknown[] | undefined,
  category: string,
  isNamed: boolean,
): readonly Fields[] {
  if (value === undefined) throw badParam('The parameter components is required');
  const components = value.map((one) => {
    const fields = isObject(one) ? one : {};
    const type = String(fields['type']).toUpperCase();
    if (!TYPES.has(type)) throw badParam(`A component must be one of {${[...TYPES].join(', ')}}`);
    return { ...fields, type };
  });
  if (new Set(components.map(({ type }) => type)).size < components.length) throw badParam('A component comes twice');
  const found = { components };
  const [header, body, footer] = ['HEADER', 'BODY', 'FOOTER'].map((type) => componentOf(found, type));
  if (body === undefined) throw badParam('The component BODY is required');
  // The text of authentication templates is WhatsApp's own.
  if (category !== 'AUTHENTICATION' || body['text'] !== undefined) checkBody(body, isNamed);
  if (header !== undefined) checkHeader(header);
  if (footer !== undefined && category !== 'AUTHENTICATION' && placesIn(checkText('FOOTER', footer['text'])).length > 0)
    throw flawed(2388073, 'Message Footer Format Is Incorrect', 'A footer has no variables.');
  const buttons = componentOf(found, 'BUTTONS');
  if (buttons !== undefined) checkButtons(buttons['buttons']);
  return components;
}
