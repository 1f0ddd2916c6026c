import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Export } from './export.ts';

export const createExport = defineTool({
  name: 'create_export',
  summary:
    "Export an account's posts with their metrics as a spreadsheet and a report; get_export tells when it is done.",
  http: { method: 'POST', path: '/accounts/{account_id}/export', status: 202 },
  effect: 'create',
  act: 'draft',
  openWorld: true,
  access: { scope: 'analytics:read' },
  needs: 'sync of posts',
  input: z.object({
    account_id: id('account'),
    include_transcript: z.boolean().default(false).describe('Also transcribe the videos.'),
    include_vision: z.boolean().default(false).describe('Also describe pictures.'),
  }),
  output: Export,
  errors: [
    'account.not_found',
    'account.reconnection_required',
    'resource.not_supported',
    'billing.export_limit',
    'billing.export_concurrent',
    'billing.export_cooldown',
  ],
  async run(
    { account_id, include_transcript: transcripts, include_vision: vision },
    call,
    { exports }: Module<'exports'>,
  ) {
    return exports.create(call, account_id, { transcripts, vision });
  },
  resume: recordedAnswer,
});
