import type { Answer, Input } from '../../lib/operations.ts';

export type Template = Answer<'list_whatsapp_templates'>['data'][number];
type Components = NonNullable<Input<'send_whatsapp_template'>['components']>;

/** Something that a template leaves to be filled in. */
export type Variable = Readonly<{
  part: 'header' | 'body' | 'button';
  /** As the template names it, or its number. */
  name: string;
  /** Which button, counted from 0. */
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

/** Buttons that need nothing, and those whose address may vary. */
const PLAIN: ReadonlySet<unknown> = new Set(['QUICK_REPLY', 'PHONE_NUMBER', 'URL', 'VOICE_CALL']);
const WRITTEN: ReadonlySet<string> = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);

/** Why a template cannot be filled in here; undefined if it can. */
export function lackOf(template: Template): string | undefined {
  const format = partOf(template, 'HEADER')?.['format'] ?? 'TEXT';
  if (format !== 'TEXT') return 'It needs a file or a place in its header, which a program can send.';
  const other = template.components.find(({ type }) => !WRITTEN.has(type));
  if (other !== undefined || buttonsOf(template).some(({ type }) => !PLAIN.has(type)))
    return 'It has parts that only a program can fill in.';
  return undefined;
}

/** What has to be filled in, in the order of the template. */
export function variablesOf(template: Template): readonly Variable[] {
  const inText = (part: 'header' | 'body') =>
    namesIn(partOf(template, part.toUpperCase())?.['text']).map((name) => ({ part, name }));
  const inButtons = buttonsOf(template).flatMap(({ url }, at) =>
    namesIn(url).map((name) => ({ part: 'button' as const, name, at })),
  );
  return [...inText('header'), ...inText('body'), ...inButtons];
}

/** What a value is kept under while it is typed. */
export const slotOf = ({ part, name, at = 0 }: Variable): string => `${part} ${at} ${name}`;

export function titleOf({ part, name, at = 0 }: Variable): string {
  const called = /^\d+$/.test(name) ? `Value ${name}` : name.replaceAll('_', ' ');
  if (part === 'body') return called;
  return part === 'header' ? `${called}, in the header` : `${called}, in the address of button ${at + 1}`;
}

/** The words of the template as the person will read them; what is not filled in keeps its name. */
export function wordsOf(template: Template, values: ReadonlyMap<string, string>): string {
  const filled = (part: 'header' | 'body') =>
    textOf(partOf(template, part.toUpperCase())?.['text']).replaceAll(
      VARIABLE,
      (whole, name: string) => values.get(slotOf({ part, name })) || whole,
    );
  return [filled('header'), filled('body'), textOf(partOf(template, 'FOOTER')?.['text'])].filter(Boolean).join('\n');
}

/** The values as the operation takes them. */
export function componentsOf(template: Template, values: ReadonlyMap<string, string>): Components {
  const parameterOf = (variable: Variable) => ({
    type: 'text',
    text: (values.get(slotOf(variable)) ?? '').trim(),
    ...(/^\D/.test(variable.name) && { parameter_name: variable.name }),
  });
  const variables = variablesOf(template);
  const texts = (['header', 'body'] as const).flatMap((part) => {
    // Numbers are filled in by their order.
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
