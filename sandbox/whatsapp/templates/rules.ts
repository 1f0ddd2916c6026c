import { badParam, GraphError } from '../../graph/api/errors.ts';
import { isObject } from '../../kit/api/checks.ts';
import type { Fields, Template } from '../docs.ts';

const FLAWS = Object.freeze({
  limit: [2388019, 'Message template limit exceeded'],
  deleted: [2388023, 'Message Template Language is Being Deleted'],
  exists: [2388024, 'Content in This Language Already Exists'],
  fixed: [2388025, 'Message template cannot be edited'],
  often: [2388026, 'Message template was edited too often'],
  long: [2388040, 'Character Limit Hit'],
  sample: [2388043, 'Missing sample'],
  header: [2388047, 'Message Header Format Is Incorrect'],
  body: [2388072, 'Message Body Format Is Incorrect'],
  footer: [2388073, 'Message Footer Format Is Incorrect'],
  file: [2388273, 'Missing sample'],
  edges: [2388299, 'Leading or trailing params not allowed'],
  unknown: [2593002, "Message template wasn't found"],
  campaign: [2593085, "Message template can't be deleted"],
} as const);

export function flawed(flaw: keyof typeof FLAWS, says: string): GraphError {
  const [subcode, title] = FLAWS[flaw];
  return new GraphError(100, 'Invalid parameter', { subcode, is_transient: false, title, says });
}

export const CATEGORIES = Object.freeze(['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const);
const FORMATS = new Set(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']);
const BUTTONS = new Set(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG']);
const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];
const LONGEST = Object.freeze({ HEADER: 60, BODY: 1024, FOOTER: 60 });

/** The names of a text's variables, in order. */
export const placesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)),
];
export const componentOf = ({ components }: Pick<Template, 'components'>, type: string): Fields | undefined =>
  components.find((one) => one['type'] === type);
export const buttonsOf = (template: Pick<Template, 'components'>): readonly Fields[] =>
  (componentOf(template, 'BUTTONS')?.['buttons'] ?? []) as readonly Fields[];

function textIn(type: keyof typeof LONGEST, { text }: Fields) {
  if (typeof text !== 'string' || text === '') throw badParam(`Component ${type} must have a text`);
  if (text.length > LONGEST[type])
    throw flawed('long', `The text of ${type} is longer than ${LONGEST[type]} characters.`);
  return { text, places: placesIn(text) };
}
const samplesIn = ({ example }: Fields): Fields => (isObject(example) ? example : {});

function checkHeader(header: Fields): void {
  const format = String(header['format']);
  if (!FORMATS.has(format)) throw flawed('header', 'The header has no format that exists.');
  const samples = samplesIn(header);
  if (['IMAGE', 'VIDEO', 'DOCUMENT'].includes(format) && !Array.isArray(samples['header_handle']))
    throw flawed('file', `A header of format ${format} needs a sample.`);
  if (format !== 'TEXT') return;
  const { places } = textIn('HEADER', header);
  if (places.length > 1) throw flawed('header', 'A header has one variable.');
  if (places.length === 1 && !Array.isArray(samples['header_text'] ?? samples['header_text_named_params']))
    throw flawed('sample', 'The variable of the header needs a sample.');
}

function checkBody(body: Fields, isNamed: boolean): void {
  const { text, places } = textIn('BODY', body);
  if (places.length === 0) return;
  const isRow = places.every((name, at) => (isNamed ? /^[a-z_]+$/.test(name) : name === String(at + 1)));
  if (!isRow) throw flawed('body', 'The variables are not 1, 2, 3 and so on.');
  if (/^\s*\{\{|\}\}\s*$/.test(text)) throw flawed('edges', 'Variables are not first or last in the text.');
  const { body_text_named_params: named, body_text: rows } = samplesIn(body);
  const samples = isNamed ? named : (rows as readonly unknown[] | undefined)?.[0];
  if (!Array.isArray(samples) || samples.length !== places.length)
    throw flawed('sample', 'Each variable of the body needs a sample.');
}

function checkButtons({ buttons }: Fields): void {
  if (!Array.isArray(buttons) || buttons.length === 0 || buttons.length > 10 || !buttons.every(isObject))
    throw badParam('Component BUTTONS must have 1 to 10 buttons');
  for (const { type, text } of buttons) {
    if (!BUTTONS.has(String(type))) throw badParam('A button has no type that exists');
    if (typeof text === 'string' && text.length > 25)
      throw flawed('long', 'The text of a button is longer than 25 characters.');
    if (['QUICK_REPLY', 'URL', 'PHONE_NUMBER'].includes(String(type)) && typeof text !== 'string')
      throw badParam('A button must have a text');
  }
}

/** Checks the components of a template. Their types are stored in capitals. */
export function readComponents(
  value: readonly unknown[] | undefined,
  category: string,
  isNamed: boolean,
): readonly Fields[] {
  if (value === undefined) throw badParam('The parameter components is required');
  const components = value.map((one) => {
    const fields = isObject(one) ? one : {};
    const type = String(fields['type']).toUpperCase();
    if (!TYPES.includes(type)) throw badParam(`A component must be one of {${TYPES.join(', ')}}`);
    return { ...fields, type };
  });
  if (new Set(components.map(({ type }) => type)).size < components.length) throw badParam('A component comes twice');
  const [header, body, footer, buttons] = TYPES.map((type) => componentOf({ components }, type));
  if (body === undefined) throw badParam('The component BODY is required');
  // The text of authentication templates is written by WhatsApp.
  const isOwn = category === 'AUTHENTICATION';
  if (!isOwn || body['text'] !== undefined) checkBody(body, isNamed);
  if (header !== undefined) checkHeader(header);
  if (footer !== undefined && !isOwn && textIn('FOOTER', footer).places.length > 0)
    throw flawed('footer', 'A footer has no variables.');
  if (buttons !== undefined) checkButtons(buttons);
  return components;
}
