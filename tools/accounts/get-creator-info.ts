import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id, platformSlug } from '../fields.ts';
import type { Module } from '../modules.ts';

export const getCreatorInfo = defineTool({
  name: 'get_creator_info',
  summary: 'Ask the platform what the creator behind an account may publish.',
  http: { method: 'GET', path: '/accounts/{account_id}/creator-info' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'accounts:read' },
  needs: 'creator info',
  input: z.object({ account_id: id('account') }),
  output: z.looseObject({
    platform: platformSlug,
    nickname: z.string(),
    avatar_url: z.string().nullable(),
    can_post: z.boolean(),
    max_video_duration_sec: z.int(),
    privacy_level_options: z.array(z.string()),
    interaction_settings: z.record(z.string(), z.boolean()),
  }),
  errors: ['account.not_found', 'account.reconnection_required', 'resource.not_supported', 'platform.*'],
  async run({ account_id }, { authority }, { accounts }: Module<'accounts'>) {
    return accounts.creatorInfo(authority, account_id);
  },
});
