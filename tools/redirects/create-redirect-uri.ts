import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { RedirectUri } from './redirect-uri.ts';

export const createRedirectUri = defineTool({
  name: 'create_redirect_uri',
  summary: 'Register an address to which connecting may redirect; unregistered addresses are then refused.',
  http: { method: 'POST', path: '/oauth/redirect-uris', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { dashboard: true },
  input: z.object({
    uri: z.string().min(1).max(2048).describe('https URL, or http on localhost; compared exactly.'),
    label: z.string().trim().max(100).optional().describe('Note about the address.'),
  }),
  output: RedirectUri,
  errors: ['validation.redirect_uri_duplicate'],
  async run({ uri, label }, { authority }, { redirects }: Module<'redirects'>) {
    return redirects.create(authority, uri, label);
  },
  resume: recordedAnswer,
});
