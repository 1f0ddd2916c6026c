import { toolset } from '../../src/call/tool.ts';
import { getMentions } from './get-mentions.ts';
import { replyToMention } from './reply-to-mention.ts';

export const mentions = toolset('mentions', 'Mentions', 'Where others mention an account: reading and answering.', [
  getMentions,
  replyToMention,
]);
