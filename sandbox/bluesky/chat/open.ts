import { ABOUT } from '../about.ts';
import type { Clock } from '#kernel/clock.ts';
import { openChats, type Chats } from '../../kit/chat/chats.ts';
import { tid } from '../../atproto/ipld.ts';
import type { Store } from '../../store.ts';

const CLOCK_ID = 7;
const { prefix: PREFIX } = ABOUT;

/** In sandbox files of earlier versions, the column of a conversation's members has another name. */
function renameMembers({ db }: Store): void {
  for (const table of ['convo_member', 'message_gone', 'reaction', 'chat_log'].map((name) => `${PREFIX}_${name}`)) {
    const columns = db.pragma(`table_info(${table})`) as { name: string }[];
    if (columns.some(({ name }) => name === 'did')) db.exec(`alter table ${table} rename column did to person`);
  }
}

export function openChat(store: Store, clock: Clock): Chats {
  renameMembers(store);
  return openChats(store, clock, {
    prefix: PREFIX,
    events: {
      begin: 'logBeginConvo',
      message: 'logCreateMessage',
      accept: 'logAcceptConvo',
      leave: 'logLeaveConvo',
      mute: 'logMuteConvo',
      unmute: 'logUnmuteConvo',
      read: ['logReadMessage', 'logReadConvo'],
      hide: 'logDeleteMessage',
      react: 'logAddReaction',
      unreact: 'logRemoveReaction',
    },
    revision: (count) => tid(count, 0),
    newId: (micros) => tid(micros, CLOCK_ID),
  });
}
