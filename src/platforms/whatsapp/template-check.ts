import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import { lengthOf } from '#kernel/text/length.ts';
import {
  TEMPLATE_CATEGORIES,
  type TemplateComponent,
  type TemplateIssues,
  type UncheckedTemplate,
} from '../business.ts';

const VARIABLE = /\{\{([^{}]*)\}\}/g;
const variablesIn = (text: string): readonly string[] => [...text.matchAll(VARIABLE)].map(([, name]) => name!.trim());

/** Whether the variables are numbered from 1 without gaps, or are all named. */
function isInOrder(text: string): boolean {
  const names = new Set(variablesIn(text));
  const all = [...names];
  return all.every((name) => /^[1-9]\d*$/.test(name) && Number(name) <= names.size) || all.every(isName);
}
const isName = (name: string) => /^[a-z][a-z0-9_]*$/.test(name);

/** A text with limits on its characters and variables. */
const words = (most: number, variables = Infinity) =>
  z
    .string('is required')
    .trim()
    .min(1, 'is required')
    .refine((text) => lengthOf(text, 'chars') <= most, `exceeds ${most} characters`)
    .refine((text) => !/\{\{|\}\}/.test(text.replaceAll(VARIABLE, '')), 'has braces that do not match')
    .refine(isInOrder, 'must count its variables ({{1}}, {{2}}) or name them all in lower case ({{name}})')
    .refine((text) => variablesIn(text).length <= variables, `takes ${variables === 0 ? 'no' : variables} variable`);

const label = words(25);
const given = z.string('is required').min(1, 'is required');

const Button = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal(['QUICK_REPLY', 'FLOW', 'VOICE_CALL']), text: label }),
    z.object({ type: z.literal('URL'), text: label, url: given }),
    z.object({ type: z.literal('PHONE_NUMBER'), text: label, phone_number: given }),
    // WhatsApp itself sets the labels of these buttons.
    z.object({ type: z.literal('COPY_CODE'), example: given }),
    z.object({ type: z.literal(['OTP', 'CATALOG', 'MPM']), text: label.optional() }),
  ],
  'must be a type of button, such as QUICK_REPLY, URL or PHONE_NUMBER',
);

/** The rules for each type of component. */
const PARTS: ReadonlyMap<string, z.ZodType> = tableOf({
  HEADER: z.discriminatedUnion(
    'format',
    [
      z.object({ format: z.literal('TEXT'), text: words(60, 1) }),
      z.object({ format: z.literal(['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']) }),
    ],
    'must be one of: TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION',
  ),
  BODY: z.object({ text: words(1024) }),
  FOOTER: z.object({ text: words(60, 0) }),
  BUTTONS: z.object({ buttons: z.array(Button, 'are required').min(1, 'are required').max(10, 'can be at most 10') }),
  CAROUSEL: z.unknown(),
  LIMITED_TIME_OFFER: z.unknown(),
});

const Draft = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be at most 512 lower-case letters, digits and underscores'),
  category: z.enum(TEMPLATE_CATEGORIES, `must be one of: ${TEMPLATE_CATEGORIES.join(', ')}`),
  language: z.string().regex(/^[a-z]{2,3}(?:_[A-Z]{2,3})?$/, 'must be a language code, such as en or en_US'),
  components: z.array(z.unknown()).refine((all) => all.some((one) => isType(one, 'BODY', 'CAROUSEL')), 'need a BODY'),
});

const isType = (component: unknown, ...types: readonly string[]) =>
  types.includes((component as TemplateComponent).type);

/** Errors that WhatsApp would refuse in a template, and warnings of what its reviewers are likely to refuse. */
export function checkTemplate(draft: UncheckedTemplate): TemplateIssues {
  const { category, components } = draft;
  const errors = issuesOf(Draft, draft);
  const parts = components.flatMap((component, index) => {
    const isSecond = components.findIndex(({ type }) => type === component.type) !== index;
    // WhatsApp itself writes the texts of templates for one-time codes.
    const isWritten = category === 'AUTHENTICATION' && isType(component, 'BODY', 'FOOTER') && !component.text;
    const rules = PARTS.get(component.type);
    const issues = rules ? issuesOf(rules, component) : [{ field: 'type', message: 'is unknown' }];
    const found = isWritten ? [] : issues;
    const again = isSecond ? [{ field: 'type', message: 'may occur only once' }] : [];
    return [...found, ...again].map(placedAt(index));
  });
  const warnings = components.flatMap((component, index) => doubtsOf(component).map(placedAt(index)));
  return { errors: [...errors, ...parts], warnings };
}

type Issue = Readonly<{ field: string; message: string }>;

const placedAt = (index: number) => (issue: Issue) => ({
  field: `components.${index}.${issue.field}`,
  message: issue.message,
  component_index: index,
});

const issuesOf = (rules: z.ZodType, value: unknown): readonly Issue[] =>
  (rules.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({ field: path.join('.'), message }));

/** Warnings of what WhatsApp requests but may not enforce. */
function doubtsOf({ format = '', text = '', example }: TemplateComponent): readonly Issue[] {
  const isMedia = ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(format);
  const needsSample = example === undefined && (isMedia || variablesIn(text).length > 0);
  const isOpen = /^\s*\{\{|\}\}\s*$/.test(text);
  return [
    ...(isOpen ? [{ field: 'text', message: 'begins or ends with a variable' }] : []),
    ...(needsSample ? [{ field: 'example', message: 'is required by WhatsApp: a sample of what varies' }] : []),
  ];
}
