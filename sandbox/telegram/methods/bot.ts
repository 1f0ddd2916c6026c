import { tableOf } from '#kernel/text/table.ts';
import { answer, route, type Route } from '../../kit/api/routes.ts';
import type { Chat } from '../docs.ts';
import { badRequest, notFound } from '../errors.ts';
import { all, blobOf, botOf } from '../render.ts';
import { checkWebhook } from '../updates.ts';
import { wholeIn, type BotCaller, type Call, type Methods, type Parts, type Targets } from './calls.ts';

const MOST_DOWNLOAD = 20_000_000;
const MOST_UPDATES = 100;
const CONNECTIONS = 40;
const ABILITIES = Object.freeze({
  ...all(true, 'can_join_groups'),
  ...all(false, 'can_read_all_group_messages supports_inline_queries can_connect_to_business has_main_web_app'),
  ...all(false, 'has_topics_enabled allows_users_to_create_topics can_manage_bots supports_join_request_queries'),
});
const GIFTS = all(false, 'unlimited_gifts limited_gifts unique_gifts premium_subscription gifts_from_channels');

const FOLDERS: ReadonlyMap<string, string> = tableOf({ image: 'photos', video: 'videos', audio: 'music' });
const pathOf = (blob: string, mime: string) =>
  `${FOLDERS.get(mime.split('/')[0]!) ?? 'documents'}/file_${blob}.${mime.split('/')[1] ?? 'bin'}`;

export function webhookMethods({ world: { docs, options }, updates }: Parts): Methods {
  const drops = ({ params }: Call) => params.flag('drop_pending_updates') === true;
  return {
    setWebhook(call) {
      const { caller, params } = call;
      const url = params.text('url') ?? '';
      const secret_token = params.text('secret_token');
      if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(secret_token))
        throw badRequest('secret token contains unallowed characters');
      if (url !== '') checkWebhook(options, url);
      const allowed = params.list('allowed_updates')?.map(String);
      if (allowed !== undefined) docs.change('bot', caller.person, { allowed_updates: allowed });
      const max_connections = params.whole('max_connections') ?? CONNECTIONS;
      const webhook = { url, max_connections, ...(secret_token !== undefined && { secret_token }) };
      updates.setWebhook(caller.person, url === '' ? undefined : webhook, drops(call));
      return true;
    },
    deleteWebhook(call) {
      updates.setWebhook(call.caller.person, undefined, drops(call));
      return true;
    },
  };
}

export function selfMethods({ world: { docs }, updates }: Parts): Methods {
  const self = (id: string) => docs.get('bot', id)!;
  return {
    getMe: ({ caller }) => ({ ...botOf(self(caller.person)), ...ABILITIES }),
    getWebhookInfo({ caller: { person: id } }) {
      const { webhook, allowed_updates, last_error: error } = self(id);
      return {
        url: webhook?.url ?? '',
        has_custom_certificate: false,
        pending_update_count: updates.pending(id).length,
        ...(error && { last_error_date: error.date, last_error_message: error.message }),
        ...(webhook && { max_connections: webhook.max_connections, ip_address: '127.0.0.1' }),
        ...(allowed_updates && { allowed_updates }),
      };
    },
    getUpdates({ caller: { person: id }, params }) {
      const allowed = params.list('allowed_updates')?.map(String);
      if (allowed !== undefined) docs.change('bot', id, { allowed_updates: allowed });
      const limit = Math.min(Math.max(params.whole('limit') ?? MOST_UPDATES, 1), MOST_UPDATES);
      return updates.read(id, {
        offset: wholeIn(params, 'offset') ?? 0,
        limit,
        timeout: params.whole('timeout') ?? 0,
      });
    },
    getFile({ caller, params }) {
      const file_id = params.required('file_id');
      const blob = docs.get('blob', blobOf(caller.person, file_id) ?? '');
      if (blob === undefined) throw badRequest('wrong file_id or the file is temporarily unavailable');
      if (blob.size > MOST_DOWNLOAD) throw badRequest('file is too big');
      const { id, size: file_size, mime } = blob;
      return { file_id, file_unique_id: `u${id}`, file_size, file_path: pathOf(id, mime) };
    },
  };
}

export const fileRoute = ({ world: { docs, files } }: Parts): Route<BotCaller> =>
  route('GET', '/file/bot{token}/{folder}/{name}', {}, ({ path: { folder, name = '' } }) => {
    const blob = docs.get('blob', /^file_(\w+)\./.exec(name)?.[1] ?? '');
    if (blob === undefined || pathOf(blob.id, blob.mime) !== `${folder}/${name}`) throw notFound();
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(blob.size) };
    return answer(Buffer.concat([...files.pieces(blob.id)]), 200, headers);
  });

export function chatMethods({ world: { docs, people }, chats, render }: Parts, { look }: Targets): Methods {
  function memberOf(chat: Chat, id: string) {
    if (!people.byId(id) && !docs.get('bot', id)) throw badRequest('user not found');
    return render.memberOf(chat, id);
  }

  return {
    getChat(call) {
      const chat = look(call);
      const about = { accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: GIFTS };
      const linked = chat.linked === undefined ? {} : { linked_chat_id: Number(chat.linked) };
      return { ...render.chatOf(chat), ...about, ...linked };
    },
    getChatMember: (call) => memberOf(look(call), call.params.required('user_id')),
    getChatAdministrators(call) {
      const chat = look(call);
      if (chat.type === 'private') throw badRequest('there are no administrators in the private chat');
      const admins = Object.keys(chat.members).filter((id) => chats.isAdmin(chat, id));
      return admins.map((id) => memberOf(chat, id));
    },
    getChatMemberCount: (call) =>
      Object.values(look(call).members).filter(({ status }) => status !== 'left' && status !== 'kicked').length,
  };
}
