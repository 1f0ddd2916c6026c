import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { Failure, id, idList, inherits, named } from '../fields.ts';
import type { Module } from '../modules.ts';

const board = named('BoardRules', {
  required: z.boolean(),
  boards: z
    .array(z.looseObject({ board_id: z.string(), name: z.string(), privacy: z.string().optional() }))
    .optional()
    .describe('Of an account.'),
}).optional();

const rules = z.record(z.string(), z.unknown());
const content = { text: rules, title: rules, first_comment: rules, media: rules, carousel: rules, threads: rules };

const PlatformRules = named('PlatformRules', {
  ...content,
  scheduling: rules,
  text_only: z.boolean(),
  visibilities: z.array(z.string()),
  options: rules.optional().describe('JSON Schema of its platform_data.'),
  supports_mixed_media: z.boolean(),
  supports_platform_attachment_id: z.boolean(),
  board,
  kinds: z
    .record(z.string(), z.looseObject({}).meta(inherits))
    .optional()
    .describe('Rules of further kinds of account.'),
});

const AccountRules = named('AccountRules', {
  platform: z.string(),
  kind: z.string().optional(),
  board,
  error: Failure.optional(),
});

export const getConstraints = defineTool({
  name: 'get_constraints',
  summary:
    'Show what each platform accepts in a post: text length, media kinds and sizes, threads, options for platform_data.',
  http: { method: 'GET', path: '/posts/validate' },
  effect: 'read',
  openWorld: true,
  access: { open: true },
  input: z.object({
    platform: z
      .string()
      .max(32)
      .meta({ enum: [...PLATFORMS] })
      .optional()
      .describe('Only this platform.'),
    account_id: id('account').optional().describe('Only this account, with its boards if it has any.'),
    platforms: z.array(z.string().max(32)).max(20).optional().describe('Only these platforms.'),
    account_ids: idList('accounts').optional().describe('Only the platforms of these accounts, with boards.'),
  }),
  output: z.looseObject({
    data: z.record(z.string(), PlatformRules),
    accounts: z.record(z.string(), AccountRules).optional().describe('Whose rules hold for each of account_ids.'),
  }),
  errors: [
    'account.unsupported_platform',
    'account.not_found',
    'account.reconnection_required',
    'resource.not_supported',
    'platform.*',
  ],
  async run({ platform, account_id, platforms, account_ids }, { authority }, { posts }: Module<'posts'>) {
    if (platforms?.length || account_ids?.length) {
      const of = <T>(one: T | undefined, list: readonly T[] = []) => (one === undefined ? list : [one, ...list]);
      return posts.constraints.ofSeveral(authority, of(platform, platforms), of(account_id, account_ids));
    }
    return account_id === undefined
      ? posts.constraints.ofPlatform(platform)
      : posts.constraints.ofAccount(authority, account_id);
  },
});
