import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { named } from '../fields.ts';
import type { Module } from '../modules.ts';
import { WHATSAPP } from './number.ts';
import { components } from './template.ts';

const Issues = z.array(
  named('TemplateIssue', { field: z.string(), message: z.string(), component_index: z.int().optional() }),
);

const word = (what: string) => z.string().max(10_000).default('').describe(what);

export const validateWhatsappTemplate = defineTool({
  name: 'validate_whatsapp_template',
  summary: 'Check a message template against the rules of WhatsApp before it is created; nothing is stored.',
  http: { method: 'POST', path: '/platforms/whatsapp/templates/validate' },
  effect: 'read',
  access: { scope: 'accounts:read' },
  needs: 'message templates',
  input: z.object({
    name: word('Name.'),
    category: word('MARKETING, UTILITY or AUTHENTICATION.'),
    language: word('Language.'),
    components: components.default([]),
  }),
  output: z.looseObject({ valid: z.boolean(), errors: Issues, warnings: Issues }),
  errors: ['resource.not_supported'],
  async run(draft, _call, { templates }: Module<'templates'>) {
    return templates.check(WHATSAPP, draft);
  },
});
