import { z } from 'zod';
import { asJsonText, freeForm, named } from '../fields.ts';

export const WhatsappTemplate = named('WhatsappTemplate', {
  id: z.string(),
  name: z.string(),
  status: z.string(),
  category: z.string(),
  language: z.string(),
  components: z.array(
    named('TemplateComponent', {
      type: z.string(),
      format: z.string().optional(),
      text: z.string().optional(),
      buttons: z.array(z.record(z.string(), z.unknown())).optional(),
      example: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

const component = named('TemplateComponentInput', {
  type: z.string().min(1).max(64),
  format: z.string().max(64).optional(),
  text: z.string().max(10_000).optional(),
  buttons: z
    .array(z.looseObject({ type: z.string().min(1).max(64) }))
    .max(20)
    .optional(),
  example: z.looseObject({}).optional(),
});

/** Parts of a template; other members are left to WhatsApp. */
export const components = freeForm(z.array(component).max(20))
  .describe('JSON: [{type: HEADER|BODY|FOOTER|BUTTONS, text, format, buttons: [{type, text}], example}].')
  .meta(asJsonText);

export const templateId = z.string().min(1).max(128).describe('Id of the template, as WhatsApp numbers it.');

export const templateAccount = z.string().min(1).max(128).optional().describe('Account that has it; else found.');

export const templateName = z.string().min(1).max(512).describe('Name of the template.');

export const language = z.string().min(2).max(16).describe('Language code, such as en_US.');

const value = z
  .string()
  .max(10_000)
  .refine((text) => !/[\n\r\t]| {5}/.test(text), {
    error: 'must have no line break, no tab and no more than four spaces in a row, which WhatsApp refuses in values',
  });

const parameter = named('TemplateParameterInput', {
  type: z.string().min(1).max(64).default('text'),
  text: value.optional(),
  parameter_name: z.string().min(1).max(64).optional(),
});

const filling = named('TemplateFillingInput', {
  type: z.enum(['header', 'body', 'button']),
  parameters: z.array(parameter).max(50).default([]),
});

/** Values of a template's variables; other members are left to WhatsApp. */
export const values = freeForm(z.array(filling).max(20).default([]))
  .describe('JSON, the values of its variables: [{type: header|body|button, parameters: [{type: text, text}]}].')
  .meta(asJsonText);
