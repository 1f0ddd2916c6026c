import { lengthOf } from '../../kernel/text/length.ts';
import {
  TEMPLATE_CATEGORIES,
  type TemplateComponent,
  type TemplateIssue,
  type TemplateIssues,
  type UncheckedTemplate,
} from '../business.ts';

/** How long the texts of the parts may be, in characters. */
const LONGEST: Readonly<Record<string, number>> = Object.freeze({ HEADER: 60, BODY: 1024, FOOTER: 60 });
const LONGEST_LABEL = 25;
const MOST_BUTTONS = 10;
const FORMATS: ReadonlySet<string> = new Set(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']);
const PICTURED: ReadonlySet<string> = new Set(['IMAGE', 'VIDEO', 'DOCUMENT']);
/** Parts of templates, those that the rules here do not cover among them. */
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(LONGEST), 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']);
/** What each kind of button must have besides its label; those without one are labelled by WhatsApp. */
const BUTTONS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  QUICK_REPLY: ['text'],
  URL: ['text', 'url'],
  PHONE_NUMBER: ['text', 'phone_number'],
  FLOW: ['text'],
  VOICE_CALL: ['text'],
  COPY_CODE: ['example'],
  OTP: ['otp_type'],
  CATALOG: [],
  MPM: [],
});

type Found = Readonly<Record<keyof TemplateIssues, TemplateIssue[]>>;
type Report = (field: string, message: string) => void;
/** A part that is checked: its place, its type, and how what is wrong or doubtful with it is reported. */
type Part = Readonly<{ component: TemplateComponent; type: string; wrong: Report; doubtful: Report }>;

/** What WhatsApp would refuse a template for, and what its reviewers may refuse it for (platforms-a §4.4). */
export function checkTemplate({ name, category, language, components }: UncheckedTemplate): TemplateIssues {
  const found: Found = { errors: [], warnings: [] };
  const wrong: Report = (field, message) => void found.errors.push({ field, message });
  if (!/^[a-z0-9_]{1,512}$/.test(name)) {
    wrong('name', 'must be at most 512 lower-case letters, digits and underscores');
  }
  if (!(TEMPLATE_CATEGORIES as readonly string[]).includes(category)) {
    wrong('category', `must be one of: ${TEMPLATE_CATEGORIES.join(', ')}`);
  }
  if (!/^[a-z]{2,3}(?:_[A-Z]{2,3})?$/.test(language)) wrong('language', 'must be a language code, such as en or en_US');
  const types = components.map(({ type }) => type.toUpperCase());
  if (!types.includes('BODY') && !types.includes('CAROUSEL')) wrong('components', 'need one of type BODY');
  for (const [index, component] of components.entries()) {
    const report =
      (to: TemplateIssue[]): Report =>
      (field, message) =>
        void to.push({ field: `components.${index}.${field}`, message, component_index: index });
    const type = types[index]!;
    const part = { component, type, wrong: report(found.errors), doubtful: report(found.warnings) };
    if (types.indexOf(type) !== index) part.wrong('type', `may be ${type} once`);
    checkPart(part, category);
  }
  return found;
}

function checkPart(part: Part, category: string): void {
  const { component, type, wrong } = part;
  // WhatsApp writes the texts of one-time codes itself.
  const isWritten = category === 'AUTHENTICATION' && (type === 'BODY' || type === 'FOOTER');
  if (!KNOWN.has(type)) wrong('type', 'must be HEADER, BODY, FOOTER or BUTTONS');
  if (type === 'BUTTONS') checkButtons(part);
  if (type === 'HEADER' && !checkFormat(part)) return;
  if (LONGEST[type] !== undefined && !(isWritten && component.text === undefined)) checkText(part, LONGEST[type]);
}

/** Checks what a header is; true where it is a text. */
function checkFormat({ component, wrong, doubtful }: Part): boolean {
  const format = component.format?.toUpperCase() ?? (component.text === undefined ? '' : 'TEXT');
  if (!FORMATS.has(format)) wrong('format', `must be one of: ${[...FORMATS].join(', ')}`);
  if (PICTURED.has(format) && component.example?.['header_handle'] === undefined) {
    doubtful('example', 'needs header_handle, the handle of an uploaded sample, or WhatsApp refuses it');
  }
  return format === 'TEXT';
}

function checkText({ component, type, wrong, doubtful }: Part, longest: number): void {
  const { text = '', example } = component;
  if (text.trim() === '') return wrong('text', 'is required');
  const length = lengthOf(text, 'chars');
  if (length > longest) wrong('text', `exceeds ${longest} characters (${length})`);
  const variables = [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map(([, name]) => name!);
  if (/\{\{|\}\}/.test(text.replaceAll(/\{\{[^{}]*\}\}/g, ''))) wrong('text', 'has braces that do not match');
  if (variables.length === 0) return;
  if (type === 'FOOTER') return wrong('text', 'takes no variables');
  if (type === 'HEADER' && variables.length > 1) wrong('text', 'takes one variable at most');
  checkVariables(variables, wrong);
  if (/^\s*\{\{|\}\}\s*$/.test(text)) doubtful('text', 'begins or ends with a variable, which WhatsApp refuses');
  if (example === undefined) doubtful('example', 'shows no value of the variables, which WhatsApp asks for');
}

/** Variables are counted from 1 without a gap, or all of them have names. */
function checkVariables(variables: readonly string[], wrong: Report): void {
  const numbers = variables.filter((name) => /^\d+$/.test(name));
  if (numbers.length === 0) {
    const odd = variables.find((name) => !/^[a-z][a-z0-9_]*$/.test(name));
    if (odd !== undefined)
      wrong('text', `has a variable {{${odd}}}: names are lower-case letters, digits and underscores`);
    return;
  }
  if (numbers.length < variables.length) return wrong('text', 'has variables with numbers and variables with names');
  const counted = new Set(numbers.map(Number));
  if (Math.max(...counted) !== counted.size || counted.has(0))
    wrong('text', 'must count its variables: {{1}}, {{2}}, …');
}

function checkButtons({ component: { buttons = [] }, wrong }: Part): void {
  if (buttons.length === 0 || buttons.length > MOST_BUTTONS) wrong('buttons', `must be 1 to ${MOST_BUTTONS}`);
  for (const [at, button] of buttons.entries()) {
    const type = String(button['type']).toUpperCase();
    const needed = BUTTONS[type];
    if (needed === undefined) wrong(`buttons.${at}.type`, `must be one of: ${Object.keys(BUTTONS).join(', ')}`);
    for (const name of needed ?? []) {
      const value = button[name];
      if (value === undefined || value === '') wrong(`buttons.${at}.${name}`, 'is required');
    }
    const { text } = button;
    if (typeof text === 'string' && lengthOf(text, 'chars') > LONGEST_LABEL) {
      wrong(`buttons.${at}.text`, `exceeds ${LONGEST_LABEL} characters`);
    }
  }
}
