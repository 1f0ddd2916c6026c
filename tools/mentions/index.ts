import { toolset } from '#call/tool.ts';
import { getMentions } from './get-mentions.ts';
import { replyToMention } from './reply-to-mention.ts';

export const mentions = toolset('mentions', 'Mentions', 'Mentions by others: reading and answering.', [
  getMentions,
  replyToMention,
]);
