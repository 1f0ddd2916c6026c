import type { Answer, Input } from '../../lib/operations.ts';

export type Template = Answer<'list_whatsapp_templates'>['data'][number];
type Components = NonNullable<Input<'send_whatsapp_template'>['components']>;

/** A variable of a template, to be filled in before sending. */
export type Variable = Readonly<{
  part: 'header' | 'body' | 'button';
  /** Its name in the template, or its number. */
  name: string;
  /** The button it belongs to, counted from 0. */
  at?: number;
}>;

type Fields = Readonly<Record<string, unknown>>;

const VARIABLE = /\{\{(\w+)\}\}/g;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const namesIn = (text: unknown): readonly string[] => [
  ...new Set([...textOf(text).matchAll(VARIABLE)].map(([, name]) => name!)),
];
const partOf = ({ components }: Template, type: string): Fields | undefined =>
  components.find((component) => component.type === type);
const buttonsOf = (template: Template): readonly Fields[] =>
  (partOf(template, 'BUTTONS')?.['buttons'] ?? []) as Fields[];

/** Buttons that need no value, or only a variable in their URL. */
const PLAIN: ReadonlySet<unknown> = new Set(['QUICK_REPLY', 'PHONE_NUMBER', 'URL', 'VOICE_CALL']);
const WRITTEN: ReadonlySet<string> = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);

/** Why a template cannot be filled in on this page; undefined if it can. */
export function lackOf(template: Template): string | undefined {
  const format = partOf(template, 'HEADER')?.['format'] ?? 'TEXT';
  if (format !== 'TEXT') return 'It needs a file or a place in its header, which a program can send.';
  const other = template.components.find(({ type }) => !WRITTEN.has(type));
  if (other !== undefined || buttonsOf(template).some(({ type }) => !PLAIN.has(type)))
    return 'It has parts that only a program can fill in.';
  return undefined;
}

/** The variables to be filled in, in the order of the template. */
export function variablesOf(template: Template): readonly Variable[] {
  const inText = (part: 'header' | 'body') =>
    namesIn(partOf(template, part.toUpperCase())?.['text']).map((name) => ({ part, name }));
  const inButtons = buttonsOf(template).flatMap(({ url }, at) =>
    namesIn(url).map((name) => ({ part: 'button' as const, name, at })),
  );
  return [...inText('header'), ...inText('body'), ...inButtons];
}

/** The key of a variable's value while the form is filled in. */
export const slotOf = ({ part, name, at = 0 }: Variable): string => `${part} ${at} ${name}`;

export function titleOf({ part, name, at = 0 }: Variable): string {
  const called = /^\d+$/.test(name) ? `Value ${name}` : name.replaceAll('_', ' ');
  if (part === 'body') return called;
  return part === 'header' ? `${called}, in the header` : `${called}, in the address of button ${at + 1}`;
}

/** The template's text as the recipient will read it. Variables without a value are shown by their names. */
export function wordsOf(template: Template, values: ReadonlyMap<string, string>): string {
  const filled = (part: 'header' | 'body') =>
    textOf(partOf(template, part.toUpperCase())?.['text']).replaceAll(
      VARIABLE,
      (whole, name: string) => values.get(slotOf({ part, name })) || whole,
    );
  return [filled('header'), filled('body'), textOf(partOf(template, 'FOOTER')?.['text'])].filter(Boolean).join('\n');
}

/** The values in the form that the operation takes. */
export function componentsOf(template: Template, values: ReadonlyMap<string, string>): Components {
  const parameterOf = (variable: Variable) => ({
    type: 'text',
    text: (values.get(slotOf(variable)) ?? '').trim(),
    ...(/^\D/.test(variable.name) && { parameter_name: variable.name }),
  });
  const variables = variablesOf(template);
  const texts = (['header', 'body'] as const).flatMap((part) => {
    // Numbered variables are filled in by their order.
    const own = variables.filter((one) => one.part === part).toSorted((a, b) => Number(a.name) - Number(b.name) || 0);
    return own.length === 0 ? [] : [{ type: part, parameters: own.map(parameterOf) }];
  });
  const buttons = variables
    .filter(({ part }) => part === 'button')
    .map((variable) => ({
      type: 'button' as const,
      sub_type: 'url',
      index: String(variable.at),
      parameters: [{ type: 'text', text: parameterOf(variable).text }],
    }));
  return [...texts, ...buttons];
}
