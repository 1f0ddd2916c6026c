import type { ConversationRow } from '#db/inbox/conversations.ts';
import type { PlatformConversation } from '#platforms/inbox-types.ts';
import { participantOf } from './events.ts';

export function platformConversation(row: ConversationRow): PlatformConversation {
  return {
    platform_id: row.platform_id,
    page_id: row.page_id ?? undefined,
    participant: participantOf(row),
    metadata: row.metadata,
  };
}
